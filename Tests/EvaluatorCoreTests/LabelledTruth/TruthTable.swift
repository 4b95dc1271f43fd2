import Model

/// Scores of every rule on the same tracks, by class and kind of zone.
struct TruthTable {
    struct Row: Hashable {
        var kind: ZoneKind
        /// Nil = all classes.
        var truthClass: TruthClass?
        var rule: TruthRule
    }

    private(set) var scores: [Row: TruthScore] = [:]

    /// - Parameters:
    ///   - seeds: each gives three tracks per class, with fixes every 10, 60 and 180 s.
    ///   - hours: length of each track.
    init(seeds: Range<UInt64>, hours: Int, rules: [TruthRule] = TruthRule.allCases) {
        for truthClass in TruthClass.allCases {
            for seed in seeds {
                for interval in [10, 60, 180] {
                    let track = TruthTrack(
                        truthClass, seed: seed &* 1000 &+ UInt64(interval), interval: interval,
                        seconds: hours * 3600)
                    add(track, rules)
                }
            }
        }
    }

    subscript(
        _ kind: ZoneKind, _ rule: TruthRule, _ truthClass: TruthClass? = nil
    ) -> TruthScore { scores[Row(kind: kind, truthClass: truthClass, rule: rule)] ?? TruthScore() }

    private mutating func add(_ track: TruthTrack, _ rules: [TruthRule]) {
        let spells = TruthSpell.all(of: track)
        for kind in [ZoneKind.safe, .alert] {
            for rule in rules {
                var score = TruthScore()
                score.add(track, spells, rule.emitted(track, kind))
                for truthClass in [track.kind, nil] {
                    scores[
                        Row(kind: kind, truthClass: truthClass, rule: rule), default: TruthScore()
                    ].add(score)
                }
            }
        }
    }

    /// Delays in seconds, p50 / p95.
    var text: String {
        var lines = [
            TruthTable.line(
                ["zone", "tracks", "rule", "notified", "missed", "false/100 h", "enter", "exit"])
        ]
        for kind in [ZoneKind.safe, .alert] {
            for truthClass in TruthClass.allCases.map(Optional.some) + [nil] {
                for rule in TruthRule.allCases {
                    let score = self[kind, rule, truthClass]
                    lines.append(
                        TruthTable.line([
                            kind.rawValue, truthClass?.name ?? "all", rule.name,
                            "\(score.emitted)", "\(score.missed) of \(score.clear)",
                            TruthTable.tenths(score.falsePer100ZoneHours),
                            TruthTable.delays(score.enters), TruthTable.delays(score.exits),
                        ]))
                }
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func delays(_ delays: [Double]) -> String {
        "\(Int(delays.percentile(50).rounded())) / \(Int(delays.percentile(95).rounded()))"
    }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func line(_ cells: [String]) -> String {
        zip(cells, [6, 22, 12, 7, 13, 12, 12, 12]).map { cell, width in
            cell + String(repeating: " ", count: max(1, width - cell.count))
        }.joined()
    }
}

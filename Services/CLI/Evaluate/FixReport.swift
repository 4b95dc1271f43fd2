import EvaluatorCore
import Model
import Parsing

/// `jaga evaluate --fixes`: shows how zones evaluated each fix, and why it changed nothing.
struct FixReport {
    /// Maximum distance of reported zones beyond their alert distance, metres.
    static let nearMetres: Int32 = 1000

    /// Name of the only zone to report; nil = all zones nearby.
    private let name: String?
    private let asJSON: Bool

    /// Returns nil without `--fixes`.
    init?(_ call: Call, zones: [ConfiguredZone]) throws(CommandError) {
        name = call.value("--zone")
        asJSON = call.has("--json")
        if let name, !zones.contains(where: { FixReport.isName($0.name, name) }) {
            throw CommandError(
                "there is no zone named \(name) in the file",
                hint: "zones: " + zones.prefix(20).map(\.name).joined(separator: ", "))
        }
        guard call.has("--fixes") else {
            guard name == nil else {
                throw .usage("--zone requires --fixes", call.syntax)
            }
            return nil
        }
    }

    func print(_ looks: [ZoneExplanation], _ fix: Fix, number: Int) {
        let looks = looks.filter(isIncluded)
        guard !asJSON else {
            for look in looks { Console.print(json(look, fix, number: number).text) }
            return
        }
        let accuracy =
            fix.accuracyCentimetres > 0
            ? "\(Double(fix.accuracyCentimetres) / 100) m" : "unknown"
        Console.print(
            "\(fix.time)  fix \(number) at \(fix.position.latitude),\(fix.position.longitude), "
                + "accuracy \(accuracy)" + (looks.isEmpty ? ": no zone is near" : ""))
        for look in looks { Console.print("    " + FixReport.line(look, fix)) }
    }

    private static func isName(_ name: String, _ other: String) -> Bool {
        name.lowercased() == other.lowercased()
    }

    private func isIncluded(_ look: ZoneExplanation) -> Bool {
        if let name { return FixReport.isName(look.name, name) }
        return look.before == .inside || look.after == .inside
            || look.distanceCentimetres - look.alertCentimetres <= FixReport.nearMetres * 100
    }

    /// Such as `School: stays inside: 12 m outside, but …; margin 60 m`.
    static func line(_ look: ZoneExplanation, _ fix: Fix) -> String {
        let words = DecisionText(look, fix)
        let place = words.place("")
        let what: String
        if !look.isOpen {
            what = "closed by its schedule; \(place)"
        } else if look.use == .history {
            what =
                "stays \(look.before.rawValue): the fix is older than the newest one, and changes "
                + "nothing; \(place)"
        } else if look.use == .suspect {
            what = "stays \(look.before.rawValue): \(words.why)"
        } else if look.before != look.after {
            what = "\(look.before.rawValue) → \(look.after.rawValue): \(words.why)"
        } else if look.seen == look.after {
            what = "stays \(look.after.rawValue): \(place), no change"
        } else {
            what = "stays \(look.after.rawValue): \(words.why)"
        }
        var limits = ["margin \(words.metres(Int64(look.marginCentimetres)))"]
        if look.alertCentimetres > 0 {
            limits.append("alert distance \(words.metres(Int64(look.alertCentimetres)))")
        }
        return "\(look.name): \(what); \(limits.joined(separator: ", "))"
    }

    private func json(_ look: ZoneExplanation, _ fix: Fix, number: Int) -> JSON {
        func metres(_ centimetres: Int32) -> JSON { .number(Double(centimetres) / 100) }
        return [
            "fix": .integer(Int64(number)), "time": .string(fix.time.description),
            "zone": .string(look.name), "use": .string(look.use.rawValue),
            "open": .bool(look.isOpen),
            "before": .string(look.before.rawValue), "after": .string(look.after.rawValue),
            "seen": .string(look.seen.rawValue), "reason": .string(look.reason.rawValue),
            "distance": metres(look.distanceCentimetres), "margin": metres(look.marginCentimetres),
            "alertDistance": metres(look.alertCentimetres),
        ]
    }
}

import Glibc
import Model
import Testing

/// Compares reported crossings with tracks of known truth: false, missed and delayed ones, beside
/// other rules. With LONG_TESTS in the environment it prints the table of many tracks and of a
/// second set of seeds (30 each, or TRUTH_SEEDS).
@Suite struct LabelledTruthTests {
    @Test func `Jaga is seldom wrong and not late`() {
        let table = TruthTable(seeds: 0..<2, hours: 6)
        for kind in [ZoneKind.safe, .alert] {
            let (new, old) = (table[kind, .current], table[kind, .old])
            #expect(new.falsePer100ZoneHours <= old.falsePer100ZoneHours)
            #expect(new.missedShare <= 0.01)
            #expect(new.exits.percentile(95) <= old.exits.percentile(95))
        }
        let plain = table[.safe, .containment].falsePer100ZoneHours
        #expect(table[.safe, .current].falsePer100ZoneHours <= plain / 20)
        #expect(table[.safe, .current].enterIntervals.percentile(50) <= 1)
        #expect(table[.alert, .current].enters.percentile(50) == 0)
    }

    @Test func `the generator produces what it documents`() {
        let table = TruthTable(seeds: 0..<2, hours: 8, rules: [.containment, .traccar])
        for truthClass in TruthClass.allCases {
            let score = table[.safe, .containment, truthClass]
            #expect(score.clear >= 10 && score.enters.count >= 5, "\(truthClass)")
            #expect(score.zoneHours == 48)
        }
        for hard in [TruthClass.canyon, .tower, .spikeWithSpeed, .spikeWithoutSpeed] {
            #expect(table[.safe, .containment, hard].falsePer100ZoneHours > 30, "\(hard)")
        }
    }

    @Test(.enabled(if: getenv("LONG_TESTS") != nil))
    func `the table of many tracks`() {
        let count = getenv("TRUTH_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 30
        for (name, first) in [("first set", 1000), ("second set", 9_000_000)] as [(String, UInt64)]
        {
            let table = TruthTable(seeds: first..<(first + count), hours: 12)
            print("Labelled truth, \(name) of seeds\n\(table.text)")
            expectAims(table, name)
        }
    }

    /// The aims of the rules: false and missed crossings, and the delay from the first fix beyond
    /// the edge.
    private func expectAims(_ table: TruthTable, _ name: String) {
        let (safe, old) = (table[.safe, .current], table[.safe, .old])
        let contained = table[.safe, .containment].falsePer100ZoneHours
        #expect(safe.falsePer100ZoneHours <= contained / 20, "\(name): false, safe zones")
        #expect(safe.missedShare <= 0.01, "\(name): missed, safe zones")
        #expect(safe.enterIntervals.percentile(50) <= 1, "\(name): enter p50")
        for percent in [50, 95] {
            #expect(
                2 * safe.exits.percentile(percent) <= old.exits.percentile(percent),
                "\(name): exit p\(percent)")
        }
        let (alert, before) = (table[.alert, .current], table[.alert, .old])
        #expect(
            alert.falsePer100ZoneHours <= before.falsePer100ZoneHours,
            "\(name): false, alert zones")
        #expect(alert.missedShare <= before.missedShare, "\(name): missed, alert zones")
        #expect(alert.enters.percentile(50) == 0, "\(name): enter p50, alert zones")
    }
}

import Glibc
import Model
import Testing

/// How often, how late and how wrongly crossings are reported, against tracks whose true way is
/// known, beside other rules. With LONG_TESTS in the environment it prints the table of many tracks
/// and of a second set of seeds.
@Suite struct LabelledTruthTests {
    @Test func `the frozen old rule decides as the evaluator did`() {
        for truthClass in TruthClass.allCases {
            for interval in [10, 60, 180] {
                let track = TruthTrack(
                    truthClass, seed: 7, interval: interval, seconds: 8 * 3600)
                for kind in [ZoneKind.safe, .alert] {
                    #expect(
                        TruthRule.current.told(track, kind) == TruthRule.old.told(track, kind),
                        "\(truthClass) \(interval) \(kind)")
                }
            }
        }
    }

    @Test func `the generator makes what it says`() {
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
        for (name, first) in [("first set", 1000), ("second set", 9_000_000)] as [(String, UInt64)]
        {
            let table = TruthTable(seeds: first..<(first + 30), hours: 12)
            print("Labelled truth, \(name) of seeds\n\(table.text)")
        }
    }
}

import EvaluatorCore
import Glibc
import Model
import Testing

/// The core and a slow judge that knows nothing of it agree about logs in which anything may follow
/// anything: ten thousand records, a million with LONG_TESTS in the environment.
@Suite struct OracleTests {
    private var worlds: UInt64 { getenv("LONG_TESTS") == nil ? 180 : 17_000 }

    @Test func `every decision is the one that the rules demand`() throws {
        var count = 0
        var kinds: [EventKind: Int] = [:]
        var reasons: [CrossingReason: Int] = [:]
        for seed in 0..<worlds {
            let world = OracleWorld(seed: seed, count: 60)
            for person in OracleWorld.people {
                let oracle = Oracle(person, world.log)
                for record in 0..<oracle.closeFrom {
                    let told = world.told[record].filter { $0.person == person }.map(\.told)
                    let sorted = told.enumerated().sorted {
                        ($0.element.zone, $0.offset) < ($1.element.zone, $1.offset)
                    }.map(\.element)
                    try #require(
                        sorted == oracle.told[record],
                        "seed \(seed), \(person), record \(record): \(world.log[record].body)")
                    for each in sorted {
                        kinds[each.kind, default: 0] += 1
                        if let reason = each.reason { reasons[reason, default: 0] += 1 }
                    }
                }
                count += oracle.closeFrom
            }
        }
        // Rounding seldom decides, and everything that can be decided was.
        #expect(count > Int(worlds) * 100)
        #expect(kinds.count == 9 && kinds.values.allSatisfy { $0 > 10 }, "\(kinds)")
        #expect(Set(reasons.keys) == Set(CrossingReason.allCases), "\(reasons)")
    }
}

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

/// The core and a slow judge agree about alarms and clocks: every ring, start and end, and every
/// clock that is asked for or given up, with fixes up to 40 min old, gaps as long, and cycles of
/// up to an hour.
@Suite struct OracleAlarmTests {
    private var worlds: UInt64 { getenv("LONG_TESTS") == nil ? 180 : 17_000 }

    @Test func `every ring and every clock is the one that the rules demand`() throws {
        var count = 0
        var kinds: [EventKind: Int] = [:]
        var ends: [AlarmEnd: Int] = [:]
        var (laterRings, silentStarts, clocks) = (0, 0, 0)
        for seed in 0..<worlds {
            let world = OracleWorld(seed: seed, count: 60, isAlarming: true)
            for person in OracleWorld.people {
                let oracle = OracleAlarms(person, world.log)
                var running: [ZoneID: AlarmID] = [:]
                for record in 0..<oracle.closeFrom {
                    let told = world.alarms[record].filter { $0.person == person }
                    try #require(
                        told.map(\.told) == oracle.told[record],
                        "seed \(seed), \(person), record \(record): \(world.log[record].body)")
                    let asked = world.clocks[record].filter { $0.person == person }.map(\.told)
                    try #require(
                        asked == oracle.clocks[record],
                        "seed \(seed), \(person), record \(record): \(world.log[record].body)")
                    clocks += asked.count
                    for each in told {
                        kinds[each.told.kind, default: 0] += 1
                        if each.told.kind == .alarmRepeated, each.told.rings > 2 { laterRings += 1 }
                        if each.told.kind == .alarmStarted, !each.told.speaks { silentStarts += 1 }
                        each.told.end.map { ends[$0, default: 0] += 1 }
                        // One id a stay, from its start to its end.
                        let before = running[each.told.zone]
                        try #require((before == nil) == (each.told.kind == .alarmStarted))
                        try #require(before == nil || before == each.alarm)
                        running[each.told.zone] = each.told.end == nil ? each.alarm : nil
                    }
                }
                count += oracle.closeFrom
            }
        }
        #expect(count > Int(worlds) * 100)
        #expect(kinds.count == 3 && kinds.values.allSatisfy { $0 > 100 }, "\(kinds)")
        #expect(Set(ends.keys) == Set(AlarmEnd.allCases), "\(ends)")
        #expect(laterRings > 100 && silentStarts > 20 && clocks > 1000)
    }
}

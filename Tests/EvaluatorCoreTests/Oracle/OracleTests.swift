import EvaluatorCore
import Glibc
import Model
import Testing

/// The core and an independent oracle agree about random logs: ten thousand records, or a million
/// with LONG_TESTS in the environment.
@Suite struct OracleTests {
    private var worlds: UInt64 { getenv("LONG_TESTS") == nil ? 180 : 17_000 }

    @Test func `every decision equals the oracle's`() throws {
        var count = 0
        var kinds: [EventKind: Int] = [:]
        var reasons: [CrossingReason: Int] = [:]
        for seed in 0..<worlds {
            let world = OracleWorld(seed: seed, count: 60)
            for person in OracleWorld.people {
                let oracle = Oracle(person, world.log)
                for record in 0..<oracle.closeFrom {
                    let emitted = world.emitted[record].filter { $0.person == person }.map(
                        \.emitted)
                    let sorted = emitted.enumerated().sorted {
                        ($0.element.zone, $0.offset) < ($1.element.zone, $1.offset)
                    }.map(\.element)
                    try #require(
                        sorted == oracle.emitted[record],
                        "seed \(seed), \(person), record \(record): \(world.log[record].body)")
                    for each in sorted {
                        kinds[each.kind, default: 0] += 1
                        if let reason = each.reason { reasons[reason, default: 0] += 1 }
                    }
                }
                count += oracle.closeFrom
            }
        }
        // Rounding seldom decides, and every kind of decision occurred.
        #expect(count > Int(worlds) * 100)
        #expect(kinds.count == 9 && kinds.values.allSatisfy { $0 > 10 }, "\(kinds)")
        #expect(Set(reasons.keys) == Set(CrossingReason.allCases), "\(reasons)")
    }
}

/// The core and the oracle agree about every ring, start and end of alarms and every deadline, with
/// fixes up to 40 min old, gaps as long, and cycles up to an hour.
@Suite struct OracleAlarmTests {
    private var worlds: UInt64 { getenv("LONG_TESTS") == nil ? 180 : 17_000 }

    @Test func `every ring and deadline equals the oracle's`() throws {
        var count = 0
        var kinds: [EventKind: Int] = [:]
        var ends: [AlarmEnd: Int] = [:]
        var (laterRings, silentStarts, deadlineChanges) = (0, 0, 0)
        for seed in 0..<worlds {
            let world = OracleWorld(seed: seed, count: 60, isAlarming: true)
            for person in OracleWorld.people {
                let oracle = OracleAlarms(person, world.log)
                var running: [ZoneID: AlarmID] = [:]
                for record in 0..<oracle.closeFrom {
                    let emitted = world.alarms[record].filter { $0.person == person }
                    try #require(
                        emitted.map(\.emitted) == oracle.emitted[record],
                        "seed \(seed), \(person), record \(record): \(world.log[record].body)")
                    let asked = world.deadlineChanges[record].filter { $0.person == person }.map(
                        \.emitted)
                    try #require(
                        asked == oracle.deadlineChanges[record],
                        "seed \(seed), \(person), record \(record): \(world.log[record].body)")
                    deadlineChanges += asked.count
                    for each in emitted {
                        kinds[each.emitted.kind, default: 0] += 1
                        if each.emitted.kind == .alarmRepeated, each.emitted.rings > 2 {
                            laterRings += 1
                        }
                        if each.emitted.kind == .alarmStarted, !each.emitted.isAudible {
                            silentStarts += 1
                        }
                        each.emitted.end.map { ends[$0, default: 0] += 1 }
                        // One id per stay, from its start to its end.
                        let before = running[each.emitted.zone]
                        try #require((before == nil) == (each.emitted.kind == .alarmStarted))
                        try #require(before == nil || before == each.alarm)
                        running[each.emitted.zone] = each.emitted.end == nil ? each.alarm : nil
                    }
                }
                count += oracle.closeFrom
            }
        }
        #expect(count > Int(worlds) * 100)
        #expect(kinds.count == 3 && kinds.values.allSatisfy { $0 > 100 }, "\(kinds)")
        #expect(Set(ends.keys) == Set(AlarmEnd.allCases), "\(ends)")
        #expect(laterRings > 100 && silentStarts > 20 && deadlineChanges > 1000)
    }
}

import Hosting
import Model
import Testing

@testable import TimerDaemon

@Suite struct `What the timer holds` {
    private let emergency = EmergencyID(ID128(high: 3, low: 1))

    private func deadline(_ number: UInt64, _ rule: DeadlineKind) -> Deadline {
        Deadline(
            id: DeadlineID(ID128(high: 2, low: number)), kind: rule, person: anna,
            emergency: emergency, due: noon + .seconds(60))
    }

    /// A timer that returns after an hour in which deadlines of these kinds became due.
    private func world(_ rules: [DeadlineKind]) throws -> World {
        let world = try World()
        for (number, rule) in rules.enumerated() {
            try world.receive(.deadlineScheduled(deadline(UInt64(number + 1), rule)))
        }
        world.now = noon + .seconds(3600)
        world.outage = Outage(from: noon, until: world.now, holdEnds: world.now + .seconds(600))
        try world.restart()
        try world.turn()
        return world
    }

    @Test func `for the notifier is neither shown nor reported as an alarm`() throws {
        let world = try world([.tier, .fallback, .retry])
        #expect(world.expired.isEmpty)
        let held = try world.service.heldEntries
        #expect(held.map(\.isShown) == [false, false])
        #expect(held.map(\.emergency) == [emergency, emergency])
        #expect(world.service.alarms.isEmpty)
    }

    @Test func `is reported as an alarm if it is shown`() throws {
        let world = try world([.tier, .countdown])
        #expect(try world.service.heldEntries.filter(\.isShown).map(\.what) == ["countdown"])
        let alarm = try #require(world.service.alarms.first)
        #expect(alarm.hasPrefix("1 overdue waits are held until"))
    }

    @Test func `is settled with its emergency, shown or not`() throws {
        let world = try world([.tier, .countdown])
        let held = try world.service.heldEntries
        try world.turn { try world.service.settleHeld(held, isAll: false, isDropped: false) }
        #expect(world.expired.count == 2)
        #expect(try world.service.heldEntries.isEmpty)
    }

    @Test func `excludes expired deadlines, even if scheduled again`() throws {
        let world = try World()
        try world.receive(.deadlineScheduled(deadline(1, .countdown)))
        world.now = noon + .seconds(61)
        try world.turn()
        #expect(world.expired.count == 1)
        // Restored from an older backup: the stream is read again.
        world.now = noon + .seconds(70)
        world.outage = Outage(from: noon, until: world.now, holdEnds: world.now + .seconds(600))
        try world.restart()
        for number in [1, 2] as [UInt64] {
            try world.receive(.deadlineScheduled(deadline(number, .countdown)))
        }
        try world.turn()
        #expect(try world.service.heldEntries.count == 1)
        #expect(world.service.statusDetails["deadlines"] == 1)
    }

    @Test func `of a watch is due at its expiry, not at its reminder`() throws {
        let world = try World()
        try world.send(.post, "/v1/watches", #"{"minutes": 60}"#, token: "anna")
        world.now = noon + .seconds(4 * 3600)
        world.outage = Outage(from: noon, until: world.now, holdEnds: world.now + .seconds(600))
        try world.restart()
        try world.turn()
        let held = try #require(try world.service.heldEntries.first)
        #expect(held.what == "watch-expiry")
        #expect(held.due >= noon + .seconds(3600))
    }
}

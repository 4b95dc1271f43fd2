import Hosting
import Model
import Testing

@testable import TimerDaemon

@Suite struct `What the timer holds` {
    private let emergency = EmergencyID(ID128(high: 3, low: 1))

    private func clock(_ number: UInt64, _ rule: ClockRule) -> WantedClock {
        WantedClock(
            id: ClockID(ID128(high: 2, low: number)), rule: rule, person: anna,
            emergency: emergency, due: noon + .seconds(60))
    }

    /// Back after an hour in which clocks of those rules became due.
    private func world(_ rules: [ClockRule]) throws -> World {
        let world = try World()
        for (number, rule) in rules.enumerated() {
            try world.hear(.clockWanted(clock(UInt64(number + 1), rule)))
        }
        world.now = noon + .seconds(3600)
        world.outage = Outage(from: noon, until: world.now, holdEnds: world.now + .seconds(600))
        try world.restart()
        try world.turn()
        return world
    }

    @Test func `for the notifier is neither shown nor told as trouble`() throws {
        let world = try world([.tier, .fallback, .retry])
        #expect(world.fired.isEmpty)
        let held = try world.service.held
        #expect(held.map(\.isShown) == [false, false])
        #expect(held.map(\.emergency) == [emergency, emergency])
        #expect(world.service.alarms.isEmpty)
    }

    @Test func `is trouble as far as it is shown`() throws {
        let world = try world([.tier, .countdown])
        #expect(try world.service.held.filter(\.isShown).map(\.what) == ["countdown"])
        let alarm = try #require(world.service.alarms.first)
        #expect(alarm.hasPrefix("1 waits that were due are held until"))
    }

    @Test func `goes with its emergency, shown or not`() throws {
        let world = try world([.tier, .countdown])
        let held = try world.service.held
        try world.turn { try world.service.settle(held, isAll: false, isDropped: false) }
        #expect(world.fired.count == 2)
        #expect(try world.service.held.isEmpty)
    }

    @Test func `is nothing that fired before, also where it is wanted again`() throws {
        let world = try World()
        try world.hear(.clockWanted(clock(1, .countdown)))
        world.now = noon + .seconds(61)
        try world.turn()
        #expect(world.fired.count == 1)
        // Put back a moment later: the stream is read from its beginning.
        world.now = noon + .seconds(70)
        world.outage = Outage(from: noon, until: world.now, holdEnds: world.now + .seconds(600))
        try world.restart()
        for number in [1, 2] as [UInt64] { try world.hear(.clockWanted(clock(number, .countdown))) }
        try world.turn()
        #expect(try world.service.held.count == 1)
        #expect(world.service.statusDetails["clocks"] == 1)
    }

    @Test func `of a watch was due when the watch ran out, not when it reminded`() throws {
        let world = try World()
        try world.send(.post, "/v1/watches", #"{"minutes": 60}"#, token: "anna")
        world.now = noon + .seconds(4 * 3600)
        world.outage = Outage(from: noon, until: world.now, holdEnds: world.now + .seconds(600))
        try world.restart()
        try world.turn()
        let held = try #require(try world.service.held.first)
        #expect(held.what == "watch-expiry")
        #expect(held.due >= noon + .seconds(3600))
    }
}

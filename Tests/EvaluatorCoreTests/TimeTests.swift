import EvaluatorCore
import Model
import Testing

/// What time brings without a report.
@Suite struct TimeTests {
    private func dwelling(_ seconds: Int = 180, kind: ZoneKind = .safe) -> PlacedZone {
        .round(kind: kind).with { $0.dwellSeconds = seconds }
    }

    @Test(arguments: [
        ("O-I-----|", ".-E--D--|"),
        ("I------|", "!--D---|"),
        ("O-I-O---|", ".-E-X---|"),
        // Each stay is told once.
        ("O-I-----I--|", ".-E--D--.--|"),
        ("O-I----O-I----|", ".-E--D-X-E--D-|"),
    ])
    func `a long stay is told by the clock`(line: String, expected: String) {
        var world = World(zones: [dwelling()])
        #expect(world.timeline(line) == expected)
    }

    @Test func `a late clock and an early report tell the same stay`() throws {
        var byClock = World(zones: [dwelling()])
        var byReport = byClock
        _ = byClock.report(north: 0)
        _ = byReport.report(north: 0)
        let told = byClock.wait(seconds: 400, late: 200)
        let too = byReport.report(north: 500, after: 180, speed: 2)
        #expect(told.marbles == "D" && too.marbles == "DX")
        #expect(told.first { $0.kind == .zoneDwelled }?.id == too[0].id)
        let crossing = try #require(told.crossings.first)
        #expect(crossing.reason == .stayed && crossing.before == .inside && crossing.inside)
        // A second earlier it is no stay.
        var tooEarly = World(zones: [dwelling()])
        _ = tooEarly.report(north: 0)
        #expect(tooEarly.report(north: 500, after: 179, speed: 2).marbles == "X")
        #expect(tooEarly.wait(seconds: 600).isEmpty)
    }

    @Test func `there is one clock, for the first that is due`() {
        var world = World(zones: [dwelling(300), dwelling(600).with { $0.id = .number(2) }])
        let outputs = world.report(north: 0)
        #expect(outputs.map(\.kind).filter { $0 == .clockWanted }.count == 1)
        #expect(world.clocks.map(\.due) == [world.now + .seconds(300)])
        #expect(world.clocks.map(\.rule) == [.presence])
        // An earlier one replaces it.
        let sooner = dwelling(100).with { $0.id = .number(3) }
        let more = world.place(own: [sooner])
        #expect(more.map(\.kind) == [.zoneInitial, .clockUnwanted, .clockWanted])
        #expect(world.clocks.map(\.due) == [world.now + .seconds(100)])
        // Nothing is said while a later one is the next.
        #expect(world.place().isEmpty)
        #expect(world.wait(seconds: 100).map(\.kind) == [.clockWanted])
        #expect(world.wait(seconds: 200).marbles == "D")
        #expect(world.wait(seconds: 300).marbles == "D")
        #expect(world.clocks.isEmpty)
    }

    @Test func `a clock is given up where nothing is waited for`() {
        var world = World(zones: [dwelling()])
        _ = world.report(north: 0)
        #expect(world.report(north: 900, speed: 2).map(\.kind) == [.zoneExited, .clockUnwanted])
        _ = world.report(north: 0, speed: 30)
        #expect(world.place([]).map(\.kind) == [.clockUnwanted])
        _ = world.place([dwelling()])
        let removal = PersonRemoval(person: World.person)
        #expect(world.handle(.inputPersonRemoved(removal)).map(\.kind) == [.clockUnwanted])
    }

    @Test func `a clock that comes before ingest's own time counts as its due`() {
        var world = World(zones: [dwelling(100)])
        _ = world.report(north: 0)
        let clock = world.clocks[0]
        world.pass(seconds: 95)
        let told = world.handle(.inputClock(FiredClock(clock: clock, fired: clock.due)))
        #expect(told.marbles == "D")
    }

    @Test func `a clock that ran out just when an earlier one was asked for is not lost`() {
        let brief = PlacedZone.round(2, radius: 100).with { $0.dwellSeconds = 2 }
        var world = World(zones: [.round(1, radius: 500).with { $0.dwellSeconds = 600 }, brief])
        _ = world.report(north: 300)
        let clock = world.clocks[0]
        // The timer's own time is ahead: it has told, and will not tell this one again.
        _ = world.report(north: 0, after: 590)
        #expect(world.clocks.contains { $0.due < clock.due })
        let told = world.handle(.inputClock(FiredClock(clock: clock, fired: clock.due)))
        #expect(told.marbles == "DD")
        #expect(!told.kinds.contains(.clockWanted))
    }

    @Test func `an edit that makes the stay long enough tells it at once`() {
        var world = World(zones: [dwelling(600)])
        _ = world.report(north: 0)
        world.pass(seconds: 200)
        #expect(world.place([dwelling(200)]).marbles == "D")
        #expect(world.place([dwelling(100)]).isEmpty)
    }

    @Test func `another evaluator goes on in the middle of a stay`() throws {
        var world = World(zones: [dwelling()])
        _ = world.report(north: 0)
        world.pass(seconds: 100)
        let circle = PlacedCircle(circle: World.circle, zones: [dwelling()])
        let person = PlacedPerson(
            person: World.person, leadingDevice: nil, circles: [World.circle], zones: [])
        try world.restore([.inputPerson(person), .inputCircle(circle)])
        #expect(world.wait(seconds: 79).isEmpty)
        #expect(world.wait(seconds: 1).marbles == "D")
        try world.restore([.inputPerson(person), .inputCircle(circle)])
        #expect(world.wait(seconds: 1000).isEmpty)
    }

    // MARK: Pauses

    @Test func `a pause forgets safe zones, and they are found again when it ends`() {
        let alert = PlacedZone.round(2, kind: .alert)
        var world = World(zones: [.round(), alert])
        #expect(world.report(north: 0).marbles == "!!")
        let until = world.now + .seconds(600)
        let pause = UnsharedCircle(circle: World.circle, until: until)
        #expect(world.place(unshared: [pause]).marbles.isEmpty)
        // The alert zone goes on.
        #expect(world.report(north: 900, speed: 2).marbles == "X")
        #expect(world.report(north: 0).marbles == "E")
        let back = world.wait(seconds: 480)
        #expect(back.marbles == "!")
        #expect(back.crossings.map(\.zone.raw.low) == [1])
        #expect(back.crossings.first?.before == .unknown)
        #expect(world.now == until)
        #expect(world.report(north: 900, speed: 2).marbles == "XX")
    }

    @Test func `sharing off lasts until it is on`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        #expect(world.place(unshared: [UnsharedCircle(circle: World.circle)]).isEmpty)
        #expect(world.wait(seconds: 1_000_000).isEmpty)
        _ = world.report(north: 0)
        #expect(world.place().marbles == "!")
    }

    @Test func `a pause of another circle, and own zones, are left alone`() {
        let other = CircleID(ID128(high: 1, low: 2))
        var world = World(zones: [.round()], circles: [World.circle, other])
        _ = world.place([.round(2)], of: other)
        _ = world.place(circles: [World.circle, other], own: [.round(3)])
        #expect(world.report(north: 0).marbles == "!!!")
        _ = world.place(
            circles: [World.circle, other], own: [.round(3)],
            unshared: [UnsharedCircle(circle: other)])
        let left = world.report(north: 900, speed: 2)
        #expect(left.crossings.map(\.zone.raw.low) == [3, 1])
    }

    @Test func `an early report ends a pause that is over`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        let until = world.now + .seconds(100)
        _ = world.place(unshared: [UnsharedCircle(circle: World.circle, until: until)])
        #expect(world.report(north: 900, after: 200, speed: 2).marbles == "!X")
    }
}

extension ZoneID {
    static func number(_ number: UInt64) -> ZoneID { ZoneID(ID128(high: 4, low: number)) }
}

import EvaluatorCore
import Model
import Testing

/// Effects of time without a report.
@Suite struct TimeTests {
    private func dwelling(_ seconds: Int = 180, kind: ZoneKind = .safe) -> ConfiguredZone {
        .round(kind: kind).with { $0.dwellSeconds = seconds }
    }

    @Test(arguments: [
        ("O-I-----|", ".-E--D--|"),
        ("I------|", "!--D---|"),
        ("O-I-O---|", ".-E-X---|"),
        // Each stay is reported once.
        ("O-I-----I--|", ".-E--D--.--|"),
        ("O-I----O-I----|", ".-E--D-X-E--D-|"),
    ])
    func `a long stay is reported by the deadline`(line: String, expected: String) {
        var world = World(zones: [dwelling()])
        #expect(world.timeline(line) == expected)
    }

    @Test func `a late deadline and an early report emit the same stay`() throws {
        var byDeadline = World(zones: [dwelling()])
        var byReport = byDeadline
        _ = byDeadline.report(north: 0)
        _ = byReport.report(north: 0)
        let emitted = byDeadline.wait(seconds: 400, late: 200)
        let too = byReport.report(north: 500, after: 180, speed: 2)
        #expect(emitted.marbles == "D" && too.marbles == "DX")
        #expect(emitted.first { $0.kind == .zoneDwelled }?.id == too[0].id)
        let crossing = try #require(emitted.crossings.first)
        #expect(crossing.reason == .stayed && crossing.before == .inside && crossing.inside)
        // A second earlier it is too short.
        var tooEarly = World(zones: [dwelling()])
        _ = tooEarly.report(north: 0)
        #expect(tooEarly.report(north: 500, after: 179, speed: 2).marbles == "X")
        #expect(tooEarly.wait(seconds: 600).isEmpty)
    }

    @Test func `there is one deadline, for the first wait`() {
        var world = World(zones: [dwelling(300), dwelling(600).with { $0.id = .number(2) }])
        let outputs = world.report(north: 0)
        #expect(outputs.map(\.kind).filter { $0 == .deadlineScheduled }.count == 1)
        #expect(world.deadlines.map(\.due) == [world.now + .seconds(300)])
        #expect(world.deadlines.map(\.kind) == [.presence])
        // An earlier one replaces it.
        let sooner = dwelling(100).with { $0.id = .number(3) }
        let more = world.configure(own: [sooner])
        #expect(
            more.map(\.kind) == [.zonePresenceEstablished, .deadlineCancelled, .deadlineScheduled])
        #expect(world.deadlines.map(\.due) == [world.now + .seconds(100)])
        // Nothing is emitted while a later one is next.
        #expect(world.configure().isEmpty)
        #expect(world.wait(seconds: 100).map(\.kind) == [.deadlineScheduled])
        #expect(world.wait(seconds: 200).marbles == "D")
        #expect(world.wait(seconds: 300).marbles == "D")
        #expect(world.deadlines.isEmpty)
    }

    @Test func `the deadline is cancelled when nothing is waited for`() {
        var world = World(zones: [dwelling()])
        _ = world.report(north: 0)
        #expect(
            world.report(north: 900, speed: 2).map(\.kind) == [.zoneExited, .deadlineCancelled])
        _ = world.report(north: 0, speed: 30)
        #expect(world.configure([]).map(\.kind) == [.deadlineCancelled])
        _ = world.configure([dwelling()])
        let removal = PersonRemoval(person: World.person)
        #expect(world.handle(.inputPersonRemoved(removal)).map(\.kind) == [.deadlineCancelled])
    }

    @Test func `a deadline ahead of ingest's time counts as due`() {
        var world = World(zones: [dwelling(100)])
        _ = world.report(north: 0)
        let deadline = world.deadlines[0]
        world.advance(seconds: 95)
        let emitted = world.handle(
            .inputDeadline(ExpiredDeadline(deadline: deadline, expired: deadline.due)))
        #expect(emitted.marbles == "D")
    }

    @Test func `a deadline that expires while an earlier one is scheduled is not lost`() {
        let brief = ConfiguredZone.round(2, radius: 100).with { $0.dwellSeconds = 2 }
        var world = World(zones: [.round(1, radius: 500).with { $0.dwellSeconds = 600 }, brief])
        _ = world.report(north: 300)
        let deadline = world.deadlines[0]
        // The timer's clock is ahead: the deadline has expired and will not expire again.
        _ = world.report(north: 0, after: 590)
        #expect(world.deadlines.contains { $0.due < deadline.due })
        let emitted = world.handle(
            .inputDeadline(ExpiredDeadline(deadline: deadline, expired: deadline.due)))
        #expect(emitted.marbles == "DD")
        #expect(!emitted.kinds.contains(.deadlineScheduled))
    }

    @Test func `an edit that makes the stay long enough reports it immediately`() {
        var world = World(zones: [dwelling(600)])
        _ = world.report(north: 0)
        world.advance(seconds: 200)
        #expect(world.configure([dwelling(200)]).marbles == "D")
        #expect(world.configure([dwelling(100)]).isEmpty)
    }

    @Test func `a new owner continues in the middle of a stay`() throws {
        var world = World(zones: [dwelling()])
        _ = world.report(north: 0)
        world.advance(seconds: 100)
        let circle = ConfiguredCircle(circle: World.circle, zones: [dwelling()])
        let person = ConfiguredPerson(
            person: World.person, primaryDevice: nil, circles: [World.circle], zones: [])
        try world.restore([.inputPerson(person), .inputCircle(circle)])
        #expect(world.wait(seconds: 79).isEmpty)
        #expect(world.wait(seconds: 1).marbles == "D")
        try world.restore([.inputPerson(person), .inputCircle(circle)])
        #expect(world.wait(seconds: 1000).isEmpty)
    }

    // MARK: Pauses

    @Test func `a pause clears safe zones, and they are established again when it ends`() {
        let alert = ConfiguredZone.round(2, kind: .alert)
        var world = World(zones: [.round(), alert])
        #expect(world.report(north: 0).marbles == "!!")
        let until = world.now + .seconds(600)
        let pause = UnsharedCircle(circle: World.circle, until: until)
        #expect(world.configure(unshared: [pause]).marbles.isEmpty)
        // The alert zone still applies.
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
        #expect(world.configure(unshared: [UnsharedCircle(circle: World.circle)]).isEmpty)
        #expect(world.wait(seconds: 1_000_000).isEmpty)
        _ = world.report(north: 0)
        #expect(world.configure().marbles == "!")
    }

    @Test func `a pause does not affect other circles and own zones`() {
        let other = CircleID(ID128(high: 1, low: 2))
        var world = World(zones: [.round()], circles: [World.circle, other])
        _ = world.configure([.round(2)], of: other)
        _ = world.configure(circles: [World.circle, other], own: [.round(3)])
        #expect(world.report(north: 0).marbles == "!!!")
        _ = world.configure(
            circles: [World.circle, other], own: [.round(3)],
            unshared: [UnsharedCircle(circle: other)])
        let left = world.report(north: 900, speed: 2)
        #expect(left.crossings.map(\.zone.raw.low) == [3, 1])
    }

    @Test func `an early report ends an elapsed pause`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        let until = world.now + .seconds(100)
        _ = world.configure(unshared: [UnsharedCircle(circle: World.circle, until: until)])
        #expect(world.report(north: 900, after: 200, speed: 2).marbles == "!X")
    }
}

extension ZoneID {
    static func number(_ number: UInt64) -> ZoneID { ZoneID(ID128(high: 4, low: number)) }
}

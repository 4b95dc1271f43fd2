import EvaluatorCore
import Model
import Testing

/// Fixes that are too inaccurate for a zone, such as those of cell towers.
@Suite struct CoarseFixTests {
    private let home = ConfiguredZone.round(1, radius: 150)
    private let school = ConfiguredZone.round(
        2, radius: 150, at: Coordinate(latitudeE7: 90_000, longitudeE7: 1_016_869_000))

    @Test func `cell-tower fixes never enter a safe zone`() {
        var world = World(zones: [home, school])
        _ = world.report(north: 500, accuracy: 10)
        var said: [Event] = []
        for _ in 0..<5 { said += world.report(north: 20, accuracy: 1800) }
        for _ in 0..<5 { said += world.report(north: 995, accuracy: 1800) }
        #expect(said.crossings.isEmpty)
        #expect(said.suppressed.map(\.reason) == [.tooCoarse, .tooCoarse])
        #expect(said.suppressed.allSatisfy { $0.fix.accuracyCentimetres == 180_000 })
    }

    @Test func `a cell-tower fix as the first one finds nobody inside`() {
        var world = World(zones: [home])
        let first = world.report(north: 20, accuracy: 1800)
        #expect(first.crossings.isEmpty && first.suppressed.map(\.reason) == [.tooCoarse])
        #expect(first.suppressed.map(\.before) == [.unknown])
        #expect(first.suppressed.map(\.after) == [.unknown])
        #expect(world.report(north: 20, accuracy: 1800).isEmpty)
        // Whether they entered is unknown: the presence is initial.
        let found = world.report(north: 20, accuracy: 10, speed: 0)
        #expect(found.marbles == "!" && found.crossings.map(\.reason) == [.initial])
    }

    @Test func `a person who is not at the tower is outside, and enters later`() {
        var world = World(zones: [home])
        _ = world.report(north: 20, accuracy: 1800)
        #expect(world.report(north: 900, accuracy: 10, speed: 5).isEmpty)
        #expect(world.report(north: 20, accuracy: 10, speed: 15).marbles == "E")
    }

    @Test func `suspects, edits and a new owner leave the presence undecided`() throws {
        var world = World(zones: [home])
        _ = world.report(north: 20, accuracy: 1800)
        let suspect = world.report(north: 90_000, after: 1)
        #expect(suspect.crossings.isEmpty && suspect.suppressed.isEmpty)
        let other = home.with { $0.name = "Other" }
        #expect(world.configure([other]).crossings.isEmpty)
        let state = world.state.encodedState()
        try world.restore([
            .inputCircle(ConfiguredCircle(circle: World.circle, zones: [other])),
            .inputPerson(
                ConfiguredPerson(
                    person: World.person, primaryDevice: nil, circles: [World.circle], zones: [])),
        ])
        #expect(world.state.encodedState() == state)
        #expect(world.report(north: 20).marbles == "!")
    }

    @Test func `a coarse fix of another phone changes no presence`() {
        var world = World(zones: [home])
        _ = world.report(north: 0)
        _ = world.configure(primary: World.tablet)
        #expect(world.report(north: 20, accuracy: 1800, device: World.tablet).crossings.isEmpty)
        #expect(world.report(north: 0, device: World.tablet).isEmpty)
    }

    @Test func `the required accuracy depends on the zone`() {
        var world = World(zones: [.round(radius: 3000)])
        _ = world.report(north: 3500, accuracy: 10, speed: 20)
        // 1,800 m are enough for a city of 3 km.
        #expect(world.report(north: 100, accuracy: 1800, after: 180, speed: 20).marbles == "E")
    }

    @Test func `a cell-tower fix makes an alert zone near without ringing`() {
        var world = World(zones: [home.with { $0.kind = .alert }])
        _ = world.report(north: 500, accuracy: 10)
        let said = world.report(north: 20, accuracy: 1800)
        #expect(said.marbles == "A")
        #expect(said.crossings.map(\.coarse) == [true])
        #expect(said.crossings.map(\.reason) == [.tooCoarse])
        #expect(!said.kinds.contains(.alarmStarted))
        var night: [Event] = []
        for _ in 0..<120 {
            night += world.wait(seconds: 200)
            night += world.report(north: 20, accuracy: 1800, after: 100)
        }
        #expect(!night.kinds.contains(.alarmStarted) && night.crossings.isEmpty)
        // An accurate one decides.
        let fine = world.report(north: 20, accuracy: 10)
        #expect(fine.marbles == "E" && fine.kinds.contains(.alarmStarted))
    }

    @Test func `an accurate fix confirms nearness and starts the alarm`() {
        var world = World(
            zones: [home.with { ($0.kind, $0.alertDistanceMetres) = (.alert, 300) }])
        _ = world.report(north: 900, accuracy: 10)
        #expect(!world.report(north: 300, accuracy: 1800).kinds.contains(.alarmStarted))
        let fine = world.report(north: 300, accuracy: 10)
        #expect(fine.marbles == "A" && fine.kinds.contains(.alarmStarted))
        #expect(fine.crossings.map(\.coarse) == [false])
    }

    @Test func `the same tower twice does not confirm an exit`() {
        var world = World(zones: [home])
        _ = world.report(north: 0, accuracy: 10)
        _ = world.report(north: 0, accuracy: 10)
        #expect(world.report(north: 2300, accuracy: 800).marbles == "")
        #expect(world.report(north: 2310, accuracy: 800).marbles == "")
        #expect(world.report(north: 0, accuracy: 10).marbles == "")
        // Two different positions agree.
        _ = world.report(north: 2300, accuracy: 800)
        #expect(world.report(north: 3300, accuracy: 800).marbles == "X")
    }

    @Test func `the state of a coarse fix survives a change of owner`() throws {
        let zone = home.with { $0.kind = .alert }
        var world = World(zones: [zone, school])
        _ = world.report(north: 500, accuracy: 10)
        _ = world.report(north: 20, accuracy: 1800)
        _ = world.report(north: 995, accuracy: 10)
        let state = world.state.encodedState()
        let configuration = [
            EventBody.inputCircle(ConfiguredCircle(circle: World.circle, zones: [zone, school])),
            .inputPerson(
                ConfiguredPerson(
                    person: World.person, primaryDevice: nil, circles: [World.circle], zones: [])),
        ]
        try world.restore(configuration)
        #expect(world.state.encodedState() == state)
        #expect(world.report(north: 20, accuracy: 10).kinds.contains(.alarmStarted))
        // The previous encoding has neither flag; otherwise it is equal.
        var plain = World(zones: [home, school])
        _ = plain.report(north: 0, accuracy: 10)
        var bytes = plain.state.encodedState()
        #expect(bytes[0] == 6)
        bytes[0] = 5
        let events = [
            EventBody.inputCircle(ConfiguredCircle(circle: World.circle, zones: [home, school])),
            configuration[1],
        ].map { Event(id: EventID(.zero), time: plain.now, body: $0) }
        let old = try PartitionState(configuration: events, state: bytes)
        #expect(old.encodedState() == plain.state.encodedState())
    }
}

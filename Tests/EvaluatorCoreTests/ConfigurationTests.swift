import EvaluatorCore
import Model
import Testing

/// What happens to somebody inside when the world is arranged anew.
@Suite struct ConfigurationTests {
    @Test func `a zone made around somebody is initial`() {
        var world = World()
        _ = world.report(north: 0)
        #expect(world.place([.round()]).marbles == "!")
        #expect(world.report(north: 0).marbles.isEmpty)
        #expect(world.report(north: 500, speed: 2).marbles == "X")
    }

    @Test func `an edited zone is judged at once, by the last fix, and nobody has moved`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 100)
        let without = world.place([.round(radius: 50, version: 2)])
        #expect(without.marbles == "?")
        #expect(without.crossings.first?.reason == .zoneChanged)
        #expect(without.crossings.first?.before == .inside)
        #expect(world.report(north: 100).marbles.isEmpty)
        let with = world.place([.round(radius: 300, version: 3)])
        #expect(with.marbles == "!")
        #expect(with.crossings.first?.before == .outside)
        #expect(world.report(north: 100).marbles.isEmpty)
        #expect(Set((without + with).map(\.id)).count == 2)
    }

    @Test func `an edit that leaves somebody inside is no news`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 100)
        _ = world.place([.round(radius: 250, hysteresis: 50, version: 2)])
        #expect(world.report(north: 100).marbles.isEmpty)
        #expect(world.report(north: 299).marbles.isEmpty)
        #expect(world.report(north: 301, speed: 2).marbles == "X")
    }

    @Test func `a deleted zone is left without a word, and is new when it comes back`() {
        var world = World(zones: [.round(), .round(2)])
        #expect(world.report(north: 0).marbles == "!!")
        _ = world.place([.round(2)])
        #expect(world.report(north: 900, speed: 2).marbles == "X")
        _ = world.place([.round(), .round(2)])
        #expect(world.report(north: 0, speed: 20).marbles == "EE")
        _ = world.place([.round(2)])
        #expect(world.place([.round(), .round(2)]).marbles == "!")
    }

    @Test func `an inactive zone judges nobody, and is new when it is active again`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.place([.round(active: false)])
        #expect(world.report(north: 900).marbles.isEmpty)
        _ = world.report(north: 0)
        #expect(world.place([.round()]).marbles == "!")
    }

    @Test func `a zone switched off and on between two fixes is new`() {
        var world = World(zones: [.round()])
        #expect(world.report(north: 0).marbles == "!")
        #expect(world.place([.round(active: false)]).isEmpty)
        #expect(world.place([.round()]).marbles == "!")
        #expect(world.report(north: 900, speed: 2).marbles == "X")
    }

    @Test func `leaving a circle leaves its zones, joining it again is initial`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.place(circles: [])
        #expect(world.report(north: 900).marbles.isEmpty)
        _ = world.report(north: 0)
        #expect(world.place().marbles == "!")
    }

    @Test func `a new place in the configuration of somebody does not touch known zones`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.place()
        #expect(world.place(own: [.round(7, radius: 100)]).marbles == "!")
        #expect(world.report(north: 0).marbles.isEmpty)
        #expect(world.report(north: 900, speed: 2).marbles == "XX")
    }

    @Test func `a removed circle has no zones`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.handle(.inputCircleRemoved(CircleRemoval(circle: World.circle)))
        #expect(world.report(north: 900).marbles.isEmpty)
        // Another circle takes its place in memory, not in the person's life.
        _ = world.place([.round(8)], of: CircleID(ID128(high: 1, low: 9)))
        #expect(world.report(north: 0).marbles.isEmpty)
    }

    @Test func `a removed person is unknown`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        #expect(world.handle(.inputPersonRemoved(PersonRemoval(person: World.person))).isEmpty)
        _ = world.place()
        #expect(world.report(north: 0).marbles == "!")
    }

    @Test func `the first device that reports leads, others are history`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        #expect(world.report(north: 900, device: World.tablet).marbles.isEmpty)
        #expect(world.report(north: 900, speed: 2).marbles == "X")
    }

    @Test func `the chosen device leads, and a change of leader is initial`() {
        var world = World(zones: [.round()], leading: World.tablet)
        #expect(world.report(north: 0).marbles.isEmpty)
        #expect(world.report(north: 0, device: World.tablet).marbles == "!")
        _ = world.place(leading: World.phone)
        #expect(world.report(north: 900, device: World.tablet).marbles.isEmpty)
        #expect(world.report(north: 900).marbles == "?")
        _ = world.place(leading: World.tablet)
        #expect(world.report(north: 0, device: World.tablet).marbles == "!")
        // The same answer from another device is no news.
        _ = world.place(leading: World.phone)
        #expect(world.report(north: 0).marbles.isEmpty)
        #expect(world.report(north: 900, speed: 2).marbles == "X")
    }

    @Test func `without a chosen device the first that ever reported leads again`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.place(leading: World.tablet)
        _ = world.report(north: 0, device: World.tablet)
        _ = world.place()
        #expect(world.report(north: 900, device: World.tablet).marbles.isEmpty)
        #expect(world.report(north: 900).marbles == "?")
    }

    @Test func `a zone of an unknown format judges nobody and is counted`() {
        var zone = PlacedZone.round()
        zone.geometry.coefficients[0] = 77
        var world = World(zones: [zone, .round(2)])
        #expect(world.state.unreadableZones == 1)
        #expect(world.report(north: 0).crossings.map(\.zone.raw.low) == [2])
        _ = world.place([.round()])
        #expect(world.state.unreadableZones == 0)
    }

    @Test func `logic of the future stops every decision`() {
        var world = World(zones: [.round()])
        _ = world.handle(.inputLogic(LogicVersion(version: 1)))
        #expect(world.report(north: 0).marbles == "!")
        _ = world.handle(.inputLogic(LogicVersion(version: 2)))
        #expect(world.state.unknownLogic == 2)
        #expect(world.report(north: 900).marbles.isEmpty)
    }
}

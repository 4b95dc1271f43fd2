import EvaluatorCore
import Model
import Testing

/// Effects of configuration changes on a person inside.
@Suite struct ConfigurationTests {
    @Test func `a zone created around a person gives an initial presence`() {
        var world = World()
        _ = world.report(north: 0)
        #expect(world.configure([.round()]).marbles == "!")
        #expect(world.report(north: 0).marbles.isEmpty)
        #expect(world.report(north: 500, speed: 2).marbles == "X")
    }

    @Test func `an edited zone is evaluated immediately by the last fix`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 100)
        let without = world.configure([.round(radius: 50, version: 2)])
        #expect(without.marbles == "?")
        #expect(without.crossings.first?.reason == .zoneChanged)
        #expect(without.crossings.first?.before == .inside)
        #expect(world.report(north: 100).marbles.isEmpty)
        let with = world.configure([.round(radius: 300, version: 3)])
        #expect(with.marbles == "!")
        #expect(with.crossings.first?.before == .outside)
        #expect(world.report(north: 100).marbles.isEmpty)
        #expect(Set((without + with).map(\.id)).count == 2)
    }

    @Test func `an edit that keeps the person inside emits nothing`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 100)
        _ = world.configure([.round(radius: 250, hysteresis: 50, version: 2)])
        #expect(world.report(north: 100).marbles.isEmpty)
        #expect(world.report(north: 299).marbles.isEmpty)
        #expect(world.report(north: 301, speed: 2).marbles == "X")
    }

    @Test func `a deleted zone is cleared, and is new when created again`() {
        var world = World(zones: [.round(), .round(2)])
        #expect(world.report(north: 0).marbles == "!!")
        _ = world.configure([.round(2)])
        #expect(world.report(north: 900, speed: 2).marbles == "X")
        _ = world.configure([.round(), .round(2)])
        #expect(world.report(north: 0, speed: 20).marbles == "EE")
        _ = world.configure([.round(2)])
        #expect(world.configure([.round(), .round(2)]).marbles == "!")
    }

    @Test func `an inactive zone is not evaluated, and is new when active again`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.configure([.round(active: false)])
        #expect(world.report(north: 900).marbles.isEmpty)
        _ = world.report(north: 0)
        #expect(world.configure([.round()]).marbles == "!")
    }

    @Test func `a zone switched off and on between two fixes is new`() {
        var world = World(zones: [.round()])
        #expect(world.report(north: 0).marbles == "!")
        #expect(world.configure([.round(active: false)]).isEmpty)
        #expect(world.configure([.round()]).marbles == "!")
        #expect(world.report(north: 900, speed: 2).marbles == "X")
    }

    @Test func `leaving a circle clears its zones, rejoining gives an initial presence`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.configure(circles: [])
        #expect(world.report(north: 900).marbles.isEmpty)
        _ = world.report(north: 0)
        #expect(world.configure().marbles == "!")
    }

    @Test func `a new zone in a person's configuration does not affect known zones`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.configure()
        #expect(world.configure(own: [.round(7, radius: 100)]).marbles == "!")
        #expect(world.report(north: 0).marbles.isEmpty)
        #expect(world.report(north: 900, speed: 2).marbles == "XX")
    }

    @Test func `a removed circle has no zones`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.handle(.inputCircleRemoved(CircleRemoval(circle: World.circle)))
        #expect(world.report(north: 900).marbles.isEmpty)
        // Another circle reuses its memory without affecting the person.
        _ = world.configure([.round(8)], of: CircleID(ID128(high: 1, low: 9)))
        #expect(world.report(north: 0).marbles.isEmpty)
    }

    @Test func `a removed person is unknown`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        #expect(world.handle(.inputPersonRemoved(PersonRemoval(person: World.person))).isEmpty)
        _ = world.configure()
        #expect(world.report(north: 0).marbles == "!")
    }

    @Test func `the first device that reports is primary, others are history`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        #expect(world.report(north: 900, device: World.tablet).marbles.isEmpty)
        #expect(world.report(north: 900, speed: 2).marbles == "X")
    }

    @Test func `the chosen device is primary, and a change of it gives an initial presence`() {
        var world = World(zones: [.round()], primary: World.tablet)
        #expect(world.report(north: 0).marbles.isEmpty)
        #expect(world.report(north: 0, device: World.tablet).marbles == "!")
        _ = world.configure(primary: World.phone)
        #expect(world.report(north: 900, device: World.tablet).marbles.isEmpty)
        #expect(world.report(north: 900).marbles == "?")
        _ = world.configure(primary: World.tablet)
        #expect(world.report(north: 0, device: World.tablet).marbles == "!")
        // The same presence by another device emits nothing.
        _ = world.configure(primary: World.phone)
        #expect(world.report(north: 0).marbles.isEmpty)
        #expect(world.report(north: 900, speed: 2).marbles == "X")
    }

    @Test func `without a chosen device the first one that reported is primary again`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.configure(primary: World.tablet)
        _ = world.report(north: 0, device: World.tablet)
        _ = world.configure()
        #expect(world.report(north: 900, device: World.tablet).marbles.isEmpty)
        #expect(world.report(north: 900).marbles == "?")
    }

    @Test func `a zone of an unknown format is not evaluated and is counted`() {
        var zone = ConfiguredZone.round()
        zone.geometry.coefficients[0] = 77
        var world = World(zones: [zone, .round(2)])
        #expect(world.state.unreadableZones == 1)
        #expect(world.report(north: 0).crossings.map(\.zone.raw.low) == [2])
        _ = world.configure([.round()])
        #expect(world.state.unreadableZones == 0)
    }

    @Test func `an unknown logic version stops every decision`() {
        var world = World(zones: [.round()])
        _ = world.handle(.inputLogic(LogicVersion(version: 1)))
        #expect(world.report(north: 0).marbles == "!")
        _ = world.handle(.inputLogic(LogicVersion(version: 2)))
        #expect(world.state.unknownLogic == 2)
        #expect(world.report(north: 900).marbles.isEmpty)
    }
}

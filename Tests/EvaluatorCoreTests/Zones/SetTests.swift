import EvaluatorCore
import Model
import Testing

/// Zones of sets, and opted-out zones.
@Suite struct SetTests {
    private let set = ZoneSetID(ID128(high: 11, low: 1))

    /// A zone on a page.
    private func zone(_ page: UInt64, _ number: UInt64 = 1, radius: Int32 = 200) -> ConfiguredZone {
        .round(radius: radius).with {
            $0.id = ZoneID(ID128(high: page << 48, low: number))
        }
    }

    private func configure(_ zones: [ConfiguredZone], _ page: Int, in world: inout World) -> [Event]
    {
        world.handle(.inputSet(ConfiguredSet(set: set, page: page, zones: zones)))
    }

    @Test func `zones of a set apply to members of subscribed circles`() {
        var world = World()
        _ = configure([zone(3)], 3, in: &world)
        _ = configure([zone(4)], 4, in: &world)
        #expect(world.report(north: 0).isEmpty)
        let found = world.configure(sets: [set])
        #expect(found.marbles == "!!")
        #expect(found.crossings.allSatisfy { $0.set == set && $0.circle == nil })
        #expect(world.report(north: 900, speed: 2).marbles == "XX")
        #expect(world.report(north: 0, speed: 20).marbles == "EE")
        #expect(world.configure().isEmpty)
        #expect(world.report(north: 900).isEmpty)
    }

    @Test func `a page replaces only itself and is evaluated immediately`() {
        var world = World()
        _ = world.configure(sets: [set])
        _ = world.report(north: 0)
        #expect(configure([zone(3), zone(3, 2)], 3, in: &world).marbles == "!!")
        #expect(configure([zone(4)], 4, in: &world).marbles == "!")
        // Edited, deleted, and unchanged.
        #expect(configure([zone(3, radius: 300)], 3, in: &world).marbles.isEmpty)
        #expect(world.report(north: 260, speed: 2).marbles == "X")
        #expect(configure([], 3, in: &world).isEmpty)
        #expect(configure([], 4, in: &world).isEmpty)
        #expect(world.report(north: 0).isEmpty)
    }

    @Test func `a removed set is not evaluated, and is new when added again`() {
        var world = World()
        _ = world.configure(sets: [set])
        _ = configure([zone(3)], 3, in: &world)
        #expect(world.report(north: 0).marbles == "!")
        #expect(world.handle(.inputSetRemoved(SetRemoval(set: set))).isEmpty)
        #expect(world.report(north: 0).isEmpty)
        #expect(configure([zone(3)], 3, in: &world).marbles == "!")
    }

    @Test func `10,000 zones in 512 pages`() {
        var world = World()
        _ = world.configure(sets: [set])
        for page in 0..<512 {
            let zones = (0..<20 as Range<UInt64>).map { number in
                var center = World.middle
                center.longitudeE7 += Int32(page) * 100_000
                center.latitudeE7 += Int32(number) * 100_000
                return ConfiguredZone.round(at: center).with {
                    $0.id = zone(UInt64(page), number).id
                }
            }
            _ = configure(zones, page, in: &world)
        }
        #expect(world.report(north: 0).crossings.map(\.zone) == [zone(0, 0).id])
        let next = world.report(north: 1105.7, after: 3600, speed: 9)
        #expect(next.marbles == "XE" || next.marbles == "EX")
    }

    @Test func `an unreadable zone of a set is counted until its page is replaced`() {
        var world = World()
        let unreadable = zone(3).with { $0.geometry.coefficients[0] = 77 }
        _ = configure([unreadable, zone(3, 2)], 3, in: &world)
        #expect(world.state.unreadableZones == 1)
        _ = configure([], 3, in: &world)
        #expect(world.state.unreadableZones == 0)
    }

    @Test func `sets do not apply while nothing is shared with any circle`() {
        let other = CircleID(ID128(high: 1, low: 2))
        var world = World()
        _ = configure([zone(3)], 3, in: &world)
        let both = [World.circle, other]
        _ = world.configure(circles: both, sets: [set], unshared: [UnsharedCircle(circle: other)])
        #expect(world.report(north: 0).marbles == "!")
        let all = both.map { UnsharedCircle(circle: $0) }
        #expect(world.configure(circles: both, sets: [set], unshared: all).isEmpty)
        #expect(world.report(north: 900).isEmpty)
    }

    @Test func `editing a circle does not affect its sets`() {
        let other = CircleID(ID128(high: 1, low: 2))
        var world = World()
        _ = configure([zone(3)], 3, in: &world)
        _ = world.configure(
            circles: [World.circle, other], sets: [set], unshared: [UnsharedCircle(circle: other)])
        #expect(world.report(north: 0).marbles == "!")
        let away = Coordinate(latitudeE7: 500_000_000, longitudeE7: 0)
        #expect(world.configure([.round(2, at: away)]).isEmpty)
        #expect(world.cleared.isEmpty)
        #expect(world.report(north: 900, speed: 2).marbles == "X")
    }

    @Test func `an opted-out zone is not evaluated, and is new when opted in again`() {
        var world = World(zones: [.round(), .round(2)])
        #expect(world.report(north: 0).marbles == "!!")
        #expect(world.configure(optOuts: [.number(1)]).isEmpty)
        #expect(world.report(north: 900, speed: 2).crossings.map(\.zone) == [.number(2)])
        #expect(world.report(north: 0, speed: 20).marbles == "E")
        #expect(world.configure().crossings.map(\.zone) == [.number(1)])
    }

    @Test func `a zone that becomes an alert zone is established again`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        let found = world.configure([.round(kind: .alert)])
        #expect(found.marbles == "!")
        #expect(found.crossings.first?.zoneKind == .alert)
    }
}

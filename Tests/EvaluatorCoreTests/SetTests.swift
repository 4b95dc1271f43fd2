import EvaluatorCore
import Model
import Testing

/// Zones of sets, and zones that somebody refuses.
@Suite struct SetTests {
    private let set = ZoneSetID(ID128(high: 11, low: 1))

    /// A zone on a page.
    private func zone(_ page: UInt64, _ number: UInt64 = 1, radius: Int32 = 200) -> PlacedZone {
        .round(radius: radius).with {
            $0.id = ZoneID(ID128(high: page << 48, low: number))
        }
    }

    private func place(_ zones: [PlacedZone], _ page: Int, in world: inout World) -> [Event] {
        world.handle(.inputSet(PlacedSet(set: set, page: page, zones: zones)))
    }

    @Test func `zones of a set judge whose circles subscribe to it`() {
        var world = World()
        _ = place([zone(3)], 3, in: &world)
        _ = place([zone(4)], 4, in: &world)
        #expect(world.report(north: 0).isEmpty)
        let found = world.place(sets: [set])
        #expect(found.marbles == "!!")
        #expect(found.crossings.allSatisfy { $0.set == set && $0.circle == nil })
        #expect(world.report(north: 900, speed: 2).marbles == "XX")
        #expect(world.report(north: 0, speed: 20).marbles == "EE")
        #expect(world.place().isEmpty)
        #expect(world.report(north: 900).isEmpty)
    }

    @Test func `a page replaces itself alone, and is decided at once`() {
        var world = World()
        _ = world.place(sets: [set])
        _ = world.report(north: 0)
        #expect(place([zone(3), zone(3, 2)], 3, in: &world).marbles == "!!")
        #expect(place([zone(4)], 4, in: &world).marbles == "!")
        // Edited, deleted, and one left as it is.
        #expect(place([zone(3, radius: 300)], 3, in: &world).marbles.isEmpty)
        #expect(world.report(north: 260, speed: 2).marbles == "X")
        #expect(place([], 3, in: &world).isEmpty)
        #expect(place([], 4, in: &world).isEmpty)
        #expect(world.report(north: 0).isEmpty)
    }

    @Test func `a set that is gone judges nobody, and is new when it comes back`() {
        var world = World()
        _ = world.place(sets: [set])
        _ = place([zone(3)], 3, in: &world)
        #expect(world.report(north: 0).marbles == "!")
        #expect(world.handle(.inputSetRemoved(SetRemoval(set: set))).isEmpty)
        #expect(world.report(north: 0).isEmpty)
        #expect(place([zone(3)], 3, in: &world).marbles == "!")
    }

    @Test func `10,000 zones in 512 pages`() {
        var world = World()
        _ = world.place(sets: [set])
        for page in 0..<512 {
            let zones = (0..<20 as Range<UInt64>).map { number in
                var center = World.middle
                center.longitudeE7 += Int32(page) * 100_000
                center.latitudeE7 += Int32(number) * 100_000
                return PlacedZone.round(at: center).with {
                    $0.id = zone(UInt64(page), number).id
                }
            }
            _ = place(zones, page, in: &world)
        }
        #expect(world.report(north: 0).crossings.map(\.zone) == [zone(0, 0).id])
        let next = world.report(north: 1105.7, after: 3600, speed: 9)
        #expect(next.marbles == "XE" || next.marbles == "EX")
    }

    @Test func `an unreadable zone of a set is counted, until its page is replaced`() {
        var world = World()
        let unreadable = zone(3).with { $0.geometry.coefficients[0] = 77 }
        _ = place([unreadable, zone(3, 2)], 3, in: &world)
        #expect(world.state.unreadableZones == 1)
        _ = place([], 3, in: &world)
        #expect(world.state.unreadableZones == 0)
    }

    @Test func `sets follow when nothing is shared with any circle`() {
        let other = CircleID(ID128(high: 1, low: 2))
        var world = World()
        _ = place([zone(3)], 3, in: &world)
        let both = [World.circle, other]
        _ = world.place(circles: both, sets: [set], unshared: [UnsharedCircle(circle: other)])
        #expect(world.report(north: 0).marbles == "!")
        let all = both.map { UnsharedCircle(circle: $0) }
        #expect(world.place(circles: both, sets: [set], unshared: all).isEmpty)
        #expect(world.report(north: 900).isEmpty)
    }

    @Test func `an edit of a circle leaves sets alone that are shared with it alone`() {
        let other = CircleID(ID128(high: 1, low: 2))
        var world = World()
        _ = place([zone(3)], 3, in: &world)
        _ = world.place(
            circles: [World.circle, other], sets: [set], unshared: [UnsharedCircle(circle: other)])
        #expect(world.report(north: 0).marbles == "!")
        let away = Coordinate(latitudeE7: 500_000_000, longitudeE7: 0)
        #expect(world.place([.round(2, at: away)]).isEmpty)
        #expect(world.forgotten.isEmpty)
        #expect(world.report(north: 900, speed: 2).marbles == "X")
    }

    @Test func `a refused zone judges nobody, and is new when it is taken back`() {
        var world = World(zones: [.round(), .round(2)])
        #expect(world.report(north: 0).marbles == "!!")
        #expect(world.place(refused: [.number(1)]).isEmpty)
        #expect(world.report(north: 900, speed: 2).crossings.map(\.zone) == [.number(2)])
        #expect(world.report(north: 0, speed: 20).marbles == "E")
        #expect(world.place().crossings.map(\.zone) == [.number(1)])
    }

    @Test func `a zone that becomes an alert zone is found anew`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        let found = world.place([.round(kind: .alert)])
        #expect(found.marbles == "!")
        #expect(found.crossings.first?.zoneKind == .alert)
    }
}

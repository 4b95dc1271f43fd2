import Directory
import Model
import TestSupport
import Testing

/// Lists of a replica by owner, after changes in any order.
@Suite struct ReplicaListTests {
    private let floods = ZoneOwner.set(ZoneSetID(ID128(high: 7, low: 1)))

    @Test func `lists are ascending and without removed entities, in any order of events`() {
        var chance = SeededGenerator(seed: 5)
        var replica = replica(family)
        var numbers = Array(UInt64(10)..<310)
        numbers.shuffle(using: &chance)
        for number in numbers { replica.apply(aZone(number, of: floods)) }
        // A repetition changes nothing.
        for number in numbers { #expect(replica.apply(aZone(number, of: floods)).isEmpty) }
        #expect(replica.zones(of: floods).map(\.id) == (10..<310).map { zone($0) })
        #expect(replica.zones.count(of: floods) == 300)
        numbers.shuffle(using: &chance)
        for number in numbers.dropLast(100) {
            replica.apply(.zoneRemoved(ZoneRemoval(zone: zone(number))))
        }
        #expect(
            replica.zones(of: floods).map(\.id) == numbers.suffix(100).sorted().map { zone($0) })
        for number in numbers.suffix(100) {
            replica.apply(.zoneRemoved(ZoneRemoval(zone: zone(number))))
        }
        #expect(replica.zones.count(of: floods) == 0)
        #expect(replica == DirectoryTests.replica(family))
        #expect(replica.sortedZones.map(\.id) == [zone(1), zone(2), zone(3)])
    }

    @Test func `a zone that changes its owner is listed at the new one only`() {
        var replica = replica(family)
        replica.apply(aZone(1, of: floods))
        #expect(replica.zones(of: circle(1)).isEmpty)
        #expect(replica.zones(of: floods).map(\.id) == [zone(1)])
    }
}

import Directory
import Model
import Testing
import Wire

@testable import IngestCore

@Suite struct SetConfigurationTests {
    /// The family, whose circle 1 subscribes to set 1 with so many zones, each on its own page.
    private func subscribed(zones: UInt64) -> Bench {
        var bench = Bench(
            family + [.setChanged(ZoneSet(id: zoneSet(1), name: "Schools"))]
                + (100..<100 + zones).map { aZone($0, of: .set(zoneSet(1))) })
        bench.change(subscribing)
        bench.endTurns()
        return bench
    }

    private let subscribing = aCircle(
        1, [member(1, .admin), member(2), member(3, .guardian)], sets: [1])
    private let partitions = Set([1, 2, 3].map { Partition.of(person($0)) })

    private func pages(_ bench: Bench) -> [ConfiguredSet] {
        bench.bodies(.inputSet).compactMap { body in
            if case .inputSet(let page) = body { page } else { nil }
        }
    }

    @Test func `a set goes to its subscribers' partitions before their people`() throws {
        let bench = subscribed(zones: 3)
        #expect(bench.placed == bench.wanted)
        #expect(pages(bench).count == 3 * partitions.count)
        for partition in partitions {
            let records = bench.input.filter { $0.partition == partition }.map(\.event.body)
            let configured = try #require(
                records.firstIndex { body in
                    if case .inputPerson(let person) = body { !person.sets.isEmpty } else { false }
                })
            let lastPage = try #require(records.lastIndex { $0.kind == .inputSet })
            #expect(lastPage < configured)
        }
    }

    @Test func `an edit of one zone appends only its page`() {
        var bench = subscribed(zones: 50)
        let before = bench.input.count
        bench.change(aZone(117, of: .set(zoneSet(1)), version: 2))
        bench.endTurns()
        let new = bench.input.dropFirst(before)
        #expect(new.count == partitions.count)
        #expect(new.allSatisfy { $0.event.kind == .inputSet })
        #expect(bench.placed == bench.wanted)
    }

    @Test func `a page that becomes empty is appended once, without zones`() {
        var bench = subscribed(zones: 2)
        let before = bench.input.count
        bench.change(.zoneRemoved(ZoneRemoval(zone: zone(100))))
        bench.endTurns()
        bench.restart()
        bench.endTurns()
        #expect(bench.input.count == before + partitions.count)
        #expect(pages(bench).suffix(partitions.count).allSatisfy { $0.zones.isEmpty })
        #expect(bench.placed == bench.wanted)
    }

    @Test func `a zone that changes its owner moves to another page`() {
        var bench = subscribed(zones: 2)
        bench.change(aZone(100, of: .circle(circle(2)), version: 2))
        bench.endTurns()
        #expect(bench.placed == bench.wanted)
        bench.change(aZone(100, of: .set(zoneSet(1)), version: 3))
        bench.endTurns()
        #expect(bench.placed == bench.wanted)
    }

    @Test func `a large set is split into turns and continues after a crash`() {
        var bench = Bench(
            family + [.setChanged(ZoneSet(id: zoneSet(1), name: "Schools"))]
                + (100..<5100).map { aZone($0, of: .set(zoneSet(1))) })
        bench.change(subscribing)
        var turns = 0
        while bench.core.hasWork {
            let before = bench.input.count
            bench.handle(.turnEnd)
            let zones = bench.input.dropFirst(before).reduce(0) { sum, record in
                if case .inputSet(let page) = record.event.body {
                    sum + page.zones.count
                } else {
                    sum
                }
            }
            #expect(zones <= Limits.configurationWorkPerTurn)
            turns += 1
            if turns == 4 { bench.restart() }
        }
        #expect(turns > 7)
        #expect(bench.placed == bench.wanted)
        let count = bench.input.count
        bench.restart()
        bench.endTurns()
        #expect(bench.input.count == count)
    }

    @Test func `a person who reports early is distributed again after the set`() {
        var bench = Bench(
            family + [.setChanged(ZoneSet(id: zoneSet(1), name: "Schools"))]
                + (100..<5100).map { aZone($0, of: .set(zoneSet(1))) })
        bench.change(subscribing)
        bench.deliver([observation(at: 0)], from: 1)
        guard case .inputPerson(let early)? = bench.bodies(.inputPerson).last else {
            Issue.record("the first report makes its device the leader")
            return
        }
        #expect(early.primaryDevice == device(1) && early.sets.isEmpty)
        bench.endTurns()
        #expect(bench.placed == bench.wanted)
    }

    @Test func `unsubscribed and removed sets leave nothing`() {
        var bench = subscribed(zones: 3)
        bench.change(aCircle(2, [member(4, .admin), member(1)], sets: [1]))
        bench.endTurns()
        bench.change(aCircle(1, [member(1, .admin), member(2), member(3, .guardian)]))
        bench.endTurns()
        #expect(bench.placed == bench.wanted)
        bench.change(.setRemoved(SetRemoval(set: zoneSet(1))))
        bench.endTurns()
        #expect(bench.placed == bench.wanted)
        #expect(bench.bodies(.inputSetRemoved).count == partitions.union([.of(person(4))]).count)
        bench.change(.setChanged(ZoneSet(id: zoneSet(1), name: "Schools")))
        bench.change(aZone(100, of: .set(zoneSet(1))))
        bench.change(subscribing)
        bench.endTurns()
        #expect(bench.placed == bench.wanted)
    }

    @Test func `pauses and opt-outs are distributed with the person`() throws {
        var bench = Bench()
        let end = start + .seconds(3600)
        bench.change(
            aCircle(1, [member(1, .admin, sharing: .pausedUntil(end)), member(2), member(3)]))
        bench.change(
            .personChanged(Person(id: person(1), name: "Anna", zoneOptOuts: [zone(1)])))
        bench.endTurns()
        guard case .inputPerson(let placed)? = bench.bodies(.inputPerson).last else {
            Issue.record("Anna is placed again")
            return
        }
        #expect(placed.unshared == [UnsharedCircle(circle: circle(1), until: end)])
        #expect(placed.zoneOptOuts == [zone(1)])
        bench.wait(7200)
        let count = bench.input.count
        bench.restart()
        bench.endTurns()
        #expect(bench.input.count == count, "the end of a pause is not published")
    }

    @Test func `zones that fit no record are omitted, which is a health problem`() throws {
        let ring = (0..<9000).map { VertexOffset(longitudeE7: -1_000_000_000 - $0, latitudeE7: $0) }
        func large(_ number: UInt64) -> EventBody {
            guard case .zoneChanged(var zone) = aZone(1, of: .set(zoneSet(1))) else {
                return aZone(number, of: .set(zoneSet(1)))
            }
            zone.id = ZoneID(ID128(high: 0, low: number))
            zone.prepared.polygons = [[ring]]
            return .zoneChanged(zone)
        }
        var bench = subscribed(zones: 1)
        for number in 1...6 as ClosedRange<UInt64> { bench.change(large(number)) }
        bench.endTurns()
        #expect(bench.core.distributor.leftOut > 0)
        for record in bench.input where record.event.kind == .inputSet {
            #expect(try EventCodec.encode(record.event).payload.count < 1 << 20)
        }
        for number in 1...6 as ClosedRange<UInt64> {
            bench.change(.zoneRemoved(ZoneRemoval(zone: ZoneID(ID128(high: 0, low: number)))))
        }
        bench.endTurns()
        #expect(bench.core.distributor.leftOut == 0)
    }
}

import Directory
import Model
import Testing

@testable import IngestCore

@Suite struct DecisionTests {
    private func crossing(
        _ number: UInt64 = 1, circle: CircleID? = circle(1), set: ZoneSetID? = nil
    ) -> ZoneCrossing {
        ZoneCrossing(
            person: person(1), device: device(1), zone: zone(number), zoneName: "Z",
            zoneKind: .safe, circle: circle, set: set, before: .outside, after: .inside,
            fix: Fix(time: start, position: Coordinate(latitudeE7: 1, longitudeE7: 2)),
            distanceCentimetres: -1, marginCentimetres: 1, reason: .insideBeyondMargin,
            report: ReportID(.zero))
    }

    /// What a viewer sees of each decision that is kept.
    private func sights(_ bench: Bench, as principal: Principal) throws -> [DecisionSight?]? {
        let viewer = try DecisionViewer(
            of: person(1), for: principal, in: bench.directory, at: bench.now)
        return viewer.map { viewer in
            bench.store.decisions.map { viewer.sight(of: $0, in: bench.directory) }
        }
    }

    private let cho = Principal.person(person(3))

    @Test func `every decision is stored with the circles that share it`() {
        var bench = Bench()
        bench.change(.setChanged(ZoneSet(id: zoneSet(1), name: "S")))
        bench.change(aCircle(2, [member(4, .admin), member(1)], sets: [1]))
        let bodies: [EventBody] = [
            .zoneEntered(crossing()), .zoneSuppressed(crossing()),
            .zonePresenceEstablished(crossing()),
            .zoneApproached(crossing()), .zoneDwelled(crossing()), .zoneExited(crossing()),
            .zoneLeftVicinity(crossing()), .zonePresenceCleared(crossing()),
            .zoneEntered(crossing(9, circle: nil)),
            .zoneEntered(crossing(101, circle: nil, set: zoneSet(1))),
            .zoneAbsent(
                ZoneAbsence(
                    person: person(1), zone: zone(1), zoneName: "Z", circle: circle(1), by: start,
                    fix: nil, hasContact: false)),
        ]
        for body in bodies { bench.applyDerived(body) }
        let rows = bench.store.decisions
        #expect(rows.map(\.kind) == bodies.map(\.kind))
        #expect(
            rows.map(\.circles)
                == Array(repeating: [circle(1)], count: 8) + [[], [circle(2)], [circle(1)]])
    }

    @Test func `the person sees all, guardians their circle's decisions, others nothing`() throws {
        var bench = Bench()
        bench.applyDerived(.zoneEntered(crossing()))
        bench.applyDerived(.zoneEntered(crossing(9, circle: nil)))
        bench.applyDerived(.zoneEntered(crossing(8, circle: circle(2))))
        #expect(
            try sights(bench, as: .device(device(1), of: person(1)))
                == [.everything, .everything, .everything])
        #expect(try sights(bench, as: cho) == [.everything, nil, nil])
        #expect(try sights(bench, as: .person(person(4))) == [nil, nil, .everything])
        #expect(try sights(bench, as: .person(person(5))) == nil)
        #expect(throws: Denial.roleTooLow) {
            try sights(bench, as: .person(person(2)))
        }
    }

    @Test func `precision zone shows neither positions nor small zones`() throws {
        var bench = Bench()
        guard case .zoneChanged(var small) = aZone(2, of: .circle(circle(1))) else { return }
        small.prepared.inradiusCentimetres = 9999
        bench.change(.zoneChanged(small))
        bench.change(
            aCircle(1, [member(1, precision: .zone), member(3, .guardian)]))
        for number in [1, 2, 7] as [UInt64] { bench.applyDerived(.zoneEntered(crossing(number))) }
        #expect(
            try sights(bench, as: cho) == [
                .withoutPlace(namesZone: true), .withoutPlace(namesZone: false),
                .withoutPlace(namesZone: false),
            ], "a zone that is gone may have been small")
    }

    @Test func `decisions made during a pause stay hidden`() throws {
        var bench = Bench()
        bench.applyDerived(.zoneEntered(crossing()))
        let end = start + .seconds(60)
        bench.change(
            aCircle(1, [member(1, sharing: .pausedUntil(end)), member(3, .guardian)]))
        bench.applyDerived(.zoneExited(crossing()))
        #expect(try sights(bench, as: cho) == [.withoutPlace(namesZone: true), nil])
        bench.wait(60)
        #expect(try sights(bench, as: cho) == [.everything, nil])
    }

    @Test func `a guardian sees decisions since both joined`() throws {
        var bench = Bench()
        bench.applyDerived(.zoneEntered(crossing()))
        var late = member(3, .guardian)
        late.joined = start + .seconds(10)
        bench.change(aCircle(1, [member(1), late]))
        bench.wait(20)
        bench.applyDerived(.zoneExited(crossing()))
        #expect(try sights(bench, as: cho) == [nil, .everything])
    }

    @Test func `a removed person is forgotten`() throws {
        var bench = Bench()
        bench.applyDerived(.zoneEntered(crossing()))
        bench.change(.personRemoved(PersonRemoval(person: person(1))))
        #expect(bench.store.decisions.isEmpty)
        #expect(try sights(bench, as: cho) == nil)
    }
}

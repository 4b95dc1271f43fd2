import Dialects
import Directory
import Geometry
import Model
import Testing

@testable import IngestCore

/// What others see of a person must not outlive their right to see it, and not come before it.
@Suite struct PrivacyTests {
    private let ben = Principal.device(device(2), of: person(2))
    private let cho = Principal.person(person(3))
    private let dan = Principal.person(person(4))

    private func crossing() -> ZoneCrossing {
        ZoneCrossing(
            person: person(1), device: device(1), zone: zone(1), zoneName: "Z", zoneKind: .safe,
            circle: circle(1), before: .outside, after: .inside,
            fix: Fix(time: start, position: Coordinate(latitudeE7: 1, longitudeE7: 2)),
            distanceCentimetres: -1, marginCentimetres: 1, reason: .insideBeyondMargin,
            report: ReportID(.zero))
    }

    private func sights(_ bench: Bench) throws -> [DecisionSight?] {
        let viewer = try #require(
            try DecisionViewer(of: person(1), for: cho, in: bench.directory, at: bench.now))
        return bench.store.decisions.map { viewer.sight(of: $0, in: bench.directory) }
    }

    private func fix(of number: UInt64, _ bench: inout Bench, as viewer: Principal) -> Fix? {
        guard case .positions(let list) = bench.positions(of: circle(1), as: viewer) else {
            return nil
        }
        return list.first { $0.person == person(number) }?.fix
    }

    /// Anna calls for help by a trigger; Ben, Cho and Dan are recipients.
    private func emergency(
        _ trigger: EmergencyTrigger, sharing: Sharing = .off
    ) -> (bench: Bench, id: EmergencyID) {
        var bench = Bench()
        bench.change(
            aCircle(1, [member(1, .admin, sharing: sharing), member(2), member(3, .guardian)]))
        bench.change(aCircle(2, [member(4, .admin), member(1, sharing: sharing)]))
        bench.deliver([observation(at: -60, lat: 5)])
        let signal = self.signal(1, trigger)
        receive(snapshot([signal]), &bench)
        return (bench, signal.id)
    }

    private func signal(_ number: UInt64, _ trigger: EmergencyTrigger) -> EmergencySignal {
        EmergencySignal(
            id: EmergencyID(ID128(high: 7, low: number)), person: person(1), trigger: trigger,
            raised: start, received: start, countdownEnds: start)
    }

    private func snapshot(
        _ signals: [EmergencySignal], endedCircles: [CircleID] = []
    ) -> EmergencySnapshot {
        EmergencySnapshot(
            emergency: signals[0].id, person: person(1), state: .open, at: start,
            signals: signals, recipients: [person(2), person(3), person(4)], reached: .delivered,
            endedCircles: endedCircles)
    }

    private func receive(_ snapshot: EmergencySnapshot, _ bench: inout Bench) {
        bench.handle(
            .deliveries(
                Event(
                    id: EventID(ID128(high: 88, low: UInt64(bench.input.count))), time: bench.now,
                    body: .emergencySnapshot(snapshot))))
    }

    @Test func `decisions made with precision zone stay without a position`() throws {
        var bench = Bench()
        bench.change(aCircle(1, [member(1, precision: .zone), member(3, .guardian)]))
        bench.applyDerived(.zoneEntered(crossing()))
        bench.change(aCircle(1, [member(1), member(3, .guardian)]))
        bench.applyDerived(.zoneExited(crossing()))
        #expect(try sights(bench) == [.withoutPlace(namesZone: true), .everything])
        bench.change(aCircle(1, [member(1, precision: .zone), member(3, .guardian)]))
        #expect(
            try sights(bench) == [
                .withoutPlace(namesZone: true), .withoutPlace(namesZone: true),
            ])
    }

    @Test func `an exact circle reveals nothing to a circle of precision zone`() throws {
        var bench = Bench()
        bench.change(.setChanged(ZoneSet(id: zoneSet(1), name: "S")))
        bench.change(aCircle(1, [member(1, precision: .zone), member(3, .guardian)], sets: [1]))
        bench.change(aCircle(2, [member(4, .guardian), member(1)], sets: [1]))
        var crossing = crossing()
        (crossing.circle, crossing.set) = (nil, zoneSet(1))
        bench.applyDerived(.zoneEntered(crossing))
        #expect(try sights(bench) == [.withoutPlace(namesZone: true)])
    }

    @Test func `an invited person sees no positions, precision or pauses`() {
        var bench = Bench()
        bench.deliver([observation(at: -60, lat: 5)])
        bench.change(
            aCircle(
                1,
                [
                    member(1, sharing: .pausedUntil(start + .seconds(60)), precision: .zone),
                    member(2), member(3, .guardian, invited: true),
                ]))
        #expect(bench.positions(of: circle(1), as: cho) == .denied(.notAMember))
        #expect(bench.positions(of: circle(1), as: dan) == .denied(.notAMember))
    }

    @Test(arguments: EmergencyTrigger.allCases)
    func `only an own call shows the position of a person who does not share`(
        trigger: EmergencyTrigger
    ) {
        var (bench, _) = emergency(trigger)
        let isOwn = [EmergencyTrigger.panic, .shake, .sms, .link].contains(trigger)
        #expect(trigger.isOwnCall == isOwn)
        #expect((fix(of: 1, &bench, as: ben) != nil) == isOwn)
        bench.restart()
        #expect((fix(of: 1, &bench, as: ben) != nil) == isOwn)
    }

    @Test func `a fall becomes an own call when the person presses`() {
        var (bench, _) = emergency(.fall)
        #expect(fix(of: 1, &bench, as: ben) == nil)
        receive(snapshot([signal(1, .fall), signal(2, .panic)]), &bench)
        #expect(fix(of: 1, &bench, as: ben) != nil)
    }

    @Test func `somebody on a never-notify list sees no emergency, even if they were notified`() {
        var (bench, id) = emergency(.panic)
        #expect(fix(of: 1, &bench, as: ben) != nil)
        bench.change(
            .neverNotifyChanged(NeverNotifyList(person: person(1), people: [person(2)])))
        #expect(fix(of: 1, &bench, as: ben) == nil)
        #expect(bench.read(id, as: ben) == .notFound)
        #expect(bench.locate(1, as: ben) == .denied(.notSharing))
        #expect(fix(of: 1, &bench, as: cho) != nil)
        bench.change(
            .neverNotifyChanged(NeverNotifyList(person: person(1), circles: [circle(2)])))
        #expect(bench.read(id, as: dan) == .notFound && fix(of: 1, &bench, as: ben) != nil)
    }

    @Test func `others see the same of an emergency with and without a never-notify list`() {
        func seen(_ list: NeverNotifyList?, _ viewer: Principal) -> [Answer?] {
            var (bench, id) = emergency(.panic, sharing: .on)
            if let list {
                bench.change(.neverNotifyChanged(list))
                // Nobody on the list got a message.
                bench = Bench()
                bench.change(.neverNotifyChanged(list))
                bench.change(aCircle(1, [member(1, .admin), member(2), member(3, .guardian)]))
                bench.change(aCircle(2, [member(4, .admin), member(1)]))
                bench.deliver([observation(at: -60, lat: 5)])
                var notified = snapshot([signal(1, .panic)])
                notified.recipients = [person(3), person(4)]
                notified.reached = .accepted
                receive(notified, &bench)
                id = signal(1, .panic).id
            }
            return [bench.read(id, as: viewer), bench.positions(of: circle(1), as: viewer)]
        }
        let list = NeverNotifyList(person: person(1), people: [person(2)])
        #expect(seen(list, cho) == seen(nil, cho))
        #expect(seen(list, dan) == seen(nil, dan))
    }

    @Test func `a person who shares zones only is shown by the zone that they accepted`() throws {
        func zoneName(drawn: Timestamp?, precision: Precision = .zone) throws -> String? {
            var bench = Bench()
            bench.change(aCircle(1, [member(1, .admin, precision: precision), member(2)]))
            if case .zoneChanged(var zone) = aZone(1, of: .circle(circle(1))) {
                zone.drawn = drawn
                zone.prepared = try prepare(zone.shape)
                bench.change(.zoneChanged(zone))
            }
            bench.deliver([observation(at: -60)])
            guard case .positions(let list) = bench.positions(of: circle(1), as: ben) else {
                return nil
            }
            let shown = list.first { $0.person == person(1) }
            #expect((shown?.fix == nil) == (precision == .zone))
            return shown?.zoneName
        }
        #expect(try zoneName(drawn: nil) == "Z1")
        #expect(try zoneName(drawn: start) == "Z1", "there when they joined")
        #expect(try zoneName(drawn: .distantFuture) == nil, "drawn after they joined")
        #expect(try zoneName(drawn: nil, precision: .exact) == nil, "the place says more")
    }

    @Test func `a removed person is no longer a recipient`() {
        var (bench, id) = emergency(.panic)
        #expect(fix(of: 1, &bench, as: ben) != nil)
        bench.change(aCircle(1, [member(1, .admin, sharing: .off), member(3, .guardian)]))
        #expect(bench.locate(1, as: ben) == .denied(.notAMember))
        #expect(bench.read(id, as: ben) == .notFound)
        #expect(bench.positions(of: circle(1), as: ben) == .denied(.notAMember))
        #expect(fix(of: 1, &bench, as: cho) != nil)
    }

    @Test func `the position is hidden in circles where the emergency ended`() {
        var (bench, id) = emergency(.panic)
        receive(snapshot([signal(1, .panic)], endedCircles: [circle(1)]), &bench)
        bench.restart()
        #expect(fix(of: 1, &bench, as: ben) == nil && fix(of: 1, &bench, as: cho) == nil)
        #expect(bench.locate(1, as: ben) == .denied(.notSharing))
        guard case .positions(let list) = bench.positions(of: circle(2), as: dan),
            case .emergency(let over) = bench.read(id, as: cho),
            case .emergency(let open) = bench.read(id, as: dan),
            case .emergency(let own) = bench.read(id, as: .person(person(1)))
        else {
            Issue.record("all of them are answered")
            return
        }
        #expect(list.contains { $0.person == person(1) && $0.fix != nil })
        #expect(over.state == .resolved && open.state == .open && own.state == .open)
        #expect(own.endedCircles == [circle(1)])
        #expect(open.endedCircles.isEmpty, "circles of others are not shown")
        // The person calls again: it goes on in all circles.
        guard case .emergency(let again) = bench.call(EmergencyCall(), as: .person(person(1)))
        else { return }
        #expect(again.emergency == id && again.endedCircles.isEmpty)
        #expect(fix(of: 1, &bench, as: cho) != nil)
    }
}

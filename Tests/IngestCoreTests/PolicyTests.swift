import Directory
import Model
import Testing

@testable import IngestCore

@Suite struct PolicyTests {
    private let anna = Principal.device(device(1), of: person(1))

    private func policy(_ mode: ReportingMode, filter: Int32? = nil) -> ReportingPolicy {
        ReportingPolicy(
            person: person(1), device: device(1), mode: mode, distanceFilterMetres: filter,
            intervalSeconds: 180, contactTimeoutSeconds: 1800)
    }

    private func hint(_ bench: inout Bench, mark: String? = nil, from number: UInt64 = 1)
        -> PolicyView?
    {
        let seconds = (bench.now - start).microseconds / 1_000_000
        guard
            case .reports(let answer) = bench.deliver(
                [observation(at: seconds)], from: number, of: 1, policyMark: mark)
        else { return nil }
        bench.wait(1)
        return answer.policy
    }

    private func shown(_ bench: inout Bench) -> PolicyView? {
        if case .policy(let view) = bench.readPolicy(of: 1, as: anna) { view } else { nil }
    }

    private func watch(_ state: WatchState, _ number: UInt64 = 1) -> EventBody {
        .watchChanged(
            Watch(
                id: WatchID(ID128(high: 8, low: number)), person: person(1), started: start,
                deadline: start + .seconds(600), state: state))
    }

    @Test func `no policy is sent before one was decided`() {
        var bench = Bench()
        #expect(hint(&bench) == nil)
        #expect(bench.readPolicy(of: 1, as: anna) == .notFound)
    }

    @Test func `a policy is sent until a report confirms it, then on change`()
        throws
    {
        var bench = Bench()
        #expect(hint(&bench) == nil)
        bench.applyDerived(.policyChanged(policy(.standard, filter: 50)))
        let first = try #require(hint(&bench))
        #expect(first.policy.mode == .standard)
        #expect(hint(&bench) == first)
        #expect(hint(&bench, mark: first.mark) == nil)
        #expect(shown(&bench)?.isConfirmed == true)
        bench.restart()
        #expect(hint(&bench) == nil && hint(&bench, mark: first.mark) == nil)
        bench.applyDerived(.policyChanged(policy(.standard, filter: 100)))
        let second = try #require(hint(&bench))
        #expect(second.mark != first.mark)
        #expect(hint(&bench, mark: first.mark) == second, "still by the one before")
        #expect(hint(&bench, mark: second.mark) == nil)
        bench.applyDerived(.policyChanged(policy(.standard, filter: 100)))
        #expect(hint(&bench) == nil, "the same again is no change")
    }

    @Test func `values that cannot be marks are not stored`() {
        var bench = Bench()
        #expect(hint(&bench) == nil)
        bench.applyDerived(.policyChanged(policy(.standard, filter: 50)))
        #expect(hint(&bench, mark: String(repeating: "x", count: 100_000)) != nil)
        #expect(bench.store.policies.values.map(\.confirmed) == [""])
        #expect(hint(&bench) != nil)
    }

    @Test(arguments: [(Platform.ios, 2), (.android, 3), (.other, 3)])
    func `a policy has as many regions as the device's platform allows, the nearest`(
        platform: Platform, count: Int
    ) throws {
        var bench = Bench(rights: try RightsOverrides.apply("regions.ios = 2"))
        bench.change(
            .deviceChanged(
                Device(id: device(1), person: person(1), name: "phone", platform: platform)))
        var policy = policy(.region)
        policy.regions = (1...3 as ClosedRange<UInt64>).map {
            WatchedRegion(
                zone: zone($0), center: Coordinate(latitudeE7: Int32($0), longitudeE7: 0),
                radiusMetres: 100)
        }
        bench.applyDerived(.policyChanged(policy))
        let shown = try #require(hint(&bench))
        #expect(
            shown.policy.regions.map(\.zone)
                == (1...3 as ClosedRange<UInt64>).prefix(count).map { zone($0) })
    }

    @Test func `only the primary device gets policies`() {
        var bench = Bench()
        bench.change(
            .deviceChanged(Device(id: device(9), person: person(1), name: "old phone")))
        #expect(hint(&bench) == nil)
        bench.applyDerived(.policyChanged(policy(.significant)))
        #expect(hint(&bench, from: 9) == nil)
        #expect(hint(&bench) != nil)
        #expect(bench.readPolicy(of: 1, as: .person(person(2))) == .denied(.notYours))
    }

    @Test func `a watch is event mode from its start to its end, and not beyond its deadline`() {
        var bench = Bench()
        _ = hint(&bench)
        bench.applyDerived(.policyChanged(policy(.region)))
        bench.fire(watch(.active))
        #expect(shown(&bench)?.policy.mode == .event)
        #expect(shown(&bench)?.policy.intervalSeconds == 60)
        #expect(shown(&bench)?.policy.contactTimeoutSeconds == 180)
        bench.restart()
        #expect(hint(&bench)?.policy.mode == .event)
        bench.fire(watch(.ended, 2))
        #expect(shown(&bench)?.policy.mode == .event, "another watch ended")
        bench.fire(watch(.ended))
        #expect(shown(&bench)?.policy.mode == .region)
        bench.fire(watch(.reminded))
        bench.wait(721)
        #expect(shown(&bench)?.policy.mode == .region)
    }

    @Test func `an open emergency is event mode, its countdown is not`() {
        var bench = Bench()
        _ = hint(&bench)
        func emergency(_ state: EmergencyState) -> EventBody {
            let id = EmergencyID(ID128(high: 9, low: 1))
            return .emergencyOpened(
                EmergencyChange(
                    emergency: id, person: person(1), state: state, trigger: .panic, signal: id,
                    raised: start, countdownEnds: start))
        }
        bench.applyDerived(emergency(.countdown))
        #expect(hint(&bench) == nil)
        bench.applyDerived(emergency(.open))
        #expect(hint(&bench)?.policy.mode == .event)
        bench.applyDerived(emergency(.acknowledged))
        #expect(hint(&bench)?.policy.mode == .event)
        bench.applyDerived(emergency(.resolved))
        #expect(hint(&bench) == nil)
    }
}

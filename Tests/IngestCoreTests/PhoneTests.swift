import Dialects
import Directory
import Model
import Testing

@testable import IngestCore

@Suite struct PhoneTests {
    private let anna = Principal.device(device(1), of: person(1))
    private let ben = Principal.person(person(2))

    private func tell(
        _ bench: inout Bench, _ news: DeviceStatus, from number: UInt64 = 1,
        _ observations: [Observation] = [], withinSeconds: Int64 = 0
    ) -> ReportsAnswer? {
        guard
            case .reports(let answer) = bench.deliver(
                observations, from: number, requestsFriends: true, status: news,
                pressesWithinSeconds: withinSeconds, ownTracks: .android)
        else { return nil }
        return answer
    }

    private func position(_ bench: inout Bench, of number: UInt64 = 1) -> MemberPosition? {
        guard case .positions(let list) = bench.positions(of: circle(1), as: ben) else {
            return nil
        }
        return list.first { $0.person == person(number) }
    }

    // MARK: Impaired

    @Test func `a phone without location permission is impaired until it reports otherwise`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        #expect(position(&bench)?.state == .fresh)
        _ = tell(&bench, DeviceStatus(impairments: [.batteryOptimisation, .powerSave]))
        #expect(position(&bench)?.state == .impaired)
        #expect(position(&bench)?.impairments == [.batteryOptimisation, .powerSave])
        #expect(position(&bench)?.fix != nil, "where it was last is known all the same")
        #expect(bench.core.devices.impairedCount == 1)
        bench.restart()
        #expect(position(&bench)?.state == .impaired)
        _ = tell(&bench, DeviceStatus())
        #expect(position(&bench)?.state == .impaired, "a report without it changes nothing")
        _ = tell(&bench, DeviceStatus(impairments: []))
        #expect(position(&bench)?.state == .fresh && position(&bench)?.impairments == [])
        bench.restart()
        #expect(bench.core.devices.impairedCount == 0)
    }

    @Test(arguments: [Impairment.powerSave, .approximateLocation])
    func `causes of rough or rare positions are shown, but impair nothing`(
        impairment: Impairment
    ) {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        _ = tell(&bench, DeviceStatus(impairments: [impairment]))
        #expect(position(&bench)?.state == .fresh)
        #expect(position(&bench)?.impairments == [impairment])
    }

    @Test func `a phone without a position may be impaired, a hidden one is hidden`() {
        var bench = Bench()
        _ = tell(&bench, DeviceStatus(impairments: [.locationPermission]))
        #expect(position(&bench)?.state == .impaired)
        bench.change(aCircle(1, [member(1, sharing: .off), member(2)]))
        #expect(position(&bench)?.state == .hidden && position(&bench)?.impairments == [])
    }

    @Test func `the start of an impairment stays while the reasons change`() {
        var bench = Bench()
        _ = tell(&bench, DeviceStatus(impairments: [.hibernation]))
        bench.wait(60)
        _ = tell(&bench, DeviceStatus(impairments: [.hibernation, .powerSave]))
        #expect(bench.store.conditions[device(1)]?.since == start)
        _ = tell(&bench, DeviceStatus(impairments: [.powerSave]))
        bench.wait(60)
        _ = tell(&bench, DeviceStatus(impairments: [.hibernation]))
        #expect(bench.store.conditions[device(1)]?.since == start + .seconds(120))
    }

    @Test func `an impairment of the primary device is reported once each time`() {
        var bench = Bench()
        func reported(_ bench: Bench) -> [[Impairment]] {
            bench.input.compactMap {
                if case .inputImpairment(let news) = $0.event.body {
                    news.impairments
                } else {
                    nil
                }
            }
        }
        _ = tell(&bench, DeviceStatus(impairments: [.powerSave]))
        #expect(reported(bench) == [])
        for _ in 0..<2 { _ = tell(&bench, DeviceStatus(impairments: [.hibernation, .powerSave])) }
        #expect(reported(bench) == [[.hibernation, .powerSave]])
        bench.restart()
        _ = tell(&bench, DeviceStatus(impairments: [.hibernation, .locationPermission]))
        #expect(reported(bench).count == 1, "it is impaired already")
        _ = tell(&bench, DeviceStatus(impairments: []))
        _ = tell(&bench, DeviceStatus(impairments: [.hibernation]))
        #expect(reported(bench).count == 2)
    }

    @Test func `a phone with another key is impaired until it can be decrypted`() {
        var bench = Bench()
        func send(_ reason: QuarantineReason?, _ news: DeviceStatus = DeviceStatus()) {
            bench.deliver(
                [], rejections: reason.map { [Rejection(index: 0, reason: $0)] } ?? [],
                status: news,
                ownTracks: .android)
        }
        var reported: [[Impairment]] {
            bench.input.compactMap {
                if case .inputImpairment(let news) = $0.event.body {
                    news.impairments
                } else {
                    nil
                }
            }
        }
        bench.deliver([observation(at: 0)])
        send(.notJSON)
        #expect(position(&bench)?.state == .fresh)
        send(.undecryptable, DeviceStatus(isEncrypted: true))
        #expect(position(&bench)?.state == .impaired)
        #expect(position(&bench)?.impairments == [.undecryptable])
        send(.encrypted)
        bench.restart()
        send(nil)
        send(.notJSON)
        #expect(position(&bench)?.state == .impaired, "what says nothing changes nothing")
        #expect(reported == [[.undecryptable]])
        bench.deliver([observation(at: 10)])
        #expect(position(&bench)?.state == .fresh && position(&bench)?.impairments == [])
        send(.undecryptable)
        #expect(position(&bench)?.state == .impaired)
        #expect(reported.count == 1, "two apps with one token take turns")
        bench.wait(86_400)
        bench.deliver([observation(at: 86_400)])
        send(.undecryptable)
        #expect(reported.count == 2)
        // What the phone said itself stays beside it, and after it.
        send(nil, DeviceStatus(impairments: [.powerSave]))
        #expect(position(&bench)?.impairments == [.powerSave])
        send(.undecryptable)
        #expect(position(&bench)?.impairments == [.powerSave, .undecryptable])
        bench.deliver([observation(at: 86_420)])
        #expect(position(&bench)?.impairments == [.powerSave])
    }

    // MARK: Battery

    private func battery(
        _ percent: UInt8?, charging: Bool? = nil, at second: Int64 = 0
    ) -> DeviceStatus {
        var news = DeviceStatus()
        news.battery = PhoneBattery(
            percent: percent, charging: charging, time: start + .seconds(second))
        return news
    }

    @Test func `a battery level without a position is shown and sent to evaluators`() {
        var bench = Bench()
        func reported(_ bench: Bench) -> [UInt8?] {
            bench.input.compactMap {
                if case .inputContact(let contact) = $0.event.body { contact.battery } else { nil }
            }
        }
        _ = tell(&bench, battery(61))
        #expect(position(&bench)?.state == .unknown && position(&bench)?.battery == 61)
        bench.deliver([observation(at: 0)])
        bench.wait(60)
        for _ in 1...2 { _ = tell(&bench, battery(12, charging: false, at: 60)) }
        #expect(position(&bench)?.battery == 12 && position(&bench)?.charging == false)
        #expect(reported(bench) == [61, 12])
        // What waited on the phone is older than what is known, or of long ago.
        _ = tell(&bench, battery(90, at: -10))
        bench.wait(1000)
        _ = tell(&bench, battery(90, at: 100))
        _ = tell(&bench, battery(7, at: 1060), from: 3)
        #expect(position(&bench)?.battery == 12 && reported(bench) == [61, 12, 7])
    }

    @Test func `a battery level beside reports is current`() {
        var bench = Bench()
        var old = observation(at: 0)
        old.battery = 25
        bench.deliver([old], status: battery(14, at: 0))
        _ = tell(&bench, battery(5))
        #expect(position(&bench)?.battery == 5)
        let reported = bench.input.compactMap { record in
            if case .inputContact = record.event.body { record.event.id } else { nil }
        }
        #expect(reported.count == 2 && Set(reported).count == 2)
    }

    @Test func `a battery is charging only as long as the phone says so`() {
        var bench = Bench()
        _ = tell(&bench, battery(15, charging: true))
        #expect(position(&bench)?.charging == true)
        _ = tell(&bench, battery(15))
        #expect(position(&bench)?.charging == nil)
        _ = tell(&bench, battery(nil, charging: true))
        let reported = bench.input.compactMap {
            if case .inputContact(let contact) = $0.event.body { contact } else { nil }
        }
        #expect(
            reported.map(\.charging) == [true, nil, true]
                && reported.map(\.battery) == [15, 15, 15])
    }

    // MARK: Cards

    @Test func `an unusable avatar keeps the previous one`() {
        var bench = Bench()
        bench.deliver([], status: DeviceStatus(card: Card(name: "Anna", avatar: [1])))
        let avatar = bench.store.stored.cards[person(1)]?.avatar
        bench.deliver([], status: DeviceStatus(card: Card(name: "Annie", keepsAvatar: true)))
        #expect(bench.store.stored.cards[person(1)] == CardHead(name: "Annie", avatar: avatar))
        #expect(avatar != nil)
    }

    @Test func `an avatar is sent to a friend's phone hourly and when it changes`() {
        var bench = Bench()
        func shown(_ bench: inout Bench) -> OwnTracks.Friend? {
            tell(&bench, DeviceStatus(), from: 2)?.friends.first { $0.person == person(1) }
        }
        #expect(shown(&bench)?.card == .name && shown(&bench)?.name == "Anna")
        _ = tell(&bench, DeviceStatus(card: Card(name: "Mama", avatar: [1])))
        #expect(shown(&bench)?.card == .avatar)
        #expect(shown(&bench)?.card == OwnTracks.Friend.ShownCard.none)
        #expect(shown(&bench)?.name == "Mama")
        #expect(
            tell(&bench, DeviceStatus(), from: 3)?.friends.first { $0.person == person(1) }?.card
                == .avatar, "another phone has not had it")
        _ = tell(&bench, DeviceStatus(card: Card(name: "Mama", avatar: [2])))
        #expect(shown(&bench)?.card == .avatar)
        bench.wait(Int(Limits.avatarSeconds))
        #expect(shown(&bench)?.card == .avatar)
        bench.restart()
        #expect(shown(&bench)?.card == .avatar && shown(&bench)?.name == "Mama")
        _ = tell(&bench, DeviceStatus(card: Card(name: nil, avatar: nil)))
        #expect(shown(&bench)?.card == .name && shown(&bench)?.name == "Anna")
    }

    // MARK: Suggested zones

    @Test func `a zone drawn on the phone is suggested once, and again when it changes`()
        throws
    {
        var bench = Bench()
        var zone = SuggestedZone(
            key: "k", name: "Home", center: Coordinate(latitudeE7: 1, longitudeE7: 2),
            radiusMetres: 80)
        _ = tell(&bench, DeviceStatus(zones: [zone]))
        _ = tell(&bench, DeviceStatus(zones: [zone]))
        #expect(Set(bench.store.suggestions.map(\.id)).count == 1)
        zone.radiusMetres = 90
        _ = tell(&bench, DeviceStatus(zones: [zone]))
        #expect(Set(bench.store.suggestions.map(\.id)).count == 2)
        #expect(bench.input.allSatisfy { $0.event.kind != .inputReport }, "it decides nothing")
    }

    // MARK: Pressed twice

    private func press(_ bench: inout Bench, at seconds: Int64, withinSeconds limit: Int64 = 5) {
        _ = tell(
            &bench, DeviceStatus(pressed: start + .seconds(seconds)),
            [observation(at: seconds, trigger: .manual, battery: 30)], withinSeconds: limit)
    }

    @Test func `a double press is one call for help with its position`() throws {
        var bench = Bench()
        press(&bench, at: -10)
        press(&bench, at: -4)
        #expect(bench.sos.isEmpty, "six seconds are too long")
        press(&bench, at: -4)
        #expect(bench.sos.isEmpty, "the same reported again")
        press(&bench, at: 0)
        press(&bench, at: 0)
        #expect(bench.sos.count == 1)
        guard case .sosRaised(let signal)? = bench.sos.first?.body else { return }
        #expect(signal.trigger == .panic && signal.raised == start && signal.battery == 30)
        #expect(signal.fix?.time == start)
    }

    @Test func `without the setting a double press has no effect`() {
        var bench = Bench()
        press(&bench, at: -1, withinSeconds: 0)
        press(&bench, at: 0, withinSeconds: 0)
        #expect(bench.sos.isEmpty)
    }

    // MARK: Gone

    @Test func `removing a person deletes the state of their devices`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        _ = tell(
            &bench,
            DeviceStatus(
                impairments: [.hibernation],
                zones: [
                    SuggestedZone(
                        key: "k", name: "n", center: Coordinate(latitudeE7: 1, longitudeE7: 2),
                        radiusMetres: 3)
                ], card: Card(name: "A", avatar: [1])))
        bench.wait(1)
        _ = bench.locate(1, as: ben)
        bench.change(.personRemoved(PersonRemoval(person: person(1))))
        #expect(bench.store.suggestions.isEmpty && bench.store.locates.isEmpty)
        #expect(bench.store.conditions.isEmpty && bench.store.stored.cards.isEmpty)
        #expect(bench.core.devices.impairedCount == 0)
    }

    // MARK: Policy

    private func hint(
        _ bench: inout Bench, mode: Int?, said: Int64, app: OwnTracks.App = .android
    ) -> PolicyView? {
        let monitoring = mode.map { Monitoring(mode: $0, time: start + .seconds(said)) }
        guard
            case .reports(let answer) = bench.deliver(
                [], status: DeviceStatus(monitoring: monitoring), ownTracks: app)
        else { return nil }
        return answer.policy
    }

    private func policy(_ mode: ReportingMode) -> EventBody {
        .policyChanged(
            ReportingPolicy(
                person: person(1), device: device(1), mode: mode, distanceFilterMetres: 50,
                intervalSeconds: 180, contactTimeoutSeconds: 1800))
    }

    private func watch(_ state: WatchState) -> EventBody {
        .watchChanged(
            Watch(
                id: WatchID(ID128(high: 8, low: 1)), person: person(1), started: start,
                deadline: start + .seconds(600), state: state))
    }

    private func confirmed(_ bench: Bench) -> String? {
        bench.store.policies[device(1)]?.confirmed
    }

    @Test func `a policy is sent until a later report has its mode`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.applyDerived(policy(.standard))
        bench.wait(10)
        #expect(hint(&bench, mode: 1, said: 10) != nil, "it is reported")
        bench.wait(10)
        #expect(hint(&bench, mode: 1, said: 9) != nil, "said before it was reported")
        #expect(hint(&bench, mode: nil, said: 20) != nil, "it does not say")
        #expect(hint(&bench, mode: 2, said: 20) != nil, "in another mode")
        #expect(hint(&bench, mode: 1, said: 20) == nil)
        #expect(hint(&bench, mode: 0, said: 21) == nil, "what a person sets by hand stays")
        #expect(confirmed(bench) == nil, "it was in that mode anyway: no proof")
        bench.restart()
        #expect(hint(&bench, mode: 1, said: 22) != nil && hint(&bench, mode: 1, said: 22) == nil)
    }

    @Test func `a phone that switches to moving mode follows the policy`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.applyDerived(policy(.significant))
        #expect(hint(&bench, mode: 1, said: 0) != nil && hint(&bench, mode: 1, said: 1) == nil)
        bench.fire(watch(.active))
        let event = hint(&bench, mode: 1, said: 2)
        #expect(event?.policy.mode == .event)
        bench.wait(10)
        #expect(hint(&bench, mode: 1, said: 11) == event)
        #expect(confirmed(bench) == nil)
        #expect(hint(&bench, mode: 2, said: 12) == nil)
        #expect(confirmed(bench) == event?.mark)
        bench.restart()
        #expect(hint(&bench, mode: 2, said: 13) == nil && confirmed(bench) == event?.mark)
        bench.fire(watch(.ended))
        #expect(hint(&bench, mode: 2, said: 14)?.policy.mode == .significant)
        #expect(confirmed(bench) == event?.mark, "it still goes by the one before")
        #expect(hint(&bench, mode: 1, said: 15) == nil)
        #expect(confirmed(bench) == nil, "standing still it is silent now")
    }

    @Test func `a phone already in moving mode proves nothing`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.applyDerived(policy(.standard))
        #expect(hint(&bench, mode: 2, said: 0, app: .iOS) != nil)
        #expect(hint(&bench, mode: 2, said: 1, app: .iOS) == nil)
        #expect(confirmed(bench) == nil)
        bench.applyDerived(policy(.significant))
        #expect(hint(&bench, mode: 2, said: 2, app: .iOS) != nil)
        #expect(hint(&bench, mode: 1, said: 3, app: .iOS) == nil)
        bench.applyDerived(policy(.standard))
        let standard = hint(&bench, mode: 1, said: 4, app: .iOS)
        #expect(hint(&bench, mode: 2, said: 5, app: .iOS) == nil)
        #expect(standard != nil && confirmed(bench) == standard?.mark)
        bench.fire(watch(.active))
        let event = hint(&bench, mode: 2, said: 6, app: .iOS)
        #expect(hint(&bench, mode: 2, said: 7, app: .iOS) == nil)
        #expect(event != nil && confirmed(bench) == event?.mark)
    }
}

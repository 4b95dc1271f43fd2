import Dialects
import Model
import Testing

@testable import IngestCore

@Suite struct ContactStateTests {
    private func policy(_ number: UInt64, contactTimeout: Int32 = 1800) -> EventBody {
        .policyChanged(
            ReportingPolicy(
                person: person(number), device: device(number), mode: .significant,
                intervalSeconds: 180, contactTimeoutSeconds: contactTimeout))
    }

    /// The phone of a person reports, and says by which mark it goes.
    @discardableResult
    private func report(_ bench: inout Bench, _ number: UInt64 = 1, mark: String? = nil)
        -> PolicyView?
    {
        bench.wait(1)
        let seconds = (bench.now - start).microseconds / 1_000_000
        guard
            case .reports(let answer) = bench.deliver(
                [observation(at: seconds)], from: number, of: number, policyMark: mark)
        else { return nil }
        return answer.policy
    }

    /// A phone that goes by a hint.
    private func expectContact(
        _ bench: inout Bench, _ number: UInt64 = 1, contactTimeout: Int32 = 1800
    ) {
        report(&bench, number)
        bench.applyDerived(policy(number, contactTimeout: contactTimeout))
        let mark = report(&bench, number)?.mark
        report(&bench, number, mark: mark)
    }

    private func terms(_ bench: Bench) -> [Int32?] {
        bench.bodies(.inputContactExpectation).map {
            if case .inputContactExpectation(let terms) = $0 {
                terms.contactTimeoutSeconds
            } else {
                nil
            }
        }
    }

    private func change(
        _ number: UInt64, _ state: ContactState, _ bench: Bench, end: ContactEnd? = nil
    ) -> ContactChange {
        ContactChange(
            person: person(number), device: device(number), state: state, at: bench.now,
            since: bench.now - .seconds(1800), contactTimeoutSeconds: 1800, isWatched: false,
            end: end)
    }

    private func quiet(_ bench: inout Bench, _ number: UInt64) {
        bench.applyDerived(.contactLate(change(number, .late, bench)))
    }

    private func contactSeen(_ bench: inout Bench, _ number: UInt64) {
        bench.applyDerived(.contactOK(change(number, .late, bench, end: .seen)))
    }

    private func holds(_ bench: Bench) -> [Bool] {
        bench.bodies(.inputContactLossHold).map {
            if case .inputContactLossHold(let hold) = $0 { hold.isHeld } else { false }
        }
    }

    // MARK: Who goes by hints

    @Test func `the evaluator gets each contact expectation once`() {
        var bench = Bench()
        report(&bench)
        bench.applyDerived(policy(1))
        let mark = report(&bench)?.mark
        #expect(terms(bench) == [], "sent is not accepted")
        report(&bench, mark: mark)
        report(&bench, mark: mark)
        report(&bench)
        #expect(terms(bench) == [1800])
        bench.restart()
        report(&bench, mark: mark)
        #expect(terms(bench) == [1800])
        bench.applyDerived(policy(1, contactTimeout: 180))
        let next = report(&bench, mark: mark)?.mark
        #expect(terms(bench) == [1800], "still by the one before")
        report(&bench, mark: next)
        #expect(terms(bench) == [1800, 180])
    }

    @Test func `a phone that follows no policy has no contact expectation`() {
        var bench = Bench()
        expectContact(&bench)
        report(&bench, mark: "its own way")
        report(&bench, mark: "its own way")
        #expect(terms(bench) == [1800, nil])
    }

    @Test func `a longer timeout counts before the phone confirms it`() {
        var bench = Bench()
        expectContact(&bench, contactTimeout: 180)
        bench.applyDerived(policy(1, contactTimeout: 1800))
        let next = report(&bench)?.mark
        #expect(terms(bench) == [180, 1800])
        report(&bench, mark: next)
        #expect(terms(bench) == [180, 1800])
    }

    @Test func `an OwnTracks phone has an expectation only while in moving mode`() {
        var bench = Bench()
        func say(_ mode: Int) {
            bench.wait(1)
            let seconds = (bench.now - start).microseconds / 1_000_000
            let monitoring = Monitoring(mode: mode, time: bench.now)
            bench.deliver(
                [observation(at: seconds)], status: DeviceStatus(monitoring: monitoring),
                ownTracks: .android)
        }
        say(1)
        bench.applyDerived(policy(1))
        for _ in 0..<3 { say(1) }
        #expect(terms(bench) == [])
        func watch(_ state: WatchState) -> EventBody {
            .watchChanged(
                Watch(
                    id: WatchID(ID128(high: 8, low: 1)), person: person(1), started: bench.now,
                    deadline: bench.now + .seconds(600), state: state))
        }
        bench.fire(watch(.active))
        for mode in [1, 2, 2] { say(mode) }
        #expect(terms(bench) == [180])
        bench.fire(watch(.ended))
        say(2)
        #expect(terms(bench) == [180, nil], "it may stand still from here on")
        for mode in [2, 1, 1] { say(mode) }
        #expect(terms(bench) == [180, nil])
    }

    @Test func `an old policy counts as long as the phone follows it`() {
        var bench = Bench()
        report(&bench)
        bench.applyDerived(policy(1, contactTimeout: 600))
        let mark = report(&bench)?.mark
        bench.applyDerived(policy(1, contactTimeout: 900))
        report(&bench, mark: mark)
        #expect(terms(bench) == [900], "the next one allows more, and was sent")
    }

    @Test func `a removed person has no contact expectation`() {
        var bench = Bench()
        expectContact(&bench)
        quiet(&bench, 1)
        bench.change(.personRemoved(PersonRemoval(person: person(1))))
        #expect(bench.store.terms.isEmpty && bench.store.contactStates.isEmpty)
    }

    @Test func `a message without news counts as contact if one is expected`() {
        var bench = Bench()
        bench.deliver([], from: 1)
        #expect(bench.bodies(.inputContact).isEmpty)
        expectContact(&bench)
        bench.deliver([], from: 1)
        bench.deliver([], from: 1)
        let contacts = bench.input.filter { $0.event.kind == .inputContact }
        #expect(contacts.count == 2)
        #expect(Set(contacts.map(\.event.id)).count == 2)
    }

    @Test func `a last will is no contact, whatever its content`() {
        var bench = Bench()
        expectContact(&bench)
        quiet(&bench, 1)
        let contactSeen = bench.core.reports.devices[device(1)]?.seen
        var will = DeviceStatus()
        will.isLastWill = true
        bench.wait(10)
        bench.deliver([], status: will, ownTracks: .android)
        #expect(
            bench.bodies(.inputContact).isEmpty && bench.core.contactStates.outOfContactCount == 1)
        #expect(bench.core.reports.devices[device(1)]?.seen == contactSeen)
        let card = DeviceStatus(card: Card(name: "Anna"))
        bench.deliver([], status: card, ownTracks: .iOS, wasRetained: true)
        #expect(bench.bodies(.inputContact).isEmpty, "a broker tells it at each connection")
        #expect(
            bench.core.reports.devices[device(1)]?.seen == contactSeen
                && bench.core.contactStates.outOfContactCount == 1)
        bench.deliver([], status: DeviceStatus(), ownTracks: .android)
        #expect(bench.bodies(.inputContact).count == 1)
    }

    @Test func `a position in a last will is stored, also of a new phone`() {
        var bench = Bench()
        var will = DeviceStatus()
        will.isLastWill = true
        bench.deliver([observation(at: -60, lat: 7)], status: will, ownTracks: .android)
        #expect(bench.reports.map(\.fix.position.latitudeE7) == [7])
        #expect(bench.core.reports.devices[device(1)] != nil)
    }

    @Test func `a watch is appended when it starts, changes and ends`() {
        var bench = Bench()
        func watch(_ state: WatchState, seconds: Int64 = 600) -> EventBody {
            .watchChanged(
                Watch(
                    id: WatchID(ID128(high: 8, low: 1)), person: person(1), started: start,
                    deadline: start + .seconds(seconds), state: state))
        }
        for body in [
            watch(.active), watch(.active), watch(.reminded), watch(.active, seconds: 900),
        ]
            + [watch(.ended), watch(.ended)]
        {
            bench.fire(body)
        }
        let ends = bench.bodies(.inputWatch).map { body -> Timestamp? in
            if case .inputWatch(let span) = body { span.until } else { .zero }
        }
        #expect(ends == [start + .seconds(720), start + .seconds(1020), nil])
    }

    @Test func `only the person can check in`() {
        var bench = Bench()
        func say(_ principal: Principal) -> Answer? {
            bench.handle(
                .checkIn(
                    CheckInRequest(
                        request: 77, principal: principal, person: person(1),
                        cause: ID128(high: 9, low: 9))))
            return bench.answers[77]
        }
        #expect(say(.person(person(1))) == .checkIn(at: bench.now))
        #expect(bench.bodies(.inputContact).count == 1)
        #expect(say(.person(person(2))) == .denied(.notYours))
        #expect(bench.bodies(.inputContact).count == 1)
    }

    // MARK: Intake outage

    @Test func `an intake outage is appended before anything else`() throws {
        var bench = Bench()
        expectContact(&bench)
        let from = bench.now
        bench.restart()
        bench.wait(600)
        let before = bench.input.count
        report(&bench)
        let first = try #require(bench.input.dropFirst(before).first)
        #expect(
            first.event.body
                == .inputIntakeOutage(IntakeOutage(from: from, to: from + .seconds(601))))
        #expect(first.partition == Partition.of(person(1)))
        report(&bench)
        #expect(bench.bodies(.inputIntakeOutage).count == 1)
    }

    @Test func `a short outage, or one without expectations, is not appended`() {
        var bench = Bench()
        report(&bench)
        bench.restart()
        bench.wait(6000)
        report(&bench)
        expectContact(&bench)
        bench.restart()
        bench.wait(5)
        report(&bench)
        #expect(bench.bodies(.inputIntakeOutage).isEmpty)
    }

    @Test func `an idle ingest records that it receives`() {
        var bench = Bench()
        expectContact(&bench)
        for _ in 0..<60 {
            bench.wait(61)
            bench.endTurns()
        }
        let contactSeen = bench.now
        bench.restart()
        bench.wait(20)
        bench.endTurns()
        let outages = bench.bodies(.inputIntakeOutage)
        #expect(outages == [.inputIntakeOutage(IntakeOutage(from: contactSeen, to: bench.now))])
    }

    // MARK: Suspected intake outage

    /// So many phones that go by hints.
    private func crowd(_ count: UInt64) -> Bench {
        var bench = Bench()
        for number in 1...count {
            bench.change(.personChanged(Person(id: person(number), name: "P\(number)")))
            bench.change(
                .deviceChanged(Device(id: device(number), person: person(number), name: "phone")))
            expectContact(&bench, number)
        }
        return bench
    }

    @Test func `five of twenty that become late together suggest an intake outage`() {
        var bench = crowd(20)
        for number in 1...4 as ClosedRange<UInt64> { quiet(&bench, number) }
        #expect(bench.core.contactStates.heldSince == nil)
        quiet(&bench, 5)
        #expect(bench.core.contactStates.heldSince != nil)
        let partitions = Set(bench.input.map(\.partition))
        #expect(holds(bench) == Array(repeating: true, count: partitions.count))
        bench.restart()
        contactSeen(&bench, 5)
        #expect(bench.core.contactStates.heldSince == nil)
        #expect(holds(bench).suffix(partitions.count).allSatisfy { !$0 })
    }

    @Test func `five of thirty, or five one by one, are no intake outage`() {
        var many = crowd(30)
        for number in 1...5 as ClosedRange<UInt64> { quiet(&many, number) }
        #expect(many.core.contactStates.heldSince == nil)
        var slow = crowd(20)
        for number in 1...10 as ClosedRange<UInt64> {
            quiet(&slow, number)
            slow.wait(240)
        }
        #expect(slow.core.contactStates.heldSince == nil)
    }

    @Test func `four devices are too few for an intake outage`() {
        var bench = crowd(4)
        for number in 1...4 as ClosedRange<UInt64> { quiet(&bench, number) }
        #expect(bench.core.contactStates.heldSince == nil)
    }

    @Test func `devices out of contact for an hour end the hold`() {
        var bench = crowd(20)
        for number in 1...6 as ClosedRange<UInt64> { quiet(&bench, number) }
        bench.wait(3000)
        bench.endTurns()
        #expect(bench.core.contactStates.heldSince != nil)
        bench.wait(700)
        bench.endTurns()
        #expect(bench.core.contactStates.heldSince == nil)
        bench.endTurns()
        #expect(bench.core.contactStates.heldSince == nil)
    }

    // MARK: What others see

    @Test func `a position shows the contact state`() throws {
        var bench = Bench()
        expectContact(&bench)
        func shown() throws -> MemberPosition {
            guard
                case .positions(let members) = bench.positions(
                    of: circle(1), as: .person(person(1)))
            else { throw Missing() }
            return try #require(members.first { $0.person == person(1) })
        }
        #expect(try shown().contactState == nil)
        quiet(&bench, 1)
        bench.applyDerived(.contactOverdue(change(1, .overdue, bench)))
        #expect(try shown().contactState == .overdue)
        #expect(try shown().contactLostSince == bench.now - .seconds(1800))
        bench.restart()
        #expect(try shown().contactState == .overdue)
        contactSeen(&bench, 1)
        #expect(try shown().contactState == nil)
    }

    private struct Missing: Error {}
}

import Dialects
import Directory
import Hashing
import Model
import Testing

@testable import IngestCore

@Suite struct EmergencyTests {
    private let anna = Principal.device(device(1), of: person(1))

    private func view(_ answer: Answer?) throws -> EmergencyView {
        guard case .emergency(let view) = try #require(answer) else {
            throw WrongAnswer()
        }
        return view
    }

    private struct WrongAnswer: Error {}

    private func signal(_ event: Event?) -> EmergencySignal? {
        switch event?.body {
        case .sosRaised(let signal), .inputSignal(let signal): signal
        default: nil
        }
    }

    private func news(
        _ view: EmergencyView, _ state: EmergencyState, signal: EmergencyID? = nil,
        reopened: Bool = false
    ) -> EmergencyChange {
        EmergencyChange(
            emergency: view.emergency, person: person(1), state: state, trigger: .panic,
            signal: signal ?? view.emergency, raised: view.raised,
            countdownEnds: view.countdownEnds, reopened: reopened)
    }

    private func event(_ body: EventBody) -> Event {
        Event(id: EventID(.zero), time: start, body: body)
    }

    @Test func `a panic is published at once`() throws {
        var bench = Bench()
        bench.deliver([observation(at: -60, battery: 9)])
        let view = try view(bench.call(EmergencyCall(messageID: "e1"), as: anna))
        #expect(bench.sos.count == 1)
        let raised = try #require(signal(bench.sos.first))
        #expect(raised == signal(bench.input.last?.event))
        #expect(bench.input.last?.partition == Partition.of(person(1)))
        #expect(raised.id == view.id)
        #expect(raised.countdownEnds == start + .seconds(10))
        #expect(raised.fix?.time == start - .seconds(60))
        #expect(raised.battery == 9)
        #expect(view.state == .countdown && view.deliveryState == .none)
        #expect(bench.bodies(.inputSignal).count == 1)
    }

    @Test func `a repeated call is the same, also after a restart`() throws {
        var bench = Bench()
        let call = EmergencyCall(messageID: "e1")
        let first = try view(bench.call(call, as: anna))
        bench.wait(3)
        #expect(try view(bench.call(call, as: anna)) == first)
        bench.restart()
        #expect(try view(bench.call(call, as: anna)) == first)
        #expect(bench.sos.count == 1 && bench.bodies(.inputSignal).count == 1)
        #expect(try view(bench.call(EmergencyCall(), as: anna)).id != first.id)
        #expect(bench.sos.count == 2)
    }

    @Test(arguments: [(nil, 10), (0, 0), (5, 5), (120, 120), (121, 120), (86_400, 120)])
    func `the countdown is the server's`(asked: Int?, seconds: Int) throws {
        var bench = Bench()
        let view = try view(bench.call(EmergencyCall(countdownSeconds: asked), as: anna))
        #expect(view.countdownEnds == start + .seconds(seconds))
        #expect(view.state == (seconds == 0 ? .open : .countdown))
    }

    @Test func `a delayed call has no countdown`() throws {
        var bench = Bench()
        let late = try view(bench.call(EmergencyCall(raised: start - .seconds(301)), as: anna))
        #expect(late.countdownEnds == start && late.raised == start - .seconds(301))
        var other = Bench()
        let future = try view(
            other.call(EmergencyCall(raised: start + .seconds(99)), as: anna))
        #expect(future.raised == start)
        #expect(future.countdownEnds == start + .seconds(10))
    }

    @Test func `the report in a call is stored after the signal`() throws {
        var bench = Bench()
        let inside = observation(at: -1, lat: 42, battery: 3)
        bench.call(EmergencyCall(observation: inside), as: anna)
        #expect(signal(bench.sos.first)?.fix == inside.fix)
        #expect(signal(bench.sos.first)?.battery == 3)
        #expect(bench.reports.map(\.fix) == [inside.fix])
        #expect(bench.core.reports.devices[device(1)]?.newest == inside.fix)
        let kinds = bench.input.map(\.event.kind)
        let signalAt = try #require(kinds.firstIndex(of: .inputSignal))
        #expect(signalAt < (kinds.firstIndex(of: .inputReport) ?? 0))
    }

    @Test func `a person without a device can call, the operator cannot`() throws {
        var bench = Bench()
        bench.deliver([observation(at: -60, lat: 7)])
        let view = try view(bench.call(EmergencyCall(), as: .person(person(1))))
        #expect(view.person == person(1))
        #expect(signal(bench.sos.first)?.fix?.position.latitudeE7 == 7)
        #expect(bench.call(EmergencyCall(), as: .operator) == .denied(.personOnly))
        #expect(bench.sos.count == 1)
    }

    /// As OsmAnd's protocol has it: no id, and the time of its arrival.
    private func unnamed(_ bench: Bench, says content: UInt64 = 1) -> Panic {
        Panic(
            messageID: nil, content: ID128(high: 8, low: content), raised: bench.now,
            fix: nil, battery: nil)
    }

    @Test func `a repeated call without an id is the same, also after a cancel`()
        throws
    {
        var bench = Bench()
        bench.deliver([], panics: [unnamed(bench)])
        let first = try #require(signal(bench.sos.first))
        bench.wait(5)
        bench.restart()
        bench.deliver([], panics: [unnamed(bench)])
        #expect(bench.sos.count == 1 && bench.bodies(.inputSignal).count == 1)
        let view = try view(bench.read(first.id, as: anna))
        bench.applyDerived(.emergencyCancelled(news(view, .cancelled)))
        bench.wait(Int(Limits.callRepeatedSeconds) - 5)
        bench.restart()
        bench.deliver([], panics: [unnamed(bench)])
        #expect(bench.sos.count == 1, "30 s after the first receipt")
        #expect(bench.state(of: first.id) == .cancelled)
        bench.wait(1)
        bench.deliver([], panics: [unnamed(bench)])
        #expect(bench.sos.count == 2, "nobody sends it again for so long")
        bench.wait(Int(Limits.callRepeatedSeconds))
        bench.deliver([], panics: [unnamed(bench)])
        #expect(bench.sos.count == 2, "this one's receipt counts")
    }

    @Test func `a call without an id but with other content is new`() {
        var bench = Bench()
        bench.deliver([], panics: [unnamed(bench)])
        bench.wait(5)
        bench.deliver([], panics: [unnamed(bench, says: 2)])
        #expect(bench.sos.count == 2)
        bench.deliver([], from: 2, panics: [unnamed(bench)])
        #expect(bench.sos.count == 3, "somebody else's")
        bench.change(aDevice(6, of: 1))
        bench.deliver([], from: 6, of: 1, panics: [unnamed(bench)])
        #expect(bench.sos.count == 4, "another phone of the person")
        bench.wait(5)
        bench.deliver([], panics: [unnamed(bench, says: 2), unnamed(bench)])
        #expect(bench.sos.count == 4, "both again")
    }

    @Test func `a quarantined request is raised once, however often it is retried`() {
        var bench = Bench()
        func retry(received: Timestamp) {
            var panic = unnamed(bench)
            panic.raised = received
            bench.handle(
                .quarantineRetry(
                    QuarantineRetry(
                        request: 7, entry: QuarantineID(.zero), device: device(1),
                        person: person(1), client: .osmAnd, received: received, arrivals: [],
                        panics: [panic])))
        }
        bench.deliver([], panics: [unnamed(bench)])
        bench.wait(600)
        retry(received: start + .seconds(10))
        #expect(bench.sos.count == 1, "it came from the quarantine")
        for _ in 0..<2 { retry(received: start + .seconds(500)) }
        #expect(bench.sos.count == 2)
    }

    @Test func `a panic in a report is a signal, once however often it is sent`() {
        var bench = Bench()
        let observation = observation(at: -2, trigger: .panic, id: "r")
        let panic = Panic(
            messageID: "r", raised: start - .seconds(1), fix: observation.fix, battery: 4)
        for _ in 0..<3 { bench.deliver([observation], panics: [panic]) }
        #expect(bench.sos.count == 1 && bench.bodies(.inputSignal).count == 1)
        #expect(bench.reports.count == 1)
        #expect(signal(bench.sos.first)?.fix == observation.fix)
        #expect(signal(bench.sos.first)?.raised == start - .seconds(1))
        bench.deliver([], panics: [Panic(messageID: "s", raised: start, fix: nil, battery: nil)])
        #expect(bench.sos.count == 2)
        #expect(signal(bench.sos.last)?.fix == observation.fix)
    }

    @Test func `the state follows the evaluator and the deliveries`() throws {
        var bench = Bench()
        let view = try view(bench.call(EmergencyCall(), as: anna))
        bench.handle(.derived(event(.emergencyOpened(news(view, .open)))))
        #expect(bench.state(of: view.id) == .open)
        bench.handle(.deliveries(event(reported(view.id, .sending))))
        #expect(
            bench.core.emergencies.signals.view(of: view.id)?.deliveryState == DeliveryState.none)
        bench.handle(.deliveries(event(reported(view.id, .delivered))))
        bench.handle(.deliveries(event(reported(view.id, .accepted))))
        #expect(bench.core.emergencies.signals.view(of: view.id)?.deliveryState == .delivered)
        bench.handle(.derived(event(.emergencyAcknowledged(news(view, .acknowledged)))))
        bench.restart()
        #expect(bench.core.emergencies.signals.view(of: view.id)?.deliveryState == .acknowledged)
        #expect(bench.core.emergencies.signals.activeCount == 1)
        bench.handle(.derived(event(.emergencyResolved(news(view, .resolved)))))
        #expect(bench.state(of: view.id) == .resolved)
        #expect(bench.core.emergencies.signals.activeCount == 0)
    }

    @Test func `the age of an unacknowledged emergency is known without a notifier`() throws {
        var bench = Bench()
        #expect(bench.core.emergencies.signals.oldestUnacknowledged == nil)
        let view = try view(bench.call(EmergencyCall(), as: anna))
        #expect(bench.core.emergencies.signals.oldestUnacknowledged == start + .seconds(10))
        bench.handle(.deliveries(event(reported(view.id, .delivered))))
        bench.handle(.derived(event(.emergencyAcknowledged(news(view, .acknowledged)))))
        #expect(bench.core.emergencies.signals.oldestUnacknowledged == nil)
        bench.handle(.derived(event(.emergencyJoined(news(view, .open, reopened: true)))))
        #expect(bench.core.emergencies.signals.oldestUnacknowledged == start + .seconds(10))
        bench.handle(.derived(event(.emergencyResolved(news(view, .resolved)))))
        #expect(bench.core.emergencies.signals.oldestUnacknowledged == nil)
    }

    @Test func `a message to the person in danger reaches no one else`() throws {
        var bench = Bench()
        let view = try view(bench.call(EmergencyCall(), as: anna))
        bench.handle(.deliveries(event(reported(view.id, .delivered, to: person(1)))))
        #expect(
            bench.core.emergencies.signals.view(of: view.id)?.deliveryState == DeliveryState.none)
        bench.handle(.deliveries(event(reported(view.id, .accepted))))
        #expect(bench.core.emergencies.signals.view(of: view.id)?.deliveryState == .accepted)
    }

    private func reported(
        _ emergency: EmergencyID, _ state: NotificationState, to recipient: PersonID = person(2)
    ) -> EventBody {
        .notificationChanged(
            NotificationChanged(
                notification: NotificationID(.zero), emergency: emergency, person: person(1),
                recipient: recipient, channel: .sms, state: state, gateway: "g", answer: ""))
    }

    @Test func `a further press joins, and reopens an acknowledged emergency`() throws {
        var bench = Bench()
        let first = try view(bench.call(EmergencyCall(messageID: "1"), as: anna))
        bench.handle(.derived(event(.emergencyOpened(news(first, .open)))))
        bench.handle(.derived(event(.emergencyAcknowledged(news(first, .acknowledged)))))
        let second = try view(bench.call(EmergencyCall(messageID: "2"), as: anna))
        #expect(second.emergency == first.id && second.id != first.id)
        #expect(bench.sos.count == 2)
        bench.handle(
            .derived(
                event(.emergencyJoined(news(first, .open, signal: second.id, reopened: true)))))
        let view = try #require(bench.core.emergencies.signals.view(of: second.id))
        #expect(view.emergency == first.id && view.state == .open && view.deliveryState == .none)
    }

    @Test func `a press that the evaluator counts as new is separate`() throws {
        var bench = Bench()
        let first = try view(bench.call(EmergencyCall(messageID: "1"), as: anna))
        let second = try view(bench.call(EmergencyCall(messageID: "2"), as: anna))
        #expect(second.emergency == first.id)
        bench.handle(.derived(event(.emergencyCancelled(news(first, .cancelled)))))
        var own = second
        own.emergency = second.id
        bench.handle(.derived(event(.emergencyOpened(news(own, .open)))))
        #expect(bench.state(of: first.id) == .cancelled)
        #expect(bench.state(of: second.id) == .open)
        #expect(bench.core.emergencies.signals.activeCount == 1)
    }

    @Test func `a cancel goes to sos and in/p, and only during the countdown`() throws {
        var bench = Bench()
        let view = try view(bench.call(EmergencyCall(), as: anna))
        bench.cancel(view.id, as: anna)
        #expect(bench.sos.last?.kind == .sosCancelled)
        #expect(bench.bodies(.inputCancel).count == 1)
        bench.handle(.derived(event(.emergencyCancelled(news(view, .cancelled)))))
        let again = try self.view(bench.cancel(view.id, as: anna))
        #expect(again.state == .cancelled)
        #expect(bench.bodies(.inputCancel).count == 1)
        #expect(bench.cancel(EmergencyID(.zero), as: anna) == .notFound)
    }

    @Test func `after the countdown its person ends it, by the notifier`() throws {
        var bench = Bench()
        let view = try view(bench.call(EmergencyCall(), as: anna))
        bench.handle(.derived(event(.emergencyOpened(news(view, .open)))))
        #expect(bench.cancel(view.id, as: .operator) == .tooLate)
        #expect(bench.sos.count == 1)
        #expect(try self.view(bench.cancel(view.id, as: anna)).state == .open)
        guard case .sosCancelled(let cancel)? = bench.sos.last?.body else {
            Issue.record("no cancel was published")
            return
        }
        #expect(cancel.emergency == view.id && cancel.endsOpen == true)
        #expect(bench.bodies(.inputCancel).isEmpty, "evaluators get the resolution")
    }

    @Test func `nobody can cancel another person's emergency`() throws {
        var bench = Bench()
        let view = try view(bench.call(EmergencyCall(), as: anna))
        let ben = Principal.device(device(2), of: person(2))
        #expect(bench.cancel(view.id, as: ben) == .notFound)
        #expect(bench.bodies(.inputCancel).isEmpty)
    }

    @Test func `the person and their recipients can read it, others cannot`() throws {
        var bench = Bench()
        let view = try view(bench.call(EmergencyCall(), as: anna))
        #expect(bench.read(view.id, as: anna) == .emergency(view))
        #expect(bench.read(view.id, as: .operator) == .emergency(view))
        #expect(bench.read(view.id, as: .person(person(3))) == .emergency(view))
        #expect(bench.read(view.id, as: .person(person(2))) == .notFound)
        #expect(bench.read(view.id, as: .person(person(5))) == .notFound)
        bench.handle(.deliveries(event(reported(view.id, .accepted))))
        guard case .emergency = bench.read(view.id, as: .person(person(2))) else {
            Issue.record("a member who was reported may read it")
            return
        }
        #expect(bench.read(EmergencyID(.zero), as: anna) == .notFound)
    }

    @Test func `deadlines, responses and fallbacks reach the person's partition`() throws {
        var bench = Bench()
        bench.deliver([observation(at: -60, lat: 7)])
        let view = try view(bench.call(EmergencyCall(), as: anna))
        let deadline = Deadline(
            id: DeadlineID(.zero), kind: .countdown, person: person(1), emergency: view.id,
            due: start)
        bench.handle(
            .deadlines(event(.deadlineExpired(ExpiredDeadline(deadline: deadline, expired: start))))
        )
        var tier = deadline
        tier.kind = .tier
        bench.handle(
            .deadlines(event(.deadlineExpired(ExpiredDeadline(deadline: tier, expired: start)))))
        let answer = EmergencyAnswer(
            emergency: view.id, person: person(1), by: person(3), at: start)
        bench.handle(
            .deliveries(event(.escalationFallbackOpened(try #require(signal(bench.sos[0]))))))
        #expect(bench.state(of: view.id) == .open)
        bench.handle(.deliveries(event(.acknowledgementCommitted(answer))))
        bench.handle(.deliveries(event(.resolutionCommitted(answer))))
        let kinds = bench.input.suffix(4).map(\.event.kind)
        #expect(
            kinds == [
                .inputDeadline, .inputFallbackOpened, .inputAcknowledgement, .inputResolution,
            ])
        #expect(bench.input.suffix(4).allSatisfy { $0.partition == Partition.of(person(1)) })
        #expect(bench.core.emergencies.signals.view(of: view.id)?.deliveryState == .acknowledged)
        #expect(bench.state(of: view.id) == .resolved)
    }

    @Test func `after a resolution the next call is new, also without an evaluator`()
        throws
    {
        var bench = Bench()
        let first = try view(bench.call(EmergencyCall(countdownSeconds: 0), as: anna))
        let answer = EmergencyAnswer(
            emergency: first.id, person: person(1), by: person(3), at: start)
        bench.handle(.deliveries(event(.resolutionCommitted(answer))))
        let second = try view(bench.call(EmergencyCall(), as: anna))
        #expect(second.emergency == second.id && second.state == .countdown)
        bench.cancel(second.id, as: anna)
        #expect(bench.sos.last?.kind == .sosCancelled)
    }

    @Test func `a press after the resolution keeps the emergency active`() throws {
        var bench = Bench()
        let first = try view(bench.call(EmergencyCall(countdownSeconds: 0), as: anna))
        let again = try view(bench.call(EmergencyCall(), as: anna))
        let answer = EmergencyAnswer(
            emergency: first.id, person: person(1), by: person(3), at: start - .seconds(1))
        bench.handle(.deliveries(event(.resolutionCommitted(answer))))
        #expect(bench.state(of: first.id) == .open)
        #expect(bench.state(of: again.id) == .open)
    }

    @Test func `an expired watch raises one signal with the last fix`() throws {
        var bench = Bench()
        bench.deliver([observation(at: -60, lat: 7)])
        let watch = EmergencySignal(
            id: EmergencyID(ID128(high: 7, low: 7)), person: person(1), trigger: .watchExpired,
            raised: start, received: start, countdownEnds: start)
        for _ in 0..<2 { bench.handle(.deadlines(event(.watchExpired(watch)))) }
        #expect(bench.bodies(.inputSignal).count == 1)
        #expect(signal(bench.input.last?.event)?.fix?.position.latitudeE7 == 7)
        #expect(Set(bench.sos.map(\.kind)) == [.sosLocated], "the place alone")
        #expect(bench.state(of: watch.id) == .open)
    }

    @Test func `emergencies are deleted a month after their end`() throws {
        var bench = Bench()
        let ended = try view(bench.call(EmergencyCall(messageID: "1"), as: anna))
        let joined = try view(bench.call(EmergencyCall(messageID: "2"), as: anna))
        bench.handle(.derived(event(.emergencyCancelled(news(ended, .cancelled)))))
        let open = try view(bench.call(EmergencyCall(messageID: "3"), as: anna))
        bench.wait(86_400 * 31)
        bench.endTurns()
        #expect(bench.state(of: ended.id) == nil && bench.state(of: joined.id) == nil)
        #expect(bench.state(of: open.id) == .countdown)
        #expect(Array(bench.store.emergencies.keys) == [open.id])
    }
}

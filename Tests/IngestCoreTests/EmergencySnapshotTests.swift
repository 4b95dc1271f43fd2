import Dialects
import Directory
import Model
import Testing

@testable import IngestCore

/// The notifier says how an emergency stands: what a store that was put back has lost.
@Suite struct EmergencySnapshotTests {
    private let anna = Principal.person(person(1))

    private func id(_ number: UInt64) -> EmergencyID { EmergencyID(ID128(high: 7, low: number)) }

    private func signal(_ number: UInt64) -> EmergencySignal {
        EmergencySignal(
            id: id(number), person: person(1), trigger: .panic, raised: start, received: start,
            countdownEnds: start)
    }

    private func snapshot(
        _ state: EmergencyState, _ signals: UInt64..., reached: NotificationState? = .delivered
    ) -> EmergencySnapshot {
        EmergencySnapshot(
            emergency: id(signals[0]), person: person(1), state: state,
            by: state == .acknowledged ? person(3) : nil, at: start,
            signals: signals.map(signal), recipients: [person(2), person(3)], reached: reached)
    }

    private func receive(_ snapshot: EmergencySnapshot, _ bench: inout Bench) {
        bench.handle(
            .deliveries(
                Event(
                    id: EventID(ID128(high: 88, low: UInt64(bench.input.count))), time: bench.now,
                    body: .emergencySnapshot(snapshot))))
    }

    private func view(_ number: UInt64, _ bench: inout Bench) -> EmergencyView? {
        guard case .emergency(let view) = bench.read(id(number), as: anna) else { return nil }
        return view
    }

    @Test func `ingest restores it and passes it to the evaluator`() {
        var bench = Bench()
        receive(snapshot(.open, 1, 2), &bench)
        #expect(
            bench.bodies(.inputEmergencySnapshot) == [
                .inputEmergencySnapshot(snapshot(.open, 1, 2))
            ])
        bench.restart()
        #expect(view(1, &bench)?.state == .open)
        #expect(view(1, &bench)?.deliveryState == .delivered)
        #expect(view(2, &bench)?.emergency == id(1))
        #expect(bench.core.emergencies.signals.activeCount == 1)
        #expect(bench.core.emergencies.signals.isRecipient(person(2), of: id(1)))
        #expect(bench.sos.isEmpty, "it is not published again")
    }

    @Test func `a resumed escalation has no responder, also without an evaluator`() {
        var bench = Bench()
        receive(snapshot(.open, 1), &bench)
        let answer = EmergencyAnswer(
            emergency: id(1), person: person(1), by: person(2), at: start, note: nil)
        bench.handle(
            .deliveries(
                Event(id: EventID(.zero), time: start, body: .acknowledgementCommitted(answer))))
        #expect(view(1, &bench)?.deliveryState == .acknowledged)
        #expect(bench.core.emergencies.signals.oldestUnacknowledged == nil)
        receive(snapshot(.open, 1), &bench)
        #expect(view(1, &bench)?.deliveryState == .delivered)
        #expect(bench.core.emergencies.signals.oldestUnacknowledged == start)
    }

    @Test func `a further call joins it`() throws {
        var bench = Bench()
        receive(snapshot(.open, 1), &bench)
        guard case .emergency(let call) = bench.call(EmergencyCall(), as: anna) else {
            Issue.record("the call is taken")
            return
        }
        #expect(call.emergency == id(1))
    }

    @Test func `it joins a call that was raised meanwhile`() throws {
        var bench = Bench()
        guard case .emergency(let call) = bench.call(EmergencyCall(), as: anna) else {
            Issue.record("the call is taken")
            return
        }
        receive(snapshot(.acknowledged, 1), &bench)
        #expect(view(1, &bench)?.emergency == call.id)
        #expect(bench.core.emergencies.signals.activeCount == 1)
        #expect(bench.state(of: call.id) == .countdown, "who took it did not know of this call")
    }

    @Test func `an acknowledgement is restored`() {
        var bench = Bench()
        receive(snapshot(.acknowledged, 1), &bench)
        #expect(view(1, &bench)?.state == .acknowledged)
        #expect(view(1, &bench)?.deliveryState == .acknowledged)
        receive(snapshot(.open, 1, reached: nil), &bench)
        #expect(view(1, &bench)?.state == .open, "and has it no longer")
        #expect(view(1, &bench)?.deliveryState == DeliveryState.none)
    }

    @Test(arguments: [EmergencyState.resolved, .cancelled])
    func `an ended emergency is not raised by a late signal`(
        state: EmergencyState
    ) throws {
        var bench = Bench()
        receive(snapshot(state, 1, 2), &bench)
        #expect(view(1, &bench)?.state == state)
        #expect(view(2, &bench)?.state == state)
        #expect(bench.core.emergencies.signals.activeCount == 0)
        bench.handle(
            .deadlines(Event(id: EventID(.zero), time: start, body: .watchExpired(signal(1)))))
        #expect(bench.bodies(.inputSignal).isEmpty)
        bench.restart()
        #expect(bench.core.emergencies.signals.activeCount == 0)
        guard case .emergency(let call) = bench.call(EmergencyCall(), as: anna) else {
            Issue.record("the call is taken")
            return
        }
        #expect(call.emergency == call.id)
    }

    @Test func `an ended snapshot ends the emergency, unless there was another press`() {
        var bench = Bench()
        receive(snapshot(.open, 1, 2), &bench)
        receive(snapshot(.resolved, 1), &bench)
        #expect(view(1, &bench)?.state == .open)
        receive(snapshot(.resolved, 1, 2), &bench)
        #expect(view(1, &bench)?.state == .resolved)
        #expect(bench.core.emergencies.signals.activeCount == 0)
        receive(snapshot(.open, 1, 2), &bench)
        #expect(view(1, &bench)?.state == .resolved, "what has ended is not opened again")
        #expect(bench.core.emergencies.signals.activeCount == 0)
    }

    @Test func `a waiting signal can be cancelled`() {
        var bench = Bench()
        receive(snapshot(.countdown, 1, reached: nil), &bench)
        #expect(view(1, &bench)?.state == .countdown)
        bench.cancel(id(1), as: anna)
        #expect(bench.sos.map(\.kind) == [.sosCancelled])
    }

    @Test func `a fallback escalation of a lost signal is open`() {
        var bench = Bench()
        bench.handle(
            .deliveries(
                Event(id: EventID(.zero), time: start, body: .escalationFallbackOpened(signal(1)))))
        #expect(view(1, &bench)?.state == .open)
    }
}

import Dialects
import Directory
import Model
import Testing

@testable import IngestCore

/// Emergencies without a responder.
@Suite struct UnacknowledgedTests {
    private func event(_ body: EventBody) -> Event {
        Event(id: EventID(.zero), time: start, body: body)
    }

    @Test func `a reopened emergency is unacknowledged`() throws {
        var bench = Bench()
        let answer = bench.call(EmergencyCall(), as: .person(person(1)))
        guard case .emergency(let view) = answer else {
            Issue.record("the call is taken")
            return
        }
        func decide(_ state: EmergencyState) -> Event {
            let change = EmergencyChange(
                emergency: view.id, person: person(1), state: state, trigger: .panic,
                signal: view.id, raised: view.raised, countdownEnds: view.countdownEnds)
            return event(state == .open ? .emergencyOpened(change) : .emergencyAcknowledged(change))
        }
        let taken = event(
            .acknowledgementCommitted(
                EmergencyAnswer(
                    emergency: view.id, person: person(1), by: person(2), at: start, note: nil)))
        bench.handle(.derived(decide(.open)))
        #expect(bench.core.emergencies.signals.oldestUnacknowledged == start + .seconds(10))
        // Until an evaluator has handled it, the notifier decides.
        bench.handle(.deliveries(taken))
        bench.handle(.derived(decide(.open)))
        #expect(bench.core.emergencies.signals.oldestUnacknowledged == nil)
        bench.handle(.derived(decide(.acknowledged)))
        #expect(bench.core.emergencies.signals.oldestUnacknowledged == nil)
        bench.handle(.derived(decide(.open)))
        #expect(bench.core.emergencies.signals.oldestUnacknowledged == start + .seconds(10))
        bench.handle(.deliveries(taken))
        #expect(bench.core.emergencies.signals.oldestUnacknowledged == nil)
    }
}

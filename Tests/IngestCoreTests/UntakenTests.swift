import Dialects
import Directory
import Model
import Testing

@testable import IngestCore

/// An emergency that nobody has taken, or nobody any more.
@Suite struct UntakenTests {
    private func event(_ body: EventBody) -> Event {
        Event(id: EventID(.zero), time: start, body: body)
    }

    @Test func `an emergency that was taken and is open again is taken by nobody`() throws {
        var bench = Bench()
        let answer = bench.call(EmergencyCall(), as: .person(person(1)))
        guard case .emergency(let view) = answer else {
            Issue.record("the call is taken")
            return
        }
        func decide(_ state: EmergencyState) -> Event {
            let news = EmergencyNews(
                emergency: view.id, person: person(1), state: state, trigger: .panic,
                signal: view.id, raised: view.raised, countdownEnds: view.countdownEnds)
            return event(state == .open ? .emergencyOpened(news) : .emergencyAcknowledged(news))
        }
        let taken = event(
            .acknowledgementGiven(
                EmergencyAnswer(
                    emergency: view.id, person: person(1), by: person(2), at: start, note: nil)))
        bench.handle(.computed(decide(.open)))
        #expect(bench.core.oldestUntakenEmergency == start + .seconds(10))
        // As long as no evaluator has heard of it, the notifier's word counts.
        bench.handle(.delivered(taken))
        bench.handle(.computed(decide(.open)))
        #expect(bench.core.oldestUntakenEmergency == nil)
        bench.handle(.computed(decide(.acknowledged)))
        #expect(bench.core.oldestUntakenEmergency == nil)
        bench.handle(.computed(decide(.open)))
        #expect(bench.core.oldestUntakenEmergency == start + .seconds(10))
        bench.handle(.delivered(taken))
        #expect(bench.core.oldestUntakenEmergency == nil)
    }
}

import EvaluatorCore
import Model
import Testing
import WireSamples

/// Integer overflow stops the process: no number in a record of `in/p` may cause one.
@Suite struct `An event with an extreme number` {
    /// A partition that has applied every sample: people, zones, an emergency, alarms, deadlines.
    private static let known: PartitionState = {
        var state = PartitionState()
        var outputs: [Event] = []
        for sample in EventSamples.events { state.handle(sample, into: &outputs) }
        return state
    }()

    @Test func `stops no evaluator, neither at once nor at later deadlines or records`() {
        var tried = 0
        var outputs: [Event] = []
        for sample in EventSamples.events {
            guard let events = try? ExtremeEvents.made(of: sample) else { continue }
            for event in events {
                tried += 1
                var state = Self.known
                outputs.removeAll(keepingCapacity: true)
                state.handle(event, into: &outputs)
                // Deadlines that it scheduled expire.
                for case .deadlineScheduled(let deadline) in outputs.map(\.body) {
                    let expired = ExpiredDeadline(deadline: deadline, expired: deadline.due)
                    state.handle(
                        Event(id: event.id, time: deadline.due, body: .inputDeadline(expired)),
                        into: &outputs)
                }
                // A later record finds what it left behind.
                var later = sample
                later.time = sample.time + .seconds(90_000)
                state.handle(later, into: &outputs)
            }
        }
        #expect(tried > 3000)
    }
}

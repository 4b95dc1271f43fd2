import IngestCore
import Model
import Store
import Wire

/// Passes records of the timer and the notifier to the core.
///
/// Only events that lead to a record of `in/p` are applied once; others may be applied twice.
struct ConsumedStreams {
    let runner: CoreRunner
    let rounds: RetentionRounds

    func apply(_ event: Event, from stream: StreamName) throws {
        switch event.kind {
        case .deadlineExpired, .watchExpired, .acknowledgementCommitted, .resolutionCommitted,
            .escalationFallbackOpened, .emergencySnapshot, .signalReceived, .checkInReceived:
            guard try runner.writer.isFirst(event.id, at: runner.host.now) else { return }
        case .retentionDue:
            guard case .retentionDue(let round) = event.body else { return }
            return try rounds.begin(round)
        case .notificationChanged, .watchChanged, .accessRecorded: break
        default: return
        }
        try runner.handle(stream == .deadlines ? .deadlines(event) : .deliveries(event))
    }

    func replace(_ stream: StreamName, with events: [Event]) throws {
        guard stream == .deadlines || stream == .deliveries else { return }
        // A watch that is not in the snapshot ended before it was made.
        if stream == .deadlines {
            try runner.handle(.watchesReplaced(running: ConsumedStreams.running(in: events)))
        }
        for event in events { try apply(event, from: stream) }
    }

    /// The running watches in a snapshot of the timer's stream.
    private static func running(in events: [Event]) -> Set<WatchID> {
        Set(
            events.compactMap { event in
                guard case .watchChanged(let watch) = event.body,
                    watch.state.isRunning
                else { return nil }
                return watch.id
            })
    }
}

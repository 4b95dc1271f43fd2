import IngestCore
import Model
import Store
import Wire

/// Passes records of consumed streams to the core.
///
/// Of the timer's and the notifier's, only events that lead to a record of `in/p`, or to a look at
/// positions, are applied once; others may be applied twice.
struct ConsumedStreams {
    let runner: CoreRunner
    let rounds: RetentionRounds

    func apply(_ event: Event, from stream: StreamName) throws {
        switch stream {
        case .events:
            if let signal = event.body.answeredSignal {
                runner.ownership.progress.answered(signal)
            }
            try runner.handle(.derived(event))
        case .deadlines, .deliveries: try applyOnce(event, from: stream)
        case .directory:
            // Membership keeps no access log.
            if case .accessRecorded = event.body { try runner.handle(.deliveries(event)) }
        case .input, .sos, .usage: break
        }
    }

    private func applyOnce(_ event: Event, from stream: StreamName) throws {
        switch event.kind {
        case .deadlineExpired, .watchExpired, .acknowledgementCommitted, .resolutionCommitted,
            .escalationFallbackOpened, .emergencySnapshot, .signalReceived, .checkInReceived,
            .positionsRequested:
            guard try runner.writer.isFirst(event.id, at: runner.host.now) else { return }
        case .retentionDue:
            guard case .retentionDue(let round) = event.body else { return }
            return try rounds.begin(round)
        case .notificationChanged, .watchChanged, .accessRecorded, .liveViewChanged: break
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
        for event in events { try applyOnce(event, from: stream) }
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

import Hosting
import Model
import NotifierCore
import Runtime
import Wire

/// Turns records of consumed streams into inputs, each event once.
struct ConsumedStreams {
    let runner: CoreRunner
    let live: LiveStreams
    let heartbeat: HeartbeatRunner
    let retention: RetentionRounds
    let sealedMessages: SealedMessages

    private var host: any NotifierHost { runner.host }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        if stream == .directory { try live.apply(event, at: position) }
        if case .messageRequested(let sealed) = event.body { return try open(sealed, of: event) }
        if stream == .directory { return try directoryChanged(event.body) }
        if case .deadlineCancelled(let deadline) = event.body, deadline.kind == .canary {
            return heartbeat.canaryReturned(deadline.id)
        }
        try applyOnce(event)
    }

    func replace(_ stream: StreamName, with events: [Event]) throws {
        if stream == .directory { try live.restart() }
        for event in events {
            if stream == .directory {
                try directoryChanged(event.body)
            } else {
                try applyOnce(event)
            }
        }
    }

    func restart(_ stream: StreamName) throws {
        switch stream {
        case .sos: try runner.submit(.ingestReplaced(nil))
        case .events(let partition): try runner.submit(.ingestReplaced(partition))
        default: break
        }
    }

    private func applyOnce(_ event: Event) throws {
        if case .retentionDue(let round) = event.body {
            // With such a difference, the timer's clock or ours is wrong.
            guard round.at <= host.now + Limits.clockSkewMax else { return }
            try runner.submit(.publishReachability)
            return try retention.begin(round)
        }
        switch event.kind {
        // Applied twice they change nothing, and there are many.
        case .sosPosition, .deviceReporting: return try runner.submit(.event(event))
        default: break
        }
        guard event.concernsNotifier, try runner.store.apply(event.id, at: host.now) else {
            return
        }
        try runner.submit(.event(event))
    }

    /// Opens a sealed request, once.
    private func open(_ sealed: SealedMessage, of event: Event) throws {
        guard try runner.store.apply(event.id, at: host.now) else { return }
        let request: RequestedMessage
        do { request = try sealedMessages.open(sealed) } catch {
            return host.log.error(error, ["lost": "requested message"])
        }
        try runner.submit(
            .requested(request, by: event.id, expires: sealed.expires, trace: event.trace))
    }

    private func directoryChanged(_ body: EventBody) throws {
        if case .personChanged(let person) = body { runner.loadTimeZone(of: person) }
        try runner.submit(.directory(body))
    }
}

extension Event {
    /// Whether the notifier handles this kind of event.
    fileprivate var concernsNotifier: Bool {
        if case .deadlineCancelled(let deadline) = body { return deadline.kind == .contact }
        return switch kind {
        case .zoneEntered, .zoneExited, .zoneApproached, .zoneDwelled, .zoneAbsent,
            .alarmStarted, .alarmRepeated, .alarmEnded, .messagesDue, .contactOverdue,
            .contactLost, .contactOK, .batteryLow, .deviceImpaired, .emergencyCountdown,
            .emergencyOpened,
            .emergencyJoined,
            .emergencyCancelled, .emergencyAcknowledged, .emergencyResolved, .sosRaised,
            .sosCancelled, .sosLocated, .deadlineExpired, .watchChanged, .watchExpired,
            .checkInChanged, .timerExpired, .positionsAnswered:
            true
        default: false
        }
    }
}

import Model

/// A watch and the times of its next actions.
public struct TimedWatch: Hashable, Sendable {
    public var watch: Watch
    /// When the person is reminded.
    public var reminder: Timestamp

    public init(watch: Watch, reminder: Timestamp) {
        self.watch = watch
        self.reminder = reminder
    }

    /// When it becomes an emergency.
    public var expiry: Timestamp { watch.deadline + .seconds(watch.graceSeconds) }

    /// When the next action is due.
    var due: Timestamp { watch.state == .active ? min(reminder, expiry) : expiry }

    /// The signal of its expiry; always with the same id.
    func signal(at now: Timestamp) -> EmergencySignal {
        EmergencySignal(
            id: EmergencyID(Expiry.id(of: watch)), person: watch.person, trigger: .watchExpired,
            raised: min(expiry, now), received: now, countdownEnds: now, note: watch.note,
            recipients: watch.recipients, trace: watch.trace)
    }
}

import Model

/// A watch together with the times at which something happens to it.
public struct TimedWatch: Hashable, Sendable {
    public var watch: Watch
    /// When its person is reminded.
    public var reminder: Timestamp

    public init(watch: Watch, reminder: Timestamp) {
        self.watch = watch
        self.reminder = reminder
    }

    /// When it becomes an emergency.
    public var expiry: Timestamp { watch.deadline + .seconds(watch.graceSeconds) }

    /// When something has to be done next.
    var due: Timestamp { watch.state == .active ? min(reminder, expiry) : expiry }

    /// The signal that its expiry gives; the same however often it is made.
    func signal(at now: Timestamp) -> EmergencySignal {
        EmergencySignal(
            id: EmergencyID(Expiry.id(of: watch)), person: watch.person, trigger: .watchExpired,
            raised: min(expiry, now), received: now, countdownEnds: now, note: watch.note,
            trace: watch.trace)
    }
}

extension WatchState {
    /// Whether it still runs.
    var isActive: Bool { self == .active || self == .reminded }
}

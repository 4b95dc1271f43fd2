import Hashing
import Model

/// Ids derived from watches.
enum Expiry {
    /// The id of the signal that a watch's expiry raises.
    static func id(of watch: Watch) -> ID128 {
        Hash.derivedID(
            kind: EmergencyTrigger.watchExpired.rawValue, person: watch.person,
            cause: watch.id.raw)
    }
}

extension Event {
    /// The event of a changed watch.
    public static func changed(_ watch: Watch, at now: Timestamp) -> Event {
        Event(
            id: Hash.derivedID(
                kind: .watchChanged, person: watch.person, subject: .number(watch.version),
                cause: watch.id.raw),
            time: now, trace: watch.trace, body: .watchChanged(watch))
    }

    /// The event of an expired watch, with the signal that raises its emergency.
    public static func expired(_ timed: TimedWatch, at time: Timestamp) -> Event {
        let watch = timed.watch
        return Event(
            id: Hash.derivedID(kind: .watchExpired, person: watch.person, cause: watch.id.raw),
            time: time, trace: watch.trace, body: .watchExpired(timed.signal(at: time)))
    }
}

extension TimerCore {
    /// The event of an expired deadline; always with the same id.
    ///
    /// - Parameters:
    ///   - late: whether it was due while the timer was down.
    ///   - trace: of the request that scheduled it.
    public static func expired(
        _ deadline: Deadline, late: Bool, at now: Timestamp, trace: String
    ) -> Event {
        Event(
            id: Hash.derivedID(
                kind: .deadlineExpired, person: deadline.person,
                subject: .text(deadline.rule.rawValue),
                cause: deadline.id.raw),
            time: now, trace: trace,
            body: .deadlineExpired(ExpiredDeadline(deadline: deadline, expired: now, late: late)))
    }
}

import Hashing
import Model

extension Event {
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
                subject: .text(deadline.kind.rawValue),
                cause: deadline.id.raw),
            time: now, trace: trace,
            body: .deadlineExpired(ExpiredDeadline(deadline: deadline, expired: now, late: late)))
    }
}

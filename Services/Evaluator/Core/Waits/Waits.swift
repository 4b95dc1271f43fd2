import Hashing
import Model

/// A change of a person's state that becomes due by time alone.
struct Wait: Hashable, Comparable {
    /// Waits that end at the same time are handled in this order.
    enum Kind: UInt8 {
        /// The person has left a zone by one fix unless another one arrives.
        case leaving
        /// The person has been inside a zone for its dwell time.
        case dwell
        /// The schedule of a zone around the person opens or closes.
        case schedule
        /// The person should be in a zone.
        case absence
        /// The next ring of an alarm.
        case alarm
        /// A suspect fix becomes trusted.
        case suspect
        /// A sharing pause ends.
        case pause
        /// The contact state is checked.
        case contact
    }

    var due: Timestamp
    var kind: Kind
    var zone: ZoneID?
    var circle: CircleID?

    static func < (left: Wait, right: Wait) -> Bool {
        if left.due != right.due { return left.due < right.due }
        if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
        if let one = left.zone, let other = right.zone { return one < other }
        if let one = left.circle, let other = right.circle { return one < other }
        return false
    }
}

/// The earliest of several waits.
struct FirstWait {
    private(set) var wait: Wait?

    var due: Timestamp { wait?.due ?? .distantFuture }

    mutating func add(
        _ due: Timestamp?, _ kind: Wait.Kind, zone: ZoneID? = nil, circle: CircleID? = nil
    ) {
        guard let due, due < .distantFuture else { return }
        let other = Wait(due: due, kind: kind, zone: zone, circle: circle)
        if wait.map({ other < $0 }) ?? true { wait = other }
    }
}

/// How far a person's time has advanced, and the deadline of the first wait.
struct WaitSchedule: Hashable, Sendable {
    /// All waits up to this time were handled.
    var passed = Timestamp.zero
    /// When the first wait ends.
    var wake = Timestamp.distantFuture
    /// When the scheduled deadline expires.
    var deadline: Timestamp?

    /// Schedules one deadline per person, for the first wait. An early deadline does no harm, so it
    /// is replaced only by an earlier one, or cancelled if nothing is waited for.
    mutating func schedule(_ turn: inout Turn) {
        // Its time is over, whether or not its expiry has arrived yet.
        if let due = deadline, due <= passed { deadline = nil }
        guard wake != deadline ?? .distantFuture else { return }
        if let due = deadline {
            guard wake < due || wake == .distantFuture else { return }
            turn.cancel(Self.deadline(of: turn.person, due: due))
        }
        deadline = wake == .distantFuture ? nil : wake
        if wake < .distantFuture { turn.schedule(Self.deadline(of: turn.person, due: wake)) }
    }

    private static func deadline(of person: PersonID, due: Timestamp) -> Deadline {
        Deadline(
            .presence, of: person, subject: .number(due.microseconds), cause: person.raw, due: due)
    }
}

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

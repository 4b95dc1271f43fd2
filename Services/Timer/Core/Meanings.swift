import Hashing
import Model

/// Ids and events of what the timer tells.
enum Expiry {
    /// The id of the signal that a watch's expiry raises.
    static func id(of watch: Watch) -> ID128 {
        Hash.meaning(
            kind: EmergencyTrigger.watchExpired.rawValue, person: watch.person,
            cause: watch.id.raw)
    }
}

extension Event {
    /// A watch is now as it says.
    public static func changed(_ watch: Watch, at now: Timestamp) -> Event {
        Event(
            id: Hash.meaning(
                kind: .watchChanged, person: watch.person, subject: .number(watch.version),
                cause: watch.id.raw),
            time: now, trace: watch.trace, body: .watchChanged(watch))
    }

    /// A watch ran out at that time: the signal that raises its emergency.
    public static func expired(_ timed: TimedWatch, at time: Timestamp) -> Event {
        let watch = timed.watch
        return Event(
            id: Hash.meaning(kind: .watchExpired, person: watch.person, cause: watch.id.raw),
            time: time, trace: watch.trace, body: .watchExpired(timed.signal(at: time)))
    }
}

extension TimerCore {
    /// What is told of a clock that ran out; the same id however often it is made.
    ///
    /// - Parameters:
    ///   - late: it was due while the timer was down
    ///   - trace: the request that the wait began with
    public static func fired(
        _ clock: WantedClock, late: Bool, at now: Timestamp, trace: String
    ) -> Event {
        Event(
            id: Hash.meaning(
                kind: .clockFired, person: clock.person, subject: .text(clock.rule.rawValue),
                cause: clock.id.raw),
            time: now, trace: trace,
            body: .clockFired(FiredClock(clock: clock, fired: now, late: late)))
    }
}

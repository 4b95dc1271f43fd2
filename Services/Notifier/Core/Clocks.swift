import Hashing
import Model

/// What the notifier waits for.
enum ClockPurpose: Hashable, Sendable {
    /// An evaluator's answer to a signal.
    case fallback(EmergencyID)
    /// An acknowledgement of a tier.
    case tier(EmergencyID, CircleID)
    /// The end of an acknowledgement's hold, or the answer of whoever gave it.
    case hold(EmergencyID)
    case retry(NotificationID)
}

/// The clocks that are wanted of the timer, and what for.
///
/// The timer tells when they run out. A clock about which nothing was heard for a while after its
/// time is taken as run out: waits of people end even while the timer is away.
struct Clocks: Sendable {
    private var wanted: [ClockID: (clock: WantedClock, purpose: ClockPurpose)] = [:]
    /// Fallbacks that were waiting when the process began: not answered here before that time.
    private var held: [ClockID: Timestamp] = [:]
    private var backstops = DeadlineQueue<ClockID>()

    var nextDue: Timestamp? { backstops.nextDue }

    mutating func want(_ clock: WantedClock, _ purpose: ClockPurpose) {
        wanted[clock.id] = (clock, purpose)
        backstops.insert(clock.id, due: clock.due + Limits.clockGrace)
    }

    /// Waits for a clock of before again. Nothing is taken as run out before `earliest`: until then
    /// what was missed is read.
    mutating func restore(
        _ clock: WantedClock, _ purpose: ClockPurpose, earliest: Timestamp
    ) {
        wanted[clock.id] = (clock, purpose)
        if case .fallback = purpose { held[clock.id] = earliest }
        backstops.insert(clock.id, due: max(clock.due + Limits.clockGrace, earliest))
    }

    mutating func take(_ id: ClockID) -> (clock: WantedClock, purpose: ClockPurpose)? {
        held[id] = nil
        return wanted.removeValue(forKey: id)
    }

    /// A clock that the timer has reported; nil, and it comes due by itself, while it is held.
    mutating func fired(
        _ id: ClockID, at now: Timestamp
    ) -> (clock: WantedClock, purpose: ClockPurpose)? {
        guard let earliest = held[id], now < earliest else { return take(id) }
        backstops.insert(id, due: earliest)
        return nil
    }

    mutating func overdue(at now: Timestamp) -> [(clock: WantedClock, purpose: ClockPurpose)] {
        var out: [(clock: WantedClock, purpose: ClockPurpose)] = []
        while let id = backstops.pop(due: now) {
            if let entry = take(id) { out.append(entry) }
        }
        return out
    }
}

extension Notifier {
    /// Asks the timer for a clock.
    mutating func want(_ clock: WantedClock, for purpose: ClockPurpose, _ turn: inout Turn) {
        clocks.want(clock, purpose)
        turn.publish(
            Meaning.event(.clockWanted, clock.person, .id(clock.id)), .clockWanted(clock))
    }

    /// Gives a clock up; does nothing for one that has run out.
    mutating func unwant(_ id: ClockID?, _ turn: inout Turn) {
        guard let id, let (clock, _) = clocks.take(id) ?? postponed.removeValue(forKey: id)
        else { return }
        turn.publish(
            Meaning.event(.clockUnwanted, clock.person, .id(clock.id)), .clockUnwanted(clock))
    }

    mutating func clockFired(_ fired: FiredClock, _ turn: inout Turn) {
        guard let (clock, purpose) = clocks.fired(fired.clock.id, at: turn.now) else { return }
        fire(clock, purpose, &turn)
    }

    mutating func fire(_ clock: WantedClock, _ purpose: ClockPurpose, _ turn: inout Turn) {
        if postpone(clock, purpose, turn) { return }
        switch purpose {
        case .fallback(let signal): fallBack(signal, &turn)
        case .tier(let emergency, let circle):
            guard let index = ladderIndex(emergency, circle),
                ladders[emergency]?[index].clock == clock.id
            else { return }
            ladders[emergency]?[index].clock = nil
            climb(emergency, circle, &turn)
            noticeStandstill(emergency, &turn)
        case .hold(let emergency):
            holdEnded(emergency, clock.id, &turn)
        case .retry(let id):
            guard let notification = notifications[id], notification.clock == clock.id else {
                return
            }
            notifications[id]?.clock = nil
            notifications[id]?.due = min(notification.due ?? turn.now, turn.now)
            lanes.append(id, to: notification.lane, about: notification.person, isRetry: true)
        }
    }
}

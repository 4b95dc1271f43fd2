import Collections
import Hashing
import Model
import Timing

/// Timers of people. A person has at most one; it notifies its owner once.
struct PersonTimers: Sendable {
    /// Timers due before this are late.
    private let started: Timestamp
    private var running: [PersonID: PersonTimer] = [:]
    private var queue = DeadlineHeap<PersonID>()
    /// Held timers stay in the store, so that they are held again after a restart.
    private(set) var hold: OutageHold<PersonID>

    init(_ running: [PersonTimer] = [], started: Timestamp, after outage: Outage?) {
        self.started = started
        hold = OutageHold(after: outage)
        for timer in running { keep(timer) }
    }

    var count: Int { running.count }
    var next: Timestamp? { queue.next }

    subscript(person: PersonID) -> PersonTimer? { running[person] }

    /// Starts a timer in place of a running one.
    mutating func start(_ timer: PersonTimer, _ turn: inout Turn) -> TimerResult {
        if running[timer.person] == nil, running.count >= Limits.timersMax {
            return .rejected(.tooMany)
        }
        keep(timer)
        turn.emit(.saveTimer(timer))
        return .started(timer)
    }

    /// Stops the timer of a person.
    mutating func stop(_ person: PersonID, _ turn: inout Turn) -> TimerResult {
        guard running[person] != nil else { return .rejected(.none) }
        remove(person, &turn)
        return .stopped
    }

    /// Forgets the timer of a removed person.
    mutating func removePerson(_ person: PersonID, _ turn: inout Turn) { remove(person, &turn) }

    // MARK: Expiry

    /// Expires or holds the earliest timer, which is due.
    mutating func expireNext(_ turn: inout Turn) {
        guard let entry = queue.popDue(at: turn.now) else { return }
        if hold.covers(entry.due), hold.hold(entry.id, due: entry.due, at: turn.now) { return }
        expire(entry.id, &turn)
    }

    private mutating func expire(_ person: PersonID, _ turn: inout Turn) {
        guard var timer = running[person] else { return }
        timer.late = timer.due < started
        remove(person, &turn)
        let id = Hash.derivedID(
            kind: .timerExpired, person: person, subject: .number(timer.due.microseconds),
            cause: Hash.id("timer", .id(person), .number(timer.started.microseconds)))
        turn.emit(
            .publish(
                Event(id: id, time: turn.now, trace: timer.trace, body: .timerExpired(timer))))
    }

    // MARK: Outage hold

    /// Releases everything when the hold ends.
    mutating func endHold(at now: Timestamp) {
        for (person, due) in hold.end(at: now) ?? [] { queue.set(person, due: due) }
    }

    /// Expires a held timer.
    mutating func release(_ person: PersonID, _ turn: inout Turn) {
        if hold.remove(person) != nil { expire(person, &turn) }
    }

    /// Drops a held timer.
    mutating func drop(_ person: PersonID, _ turn: inout Turn) {
        if hold.remove(person) != nil { remove(person, &turn) }
    }

    // MARK: State

    private mutating func keep(_ timer: PersonTimer) {
        hold.remove(timer.person)
        running[timer.person] = timer
        queue.set(timer.person, due: timer.due)
    }

    private mutating func remove(_ person: PersonID, _ turn: inout Turn) {
        guard running.removeValue(forKey: person) != nil else { return }
        hold.remove(person)
        queue.remove(person)
        turn.emit(.removeTimer(person))
    }
}

/// The result of a request about a timer.
public enum TimerResult: Hashable, Sendable {
    case started(PersonTimer)
    case stopped
    case rejected(TimerRejection)
}

/// Why a request about a timer is rejected.
public enum TimerRejection: Hashable, Sendable {
    /// The person has no running timer.
    case none
    /// ``Limits/timersMax`` are running.
    case tooMany
}

import Directory
import Model
import Timing

/// All waits, which expire in one order.
struct Waits: Sendable {
    var deadlines: Deadlines
    var watches: Watches
    var checkIns: CheckIns
    var timers: PersonTimers
    var watchdogs: DeliveryWatchdogs

    /// When the first expires, or the hold ends; nil if nothing is pending.
    var next: Timestamp? {
        [
            deadlines.next, watches.next, checkIns.next, timers.next, watchdogs.next, holdEnds,
        ].compactMap(\.self).min()
    }

    // MARK: Held waits

    /// The held waits and their due times, earliest first.
    var held: [(wait: HeldWait, due: Timestamp)] {
        let all: [(wait: HeldWait, due: Timestamp)] =
            deadlines.hold.items.map { (.deadline($0.item), $0.due) }
            + watches.hold.items.map { (.watch($0.item), $0.due) }
            + checkIns.hold.items.map { (.checkIn($0.item), $0.due) }
            + timers.hold.items.map { (.timer($0.item), $0.due) }
        return all.sorted { ($0.due, $0.wait) < ($1.due, $1.wait) }
    }

    /// When the hold ends; nil if nothing is held.
    var holdEnds: Timestamp? {
        deadlines.hold.ends ?? watches.hold.ends ?? checkIns.hold.ends ?? timers.hold.ends
    }

    mutating func release(_ wait: HeldWait, _ turn: inout Turn) {
        switch wait {
        case .deadline(let id): deadlines.release(id, &turn)
        case .watch(let id): expired(watches.release(id, &turn), &turn)
        case .checkIn(let id): expired(checkIns.release(id, &turn), &turn)
        case .timer(let person): timers.release(person, &turn)
        }
    }

    mutating func drop(_ wait: HeldWait, _ turn: inout Turn) {
        switch wait {
        case .deadline(let id): deadlines.drop(id, &turn)
        case .watch(let id): watches.drop(id, &turn)
        case .checkIn(let id): checkIns.drop(id, &turn)
        case .timer(let person): timers.drop(person, &turn)
        }
    }

    // MARK: Time

    /// Expires what is due: the earliest first, at the same time deadlines before watches before
    /// check-ins before timers before watchdogs.
    mutating func tick(_ turn: inout Turn) {
        deadlines.endHold(at: turn.now)
        watches.endHold(at: turn.now)
        checkIns.endHold(at: turn.now)
        timers.endHold(at: turn.now)
        for _ in 0..<Limits.expiredPerTurnMax {
            let next = [
                deadlines.next, watches.next, checkIns.next, timers.next, watchdogs.next,
            ].map { $0 ?? .distantFuture }
            guard let due = next.min(), due <= turn.now else { return }
            if due == next[0] {
                deadlines.expireNext(&turn)
            } else if due == next[1] {
                expired(watches.expireNext(&turn), &turn)
            } else if due == next[2] {
                expired(checkIns.expireNext(&turn), &turn)
            } else if due == next[3] {
                timers.expireNext(&turn)
            } else {
                watchdogs.expireNext(&turn)
            }
        }
    }

    /// Handles the signal of a watch that expired.
    mutating func expired(_ signal: EmergencySignal?, _ turn: inout Turn) {
        if let signal { watchdogs.start(for: signal, &turn) }
    }

    /// Raises an emergency that its person never sees.
    mutating func raiseUnderDuress(_ question: SafetyQuestion, _ turn: inout Turn) {
        let signal = question.signalUnderDuress(at: turn.now)
        turn.emit(.saveSignal(signal))
        turn.emit(.publish(.raised(signal, at: turn.now)))
        watchdogs.start(for: signal, &turn)
    }

    /// Ends all waits of a person.
    mutating func removePerson(_ person: PersonID, _ turn: inout Turn) {
        watches.removePerson(person, &turn)
        checkIns.removePerson(person, &turn)
        timers.removePerson(person, &turn)
        watchdogs.removePerson(person, &turn)
        turn.emit(.removeRows(of: person))
    }
}

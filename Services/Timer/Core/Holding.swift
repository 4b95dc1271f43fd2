import Model
import Timing

/// Something of the timer that became due in an outage.
public enum Held: Hashable, Comparable, Sendable {
    case clock(ClockID)
    case watch(WatchID)
}

// What became due while the timer was away waits for the operator, and not for ever.
extension TimerCore {
    /// Waits that are held, with when they were due; the earliest first.
    public var heldWaits: [(wait: Held, due: Timestamp)] {
        held.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.compactMap { wait, due in
            Held(wait).map { ($0, due) }
        }
    }

    /// Until when; nil where nothing is held.
    public var holdEnds: Timestamp? { held.isEmpty ? nil : outage?.holdEnds }

    /// Keeps a wait that is over for the operator, if it became due in the outage. The eye on
    /// emergencies never sleeps.
    mutating func hold(_ entry: ClockQueue<Wait>.Entry, at now: Timestamp) -> Bool {
        guard let outage, outage.holds(entry.due, at: now), Held(entry.id) != nil else {
            return false
        }
        // A reminder of a watch that goes on still helps, and its end must not be waited over.
        if case .watch(let id) = entry.id, let timed = watches[id], !outage.covers(timed.expiry) {
            return false
        }
        held[entry.id] = entry.due
        return true
    }

    /// The time for a word is over: all of it goes on.
    mutating func endHold(at now: Timestamp) {
        guard let outage, outage.holdEnds <= now else { return }
        for (wait, due) in held { queue.set(wait, due: due) }
        held = [:]
        self.outage = nil
    }

    mutating func release(_ waits: [Held], at now: Timestamp, into effects: inout [Effect]) {
        for wait in waits.sorted() {
            guard let due = held.removeValue(forKey: Wait(wait)) else { continue }
            switch wait {
            case .clock(let id): effects.append(.fire(id, late: due < started))
            case .watch(let id): watchDue(id, at: now, into: &effects)
            }
        }
    }

    mutating func drop(_ waits: [Held], at now: Timestamp, into effects: inout [Effect]) {
        for wait in waits.sorted() where held.removeValue(forKey: Wait(wait)) != nil {
            switch wait {
            case .clock(let id): effects.append(.removeClock(id))
            case .watch(let id): _ = close(id, as: .cancel, at: now, into: &effects)
            }
        }
    }
}

extension Held {
    /// Nil for what is never held.
    init?(_ wait: TimerCore.Wait) {
        switch wait {
        case .clock(let id): self = .clock(id)
        case .watch(let id): self = .watch(id)
        case .vigil: return nil
        }
    }
}

extension TimerCore.Wait {
    init(_ held: Held) {
        switch held {
        case .clock(let id): self = .clock(id)
        case .watch(let id): self = .watch(id)
        }
    }
}

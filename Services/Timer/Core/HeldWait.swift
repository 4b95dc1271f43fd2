import Model
import Timing

/// A wait that became due during an outage and is held.
public enum HeldWait: Hashable, Comparable, Sendable {
    case deadline(DeadlineID)
    case watch(WatchID)
}

// The outage hold: waits that became due while the timer was down are held for the operator, for a
// limited time.
extension TimerCore {
    /// The held waits and their due times, earliest first.
    public var heldWaits: [(wait: HeldWait, due: Timestamp)] {
        held.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.compactMap { wait, due in
            HeldWait(wait).map { ($0, due) }
        }
    }

    /// When the hold ends; nil if nothing is held.
    public var holdEnds: Timestamp? { held.isEmpty ? nil : outage?.holdEnds }

    /// Holds a wait that became due in the outage. Delivery watchdogs are never held.
    mutating func hold(_ entry: DeadlineHeap<Wait>.Entry, at now: Timestamp) -> Bool {
        guard let outage, outage.holds(entry.due, at: now), HeldWait(entry.id) != nil else {
            return false
        }
        // A reminder of a running watch still helps, and must not delay the watch's expiry.
        if case .watch(let id) = entry.id, let timed = watches[id], !outage.covers(timed.expiry) {
            return false
        }
        held[entry.id] = entry.due
        return true
    }

    /// Ends the hold after its maximum time and releases everything.
    mutating func endHold(at now: Timestamp) {
        guard let outage, outage.holdEnds <= now else { return }
        for (wait, due) in held { queue.set(wait, due: due) }
        held = [:]
        self.outage = nil
    }

    mutating func release(_ waits: [HeldWait], at now: Timestamp, into effects: inout [Effect]) {
        for wait in waits.sorted() {
            guard let due = held.removeValue(forKey: Wait(wait)) else { continue }
            switch wait {
            case .deadline(let id): effects.append(.expireDeadline(id, late: due < started))
            case .watch(let id): expireWatch(id, at: now, into: &effects)
            }
        }
    }

    mutating func drop(_ waits: [HeldWait], at now: Timestamp, into effects: inout [Effect]) {
        for wait in waits.sorted() where held.removeValue(forKey: Wait(wait)) != nil {
            switch wait {
            case .deadline(let id): effects.append(.removeDeadline(id))
            case .watch(let id): _ = close(id, as: .cancel, at: now, into: &effects)
            }
        }
    }
}

extension HeldWait {
    /// Nil for a wait that is never held.
    init?(_ wait: TimerCore.Wait) {
        switch wait {
        case .deadline(let id): self = .deadline(id)
        case .watch(let id): self = .watch(id)
        case .deliveryWatchdog: return nil
        }
    }
}

extension TimerCore.Wait {
    init(_ held: HeldWait) {
        switch held {
        case .deadline(let id): self = .deadline(id)
        case .watch(let id): self = .watch(id)
        }
    }
}

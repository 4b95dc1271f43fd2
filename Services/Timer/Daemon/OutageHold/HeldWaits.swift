import Hosting
import Model
import TimerCore

/// Held waits as the operator sees them.
struct HeldWaits {
    let watches: WatchRows
    let deadlines: DeadlineRows
    let core: TimerCore

    /// The entry of a held wait; nil for one that no operator needs to decide about.
    ///
    /// Deadlines of the notifier are not shown: the notifier holds their consequences itself, and
    /// retries need no decision.
    func entry(_ wait: HeldWait, due: Timestamp) throws -> HeldEntry? {
        switch wait {
        case .watch(let id):
            return try watches.find(id).map {
                HeldEntry(
                    id: id.description, kind: "watch", what: DeadlineKind.watchExpiry.rawValue,
                    person: $0.watch.person, due: $0.expiry)
            }
        case .checkIn(let id):
            return core.schedule(id).map {
                HeldEntry(
                    id: id.description, kind: "check-in",
                    what: $0.open == nil ? "check-in-due" : "check-in-expiry",
                    person: $0.schedule.person, due: $0.open?.expires ?? due)
            }
        case .timer(let person):
            return HeldEntry(
                id: wait.text, kind: "timer", what: "timer-due", person: person, due: due)
        case .deadline(let id):
            guard let deadline = try deadlines.findPending(id), deadline.kind != .retry else {
                return nil
            }
            return HeldEntry(
                id: id.description, kind: "deadline", what: deadline.kind.rawValue,
                person: deadline.person, emergency: deadline.emergency, due: due,
                isShown: deadline.kind.rules.handler != .notifier)
        }
    }
}

extension HeldWait {
    /// The id of its entry.
    var text: String {
        switch self {
        case .deadline(let id): id.description
        case .watch(let id): id.description
        case .checkIn(let id): id.description
        case .timer(let person): "timer-\(person)"
        }
    }
}

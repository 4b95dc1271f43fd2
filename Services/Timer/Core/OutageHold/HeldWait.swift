import Model

/// A wait that became due during an outage and is held. Delivery watchdogs are never held.
public enum HeldWait: Hashable, Comparable, Sendable {
    case deadline(DeadlineID)
    case watch(WatchID)
    case checkIn(CheckInScheduleID)
    case timer(PersonID)
}

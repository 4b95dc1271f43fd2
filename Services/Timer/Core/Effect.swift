import Directory
import Model

/// An effect of the timer's core, performed by the service.
public enum Effect: Hashable, Sendable {
    /// Save the deadline's row; an expired one stays unchanged.
    case saveDeadline(Deadline, trace: String)
    case removeDeadline(DeadlineID)
    /// Mark the deadline's row as expired and publish the event, unless it has expired before.
    case expireDeadline(DeadlineID, late: Bool)
    case saveWatch(TimedWatch)
    /// Remove all rows of a removed person.
    case removeRows(of: PersonID)
    case saveSchedule(ScheduledCheckIn)
    case removeSchedule(CheckInScheduleID)
    case saveCheckIn(CheckIn)
    case saveTimer(PersonTimer)
    case removeTimer(PersonID)
    /// Save a signal of a check-in, or under duress, for snapshots.
    case saveSignal(EmergencySignal)
    case saveDeliveryWatchdog(DeliveryWatchdog)
    case removeDeliveryWatchdog(EmergencyID)
    /// Save what the notifier published about who can be reached.
    case saveReachability(ReachabilityChange)
    /// Publish an event on `deadlines`.
    case publish(Event)
    /// Respond to a request about a watch.
    case respond(UInt64, WatchResult)
    /// Respond to a request about a check-in schedule.
    case respondToSchedule(UInt64, ScheduleResult)
    /// Respond to a request about a timer.
    case respondToTimer(UInt64, TimerResult)
    /// Nobody was notified of this emergency in time: alert the operator.
    case raiseAlarm(DeliveryWatchdog)
    /// The emergency of a raised alarm was notified or has ended.
    case endAlarm(DeliveryWatchdog)
    /// Call the operator's alarm URL; the result comes back as an input.
    case callAlarm(DeliveryWatchdog)
}

/// The result of a request about a watch.
public enum WatchResult: Hashable, Sendable {
    case started(TimedWatch)
    /// The running watch was extended, or a new one with a later deadline was requested.
    case extended(TimedWatch)
    case closed(TimedWatch)
    case rejected(WatchRejection)
}

/// Why a request about a watch is rejected.
public enum WatchRejection: Hashable, Sendable {
    /// The deadline is less than ``Limits/watchSecondsMin`` from now.
    case tooSoon
    /// The deadline is more than ``Limits/watchSecondsMax`` from now.
    case tooFar
    /// An extension cannot make the deadline earlier.
    case notLater
    /// The watch has ended, was cancelled, or has become an emergency.
    case over
    case noteTooLong
    /// Nobody else can be reached in any of the person's circles.
    case nobodyReachable(UnreachableReason)
    /// ``Limits/watchesActiveMax`` are active.
    case tooMany
    case pin(PINRejection)
}

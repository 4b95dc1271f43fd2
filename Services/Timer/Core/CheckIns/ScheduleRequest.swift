import Directory
import Model

/// A new schedule, or one that replaces another.
public struct ScheduleDraft: Hashable, Sendable {
    /// With its id; a replaced schedule keeps its creation time.
    public var schedule: CheckInSchedule
    /// IANA name of the person's time zone, which is set at the core.
    public var timeZone: String
    /// Why nobody could be notified; nil = somebody could.
    public var obstacle: UnreachableReason?

    public init(
        schedule: CheckInSchedule, timeZone: String, obstacle: UnreachableReason? = nil
    ) {
        self.schedule = schedule
        self.timeZone = timeZone
        self.obstacle = obstacle
    }
}

/// The result of a request about a check-in schedule.
public enum ScheduleResult: Hashable, Sendable {
    case created(ScheduledCheckIn)
    case replaced(ScheduledCheckIn)
    case removed
    case rejected(ScheduleRejection)
}

/// Why a request about a check-in schedule is rejected.
public enum ScheduleRejection: Hashable, Sendable {
    /// It was removed.
    case unknown
    /// No day is left on which it asks.
    case neverDue
    /// ``Limits/schedulesPerPersonMax`` or ``Limits/schedulesMax`` is reached.
    case tooMany
    /// Nobody else can be reached in any of the person's circles.
    case nobodyReachable(UnreachableReason)
    case pin(PINRejection)
}

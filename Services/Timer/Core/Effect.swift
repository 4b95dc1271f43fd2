import Directory
import Model

/// Everything that the timer can want done.
public enum Effect: Hashable, Sendable {
    /// Keep the clock's row; one that has fired stays as it is.
    case saveClock(WantedClock, trace: String)
    case removeClock(ClockID)
    /// Mark the clock's row as fired and tell so, unless it has fired before.
    case fire(ClockID, late: Bool)
    case saveWatch(TimedWatch)
    /// Remove the rows of all watches of a person who is gone.
    case removeWatches(of: PersonID)
    case saveVigil(Vigil)
    case removeVigil(EmergencyID)
    /// Keep what the notifier published about who can be reached.
    case saveReachability(ReachabilityNews)
    /// Tell the others on `fired`.
    case publish(Event)
    /// Answer a request about a watch.
    case answer(UInt64, WatchAnswer)
    /// Nobody was told of this emergency in time: the operator has to know.
    case raiseAlarm(Vigil)
    /// The emergency of a raised alarm was told or ended.
    case endAlarm(Vigil)
    /// Call the operator's address; the answer comes back as an input.
    case callAlarm(Vigil)
}

/// What a request about a watch is told.
public enum WatchAnswer: Hashable, Sendable {
    case started(TimedWatch)
    /// Asked for a new watch with a later deadline, or for more time.
    case extended(TimedWatch)
    case closed(TimedWatch)
    case refused(WatchRefusal)
}

/// Why a request about a watch is refused.
public enum WatchRefusal: Hashable, Sendable {
    /// The deadline is less than ``Limits/watchSecondsMin`` from now.
    case tooSoon
    /// The deadline is more than ``Limits/watchSecondsMax`` from now.
    case tooFar
    /// An extension moves the deadline back, never forward.
    case notLater
    /// The watch has ended, was cancelled, or has become an emergency.
    case over
    case noteTooLong
    /// In none of the person's circles somebody else can be reached.
    case nobodyReachable(UnreachableReason)
    /// ``Limits/watchesActiveMax`` are active.
    case tooMany
}

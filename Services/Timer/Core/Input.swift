import Directory
import Model

/// Everything that the timer can be told.
public enum Input: Hashable, Sendable {
    /// Somebody waits; asked again for the same id, the new end counts.
    case clockWanted(WantedClock, trace: String)
    /// Nobody waits any longer.
    case clockUnwanted(ClockID)

    /// Somebody says that a person is in danger, past the evaluators.
    case signal(EmergencySignal)
    /// The same is taken back.
    case signalCancelled(EmergencyCancel)
    /// An evaluator decided about an emergency.
    case emergency(EmergencyNews)
    /// A human acknowledged.
    case acknowledged(EmergencyAnswer)
    /// A human ended it.
    case resolved(EmergencyAnswer)
    /// The notifier tells a tier, or everybody again: nobody holds the emergency.
    case escalated(EmergencyID)
    /// The notifier's ways to people changed.
    case reachability(ReachabilityNews)
    /// A notification came further. Its recipient is not reachable where every contact point of its
    /// channel is opted out or dead: there accepted means nothing.
    case notification(NotificationNews, isReachable: Bool = true)
    /// A person is gone for good.
    case personRemoved(PersonID)

    /// A person wants to be watched over.
    case startWatch(WatchStart)
    /// The deadline moves back; `request` is answered.
    case extendWatch(WatchID, by: Span, request: UInt64)
    /// The person is safe, or no longer wants to be watched over; `request` is answered.
    case closeWatch(WatchID, as: WatchClosing, request: UInt64)

    /// What became of calling the operator's alarm.
    case alarmCalled(EmergencyID, accepted: Bool, jitter: UInt64)
    /// The operator has what is held done now, as if it were not late.
    case release([Held])
    /// The operator wants nothing to come of what is held.
    case drop([Held])
    /// Time has passed.
    case tick
}

/// A length of time as somebody asks for it.
public enum Span: Hashable, Sendable {
    case seconds(Int64)
    case until(Timestamp)
}

/// How a watch ends before its time.
public enum WatchClosing: Hashable, Sendable {
    /// Its person arrived safely.
    case end
    /// It is not wanted any longer.
    case cancel
}

/// What a new watch is made of.
public struct WatchStart: Hashable, Sendable {
    /// Random; not used when the watch turns out to be an extension.
    public var id: WatchID
    public var person: PersonID
    public var span: Span
    public var note: String?
    /// Why nobody could be told if it ran out; nil = somebody could.
    public var obstacle: UnreachableReason?
    public var trace: String
    /// The request that is answered.
    public var request: UInt64

    public init(
        id: WatchID, person: PersonID, span: Span, note: String? = nil,
        obstacle: UnreachableReason? = nil, trace: String = "", request: UInt64
    ) {
        self.id = id
        self.person = person
        self.span = span
        self.note = note
        self.obstacle = obstacle
        self.trace = trace
        self.request = request
    }
}

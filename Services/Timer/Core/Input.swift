import Directory
import Model

/// An input of the timer's core.
public enum Input: Hashable, Sendable {
    /// A deadline was scheduled; the same id again changes its due time.
    case deadlineScheduled(Deadline, trace: String)
    /// A deadline was cancelled.
    case deadlineCancelled(DeadlineID)

    /// A signal that a person is in danger, received without the evaluators.
    case signal(EmergencySignal)
    /// Such a signal was cancelled.
    case signalCancelled(EmergencyCancel)
    /// An evaluator decided about an emergency.
    case emergency(EmergencyChange)
    /// A person acknowledged.
    case acknowledged(EmergencyAnswer)
    /// A person resolved it.
    case resolved(EmergencyAnswer)
    /// The notifier notifies a tier, or everybody again: nobody is responding.
    case escalated(EmergencyID)
    /// The reachability of people changed.
    case reachability(ReachabilityChange)
    /// A notification's state changed. Its recipient is unreachable if every contact point of its
    /// channel is opted out or dead; then `accepted` does not count.
    case notification(NotificationChanged, isReachable: Bool = true)
    /// A command about a watch arrived by SMS or by a link.
    case command(WatchCommand)
    /// A person entered a zone.
    case entered(ZoneCrossing)
    /// A person confirmed that they are safe, or somebody entered too many wrong PINs.
    case answered(SafetyAnswer)
    /// A person was removed.
    case personRemoved(PersonID)
    /// The IANA name of a person's time zone, which is set at the core if they have schedules.
    case timeZone(PersonID, String)

    /// A person starts a watch.
    case startWatch(WatchStart)
    /// A watch is extended; `request` is answered.
    case extendWatch(WatchID, by: Span, request: UInt64)
    /// A watch is ended or cancelled; `request` is answered.
    case closeWatch(WatchID, as: WatchClosing, pin: PINEntry, request: UInt64)

    /// A person gets a check-in schedule.
    case createSchedule(ScheduleDraft, request: UInt64)
    /// A check-in schedule is replaced.
    case replaceSchedule(ScheduleDraft, pin: PINEntry, request: UInt64)
    /// A check-in schedule is removed.
    case removeSchedule(CheckInScheduleID, pin: PINEntry, request: UInt64)

    /// A person starts a timer.
    case startTimer(PersonTimer, request: UInt64)
    /// A person stops their timer.
    case stopTimer(PersonID, request: UInt64)

    /// The result of a call to the operator's alarm URL.
    case alarmCalled(EmergencyID, accepted: Bool, jitter: UInt64)
    /// The operator releases held waits; they proceed as if they were not late.
    case release([HeldWait])
    /// The operator drops held waits.
    case drop([HeldWait])
    /// Time has passed.
    case tick
}

/// A duration or an end time, as requested.
public enum Span: Hashable, Sendable {
    case seconds(Int64)
    case until(Timestamp)
}

/// How a watch ends early.
public enum WatchClosing: Hashable, Sendable {
    /// The person arrived safely.
    case end
    /// It is no longer needed.
    case cancel
}

/// The parameters of a new watch.
public struct WatchStart: Hashable, Sendable {
    /// Random; unused if a running watch is extended instead.
    public var id: WatchID
    public var person: PersonID
    public var span: Span
    public var terms: WatchTerms
    /// Why nobody could be notified if it expired; nil = somebody could.
    public var obstacle: UnreachableReason?
    /// Needed if it replaces a running watch.
    public var pin: PINEntry
    public var trace: String
    /// The request to answer.
    public var request: UInt64

    public init(
        id: WatchID, person: PersonID, span: Span, terms: WatchTerms = WatchTerms(),
        obstacle: UnreachableReason? = nil, pin: PINEntry = .entered(nil), trace: String = "",
        request: UInt64
    ) {
        self.pin = pin
        self.id = id
        self.person = person
        self.span = span
        self.terms = terms
        self.obstacle = obstacle
        self.trace = trace
        self.request = request
    }
}

/// What a person may set besides the deadline. An extension keeps what is nil.
public struct WatchTerms: Hashable, Sendable {
    public var note: String?
    /// The zone whose entry ends the watch.
    public var destination: ZoneID?
    /// The only people to notify, ids ascending; nil = everyone.
    public var recipients: [PersonID]?

    public init(
        note: String? = nil, destination: ZoneID? = nil, recipients: [PersonID]? = nil
    ) {
        self.note = note
        self.destination = destination
        self.recipients = recipients
    }
}

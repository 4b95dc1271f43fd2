import Directory
import Model

/// An action on one's own journeys.
public enum JourneyAction: Hashable, Sendable {
    /// Returns the open journey, or starts one with this id.
    case start(JourneyID, name: String)
    case stop
    case reset
    case remove
}

/// A POST or DELETE of a journey.
public struct JourneyRequest: Hashable, Sendable {
    public var request: UInt64
    public var principal: Principal
    public var person: PersonID
    /// The journey's number; nil = unknown journey, or a new one.
    public var number: Int64?
    public var action: JourneyAction

    public init(
        request: UInt64, principal: Principal, person: PersonID, number: Int64? = nil,
        action: JourneyAction
    ) {
        self.request = request
        self.principal = principal
        self.person = person
        self.number = number
        self.action = action
    }
}

/// The result of a ``JourneyRequest``.
public enum JourneyAnswer: Hashable, Sendable {
    /// This journey is open now.
    case started(number: Int64, isNew: Bool)
    case changed(number: Int64)
    case removed
    /// The journey was stopped before and cannot be reset.
    case stopped
    case tooMany
    case denied(Denial)
    case notFound
}

extension Journeys {
    /// An input of ``Journeys``.
    public enum Input: Sendable {
        case request(JourneyRequest)
        /// A new fix of the person's primary device.
        case fix(Fix, of: PersonID)
        /// A later message completed this fix of the primary device.
        case completedFix(Fix, of: PersonID)
        /// The directory is about to apply this change, made at membership at that time. The
        /// turn's directory is the one before the change.
        case directoryChanging(EventBody, at: Timestamp)
        /// Deletes the oldest journeys of a person that ended before a time, at most
        /// ``JourneyLimits/forgottenPerTurn``.
        case forget(PersonID, endedBefore: Timestamp)
        /// Stops open journeys that have not moved for this long.
        case stopForgotten(quietFor: Duration)
        /// All input of the turn has been handled.
        case turnEnd
    }

    /// Work for the daemon, in this order, in the turn's transaction.
    public enum Effect: Hashable, Sendable {
        case save(JourneyChange)
        /// The only response to a request.
        case answer(request: UInt64, JourneyAnswer)
    }
}

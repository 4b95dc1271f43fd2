import Directory
import JourneysCore
import Model

/// An input of ``Core``.
public enum Input: Sendable {
    /// A device sent reports or status.
    case batch(IncomingBatch)
    /// A device was asked to retry later.
    case rejectedRequest(RejectedRequest)
    /// A quarantined payload is read again.
    case quarantineRetry(QuarantineRetry)
    /// A person calls for help.
    case emergency(EmergencyRequest)
    /// A person cancels a call for help.
    case cancellation(CancelRequest)
    case readEmergency(ReadRequest<EmergencyID>)
    case readPositions(ReadRequest<CircleID>)
    case alarm(AlarmRequest)
    case readAlarm(ReadRequest<PersonID>)
    /// A person confirms that they are all right.
    case checkIn(CheckInRequest)
    case readPolicy(ReadRequest<PersonID>)
    case locate(LocateRequest)
    case journeys(Journeys.Input)
    /// The directory is about to apply this change, made at membership at that time. The directory
    /// passed along is the one before the change.
    case directoryChanging(EventBody, at: Timestamp)
    /// A record just appended to the own `events/p`.
    case derived(Event)
    /// A record of `expired` that was not applied before.
    case deadlines(Event)
    /// A snapshot replaces the records of `expired`: only these watches are still running.
    case watchesReplaced(running: Set<WatchID>)
    /// A record of `deliveries` that was not applied before.
    case deliveries(Event)
    /// Every evaluator can run this version of the logic: all logs switch to it.
    case logic(UInt16)
    /// Each of these partitions needs a record, so that a new checkpoint can replace an old one.
    case renewCheckpoints([Partition])
    /// All data of a removed person and their devices has been erased.
    case erased(PersonID)
    /// All input of this turn has been handled; deferred work gets its share.
    case turnEnd
}

extension Input {
    /// The person whose live position it may change; nil = nobody's.
    var followedPerson: PersonID? {
        switch self {
        case .batch(let batch): batch.person
        case .quarantineRetry(let retry): retry.person
        case .emergency(let request): request.principal.person
        case .derived(let event), .deadlines(let event), .deliveries(let event): event.body.person
        case .journeys(.request(let request)): request.person
        case .rejectedRequest, .cancellation, .readEmergency, .readPositions, .alarm, .readAlarm,
            .checkIn, .readPolicy, .locate, .journeys, .directoryChanging, .watchesReplaced,
            .logic, .renewCheckpoints, .erased, .turnEnd:
            nil
        }
    }
}

/// A request to read one object.
public struct ReadRequest<ID: Hashable & Sendable>: Hashable, Sendable {
    public var request: UInt64
    public var principal: Principal
    public var id: ID
    /// Why, as staff gave it; nil = no reason was given.
    public var reason: String?

    public init(request: UInt64, principal: Principal, id: ID, reason: String? = nil) {
        self.request = request
        self.principal = principal
        self.id = id
        self.reason = reason
    }
}

import Dialects
import Model

/// An input of ``Core``.
public enum Input: Sendable {
    /// A device sent reports or status.
    case batch(IncomingBatch)
    /// A device was told to retry later.
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
    case journey(JourneyRequest)
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
    /// Deletes the journeys of a person that ended before a time.
    case forgetJourneys(PersonID, endedBefore: Timestamp)
    /// Stops open journeys that have not moved for this long.
    case endJourneys(quietFor: Duration)
    /// Each of these partitions needs a record, so that a new checkpoint can replace an old one.
    case renewCheckpoints([Partition])
    /// All data of a removed person and their devices has been erased.
    case erased(PersonID)
    /// All input of this turn has been handled; deferred work gets its share.
    case turnEnd
}

/// An observation with its report id, and whether that report is already stored.
public struct Arrival: Hashable, Sendable {
    public var id: ReportID
    public var observation: Observation
    public var isKnown: Bool
    /// The stored report of the same message or fix; nil if ``isKnown`` is false or the report no
    /// longer exists.
    public var known: Report?

    public init(id: ReportID, observation: Observation, isKnown: Bool, known: Report? = nil) {
        self.id = id
        self.observation = observation
        self.isKnown = isKnown
        self.known = known
    }
}

/// An authenticated request of a device from which nothing was accepted.
public struct RejectedRequest: Hashable, Sendable {
    public var device: DeviceID
    public var person: PersonID
    public var trace: String

    public init(device: DeviceID, person: PersonID, trace: String) {
        self.device = device
        self.person = person
        self.trace = trace
    }
}

/// The content of one request of a device.
public struct IncomingBatch: Hashable, Sendable {
    public var request: UInt64
    public var device: DeviceID
    public var person: PersonID
    public var arrivals: [Arrival]
    public var panics: [Panic]
    public var rejections: [Rejection]
    /// The whole payload; stored if part of it was rejected.
    public var payload: [UInt8]
    /// The request path.
    public var path: String
    public var client: ClientApp
    public var requestsFriends: Bool
    /// The dialect can express reporting policies.
    public var requestsPolicy: Bool
    /// The mark of the policy that the phone says it follows.
    public var policyMark: String?
    /// The phone keeps its message until it has received the response, so a message with new
    /// content proves that it received the previous response.
    public var provesResponseReceived: Bool
    /// Status that the phone sent beside fixes.
    public var status: DeviceStatus
    /// Two presses of "report" within this many seconds are a call for help; 0 = never.
    public var pressesWithinSeconds: Int64
    /// The OwnTracks app, if it is one: it can be asked for its location, and gets its policy as
    /// its own configuration.
    public var ownTracks: OwnTracks.App?
    /// Retained by a broker and possibly delivered long afterwards.
    public var wasRetained: Bool
    /// Sent with a replaced secret: only calls for help count.
    public var isFromFormerSecret: Bool
    public var trace: String

    public init(
        request: UInt64, device: DeviceID, person: PersonID, arrivals: [Arrival],
        panics: [Panic] = [], rejections: [Rejection] = [], payload: [UInt8] = [],
        path: String = "", client: ClientApp = .jaga, requestsFriends: Bool = false,
        requestsPolicy: Bool = false,
        policyMark: String? = nil, provesResponseReceived: Bool = false,
        status: DeviceStatus = DeviceStatus(),
        pressesWithinSeconds: Int64 = 0, ownTracks: OwnTracks.App? = nil, wasRetained: Bool = false,
        isFromFormerSecret: Bool = false, trace: String = ""
    ) {
        self.isFromFormerSecret = isFromFormerSecret
        self.wasRetained = wasRetained
        self.request = request
        self.device = device
        self.person = person
        self.arrivals = arrivals
        self.panics = panics
        self.rejections = rejections
        self.payload = payload
        self.path = path
        self.client = client
        self.requestsFriends = requestsFriends
        self.requestsPolicy = requestsPolicy
        self.policyMark = policyMark
        self.provesResponseReceived = provesResponseReceived
        self.status = status
        self.pressesWithinSeconds = pressesWithinSeconds
        self.ownTracks = ownTracks
        self.trace = trace
    }

    /// Whether the batch proves that the phone is connected. A last will and a retained message
    /// prove it only by new content.
    var provesContact: Bool {
        !(status.isLastWill || wasRetained) || arrivals.contains { !$0.isKnown } || !panics.isEmpty
    }

    /// Whether the payload could be decrypted; false if it was encrypted with another key. Nil if
    /// the batch contains nothing that tells, or may not come from the phone.
    var isLegible: Bool? {
        guard provesContact, !isFromFormerSecret else { return nil }
        if rejections.contains(where: { $0.reason.isKeyMismatch }) { return false }
        return arrivals.isEmpty && panics.isEmpty && status == DeviceStatus() ? nil : true
    }

    /// Whether a response can ask the phone for its location. OwnTracks and clients of Jaga's own
    /// JSON understand that.
    var canRequestLocation: Bool { ownTracks != nil || client == .jaga }
}

/// `POST /v1/emergencies`.
public struct EmergencyRequest: Hashable, Sendable {
    public var request: UInt64
    public var principal: Principal
    public var call: EmergencyCall
    /// The report sent with the call, if the caller uses a device.
    public var arrival: Arrival?
    /// Random; the id of a call without a message id.
    public var chance: ID128
    public var trace: String

    public init(
        request: UInt64, principal: Principal, call: EmergencyCall, arrival: Arrival? = nil,
        chance: ID128, trace: String = ""
    ) {
        self.request = request
        self.principal = principal
        self.call = call
        self.arrival = arrival
        self.chance = chance
        self.trace = trace
    }
}

/// `POST /v1/emergencies/{emergency}/cancellation`.
public struct CancelRequest: Hashable, Sendable {
    public var request: UInt64
    public var principal: Principal
    public var emergency: EmergencyID
    /// Equal for a repeated request.
    public var cause: ID128
    public var trace: String

    public init(
        request: UInt64, principal: Principal, emergency: EmergencyID, cause: ID128,
        trace: String = ""
    ) {
        self.request = request
        self.principal = principal
        self.emergency = emergency
        self.cause = cause
        self.trace = trace
    }
}

/// A request to read one object.
public struct ReadRequest<ID: Hashable & Sendable>: Hashable, Sendable {
    public var request: UInt64
    public var principal: Principal
    public var id: ID

    public init(request: UInt64, principal: Principal, id: ID) {
        self.request = request
        self.principal = principal
        self.id = id
    }
}

import Dialects
import Hashing
import Model

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
    public var client: PhoneProtocol
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
        path: String = "", client: PhoneProtocol = .jaga, requestsFriends: Bool = false,
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

    /// The cause of records of this batch that no report has.
    func cause(at now: Timestamp) -> ID128 {
        Hash.id(
            .id(device), .number(now.microseconds), .number(Int64(truncatingIfNeeded: request)))
    }

    /// Whether a response can ask the phone for its location. OwnTracks and clients of Jaga's own
    /// JSON understand that.
    var canRequestLocation: Bool { ownTracks != nil || client == .jaga }
}

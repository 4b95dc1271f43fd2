import Dialects
import Model

/// Everything that can happen to ingest.
public enum Input: Sendable {
    /// A phone delivers.
    case delivery(Delivery)
    /// A phone that delivers is told to come again later.
    case refusal(Visit)
    /// Somebody has something that was put aside read once more.
    case redelivery(Redelivery)
    /// Somebody calls for help.
    case emergency(EmergencyRequest)
    /// Somebody takes a call back.
    case cancellation(CancelRequest)
    case readEmergency(ReadRequest<EmergencyID>)
    case readPositions(ReadRequest<CircleID>)
    case alarm(AlarmRequest)
    case readAlarm(ReadRequest<PersonID>)
    /// Somebody says that they are all right.
    case allRight(AllRightRequest)
    case readPolicy(ReadRequest<PersonID>)
    case locate(LocateRequest)
    case journey(JourneyRequest)
    /// The directory is about to change so, and did at membership at that time; the directory
    /// handed in is the one before.
    case directoryChanging(EventBody, at: Timestamp)
    /// A record of the own `events/p`, just appended.
    case computed(Event)
    /// A record of `fired` that was never applied before.
    case fired(Event)
    /// A snapshot of `fired` takes the place of what was read: only these watches go on.
    case watchesReplaced(running: Set<WatchID>)
    /// A record of `deliveries` that was never applied before.
    case delivered(Event)
    /// Every evaluator can run this version of the logic: the logs go on by it.
    case logic(UInt16)
    /// Journeys of a person that were over before a time are not to be kept any longer.
    case forgetJourneys(PersonID, endedBefore: Timestamp)
    /// Journeys that got nowhere for so long are to end.
    case endJourneys(quietFor: Duration)
    /// These partitions need a record, so that a checkpoint of each takes the place of an old one.
    case renewCheckpoints([Partition])
    /// Nothing is left of somebody who is gone, nor of their devices.
    case erased(PersonID)
    /// Everything of this turn has been said: time for what is put off from turn to turn.
    case turnEnd
}

/// One observation with its id, and whether its report is stored already.
public struct Arrival: Hashable, Sendable {
    public var id: ReportID
    public var observation: Observation
    public var isKnown: Bool
    /// The stored report of the same message or the same fix; nil where ``isKnown`` is false, or
    /// where the report cannot be found any more.
    public var known: Report?

    public init(id: ReportID, observation: Observation, isKnown: Bool, known: Report? = nil) {
        self.id = id
        self.observation = observation
        self.isKnown = isKnown
        self.known = known
    }
}

/// A phone with good credentials was there, and nothing that it brought could be taken.
public struct Visit: Hashable, Sendable {
    public var device: DeviceID
    public var person: PersonID
    public var trace: String

    public init(device: DeviceID, person: PersonID, trace: String) {
        self.device = device
        self.person = person
        self.trace = trace
    }
}

/// What one request of a phone brought.
public struct Delivery: Hashable, Sendable {
    public var request: UInt64
    public var device: DeviceID
    public var person: PersonID
    public var arrivals: [Arrival]
    public var panics: [Panic]
    public var rejections: [Rejection]
    /// The whole payload, kept where something of it was rejected.
    public var payload: [UInt8]
    /// The path that it came to.
    public var path: String
    public var client: ClientApp
    public var wantsFriends: Bool
    /// The dialect has words for how to report.
    public var wantsPolicy: Bool
    /// The policy by which the phone says it reports.
    public var policyMark: String?
    /// The phone keeps its message until it has heard the answer: one that brings something new
    /// proves that the answer before it was heard.
    public var provesHearing: Bool
    /// What the phone tells beside fixes.
    public var news: PhoneNews
    /// Pressing "report" twice within so many seconds is a cry for help; 0 = it never is.
    public var pressesWithinSeconds: Int64
    /// The app, where it is one of OwnTracks: it can be asked where it is, and how it should report
    /// is put in its own words.
    public var ownTracks: OwnTracks.App?
    /// Somebody else had it and hands it over, maybe long after: a broker what it retained.
    public var wasKept: Bool
    /// Whoever sent it showed a secret that was replaced: nothing counts but a call for help.
    public var isByFormerSecret: Bool
    public var trace: String

    public init(
        request: UInt64, device: DeviceID, person: PersonID, arrivals: [Arrival],
        panics: [Panic] = [], rejections: [Rejection] = [], payload: [UInt8] = [],
        path: String = "", client: ClientApp = .jaga, wantsFriends: Bool = false,
        wantsPolicy: Bool = false,
        policyMark: String? = nil, provesHearing: Bool = false, news: PhoneNews = PhoneNews(),
        pressesWithinSeconds: Int64 = 0, ownTracks: OwnTracks.App? = nil, wasKept: Bool = false,
        isByFormerSecret: Bool = false, trace: String = ""
    ) {
        self.isByFormerSecret = isByFormerSecret
        self.wasKept = wasKept
        self.request = request
        self.device = device
        self.person = person
        self.arrivals = arrivals
        self.panics = panics
        self.rejections = rejections
        self.payload = payload
        self.path = path
        self.client = client
        self.wantsFriends = wantsFriends
        self.wantsPolicy = wantsPolicy
        self.policyMark = policyMark
        self.provesHearing = provesHearing
        self.news = news
        self.pressesWithinSeconds = pressesWithinSeconds
        self.ownTracks = ownTracks
        self.trace = trace
    }

    /// Whether it shows that the phone is there: what was written for when it is away, and what
    /// somebody kept of it, does so only by what is new in it.
    var isSign: Bool {
        !(news.isLastWill || wasKept) || arrivals.contains { !$0.isKnown } || !panics.isEmpty
    }

    /// Whether what the phone sends can be read: not where it is encrypted with another key than
    /// the device's. Nil where that is nothing new, or says neither, or is maybe not the phone's.
    var isLegible: Bool? {
        guard isSign, !isByFormerSecret else { return nil }
        if rejections.contains(where: { $0.reason.isOfKey }) { return false }
        return arrivals.isEmpty && panics.isEmpty && news == PhoneNews() ? nil : true
    }

    /// Whether the answer can ask where the phone is: OwnTracks and what speaks Jaga's own JSON
    /// understand that.
    var canBeAsked: Bool { ownTracks != nil || client == .jaga }
}

/// `POST /v1/emergencies`.
public struct EmergencyRequest: Hashable, Sendable {
    public var request: UInt64
    public var principal: Principal
    public var call: EmergencyCall
    /// The report that came along, if the one who calls has a device to report from.
    public var arrival: Arrival?
    /// Random, for a call without a message id.
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
    /// The same for a request sent again.
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

/// Somebody wants to read something.
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

import Dialects
import Directory
import Model

/// Work for the daemon, in this order, inside the turn's transaction. Responses are sent and events
/// published after COMMIT.
public enum Effect: Hashable, Sendable {
    /// Appends a record to `in/p`.
    case append(Event, Partition)
    /// Appends a record to `sos`.
    case raise(Event)

    /// Stores a report under the short number of its device.
    case saveReport(Report, device: Int64)
    /// Stores reports of one device that arrived together, ordered by time.
    case saveReports([Report], device: Int64)
    /// Adds values of a later message to a stored report. The row is found by the last eight bytes
    /// of its id and its time.
    case completeReport(Report, device: Int64)
    /// Stores a device that is new or belongs to another person now.
    case saveDevice(DeviceRow)
    /// Updates a device's row, possibly later: until then its reports contain the same data.
    case updateDevice(DeviceRow)
    /// Stores the primary device of a person who has chosen none.
    case savePrimaryDevice(PersonID, DeviceID)
    case wait(WaitingRow)
    /// Removes a report from the backlog.
    case removeWaiting(number: Int64)

    /// The first record of `in/p` of this partition follows.
    case savePartition(Partition)
    /// Time of the newest record of any partition.
    case saveTime(Timestamp)
    /// Version of the logic in force in all partitions.
    case saveLogic(UInt16)
    case saveConfiguredCircle(ConfiguredCircleRow)
    case removeConfiguredCircle(CircleID, Partition)
    case saveConfiguredPerson(ConfiguredPersonRow)
    case removeConfiguredPerson(PersonID)
    case saveConfiguredPage(ConfiguredPageRow)
    /// The page is empty now.
    case removeConfiguredPage(ZoneSetID, page: Int, Partition)
    /// The partition has every page of the set.
    case saveConfiguredSet(ZoneSetID, Partition)
    /// No person of the partition subscribes to the set any more; its pages are removed too.
    case removeConfiguredSet(ZoneSetID, Partition)

    case saveArming(PersonID, armed: Bool)
    case saveAlarm(AlarmRow)
    case removeAlarm(AlarmID)
    case savePolicy(PolicyRow)
    case removePolicy(DeviceID)
    case saveWatch(WatchRow)
    case removeWatch(PersonID)
    case saveExpectation(ExpectationRow)
    case removeExpectation(PersonID)
    case saveContactState(ContactRow)
    case removeContactState(PersonID)
    /// Start of the contact-loss hold; nil = none.
    case saveContactLossHold(since: Timestamp?)
    case saveDecision(DecisionRow)
    case removeDecisions(PersonID)
    /// The person was removed: their data is to be erased, in portions.
    case erase(PersonID)

    case journey(JourneyChange)

    case saveEmergency(EmergencyRow)
    case removeEmergency(EmergencyID)
    /// Ids of events applied before this time may be deleted.
    case removeApplied(before: Timestamp)

    case saveQuarantine(QuarantineRow)
    /// The payload could be used after all.
    case removeQuarantine(QuarantineID)
    /// The payload was read again and stays in quarantine, with this reason and this index as
    /// returned by ``QuarantineRow/index(of:isIncomplete:)``; nil = unchanged.
    case recordRetry(QuarantineID, QuarantineReason?, index: Int?, at: Timestamp)
    case saveAccess(AccessRow)
    case saveDeviceLog(DeviceLogRow)
    case device(DeviceEffect)

    /// The only response to a request.
    case answer(request: UInt64, Answer)
}

/// The response to a request.
public enum Answer: Hashable, Sendable {
    case reports(ReportsAnswer)
    case quarantineRetried(QuarantineRetryAnswer)
    /// The backlog is full: retry later.
    case overloaded
    case emergency(EmergencyView)
    case positions([MemberPosition])
    case alarm(AlarmView)
    case policy(PolicyView)
    case located(LocateView)
    /// The next request is allowed after this many seconds.
    case tooSoon(seconds: Int)
    case journey(JourneyAnswer)
    /// Recorded at this time.
    case checkIn(at: Timestamp)
    case denied(Denial)
    case notFound
    /// The call can no longer be cancelled: people are being notified.
    case tooLate
    /// Too many calls were cancelled recently: this one continues.
    case tooManyCancels(seconds: Int)
}

/// The result of a request with reports.
public struct ReportsAnswer: Hashable, Sendable {
    public var accepted: Int
    public var duplicates: Int
    public var rejections: [Rejection]
    /// Friends for the phone's map; empty unless requested.
    public var friends: [OwnTracks.Friend]
    /// Alarms that ring on this phone now.
    public var rings: [OwnTracks.Ring]
    /// The policy to follow from now on; nil = unchanged.
    public var policy: PolicyView?
    /// The phone is asked for its location.
    public var requestsLocation: Bool

    public init(
        accepted: Int, duplicates: Int, rejections: [Rejection] = [],
        friends: [OwnTracks.Friend] = [], rings: [OwnTracks.Ring] = [], policy: PolicyView? = nil,
        requestsLocation: Bool = false
    ) {
        self.requestsLocation = requestsLocation
        self.accepted = accepted
        self.duplicates = duplicates
        self.rejections = rejections
        self.friends = friends
        self.rings = rings
        self.policy = policy
    }
}

/// An emergency as shown to its person and to the people who may read it.
public struct EmergencyView: Hashable, Sendable {
    /// The signal that was requested.
    public var id: EmergencyID
    /// The emergency that the signal opened or joined.
    public var emergency: EmergencyID
    public var person: PersonID
    public var trigger: EmergencyTrigger
    public var state: EmergencyState
    public var deliveryState: DeliveryState
    public var raised: Timestamp
    public var received: Timestamp
    public var countdownEnds: Timestamp
    /// Circles in which it was ended while it continues in others, limited to circles of the
    /// reader.
    public var endedCircles: [CircleID]
    /// Number of further calls that joined it without being stored.
    public var joinedCalls: Int

    public init(
        id: EmergencyID, emergency: EmergencyID, person: PersonID, trigger: EmergencyTrigger,
        state: EmergencyState, deliveryState: DeliveryState, raised: Timestamp, received: Timestamp,
        countdownEnds: Timestamp, endedCircles: [CircleID] = [], joinedCalls: Int = 0
    ) {
        self.endedCircles = endedCircles
        self.joinedCalls = joinedCalls
        self.id = id
        self.emergency = emergency
        self.person = person
        self.trigger = trigger
        self.state = state
        self.deliveryState = deliveryState
        self.raised = raised
        self.received = received
        self.countdownEnds = countdownEnds
    }
}

/// How usable a last position is.
public enum PositionState: String, Sendable, Codable, CaseIterable {
    /// At most ``Limits/freshSeconds`` old.
    case fresh
    /// Older than that.
    case stale = "old"
    /// Sharing is paused.
    case paused
    /// The phone is impaired and may fail to report.
    case impaired = "blind"
    /// Sharing is off, or not for this viewer.
    case hidden
    /// Never reported.
    case unknown
}

/// The last position of a circle's member, as far as the viewer may see it.
public struct MemberPosition: Hashable, Sendable {
    public var person: PersonID
    public var name: String
    public var state: PositionState
    /// Until when sharing is paused.
    public var pausedUntil: Timestamp?
    public var precision: Precision
    /// Nil if the location is hidden from the viewer.
    public var fix: Fix?
    /// Age of the fix, whole seconds; nil without a visible fix.
    public var ageSeconds: Int64?
    public var battery: UInt8?
    public var charging: Bool?
    /// By the speed of the fix, otherwise by the two newest fixes; nil if unknown.
    public var isMoving: Bool?
    /// What keeps the phone from reporting properly.
    public var impairments: [Impairment]
    /// Contact state of the device; nil = in contact, or not monitored.
    public var contactState: ContactState?
    /// When contact was lost, as counted by the evaluator.
    public var contactLostSince: Timestamp?

    public init(
        person: PersonID, name: String, state: PositionState, pausedUntil: Timestamp? = nil,
        precision: Precision = .exact, fix: Fix? = nil, ageSeconds: Int64? = nil,
        battery: UInt8? = nil, charging: Bool? = nil, isMoving: Bool? = nil,
        impairments: [Impairment] = []
    ) {
        self.impairments = impairments
        self.person = person
        self.name = name
        self.state = state
        self.pausedUntil = pausedUntil
        self.precision = precision
        self.fix = fix
        self.ageSeconds = ageSeconds
        self.battery = battery
        self.charging = charging
        self.isMoving = isMoving
    }
}

import Dialects
import Directory
import Model

/// What the daemon does for the core, in this order, inside the turn's transaction. Answers leave
/// and events are published after COMMIT.
public enum Effect: Hashable, Sendable {
    /// A record for the end of `in/p`.
    case append(Event, Partition)
    /// A record for the end of `sos`.
    case raise(Event)

    /// A report, under the short number of its device.
    case saveReport(Report, device: Int64)
    /// Reports of one device that came together, by time.
    case saveReports([Report], device: Int64)
    /// A later message of the same fix adds values to a stored report. The last eight bytes of its
    /// id and its time find the row.
    case completeReport(Report, device: Int64)
    /// A device that was never heard, or has another person now.
    case saveDevice(DeviceRow)
    /// More was learnt of a device. Its row may be written later: until then its reports say it.
    case noteDevice(DeviceRow)
    /// The device that leads a person who has chosen none.
    case saveLeader(PersonID, DeviceID)
    case wait(WaitingRow)
    /// A report has left the backlog.
    case unwait(number: Int64)

    /// `in/p` of this partition has its first record.
    case savePartition(Partition)
    /// Time of the youngest record of any partition.
    case saveTime(Timestamp)
    /// Version of the logic by which all partitions go on.
    case saveLogic(UInt16)
    case savePlacedCircle(PlacedCircleRow)
    case removePlacedCircle(CircleID, Partition)
    case savePlacedPerson(PlacedPersonRow)
    case removePlacedPerson(PersonID)
    case savePlacedPage(PlacedPageRow)
    /// The page has become empty.
    case removePlacedPage(ZoneSetID, page: Int, Partition)
    /// The partition has every page of the set.
    case savePlacedSet(ZoneSetID, Partition)
    /// Nobody of the partition is judged by the set any more; its pages go, too.
    case removePlacedSet(ZoneSetID, Partition)

    case saveArming(PersonID, armed: Bool)
    case saveAlarm(AlarmRow)
    case removeAlarm(AlarmID)
    case savePolicy(PolicyRow)
    case removePolicy(DeviceID)
    case saveWatching(WatchingRow)
    case removeWatching(PersonID)
    case saveTerms(TermsRow)
    case removeTerms(PersonID)
    case saveSilence(SilenceRow)
    case removeSilence(PersonID)
    /// Since when the suite suspects itself to be deaf; nil = it no longer does.
    case saveHold(since: Timestamp?)
    case saveDecision(DecisionRow)
    case removeDecisions(PersonID)
    /// A person is gone: everything that is kept of them is to go, in portions.
    case erase(PersonID)

    case journey(JourneyChange)

    case saveEmergency(EmergencyRow)
    case removeEmergency(EmergencyID)
    /// Ids of events applied before this may be forgotten.
    case forgetApplied(before: Timestamp)

    case saveQuarantine(QuarantineRow)
    /// It could be used after all.
    case removeQuarantine(QuarantineID)
    /// It was read once more and stays: for this reason, with this place as
    /// ``QuarantineRow/place(of:isSpoilt:)`` gives it; nil = as before.
    case noteRetry(QuarantineID, QuarantineReason?, place: Int?, at: Timestamp)
    case saveAccess(AccessRow)
    case saveDiary(DiaryRow)
    case phone(PhoneEffect)

    /// The one answer to a request.
    case answer(request: UInt64, Answer)
}

/// What a request is told.
public enum Answer: Hashable, Sendable {
    case reports(ReportsAnswer)
    case redelivered(RedeliveryAnswer)
    /// No room in the backlog: send it again later.
    case overloaded
    case emergency(EmergencyView)
    case positions([MemberPosition])
    case alarm(AlarmView)
    case policy(PolicyView)
    case located(LocateView)
    /// They may ask again in so many seconds.
    case tooSoon(seconds: Int)
    case journey(JourneyAnswer)
    /// Noted then.
    case allRight(at: Timestamp)
    case denied(Denial)
    case notFound
    /// The call can no longer be taken back: people are being told.
    case tooLate
    /// Too many calls were cancelled lately: this one goes on.
    case tooManyCancels(seconds: Int)
}

/// What became of the reports of one request.
public struct ReportsAnswer: Hashable, Sendable {
    public var accepted: Int
    public var duplicates: Int
    public var rejections: [Rejection]
    /// For the map of the phone; empty unless asked for.
    public var friends: [OwnTracks.Friend]
    /// Alarms that ring on this phone now.
    public var rings: [OwnTracks.Ring]
    /// How the phone is to report from now on; nil = as it does.
    public var policy: PolicyView?
    /// The phone is asked where it is.
    public var locates: Bool

    public init(
        accepted: Int, duplicates: Int, rejections: [Rejection] = [],
        friends: [OwnTracks.Friend] = [], rings: [OwnTracks.Ring] = [], policy: PolicyView? = nil,
        locates: Bool = false
    ) {
        self.locates = locates
        self.accepted = accepted
        self.duplicates = duplicates
        self.rejections = rejections
        self.friends = friends
        self.rings = rings
        self.policy = policy
    }
}

/// An emergency as its person and those who watch over them may read it.
public struct EmergencyView: Hashable, Sendable {
    /// The signal asked for.
    public var id: EmergencyID
    /// The emergency that it opened or joined.
    public var emergency: EmergencyID
    public var person: PersonID
    public var trigger: EmergencyTrigger
    public var state: EmergencyState
    public var told: Told
    public var raised: Timestamp
    public var received: Timestamp
    public var countdownEnds: Timestamp
    /// Circles in which somebody ended it while it goes on in others, as far as the reader has
    /// joined them.
    public var endedCircles: [CircleID]
    /// How many further calls joined it without being stored.
    public var joinedCalls: Int

    public init(
        id: EmergencyID, emergency: EmergencyID, person: PersonID, trigger: EmergencyTrigger,
        state: EmergencyState, told: Told, raised: Timestamp, received: Timestamp,
        countdownEnds: Timestamp, endedCircles: [CircleID] = [], joinedCalls: Int = 0
    ) {
        self.endedCircles = endedCircles
        self.joinedCalls = joinedCalls
        self.id = id
        self.emergency = emergency
        self.person = person
        self.trigger = trigger
        self.state = state
        self.told = told
        self.raised = raised
        self.received = received
        self.countdownEnds = countdownEnds
    }
}

/// What a last position is worth.
public enum PositionState: String, Sendable, Codable, CaseIterable {
    /// At most ``Limits/freshSeconds`` old.
    case fresh
    /// Older than that.
    case old
    /// Sharing is paused.
    case paused
    /// The phone may fall silent: something keeps it from reporting.
    case blind
    /// Sharing is off, or not for this viewer.
    case hidden
    /// Never reported.
    case unknown
}

/// Where a member of a circle was last, as far as the viewer may know.
public struct MemberPosition: Hashable, Sendable {
    public var person: PersonID
    public var name: String
    public var state: PositionState
    /// Until when sharing is paused.
    public var pausedUntil: Timestamp?
    public var precision: Precision
    /// Nil where the place is not to be seen.
    public var fix: Fix?
    /// Of the fix, whole seconds; nil without one that may be known of.
    public var ageSeconds: Int64?
    public var battery: UInt8?
    public var charging: Bool?
    /// By the speed of the fix, else by the two newest fixes; nil where neither tells.
    public var isMoving: Bool?
    /// What keeps the phone from reporting as it should.
    public var hindrances: [Hindrance]
    /// How far the silence of the device has come; nil = it is none, or says nothing.
    public var silence: SilenceState?
    /// From when on that counts.
    public var silentSince: Timestamp?

    public init(
        person: PersonID, name: String, state: PositionState, pausedUntil: Timestamp? = nil,
        precision: Precision = .exact, fix: Fix? = nil, ageSeconds: Int64? = nil,
        battery: UInt8? = nil, charging: Bool? = nil, isMoving: Bool? = nil,
        hindrances: [Hindrance] = []
    ) {
        self.hindrances = hindrances
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

import Dialects
import Model

/// What ingest keeps of a device.
public struct DeviceRow: Hashable, Sendable {
    public var device: DeviceID
    public var person: PersonID
    /// Short name of the device in the rows of its reports; from 1, never used again.
    public var number: Int64
    public var partition: Partition
    /// When it was last heard, whatever it said.
    public var seen: Timestamp
    /// The newest fix accepted, its time corrected.
    public var newest: Fix?
    /// Time of the newest fix that entered `in/p`.
    public var sequenced: Timestamp
    /// As last told.
    public var battery: UInt8?
    public var charging: Bool?
    /// The app that spoke last; nil = it was not noted.
    public var client: ClientApp?
    /// Whether it moves, where the newest fix has no speed: as the two newest tell. Not stored.
    public var isMoving: Bool?
    /// Of the newest fix's altitude, metres; 0 = unknown. Not stored.
    public var altitudeAccuracyMetres: UInt16 = 0
    /// When the newest message was built that told the battery, where a phone says so. Not stored.
    public var batteryTold: Timestamp?

    public init(
        device: DeviceID, person: PersonID, number: Int64, partition: Partition, seen: Timestamp,
        newest: Fix? = nil, sequenced: Timestamp = .zero, battery: UInt8? = nil,
        charging: Bool? = nil, client: ClientApp? = nil
    ) {
        self.client = client
        self.device = device
        self.person = person
        self.number = number
        self.partition = partition
        self.seen = seen
        self.newest = newest
        self.sequenced = sequenced
        self.battery = battery
        self.charging = charging
    }
}

/// A report that waits for its turn behind what is live.
public struct WaitingRow: Hashable, Sendable {
    /// Grows with every row.
    public var number: Int64
    public var report: Report

    public init(number: Int64, report: Report) {
        self.number = number
        self.report = report
    }
}

/// How far the news of an emergency has come.
public enum Told: String, Sendable, Codable, CaseIterable, Comparable {
    /// No message has been taken by any gateway yet.
    case none
    /// Only the built-in sink kept messages: nobody outside was reached.
    case sink
    /// A gateway has taken a message.
    case accepted
    /// A message has reached somebody's phone or mailbox.
    case delivered
    /// A human has answered.
    case acknowledged

    public static func < (left: Told, right: Told) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .none: 0
        case .sink: 1
        case .accepted: 2
        case .delivered: 3
        case .acknowledged: 4
        }
    }
}

/// A signal and what became of it. A signal that joined an emergency points to it.
public struct EmergencyRow: Hashable, Sendable {
    /// The signal's id.
    public var id: EmergencyID
    public var person: PersonID
    /// The emergency that the signal opened (its own id) or joined.
    public var emergency: EmergencyID
    public var trigger: EmergencyTrigger
    public var raised: Timestamp
    public var received: Timestamp
    public var countdownEnds: Timestamp
    /// As the evaluator decided; until it has, `countdown` or `open`.
    public var state: EmergencyState
    public var told: Told
    /// Whom a message has reached or may have reached, in that order.
    public var recipients: [PersonID]
    /// When it ended; nil while it goes on.
    public var ended: Timestamp?
    /// Circles in which somebody ended it while it goes on in others.
    public var endedCircles: [CircleID]
    /// How many further calls joined it without being stored.
    public var joinedCalls: Int
    /// The last of them, while nobody has answered since.
    public var lastJoined: EmergencySignal?

    public init(
        id: EmergencyID, person: PersonID, emergency: EmergencyID, trigger: EmergencyTrigger,
        raised: Timestamp, received: Timestamp, countdownEnds: Timestamp, state: EmergencyState,
        told: Told = .none, recipients: [PersonID] = [], ended: Timestamp? = nil,
        endedCircles: [CircleID] = [], joinedCalls: Int = 0,
        lastJoined: EmergencySignal? = nil
    ) {
        self.joinedCalls = joinedCalls
        self.lastJoined = lastJoined
        self.id = id
        self.person = person
        self.emergency = emergency
        self.trigger = trigger
        self.raised = raised
        self.received = received
        self.countdownEnds = countdownEnds
        self.state = state
        self.told = told
        self.recipients = recipients
        self.ended = ended
        self.endedCircles = endedCircles
    }
}

/// A circle's configuration as a partition last got it.
public struct PlacedCircleRow: Hashable, Sendable {
    public var circle: CircleID
    public var partition: Partition
    /// Digest of the ``PlacedCircle`` appended.
    public var digest: ID128

    public init(circle: CircleID, partition: Partition, digest: ID128) {
        self.circle = circle
        self.partition = partition
        self.digest = digest
    }
}

/// A person's configuration as their partition last got it.
public struct PlacedPersonRow: Hashable, Sendable {
    public var person: PersonID
    /// Digest of the ``PlacedPerson`` appended.
    public var digest: ID128

    public init(person: PersonID, digest: ID128) {
        self.person = person
        self.digest = digest
    }
}

/// A page of a set as a partition last got it.
public struct PlacedPageRow: Hashable, Sendable {
    public var set: ZoneSetID
    /// 0 to 511.
    public var page: Int
    public var partition: Partition
    /// Digest of the ``PlacedSet`` appended.
    public var digest: ID128

    public init(set: ZoneSetID, page: Int, partition: Partition, digest: ID128) {
        self.set = set
        self.page = page
        self.partition = partition
        self.digest = digest
    }
}

/// A set of which a partition has every page.
public struct PlacedSetRow: Hashable, Sendable {
    public var set: ZoneSetID
    public var partition: Partition

    public init(set: ZoneSetID, partition: Partition) {
        self.set = set
        self.partition = partition
    }
}

public enum QuarantineTag: IdentifierKind { public static let prefix = "qua" }
/// BLAKE2b-128 of (device, payload): the same rubbish sent again is the same entry.
public typealias QuarantineID = Identifier<QuarantineTag>

/// A payload that could not be used.
public struct QuarantineRow: Hashable, Sendable {
    public var id: QuarantineID
    public var device: DeviceID?
    public var person: PersonID
    public var client: ClientApp
    /// The path that it came to.
    public var path: String
    public var reason: QuarantineReason
    /// Its place in a batch, from 0; −1 for a whole batch with many parts of no use. Of a batch of
    /// which portions were read once more see ``place(of:isSpoilt:)``.
    public var index: Int
    /// The first ``Limits/quarantinePayloadBytes`` of it.
    public var payload: [UInt8]
    /// Bytes of the whole payload.
    public var size: Int
    public var received: Timestamp
    public var trace: String

    public init(
        id: QuarantineID, device: DeviceID?, person: PersonID, client: ClientApp, path: String,
        reason: QuarantineReason, index: Int, payload: [UInt8], size: Int, received: Timestamp,
        trace: String
    ) {
        self.id = id
        self.device = device
        self.person = person
        self.client = client
        self.path = path
        self.reason = reason
        self.index = index
        self.payload = payload
        self.size = size
        self.received = received
        self.trace = trace
    }

    /// What stands for the place of a batch that is read once more in portions.
    ///
    /// - Parameters:
    ///   - next: where the next portion begins; nil = all were read
    ///   - isSpoilt: something before it could not be used, so that the batch stays in the end
    public static func place(of next: Int?, isSpoilt: Bool) -> Int {
        guard let next else { return -1 }
        return isSpoilt ? -next - 1 : next
    }
}

/// Somebody saw a person's position; one row a viewer and hour.
public struct AccessRow: Hashable, Sendable {
    /// Whose position it was.
    public var person: PersonID
    /// Nil = the operator.
    public var viewer: PersonID?
    /// Hours since 1970.
    public var hour: Int64
    /// When they asked the phone for its position; nil = they only looked.
    public var asked: Timestamp?

    public init(person: PersonID, viewer: PersonID?, hour: Int64, asked: Timestamp? = nil) {
        self.asked = asked
        self.person = person
        self.viewer = viewer
        self.hour = hour
    }
}

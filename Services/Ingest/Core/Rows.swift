import Dialects
import Model

/// The stored state of a device.
public struct DeviceRow: Hashable, Sendable {
    public var device: DeviceID
    public var person: PersonID
    /// Short number of the device in the rows of its reports; from 1, never reused.
    public var number: Int64
    public var partition: Partition
    /// Last contact of any kind.
    public var seen: Timestamp
    /// The newest fix accepted, its time corrected.
    public var newest: Fix?
    /// Time of the newest fix that entered `in/p`.
    public var sequenced: Timestamp
    /// Last reported level, percent.
    public var battery: UInt8?
    public var charging: Bool?
    /// The app that reported last; nil = unknown.
    public var client: ClientApp?
    /// By the two newest fixes, if the newest has no speed. Not stored.
    public var isMoving: Bool?
    /// Accuracy of the newest fix's altitude, metres; 0 = unknown. Not stored.
    public var altitudeAccuracyMetres: UInt16 = 0
    /// When the newest message with a battery level was created, if the phone says so. Not stored.
    public var batteryReported: Timestamp?

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

/// A report in the backlog.
public struct WaitingRow: Hashable, Sendable {
    /// Increases with every row.
    public var number: Int64
    public var report: Report

    public init(number: Int64, report: Report) {
        self.number = number
        self.report = report
    }
}

/// How far the notifications of an emergency got.
public enum DeliveryState: String, Sendable, Codable, CaseIterable, Comparable {
    /// No gateway has accepted a message yet.
    case none
    /// Only the built-in sink stored messages: no outside recipient was reached.
    case sink
    /// A gateway accepted a message.
    case accepted
    /// A message was delivered to a phone or mailbox.
    case delivered
    /// A person acknowledged.
    case acknowledged

    public static func < (left: DeliveryState, right: DeliveryState) -> Bool {
        left.rank < right.rank
    }

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

/// A signal and the state of its emergency. A signal that joined an emergency refers to it.
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
    /// As the evaluator decided; until then `countdown` or `open`.
    public var state: EmergencyState
    public var deliveryState: DeliveryState
    /// People whom a message reached or may have reached, in that order.
    public var recipients: [PersonID]
    /// When it ended; nil while it is active.
    public var ended: Timestamp?
    /// Circles in which it was ended while it continues in others.
    public var endedCircles: [CircleID]
    /// Number of further calls that joined it without being stored.
    public var joinedCalls: Int
    /// The last of them, until someone responds.
    public var lastJoined: EmergencySignal?

    public init(
        id: EmergencyID, person: PersonID, emergency: EmergencyID, trigger: EmergencyTrigger,
        raised: Timestamp, received: Timestamp, countdownEnds: Timestamp, state: EmergencyState,
        deliveryState: DeliveryState = .none, recipients: [PersonID] = [], ended: Timestamp? = nil,
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
        self.deliveryState = deliveryState
        self.recipients = recipients
        self.ended = ended
        self.endedCircles = endedCircles
    }
}

/// A circle's configuration as last appended to a partition.
public struct ConfiguredCircleRow: Hashable, Sendable {
    public var circle: CircleID
    public var partition: Partition
    /// Digest of the ``ConfiguredCircle`` appended.
    public var digest: ID128

    public init(circle: CircleID, partition: Partition, digest: ID128) {
        self.circle = circle
        self.partition = partition
        self.digest = digest
    }
}

/// A person's configuration as last appended to their partition.
public struct ConfiguredPersonRow: Hashable, Sendable {
    public var person: PersonID
    /// Digest of the ``ConfiguredPerson`` appended.
    public var digest: ID128

    public init(person: PersonID, digest: ID128) {
        self.person = person
        self.digest = digest
    }
}

/// A page of a set as last appended to a partition.
public struct ConfiguredPageRow: Hashable, Sendable {
    public var set: ZoneSetID
    /// 0 to 511.
    public var page: Int
    public var partition: Partition
    /// Digest of the ``ConfiguredSet`` appended.
    public var digest: ID128

    public init(set: ZoneSetID, page: Int, partition: Partition, digest: ID128) {
        self.set = set
        self.page = page
        self.partition = partition
        self.digest = digest
    }
}

/// A set of which a partition has every page.
public struct ConfiguredSetRow: Hashable, Sendable {
    public var set: ZoneSetID
    public var partition: Partition

    public init(set: ZoneSetID, partition: Partition) {
        self.set = set
        self.partition = partition
    }
}

public enum QuarantineTag: IdentifierKind { public static let prefix = "qua" }
/// BLAKE2b-128 of device and payload: the same payload sent again is the same entry.
public typealias QuarantineID = Identifier<QuarantineTag>

/// A payload that could not be used.
public struct QuarantineRow: Hashable, Sendable {
    public var id: QuarantineID
    public var device: DeviceID?
    public var person: PersonID
    public var client: ClientApp
    /// The request path.
    public var path: String
    public var reason: QuarantineReason
    /// Index in a batch, from 0; −1 for a whole batch with many unusable parts. For a batch of
    /// which portions were read again see ``index(of:isIncomplete:)``.
    public var index: Int
    /// The first ``Limits/quarantinePayloadBytes`` of it.
    public var payload: [UInt8]
    /// Size of the whole payload, bytes.
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

    /// The stored index of a batch that is read again in portions.
    ///
    /// - Parameters:
    ///   - next: start of the next portion; nil = all were read
    ///   - isIncomplete: an earlier part was rejected, so the batch stays in quarantine
    public static func index(of next: Int?, isIncomplete: Bool) -> Int {
        guard let next else { return -1 }
        return isIncomplete ? -next - 1 : next
    }
}

/// One row per person, viewer and hour in which the viewer saw the person's position.
public struct AccessRow: Hashable, Sendable {
    /// The person whose position was seen.
    public var person: PersonID
    /// Nil = the operator.
    public var viewer: PersonID?
    /// Hours since 1970.
    public var hour: Int64
    /// When the viewer requested the location; nil = only read.
    public var asked: Timestamp?

    public init(person: PersonID, viewer: PersonID?, hour: Int64, asked: Timestamp? = nil) {
        self.asked = asked
        self.person = person
        self.viewer = viewer
        self.hour = hour
    }
}

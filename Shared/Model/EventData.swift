// The data of events that are no thing of their own elsewhere in the model.

/// A zone as an evaluator needs it.
public struct PlacedZone: Hashable, Sendable, Codable {
    public var id: ZoneID
    public var name: String
    public var kind: ZoneKind
    public var active: Bool
    public var priority: Int
    public var geometry: PreparedGeometry
    public var hysteresisMetres: Int
    public var transitions: [Transition]
    public var version: Int64

    public init(_ zone: Zone) {
        id = zone.id
        name = zone.name
        kind = zone.kind
        active = zone.active
        priority = zone.priority
        geometry = zone.prepared
        hysteresisMetres = zone.hysteresisMetres
        transitions = zone.transitions
        version = zone.version
    }
}

/// A circle's zones, whole, for a partition in which it has a member.
public struct PlacedCircle: Hashable, Sendable, Codable {
    public var circle: CircleID
    public var zones: [PlacedZone]

    public init(circle: CircleID, zones: [PlacedZone]) {
        self.circle = circle
        self.zones = zones
    }
}

/// A person of a partition: which circles' zones judge them, which device leads, what is their own.
public struct PlacedPerson: Hashable, Sendable, Codable {
    public var person: PersonID
    public var leadingDevice: DeviceID?
    /// Ascending.
    public var circles: [CircleID]
    /// The person's private zones.
    public var zones: [PlacedZone]

    public init(
        person: PersonID, leadingDevice: DeviceID?, circles: [CircleID], zones: [PlacedZone]
    ) {
        self.person = person
        self.leadingDevice = leadingDevice
        self.circles = circles
        self.zones = zones
    }
}

public struct PersonRemoval: Hashable, Sendable, Codable {
    public var person: PersonID
    public init(person: PersonID) { self.person = person }
}

public struct DeviceRemoval: Hashable, Sendable, Codable {
    public var device: DeviceID
    public init(device: DeviceID) { self.device = device }
}

public struct CredentialRemoval: Hashable, Sendable, Codable {
    public var credential: CredentialID
    public init(credential: CredentialID) { self.credential = credential }
}

public struct CircleRemoval: Hashable, Sendable, Codable {
    public var circle: CircleID
    public init(circle: CircleID) { self.circle = circle }
}

public struct ZoneRemoval: Hashable, Sendable, Codable {
    public var zone: ZoneID
    public init(zone: ZoneID) { self.zone = zone }
}

/// Evaluators decide by this version of the logic from here on.
public struct LogicVersion: Hashable, Sendable, Codable {
    public var version: Int
    public init(version: Int) { self.version = version }
}

/// Why presence became what it is.
public enum CrossingReason: String, Sendable, Codable, CaseIterable {
    /// First decision ever for this person and zone.
    case initial
    /// Inside by more than the margin.
    case insideBeyondMargin = "inside-beyond-margin"
    /// On or over the edge of an alert zone, which errs early.
    case onEdgeOfAlertZone = "on-edge-of-alert-zone"
    /// Outside by more than the margin.
    case outsideBeyondMargin = "outside-beyond-margin"
}

/// A person went into or out of a zone.
public struct ZoneCrossing: Hashable, Sendable, Codable {
    public var person: PersonID
    public var device: DeviceID
    public var zone: ZoneID
    public var zoneName: String
    public var zoneKind: ZoneKind
    /// Nil for a private zone.
    public var circle: CircleID?
    /// Whether the person is inside after it.
    public var inside: Bool
    public var fix: Fix
    /// Signed distance to the true edge in centimetres: negative inside.
    public var distanceCentimetres: Int32
    public var marginCentimetres: Int32
    public var reason: CrossingReason
    /// The report that caused it.
    public var report: ReportID

    public init(
        person: PersonID, device: DeviceID, zone: ZoneID, zoneName: String, zoneKind: ZoneKind,
        circle: CircleID?, inside: Bool, fix: Fix, distanceCentimetres: Int32,
        marginCentimetres: Int32, reason: CrossingReason, report: ReportID
    ) {
        self.person = person
        self.device = device
        self.zone = zone
        self.zoneName = zoneName
        self.zoneKind = zoneKind
        self.circle = circle
        self.inside = inside
        self.fix = fix
        self.distanceCentimetres = distanceCentimetres
        self.marginCentimetres = marginCentimetres
        self.reason = reason
        self.report = report
    }
}

/// A step in the life of an emergency, as the evaluator decided it.
public struct EmergencyNews: Hashable, Sendable, Codable {
    public var emergency: EmergencyID
    public var person: PersonID
    public var state: EmergencyState
    /// What raised it first.
    public var trigger: EmergencyTrigger
    /// The signal that this step answers: the trigger, the further press, the cancelled one.
    public var signal: EmergencyID
    /// When the first trigger was raised.
    public var raised: Timestamp
    public var countdownEnds: Timestamp
    /// Last fix known.
    public var fix: Fix?
    public var battery: UInt8?
    public var note: String?
    /// Who acknowledged, resolved or cancelled; nil = the person or the operator.
    public var by: PersonID?
    /// Raised long before it arrived: its text begins with its age (domain.md §4).
    public var late: Bool
    /// The news closes a further trigger that reopened the ladder.
    public var reopened: Bool

    public init(
        emergency: EmergencyID, person: PersonID, state: EmergencyState, trigger: EmergencyTrigger,
        signal: EmergencyID, raised: Timestamp, countdownEnds: Timestamp, fix: Fix? = nil,
        battery: UInt8? = nil, note: String? = nil, by: PersonID? = nil, late: Bool = false,
        reopened: Bool = false
    ) {
        self.emergency = emergency
        self.person = person
        self.state = state
        self.trigger = trigger
        self.signal = signal
        self.raised = raised
        self.countdownEnds = countdownEnds
        self.fix = fix
        self.battery = battery
        self.note = note
        self.by = by
        self.late = late
        self.reopened = reopened
    }
}

/// Life of a notification; states only move forward.
public enum NotificationState: String, Sendable, Codable, CaseIterable {
    case queued, sending, accepted, delivered, refused, unknown, expired
}

/// A notification changed its state.
public struct NotificationNews: Hashable, Sendable, Codable {
    public var notification: NotificationID
    public var emergency: EmergencyID?
    /// Whom it is about.
    public var person: PersonID
    public var recipient: PersonID
    public var channel: Channel
    public var state: NotificationState
    public var gateway: String
    /// The gateway's last answer in short, without address or text of the message.
    public var answer: String

    public init(
        notification: NotificationID, emergency: EmergencyID?, person: PersonID,
        recipient: PersonID, channel: Channel, state: NotificationState, gateway: String,
        answer: String
    ) {
        self.notification = notification
        self.emergency = emergency
        self.person = person
        self.recipient = recipient
        self.channel = channel
        self.state = state
        self.gateway = gateway
        self.answer = answer
    }
}

/// A step of an emergency's ladder.
public struct LadderNews: Hashable, Sendable, Codable {
    public var emergency: EmergencyID
    public var person: PersonID
    public var circle: CircleID?
    /// From 0.
    public var tier: Int
    /// How often the last tier was repeated.
    public var round: Int
    public var recipients: Int

    public init(
        emergency: EmergencyID, person: PersonID, circle: CircleID?, tier: Int, round: Int,
        recipients: Int
    ) {
        self.emergency = emergency
        self.person = person
        self.circle = circle
        self.tier = tier
        self.round = round
        self.recipients = recipients
    }
}

// Payloads of events that no other file of the model defines.

public struct PersonRemoval: PersonPayload, DirectoryPayload {
    public var person: PersonID
    public init(person: PersonID) { self.person = person }
    public var entity: ID128 { person.raw }
}

public struct DeviceRemoval: DirectoryPayload {
    public var device: DeviceID
    public init(device: DeviceID) { self.device = device }
    public var entity: ID128 { device.raw }
}

public struct CredentialRemoval: DirectoryPayload {
    public var credential: CredentialID
    public init(credential: CredentialID) { self.credential = credential }
    public var entity: ID128 { credential.raw }
}

public struct CircleRemoval: DirectoryPayload {
    public var circle: CircleID
    public init(circle: CircleID) { self.circle = circle }
    public var entity: ID128 { circle.raw }
}

public struct ZoneRemoval: DirectoryPayload {
    public var zone: ZoneID
    public init(zone: ZoneID) { self.zone = zone }
    public var entity: ID128 { zone.raw }
}

public struct ZoneMessageRemoval: DirectoryPayload {
    public var message: MessageID
    public init(message: MessageID) { self.message = message }
    public var entity: ID128 { message.raw }
}

/// Logic version that evaluators use from this record on.
public struct LogicVersion: EventPayload {
    public var version: Int
    public init(version: Int) { self.version = version }
}

/// Change of an emergency, decided by the evaluator.
public struct EmergencyChange: EmergencyPayload {
    public var emergency: EmergencyID
    public var person: PersonID
    public var state: EmergencyState
    /// Trigger of its first signal.
    public var trigger: EmergencyTrigger
    /// The signal that caused this change: the first one, a further one, or the cancelled one.
    public var signal: EmergencyID
    /// When the first signal was raised.
    public var raised: Timestamp
    public var countdownEnds: Timestamp
    /// Last known fix.
    public var fix: Fix?
    public var battery: UInt8?
    public var note: String?
    /// Who acknowledged, resolved or cancelled it; nil = the person or the operator.
    public var by: PersonID?
    /// Whether it was raised long before it arrived, so that messages start with its age
    /// (domain.md §4).
    public var late: Bool
    /// Whether a further signal reopened the escalation.
    public var reopened: Bool
    /// Whether `fix` contradicts the previous fixes and may be wrong.
    public var suspect: Bool
    /// Trigger of `signal`, if that is a further signal; nil = it is not, or unknown.
    public var joinedTrigger: EmergencyTrigger?
    /// When the further signal was raised.
    public var joinedRaised: Timestamp?
    /// The only people to notify because of `signal`, ids ascending; nil = everyone.
    public var recipients: [PersonID]?
    /// Who called on the person's behalf with `signal`; nil = nobody.
    public var raisedBy: PersonID?

    public init(
        emergency: EmergencyID, person: PersonID, state: EmergencyState, trigger: EmergencyTrigger,
        signal: EmergencyID, raised: Timestamp, countdownEnds: Timestamp, fix: Fix? = nil,
        battery: UInt8? = nil, note: String? = nil, by: PersonID? = nil, late: Bool = false,
        reopened: Bool = false, suspect: Bool = false, joinedTrigger: EmergencyTrigger? = nil,
        joinedRaised: Timestamp? = nil, recipients: [PersonID]? = nil, raisedBy: PersonID? = nil
    ) {
        self.raisedBy = raisedBy
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
        self.suspect = suspect
        self.joinedTrigger = joinedTrigger
        self.joinedRaised = joinedRaised
        self.recipients = recipients
    }

    /// Decodes missing fields as their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            emergency: try values.decode(EmergencyID.self, forKey: .emergency),
            person: try values.decode(PersonID.self, forKey: .person),
            state: try values.decode(EmergencyState.self, forKey: .state),
            trigger: try values.decode(EmergencyTrigger.self, forKey: .trigger),
            signal: try values.decode(EmergencyID.self, forKey: .signal),
            raised: try values.decode(Timestamp.self, forKey: .raised),
            countdownEnds: try values.decode(Timestamp.self, forKey: .countdownEnds),
            fix: try values.decodeIfPresent(Fix.self, forKey: .fix),
            battery: try values.decodeIfPresent(UInt8.self, forKey: .battery),
            note: try values.decodeIfPresent(String.self, forKey: .note),
            by: try values.decodeIfPresent(PersonID.self, forKey: .by),
            late: try values.decode(Bool.self, forKey: .late),
            reopened: try values.decode(Bool.self, forKey: .reopened),
            suspect: try values.decode(forKey: .suspect, or: false),
            joinedTrigger: try values.decodeIfPresent(
                EmergencyTrigger.self, forKey: .joinedTrigger),
            joinedRaised: try values.decodeIfPresent(Timestamp.self, forKey: .joinedRaised),
            recipients: try values.decodeIfPresent([PersonID].self, forKey: .recipients),
            raisedBy: try values.decodeIfPresent(PersonID.self, forKey: .raisedBy))
    }
}

/// State of a notification; it only moves forward.
public enum NotificationState: String, Sendable, Codable, CaseIterable {
    case queued, sending, accepted, delivered, rejected, unknown, expired
    /// The built-in sink stored it: nobody was reached.
    case sink
}

/// Change of a notification's state.
public struct NotificationChanged: PersonPayload {
    public var notification: NotificationID
    public var emergency: EmergencyID?
    /// The person it is about.
    public var person: PersonID
    public var recipient: PersonID
    public var channel: Channel
    public var state: NotificationState
    public var gateway: String
    /// Short form of the gateway's last response, without address and text of the message.
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

/// Step of an emergency's escalation.
public struct EscalationChange: PersonPayload {
    public var emergency: EmergencyID
    public var person: PersonID
    public var circle: CircleID?
    /// Index of the tier, from 0.
    public var tier: Int
    /// Number of repetitions of the last tier.
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

// Entities of the directory.

extension Person {
    public var entity: ID128 { id.raw }
    public var concernedPerson: PersonID? { id }
}

extension Credential {
    public var entity: ID128 { id.raw }
    public var concernedPerson: PersonID? { person }
}

extension Device { public var entity: ID128 { id.raw } }
extension Circle { public var entity: ID128 { id.raw } }
extension Zone { public var entity: ID128 { id.raw } }
extension ZoneSet { public var entity: ID128 { id.raw } }
extension ZoneMessage { public var entity: ID128 { id.raw } }

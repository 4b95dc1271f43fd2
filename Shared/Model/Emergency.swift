/// Trigger of an emergency.
public enum EmergencyTrigger: String, Sendable, Codable, CaseIterable {
    case panic, shake, fall, crash
    case noMotion = "no-motion"
    case watchExpired = "watch-expired"
    case lostContact = "lost-contact"
    /// The person sent SOS by SMS.
    case sms
    /// The person pressed the button of their own link.
    case link
    /// The person entered an alert zone that is marked for it.
    case zone
    /// A guardian called for help on the person's behalf.
    case guardian
}

/// `countdown → open → acknowledged → resolved`, or `cancelled`.
public enum EmergencyState: String, Sendable, Codable, CaseIterable {
    case countdown, open, acknowledged, resolved, cancelled

    /// Whether further signals of this person join it.
    public var isActive: Bool { self == .countdown || self == .open || self == .acknowledged }
}

/// Signal that a person is in danger.
public struct EmergencySignal: EmergencyPayload {
    /// BLAKE2b-128 of (trigger, person, client's message id). Becomes the emergency's id if none is
    /// active.
    public var id: EmergencyID
    public var person: PersonID
    public var device: DeviceID?
    public var trigger: EmergencyTrigger
    /// When the phone raised it, by the phone's clock; never later than `received`.
    public var raised: Timestamp
    public var received: Timestamp
    /// When the countdown expires; equal to `received` if there is none.
    public var countdownEnds: Timestamp
    /// The last known fix, of the signal itself or before it.
    public var fix: Fix?
    public var battery: UInt8?
    /// Note of a watch, or text of the sender.
    public var note: String?
    /// The only people to notify, ids ascending; nil = everyone.
    public var recipients: [PersonID]?
    /// Who called on the person's behalf; nil = nobody.
    public var raisedBy: PersonID?
    /// Newest sign of life after `raised` when a late signal was received; nil = none.
    public var signOfLife: Timestamp?
    public var trace: String
    /// The emergency that the person cancelled or ended with a duress PIN; nil = none.
    ///
    /// Such a signal opens an emergency at once that its person never sees. It never joins another
    /// one, and no evaluator handles it.
    public var underDuress: EmergencyID?
    public var emergency: EmergencyID { id }

    public init(
        id: EmergencyID, person: PersonID, device: DeviceID? = nil, trigger: EmergencyTrigger,
        raised: Timestamp, received: Timestamp, countdownEnds: Timestamp, fix: Fix? = nil,
        battery: UInt8? = nil, note: String? = nil, recipients: [PersonID]? = nil,
        raisedBy: PersonID? = nil, signOfLife: Timestamp? = nil, trace: String = "",
        underDuress: EmergencyID? = nil
    ) {
        self.underDuress = underDuress
        self.raisedBy = raisedBy
        self.signOfLife = signOfLife
        self.id = id
        self.person = person
        self.device = device
        self.trigger = trigger
        self.raised = raised
        self.received = received
        self.countdownEnds = countdownEnds
        self.fix = fix
        self.battery = battery
        self.note = note
        self.recipients = recipients
        self.trace = trace
    }
}

/// Last position of a person, for an emergency that a deadline raised without a position: an
/// expired watch or a lost contact.
///
/// It opens no emergency. The notifier's fallback, which runs without an evaluator, reads the
/// position from it.
public struct EmergencyPlace: PersonPayload {
    /// Id of the signal.
    public var emergency: EmergencyID
    public var person: PersonID
    public var fix: Fix
    public var battery: UInt8?
    public var trace: String

    public init(
        emergency: EmergencyID, person: PersonID, fix: Fix, battery: UInt8? = nil,
        trace: String = ""
    ) {
        self.emergency = emergency
        self.person = person
        self.fix = fix
        self.battery = battery
        self.trace = trace
    }
}

/// The person, or somebody for them, cancels a signal.
public struct EmergencyCancel: EmergencyPayload {
    public var id: EventID
    public var person: PersonID
    public var emergency: EmergencyID
    public var received: Timestamp
    public var trace: String
    /// Whether it ends an open emergency, too; nil = only one in countdown.
    public var endsOpen: Bool?

    public init(
        id: EventID, person: PersonID, emergency: EmergencyID, received: Timestamp,
        trace: String = "", endsOpen: Bool? = nil
    ) {
        self.endsOpen = endsOpen
        self.id = id
        self.person = person
        self.emergency = emergency
        self.received = received
        self.trace = trace
    }
}

/// A person acknowledges or resolves an emergency.
public struct EmergencyAnswer: EmergencyPayload {
    public var emergency: EmergencyID
    /// The person in danger.
    public var person: PersonID
    /// The responder; nil = the operator.
    public var by: PersonID?
    public var at: Timestamp
    public var note: String?
    public var trace: String
    /// For a resolution, the signals that it covers: those known when it was given. Empty if
    /// unknown.
    public var signals: [EmergencyID]

    public init(
        emergency: EmergencyID, person: PersonID, by: PersonID?, at: Timestamp,
        note: String? = nil, trace: String = "", signals: [EmergencyID] = []
    ) {
        self.emergency = emergency
        self.person = person
        self.by = by
        self.at = at
        self.note = note
        self.trace = trace
        self.signals = signals
    }

    /// Decodes missing `signals` as empty.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        emergency = try values.decode(EmergencyID.self, forKey: .emergency)
        person = try values.decode(PersonID.self, forKey: .person)
        by = try values.decodeIfPresent(PersonID.self, forKey: .by)
        at = try values.decode(Timestamp.self, forKey: .at)
        note = try values.decodeIfPresent(String.self, forKey: .note)
        trace = try values.decode(String.self, forKey: .trace)
        signals = try values.decodeIfPresent([EmergencyID].self, forKey: .signals) ?? []
    }
}

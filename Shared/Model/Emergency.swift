/// Trigger of an emergency.
public enum EmergencyTrigger: String, Sendable, Codable, CaseIterable {
    case panic, shake, fall, crash
    case noMotion = "no-motion"
    case watchExpired = "watch-expired"
    case lostContact = "lost-contact"
    /// The person sent SOS by SMS.
    case sms

    /// Whether the person in danger raised it deliberately.
    ///
    /// Such an emergency shares the exact position with its recipients until it ends, regardless of
    /// the person's sharing settings. All other triggers are automatic and respect the settings.
    /// Every service decides by this property alone.
    public var isOwnCall: Bool {
        switch self {
        case .panic, .shake, .sms: true
        case .fall, .crash, .noMotion, .watchExpired, .lostContact: false
        }
    }
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
    public var trace: String
    public var emergency: EmergencyID { id }

    public init(
        id: EmergencyID, person: PersonID, device: DeviceID? = nil, trigger: EmergencyTrigger,
        raised: Timestamp, received: Timestamp, countdownEnds: Timestamp, fix: Fix? = nil,
        battery: UInt8? = nil, note: String? = nil, trace: String = ""
    ) {
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

    public init(
        id: EventID, person: PersonID, emergency: EmergencyID, received: Timestamp,
        trace: String = ""
    ) {
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

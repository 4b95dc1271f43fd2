/// What raised an emergency.
public enum EmergencyTrigger: String, Sendable, Codable, CaseIterable {
    case panic, shake, fall, crash
    case noMotion = "no-motion"
    case watchExpired = "watch-expired"
    case lostContact = "lost-contact"
    /// The person wrote SOS.
    case sms

    /// Whether this is the person's own call: a human act of the person in danger.
    ///
    /// The own call shares the exact position with the recipients until the emergency ends,
    /// whatever the person shares otherwise. Everything else is automatic or by others and shares
    /// it only as sharing allows. Every service decides by this property alone.
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

    /// Whether a further trigger of this person joins it.
    public var isActive: Bool { self == .countdown || self == .open || self == .acknowledged }
}

/// Somebody or something says that a person is in danger.
public struct EmergencySignal: Hashable, Sendable, Codable {
    /// BLAKE2b-128 of (trigger, person, client's message id); becomes the emergency's id if none
    /// is active.
    public var id: EmergencyID
    public var person: PersonID
    public var device: DeviceID?
    public var trigger: EmergencyTrigger
    /// When the phone raised it, as it says; never later than `received`.
    public var raised: Timestamp
    public var received: Timestamp
    /// When the countdown runs out; equal to `received` for none.
    public var countdownEnds: Timestamp
    /// The last fix known, of the signal itself or before it.
    public var fix: Fix?
    public var battery: UInt8?
    /// Note of a watch, or words of whoever raised it.
    public var note: String?
    public var trace: String

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

/// Where somebody was last, for an emergency that a deadline raises without saying so: a watch that
/// expired, or contact that is lost.
///
/// It opens nothing. Whoever notifies without an evaluator has the place from it.
public struct EmergencyPlace: Hashable, Sendable, Codable {
    /// That of the signal.
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

/// A person (or somebody for them) takes a signal back.
public struct EmergencyCancel: Hashable, Sendable, Codable {
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

/// A human answers an emergency, or ends it.
public struct EmergencyAnswer: Hashable, Sendable, Codable {
    public var emergency: EmergencyID
    /// The person in danger.
    public var person: PersonID
    /// Who answered; nil = the operator.
    public var by: PersonID?
    public var at: Timestamp
    public var note: String?
    public var trace: String
    /// The signals of which an end speaks: those known to it when it was given. Empty where it
    /// does not tell.
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

    /// Records without `signals` are read as such that do not tell.
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

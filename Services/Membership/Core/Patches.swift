import Model

// Fields that a request sets. Nil = not given: the field keeps its value, or gets its default in a
// new entity.

public struct PersonPatch: Hashable, Sendable {
    public var name: String?
    public var locale: String?
    public var timeZone: String?
    /// The whole list. The ids are used for new contact points only.
    public var contacts: [ContactPoint]?
    public var plan: Plan?
    public var billing: BillingSource?
    public var affiliation: Affiliation?
    public var signIn: SignInKind?
    /// `.some(nil)` = none: the first device that reports becomes primary.
    public var primaryDevice: DeviceID??

    public init() {}

    /// Whether the patch has fields that only the operator may change.
    var hasAccountFields: Bool {
        plan != nil || billing != nil || affiliation != nil || signIn != nil
    }

    var hasProfileFields: Bool {
        name != nil || locale != nil || timeZone != nil || primaryDevice != nil
    }

    func apply(to person: inout Person) {
        if let name { person.name = name }
        if let locale { person.locale = locale }
        if let timeZone { person.timeZone = timeZone }
        if let contacts { person.contacts = contacts.keepingIDs(of: person.contacts) }
        if let plan { person.plan = plan }
        if let billing { person.billing = billing }
        if let affiliation { person.affiliation = affiliation }
        if let signIn { person.signIn = signIn }
        if let primaryDevice { person.primaryDevice = primaryDevice }
    }
}

extension [ContactPoint] {
    /// Keeps the id of every contact point whose channel and address stay the same, so that its
    /// delivery history still applies.
    fileprivate func keepingIDs(of old: [ContactPoint]) -> [ContactPoint] {
        map { contact in
            var contact = contact
            let same = old.first {
                $0.channel == contact.channel && $0.address == contact.address
            }
            if let same { contact.id = same.id }
            return contact
        }
    }
}

public struct DevicePatch: Hashable, Sendable {
    public var name: String?
    public var platform: Platform?
    public var client: String?

    public init() {}

    func apply(to device: inout Device) {
        if let name { device.name = name }
        if let platform { device.platform = platform }
        if let client { device.client = client }
    }
}

public struct CirclePatch: Hashable, Sendable {
    public var name: String?
    public var membersSeePositions: Bool?
    public var guardiansEditZones: Bool?
    /// 0 = as long as each member's plan allows.
    public var historyDays: Int?
    public var escalation: [EscalationTier]?

    public init() {}

    var hasSettings: Bool {
        name != nil || membersSeePositions != nil || guardiansEditZones != nil
    }

    func apply(to circle: inout Circle) {
        if let name { circle.name = name }
        if let membersSeePositions { circle.membersSeePositions = membersSeePositions }
        if let guardiansEditZones { circle.guardiansEditZones = guardiansEditZones }
        if let historyDays { circle.historyDays = historyDays == 0 ? nil : historyDays }
        if let escalation { circle.escalation = escalation }
    }
}

public struct MemberPatch: Hashable, Sendable {
    public var role: Role?
    public var sharing: Sharing?
    public var precision: Precision?
    /// True if the invited person accepts.
    public var accepted: Bool?

    public init() {}
}

/// Fields of a message that a request sets.
public struct MessagePatch: Hashable, Sendable {
    public var senderName: String?
    public var recipientName: String?
    public var number: String?
    public var line: String?
    public var mode: ZoneMessage.Mode?

    public init() {}

    func apply(to message: inout ZoneMessage) {
        if let senderName { message.senderName = senderName }
        if let recipientName { message.recipientName = recipientName }
        if let number { message.number = number }
        if let line { message.line = line }
        if let mode { message.mode = mode }
    }
}

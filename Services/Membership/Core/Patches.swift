import Model

// What a caller gives of a thing. Nil: not given, so it keeps its value, or gets the default when
// the thing is new.

public struct PersonPatch: Hashable, Sendable {
    public var name: String?
    public var locale: String?
    public var timeZone: String?
    /// All of them; the ids are for those that are new.
    public var contacts: [ContactPoint]?
    public var plan: Plan?
    public var billing: BillingSource?
    public var affiliation: Affiliation?
    public var signIn: SignInKind?
    /// `.some(nil)`: the first device that reports leads.
    public var leadingDevice: DeviceID??

    public init() {}

    /// Only the operator decides about these.
    var hasAccountFields: Bool {
        plan != nil || billing != nil || affiliation != nil || signIn != nil
    }

    var hasProfileFields: Bool {
        name != nil || locale != nil || timeZone != nil || leadingDevice != nil
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
        if let leadingDevice { person.leadingDevice = leadingDevice }
    }
}

extension [ContactPoint] {
    /// A contact point that stays the same address keeps its id, so that what was said of it holds.
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
    /// 0: as far as each one's plan keeps.
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
    /// The invited person says yes.
    public var accepted: Bool?

    public init() {}
}

/// What a caller gives of a message.
public struct MessagePatch: Hashable, Sendable {
    public var ownMoniker: String?
    public var toMoniker: String?
    public var number: String?
    public var line: String?
    public var mode: ZoneMessage.Mode?

    public init() {}

    func apply(to message: inout ZoneMessage) {
        if let ownMoniker { message.ownMoniker = ownMoniker }
        if let toMoniker { message.toMoniker = toMoniker }
        if let number { message.number = number }
        if let line { message.line = line }
        if let mode { message.mode = mode }
    }
}

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
    public var escalation: [EscalationTier]?

    public init() {}

    var hasSettings: Bool {
        name != nil || membersSeePositions != nil || guardiansEditZones != nil
    }

    func apply(to circle: inout Circle) {
        if let name { circle.name = name }
        if let membersSeePositions { circle.membersSeePositions = membersSeePositions }
        if let guardiansEditZones { circle.guardiansEditZones = guardiansEditZones }
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

public struct ZonePatch: Hashable, Sendable {
    /// A shape as it was drawn, and made ready.
    public struct Drawing: Hashable, Sendable {
        public var shape: ZoneShape
        public var prepared: PreparedGeometry

        public init(shape: ZoneShape, prepared: PreparedGeometry) {
            self.shape = shape
            self.prepared = prepared
        }
    }

    public var name: String?
    public var kind: ZoneKind?
    public var category: String?
    public var active: Bool?
    public var priority: Int?
    public var drawing: Drawing?
    public var hysteresisMetres: Int?
    public var transitions: [Transition]?

    public init() {}

    func apply(to zone: inout Zone) {
        if let name { zone.name = name }
        if let kind { zone.kind = kind }
        if let category { zone.category = category }
        if let active { zone.active = active }
        if let priority { zone.priority = priority }
        if let drawing {
            zone.shape = drawing.shape
            zone.prepared = drawing.prepared
        }
        if let hysteresisMetres { zone.hysteresisMetres = hysteresisMetres }
        if let transitions { zone.transitions = transitions }
    }
}

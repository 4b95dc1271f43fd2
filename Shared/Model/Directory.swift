// What membership owns and everybody else keeps a replica of.

/// Where a person can be told something.
public struct ContactPoint: Hashable, Sendable, Codable {
    public var id: ContactID
    public var channel: Channel
    /// E.164 for `sms`, an address for `email`, an endpoint for `push`.
    public var address: String
    /// Order of preference, lowest first.
    public var rank: Int

    public init(id: ContactID, channel: Channel, address: String, rank: Int = 0) {
        self.id = id
        self.channel = channel
        self.address = address
        self.rank = rank
    }
}

/// A way out to a person.
public enum Channel: String, Sendable, Codable, CaseIterable { case sms, email, push }

public enum Plan: String, Sendable, Codable, CaseIterable { case trial, paid, lapsed }
public enum BillingSource: String, Sendable, Codable, CaseIterable { case `operator`, store }
public enum Affiliation: String, Sendable, Codable, CaseIterable { case subscriber, none }
public enum SignInKind: String, Sendable, Codable, CaseIterable { case sso, code }
public enum Platform: String, Sendable, Codable, CaseIterable { case ios, android, other }

/// Somebody with an account.
public struct Person: Hashable, Sendable, Codable {
    public var id: PersonID
    public var name: String
    /// BCP 47, such as `en`, `ms`, `id`.
    public var locale: String
    /// IANA name, such as `Asia/Kuala_Lumpur`.
    public var timeZone: String
    public var contacts: [ContactPoint]
    public var plan: Plan
    public var billing: BillingSource
    public var affiliation: Affiliation
    public var signIn: SignInKind
    /// The device chosen to lead; nil = the first that reported.
    public var leadingDevice: DeviceID?
    /// Zones by which the person does not want to be judged; ascending.
    public var refusedZones: [ZoneID]
    /// Grows by one with every change; the ETag.
    public var version: Int64

    public init(
        id: PersonID, name: String, locale: String = "en", timeZone: String = "UTC",
        contacts: [ContactPoint] = [], plan: Plan = .trial, billing: BillingSource = .operator,
        affiliation: Affiliation = .none, signIn: SignInKind = .code,
        leadingDevice: DeviceID? = nil, refusedZones: [ZoneID] = [], version: Int64 = 1
    ) {
        self.id = id
        self.name = name
        self.locale = locale
        self.timeZone = timeZone
        self.contacts = contacts
        self.plan = plan
        self.billing = billing
        self.affiliation = affiliation
        self.signIn = signIn
        self.leadingDevice = leadingDevice
        self.refusedZones = refusedZones
        self.version = version
    }

    /// What a record does not say is as if it had never been set.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(PersonID.self, forKey: .id),
            name: try values.decode(String.self, forKey: .name),
            locale: try values.decode(String.self, forKey: .locale),
            timeZone: try values.decode(String.self, forKey: .timeZone),
            contacts: try values.decode([ContactPoint].self, forKey: .contacts),
            plan: try values.decode(Plan.self, forKey: .plan),
            billing: try values.decode(BillingSource.self, forKey: .billing),
            affiliation: try values.decode(Affiliation.self, forKey: .affiliation),
            signIn: try values.decode(SignInKind.self, forKey: .signIn),
            leadingDevice: try values.decodeIfPresent(DeviceID.self, forKey: .leadingDevice),
            refusedZones: try values.decode(forKey: .refusedZones, or: []),
            version: try values.decode(Int64.self, forKey: .version))
    }
}

/// One phone of a person.
public struct Device: Hashable, Sendable, Codable {
    public var id: DeviceID
    public var person: PersonID
    public var name: String
    public var platform: Platform
    /// Client app as told, such as `owntracks`.
    public var client: String
    public var version: Int64

    public init(
        id: DeviceID, person: PersonID, name: String, platform: Platform = .other,
        client: String = "", version: Int64 = 1
    ) {
        self.id = id
        self.person = person
        self.name = name
        self.platform = platform
        self.client = client
        self.version = version
    }
}

/// Who a credential speaks for.
public enum Principal: Hashable, Sendable {
    /// Runs the suite.
    case `operator`
    case person(PersonID)
    case device(DeviceID, of: PersonID)

    /// The person who acts; nil for the operator.
    public var person: PersonID? {
        switch self {
        case .operator: nil
        case .person(let person), .device(_, of: let person): person
        }
    }
}

/// What a credential is good for where it does not speak for anybody.
public enum CredentialScope: String, Sendable, Codable {
    /// Following events with everything private masked, and nothing else.
    case monitor
}

/// A secret of 256 random bits, known here by its SHA-256 only. No device and no person: operator,
/// unless a scope says less.
public struct Credential: Hashable, Sendable, Codable {
    public var id: CredentialID
    /// 64 lower-case hexadecimal digits of SHA-256 over the secret's text.
    public var hash: String
    public var person: PersonID?
    public var device: DeviceID?
    public var scope: CredentialScope?
    public var created: Timestamp

    public init(
        id: CredentialID, hash: String, person: PersonID? = nil, device: DeviceID? = nil,
        scope: CredentialScope? = nil, created: Timestamp
    ) {
        self.id = id
        self.hash = hash
        self.person = person
        self.device = device
        self.scope = scope
        self.created = created
    }

    /// Nil where a scope says that it speaks for nobody.
    public var principal: Principal? {
        guard scope == nil else { return nil }
        return switch (person, device) {
        case (let person?, let device?): .device(device, of: person)
        case (let person?, nil): .person(person)
        default: .operator
        }
    }
}

public enum Role: String, Sendable, Codable, CaseIterable { case admin, guardian, member }
public enum Precision: String, Sendable, Codable, CaseIterable { case exact, zone }
public enum Sharing: Hashable, Sendable, Codable {
    case on
    case pausedUntil(Timestamp)
    case off
}

/// A person in a circle.
public struct Membership: Hashable, Sendable, Codable {
    public var person: PersonID
    public var role: Role
    /// Nil while the invitation waits for its answer: such a member sees and is told nothing.
    public var joined: Timestamp?
    public var sharing: Sharing
    public var precision: Precision
    /// Two characters, unique in the circle: OwnTracks keys a friend by it.
    public var trackerID: String

    public init(
        person: PersonID, role: Role, joined: Timestamp?, sharing: Sharing = .on,
        precision: Precision = .exact, trackerID: String
    ) {
        self.person = person
        self.role = role
        self.joined = joined
        self.sharing = sharing
        self.precision = precision
        self.trackerID = trackerID
    }
}

/// One step of a ladder: who is told on which channels before the next step is taken.
public struct EscalationTier: Hashable, Sendable, Codable {
    /// Members with these roles …
    public var roles: [Role]
    /// … and these people.
    public var people: [PersonID]
    public var channels: [Channel]
    /// Wait for an acknowledgement, in seconds, counted from the decision.
    public var waitSeconds: Int

    public init(
        roles: [Role], people: [PersonID] = [], channels: [Channel] = [.sms, .email, .push],
        waitSeconds: Int = 120
    ) {
        self.roles = roles
        self.people = people
        self.channels = channels
        self.waitSeconds = waitSeconds
    }
}

/// People who watch over each other.
public struct Circle: Hashable, Sendable, Codable {
    public var id: CircleID
    public var name: String
    public var members: [Membership]
    /// Empty: guardians, then admins, then all members, 120 s each.
    public var escalation: [EscalationTier]
    public var membersSeePositions: Bool
    public var guardiansEditZones: Bool
    /// Sets of zones that judge its members; ascending.
    public var sets: [ZoneSetID]
    /// How far back its members see each other; nil = as far as each one's plan keeps.
    public var historyDays: Int?
    public var version: Int64

    public init(
        id: CircleID, name: String, members: [Membership] = [], escalation: [EscalationTier] = [],
        membersSeePositions: Bool = true, guardiansEditZones: Bool = true, sets: [ZoneSetID] = [],
        historyDays: Int? = nil, version: Int64 = 1
    ) {
        self.id = id
        self.name = name
        self.members = members
        self.escalation = escalation
        self.membersSeePositions = membersSeePositions
        self.guardiansEditZones = guardiansEditZones
        self.sets = sets
        self.historyDays = historyDays
        self.version = version
    }

    /// What a record does not say is as if it had never been set.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(CircleID.self, forKey: .id),
            name: try values.decode(String.self, forKey: .name),
            members: try values.decode([Membership].self, forKey: .members),
            escalation: try values.decode([EscalationTier].self, forKey: .escalation),
            membersSeePositions: try values.decode(Bool.self, forKey: .membersSeePositions),
            guardiansEditZones: try values.decode(Bool.self, forKey: .guardiansEditZones),
            sets: try values.decode(forKey: .sets, or: []),
            historyDays: try values.decodeIfPresent(Int.self, forKey: .historyDays),
            version: try values.decode(Int64.self, forKey: .version))
    }

    /// The membership of a person who has joined.
    public func member(_ person: PersonID) -> Membership? {
        members.first { $0.person == person && $0.joined != nil }
    }
}

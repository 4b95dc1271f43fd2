// The directory: owned by membership, replicated by all other services.

/// Address at which a person can be notified.
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

public enum Plan: String, Sendable, Codable, CaseIterable { case trial, paid, lapsed }
public enum BillingSource: String, Sendable, Codable, CaseIterable { case `operator`, store }
public enum Affiliation: String, Sendable, Codable, CaseIterable { case subscriber, none }
public enum SignInKind: String, Sendable, Codable, CaseIterable { case sso, code }
public enum Platform: String, Sendable, Codable, CaseIterable { case ios, android, other }

/// Person with an account.
public struct Person: DirectoryPayload {
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
    /// The chosen primary device; nil = the first device that reported.
    public var primaryDevice: DeviceID?
    /// Zones that the person opted out of; ascending.
    public var zoneOptOuts: [ZoneID]
    /// Incremented with every change; used as ETag.
    public var version: Int64

    public init(
        id: PersonID, name: String, locale: String = "en", timeZone: String = "UTC",
        contacts: [ContactPoint] = [], plan: Plan = .trial, billing: BillingSource = .operator,
        affiliation: Affiliation = .none, signIn: SignInKind = .code,
        primaryDevice: DeviceID? = nil, zoneOptOuts: [ZoneID] = [], version: Int64 = 1
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
        self.primaryDevice = primaryDevice
        self.zoneOptOuts = zoneOptOuts
        self.version = version
    }

    /// Decodes missing fields as their defaults.
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
            primaryDevice: try values.decodeIfPresent(DeviceID.self, forKey: .primaryDevice),
            zoneOptOuts: try values.decode(forKey: .zoneOptOuts, or: []),
            version: try values.decode(Int64.self, forKey: .version))
    }
}

/// Phone of a person.
public struct Device: PersonPayload, DirectoryPayload {
    public var id: DeviceID
    public var person: PersonID
    public var name: String
    public var platform: Platform
    /// Name of the client app, such as `owntracks`.
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

/// Identity that a credential authenticates.
public enum Principal: Hashable, Sendable {
    /// Operator of the suite.
    case `operator`
    case person(PersonID)
    case device(DeviceID, of: PersonID)

    /// The person; nil for the operator.
    public var person: PersonID? {
        switch self {
        case .operator: nil
        case .person(let person), .device(_, of: let person): person
        }
    }
}

/// Scope of a credential without a principal.
public enum CredentialScope: String, Sendable, Codable {
    /// May follow events with private data masked, and read the masked status.
    case monitor
}

/// Credential: a secret of 256 random bits, of which only the SHA-256 is stored.
///
/// Without person, device and scope it belongs to the operator.
public struct Credential: DirectoryPayload {
    public var id: CredentialID
    /// SHA-256 of the secret's text, as 64 lower-case hexadecimal digits.
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

    /// The principal; nil if the credential has a scope instead.
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

/// Membership of a person in a circle.
public struct Membership: Hashable, Sendable, Codable {
    public var person: PersonID
    public var role: Role
    /// Nil while the invitation is open; such a member sees nothing and is not notified.
    public var joined: Timestamp?
    public var sharing: Sharing
    public var precision: Precision
    /// Two characters, unique in the circle, by which OwnTracks identifies a friend.
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

/// Tier of an escalation: recipients, channels, and the wait before the next tier.
public struct EscalationTier: Hashable, Sendable, Codable {
    /// Recipients by role …
    public var roles: [Role]
    /// … and by person.
    public var people: [PersonID]
    public var channels: [Channel]
    /// How long to wait for an acknowledgement before the next tier, seconds.
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

/// Circle of people who watch over each other.
public struct Circle: DirectoryPayload {
    public var id: CircleID
    public var name: String
    public var members: [Membership]
    /// Empty = guardians, then admins, then all members, 120 s each.
    public var escalation: [EscalationTier]
    public var membersSeePositions: Bool
    public var guardiansEditZones: Bool
    /// Subscribed sets, whose zones apply to its members; ascending.
    public var sets: [ZoneSetID]
    /// How many days of history its members see of each other; nil = as many as each plan stores.
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

    /// Decodes missing fields as their defaults.
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

    /// Returns the membership of a person who has joined.
    public func member(_ person: PersonID) -> Membership? {
        members.first { $0.person == person && $0.joined != nil }
    }
}

// The directory: owned by membership, replicated by all other services.

/// Address at which a person can be notified.
public struct ContactPoint: Hashable, Sendable, Codable {
    public var id: ContactID
    public var channel: Channel
    /// E.164 for `sms`, an address for `email`, an endpoint for `push`.
    public var address: String
    /// Order of preference, lowest first.
    public var rank: Int
    /// Chosen by its person, such as "work"; may be empty.
    public var label: String
    /// When it was shown that it is the person's; nil = not yet.
    public var verified: Timestamp?
    /// Whether only the operator vouches for that: the person entered no code yet.
    public var vouched: Bool

    public init(
        id: ContactID, channel: Channel, address: String, rank: Int = 0, label: String = "",
        verified: Timestamp? = nil, vouched: Bool = false
    ) {
        self.id = id
        self.channel = channel
        self.address = address
        self.rank = rank
        self.label = label
        self.verified = verified
        self.vouched = vouched
    }

    /// Decodes missing fields as their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(ContactID.self, forKey: .id),
            channel: try values.decode(Channel.self, forKey: .channel),
            address: try values.decode(String.self, forKey: .address),
            rank: try values.decode(Int.self, forKey: .rank),
            label: try values.decode(forKey: .label, or: ""),
            verified: try values.decodeIfPresent(Timestamp.self, forKey: .verified),
            vouched: try values.decode(forKey: .vouched, or: false))
    }
}

public enum Plan: String, Sendable, Codable, CaseIterable { case trial, paid, lapsed }
public enum BillingSource: String, Sendable, Codable, CaseIterable { case `operator`, store }
public enum Affiliation: String, Sendable, Codable, CaseIterable { case subscriber, none }
public enum SignInKind: String, Sendable, Codable, CaseIterable { case sso, code }
/// What a person may do as staff, beside their own account.
public enum StaffRole: String, Sendable, Codable, CaseIterable {
    /// Duty officer: incidents of all circles, no configuration.
    case officer
    /// Everything that the operator may do.
    case `operator`
}
public enum Platform: String, Sendable, Codable, CaseIterable { case ios, android, other }

/// A person's consent that others may learn when they are in a zone.
public struct ZoneAcceptance: Hashable, Sendable, Codable {
    public var zone: ZoneID
    /// Covers the shape as drawn at this time, not later ones.
    public var at: Timestamp

    public init(zone: ZoneID, at: Timestamp) {
        self.zone = zone
        self.at = at
    }
}

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
    /// When a trial lapses; nil = not decided yet, or no trial.
    public var trialEnds: Timestamp?
    public var billing: BillingSource
    public var affiliation: Affiliation
    public var signIn: SignInKind
    /// Nil = not staff.
    public var staff: StaffRole?
    /// The guardians who act for the person, ascending; empty = the person is not a ward.
    public var guardians: [PersonID]
    /// When a ward takes over the account; nil = not set, or not a ward.
    public var wardUntil: Timestamp?
    /// The chosen primary device; nil = the first device that reported.
    public var primaryDevice: DeviceID?
    /// Zones that the person opted out of; ascending.
    public var zoneOptOuts: [ZoneID]
    /// Zones that the person accepted after joining; ascending by zone.
    public var zoneAcceptances: [ZoneAcceptance]
    /// Incremented with every change; used as ETag.
    public var version: Int64

    public init(
        id: PersonID, name: String, locale: String = "en", timeZone: String = "UTC",
        contacts: [ContactPoint] = [], plan: Plan = .trial, trialEnds: Timestamp? = nil,
        billing: BillingSource = .operator, affiliation: Affiliation = .subscriber,
        signIn: SignInKind = .code, staff: StaffRole? = nil, guardians: [PersonID] = [],
        wardUntil: Timestamp? = nil,
        primaryDevice: DeviceID? = nil, zoneOptOuts: [ZoneID] = [],
        zoneAcceptances: [ZoneAcceptance] = [], version: Int64 = 1
    ) {
        self.id = id
        self.name = name
        self.locale = locale
        self.timeZone = timeZone
        self.contacts = contacts
        self.plan = plan
        self.trialEnds = trialEnds
        self.billing = billing
        self.affiliation = affiliation
        self.signIn = signIn
        self.staff = staff
        self.guardians = guardians
        self.wardUntil = wardUntil
        self.primaryDevice = primaryDevice
        self.zoneOptOuts = zoneOptOuts
        self.zoneAcceptances = zoneAcceptances
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
            trialEnds: try values.decodeIfPresent(Timestamp.self, forKey: .trialEnds),
            billing: try values.decode(BillingSource.self, forKey: .billing),
            affiliation: try values.decode(Affiliation.self, forKey: .affiliation),
            signIn: try values.decode(SignInKind.self, forKey: .signIn),
            staff: try values.decodeIfPresent(StaffRole.self, forKey: .staff),
            guardians: try values.decode(forKey: .guardians, or: []),
            wardUntil: try values.decodeIfPresent(Timestamp.self, forKey: .wardUntil),
            primaryDevice: try values.decodeIfPresent(DeviceID.self, forKey: .primaryDevice),
            zoneOptOuts: try values.decode(forKey: .zoneOptOuts, or: []),
            zoneAcceptances: try values.decode(forKey: .zoneAcceptances, or: []),
            version: try values.decode(Int64.self, forKey: .version))
    }
}

extension Person {
    /// Whether guardians act for the person. A ward takes over when the date passes, even if
    /// nothing recorded it yet.
    public func isWard(at now: Timestamp) -> Bool {
        !guardians.isEmpty && wardUntil.map { now < $0 } ?? true
    }

    /// Whether another person is a guardian of this ward.
    public func isWard(of guardian: PersonID, at now: Timestamp) -> Bool {
        isWard(at: now) && guardians.contains(guardian)
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

/// What a credential may be used for, before any right is checked.
public enum CredentialKind: String, Sendable, Codable, CaseIterable {
    /// Of a phone: reports, emergencies, alarm answers and the reporting policy of its person.
    case report
    /// Of a phone beside an expired session: raises an emergency, nothing else.
    case help
    /// Of a browser, as a cookie: everything that its person may do.
    case session
    /// Of a script: everything that its person may do.
    case person
    /// Follows events with private data masked, and reads the masked status.
    case monitor
    case `operator`

    /// Whether it does everything that its person may do.
    public var isWholePerson: Bool {
        switch self {
        case .session, .person: true
        case .report, .help, .monitor, .operator: false
        }
    }
}

/// Credential: a secret of 256 random bits, of which only the SHA-256 is stored.
public struct Credential: DirectoryPayload {
    public var id: CredentialID
    /// SHA-256 of the secret's text, as 64 lower-case hexadecimal digits.
    public var hash: String
    public var kind: CredentialKind
    public var person: PersonID?
    public var device: DeviceID?
    /// Chosen by its person, such as "backup script"; may be empty.
    public var name: String
    public var created: Timestamp
    /// When it stops to be valid; nil = when it is revoked.
    public var expires: Timestamp?

    /// - Parameter kind: nil = `report` for a device, `person` for a person, otherwise `operator`
    public init(
        id: CredentialID, hash: String, kind: CredentialKind? = nil, person: PersonID? = nil,
        device: DeviceID? = nil, name: String = "", created: Timestamp, expires: Timestamp? = nil
    ) {
        self.id = id
        self.hash = hash
        self.kind = kind ?? (device != nil ? .report : person != nil ? .person : .operator)
        self.person = person
        self.device = device
        self.name = name
        self.created = created
        self.expires = expires
    }

    /// Decodes missing fields as their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(CredentialID.self, forKey: .id),
            hash: try values.decode(String.self, forKey: .hash),
            kind: try values.decodeIfPresent(CredentialKind.self, forKey: .kind),
            person: try values.decodeIfPresent(PersonID.self, forKey: .person),
            device: try values.decodeIfPresent(DeviceID.self, forKey: .device),
            name: try values.decode(forKey: .name, or: ""),
            created: try values.decode(Timestamp.self, forKey: .created),
            expires: try values.decodeIfPresent(Timestamp.self, forKey: .expires))
    }

    /// The principal; nil for the monitoring token, which has none.
    public var principal: Principal? {
        switch kind {
        case .operator: .operator
        case .monitor: nil
        case .report, .help, .session, .person:
            person.map { person in device.map { .device($0, of: person) } ?? .person(person) }
        }
    }

    /// Whether it is not valid any more.
    public func isExpired(at now: Timestamp) -> Bool { expires.map { $0 <= now } ?? false }
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
    /// Whether the operator or a guardian added the person, who did not accept themselves.
    public var managed: Bool
    /// Whether the person agreed that members see their position, as far as the circle lets them.
    public var membersSee: Bool
    /// The most days of history that the person agreed to; nil = as many as the circle shows.
    public var agreedHistoryDays: Int?
    /// Guardians and admins whose role the person has not agreed to, ascending. They see of the
    /// person what members see.
    public var withheldFrom: [PersonID]
    /// Whether the person agreed to get the test messages of drills.
    public var joinsDrills: Bool

    public init(
        person: PersonID, role: Role, joined: Timestamp?, sharing: Sharing = .on,
        precision: Precision = .exact, trackerID: String, managed: Bool = false,
        membersSee: Bool = true, agreedHistoryDays: Int? = nil, withheldFrom: [PersonID] = [],
        joinsDrills: Bool = false
    ) {
        self.joinsDrills = joinsDrills
        self.person = person
        self.role = role
        self.joined = joined
        self.sharing = sharing
        self.precision = precision
        self.trackerID = trackerID
        self.managed = managed
        self.membersSee = membersSee
        self.agreedHistoryDays = agreedHistoryDays
        self.withheldFrom = withheldFrom
    }

    /// Decodes missing fields as their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            person: try values.decode(PersonID.self, forKey: .person),
            role: try values.decode(Role.self, forKey: .role),
            joined: try values.decodeIfPresent(Timestamp.self, forKey: .joined),
            sharing: try values.decode(Sharing.self, forKey: .sharing),
            precision: try values.decode(Precision.self, forKey: .precision),
            trackerID: try values.decode(String.self, forKey: .trackerID),
            managed: try values.decode(forKey: .managed, or: false),
            membersSee: try values.decode(forKey: .membersSee, or: true),
            agreedHistoryDays: try values.decodeIfPresent(Int.self, forKey: .agreedHistoryDays),
            withheldFrom: try values.decode(forKey: .withheldFrom, or: []),
            joinsDrills: try values.decode(forKey: .joinsDrills, or: false))
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
        roles: [Role], people: [PersonID] = [], channels: [Channel] = Channel.allCases,
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
            // Earlier versions kept open invitations among the members.
            members: try values.decode([Membership].self, forKey: .members)
                .filter { $0.joined != nil },
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

    /// The role that a member has towards another, who may not have agreed to the higher one.
    public func role(of viewer: Membership, over subject: Membership) -> Role {
        subject.withheldFrom.contains(viewer.person) ? .member : viewer.role
    }

    /// Whether members see the position of one of them: as the circle lets them, and as far as the
    /// person agreed.
    public func membersSee(_ subject: Membership) -> Bool {
        membersSeePositions && subject.membersSee
    }

    /// How many days of a person's history members see: as many as the circle shows and the person
    /// agreed to; nil = as many as each plan stores.
    public func historyDays(of subject: Membership) -> Int? {
        guard let agreed = subject.agreedHistoryDays else { return historyDays }
        return min(agreed, historyDays ?? agreed)
    }
}

/// What somebody saw of a person, or did to their account.
public enum AccessKind: String, Sendable, Codable, CaseIterable {
    /// Read before kinds were recorded.
    case unspecified
    /// Last positions of a circle's members.
    case positions
    /// Last positions on the map of a phone.
    case map
    /// Asked the phone for a position.
    case locate
    case journeys
    /// Decisions about zones, with their positions.
    case decisions
    case timeline
    /// Messages about the person.
    case messages
    /// Messages in the built-in sink.
    case outbox
    /// Contact points and messages of an emergency, read by staff.
    case emergency
    case export
    /// Events with positions (`jaga tail --pii`).
    case tail
    /// A payload of a phone that could not be used.
    case quarantine
    /// The account: contact points, devices and credentials.
    case account
    /// Staff changed the account: name, contact points, primary device.
    case accountChange = "account-change"
    /// Staff opened the set-up of a phone, or made or removed a device or a credential.
    case credentials
    /// The page of a live link was shown.
    case liveLink = "live-link"
}

/// Record of an access to a person's data, from a service that keeps no access log.
///
/// Ingest adds it to the access log that the person can read: one row per viewer, hour, kind and
/// reason.
public struct AccessRecord: PersonPayload {
    /// The person whose data was read or changed.
    public var person: PersonID
    /// The reader; nil = the operator.
    public var viewer: PersonID?
    public var at: Timestamp
    public var kind: AccessKind
    /// Why, as staff gave it; nil = no reason was given.
    public var reason: String?
    /// The name of the recipient of a live link, who is no person of the suite; nil = no link.
    public var linkName: String?

    public init(
        person: PersonID, viewer: PersonID?, at: Timestamp, kind: AccessKind = .unspecified,
        reason: String? = nil, linkName: String? = nil
    ) {
        self.linkName = linkName
        self.person = person
        self.viewer = viewer
        self.at = at
        self.kind = kind
        self.reason = reason
    }

    /// Decodes missing fields as their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            person: try values.decode(PersonID.self, forKey: .person),
            viewer: try values.decodeIfPresent(PersonID.self, forKey: .viewer),
            at: try values.decode(Timestamp.self, forKey: .at),
            kind: try values.decode(forKey: .kind, or: .unspecified),
            reason: try values.decodeIfPresent(String.self, forKey: .reason),
            linkName: try values.decodeIfPresent(String.self, forKey: .linkName))
    }
}

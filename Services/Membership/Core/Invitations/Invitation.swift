import Model

/// Invitation to a circle, by a link or to a contact point.
///
/// Anybody with the token can accept it, as long as it is open; one to a contact point only a
/// person who proved that the contact point is theirs. The token is in the link only.
public struct Invitation: Hashable, Sendable, Codable {
    /// Number or address that was invited.
    public struct Contact: Hashable, Sendable, Codable {
        public var channel: Channel
        /// E.164 for `sms`, an address for `email`.
        public var address: String

        public init(channel: Channel, address: String) {
            self.channel = channel
            self.address = address
        }

        /// Identifies the contact point, however it is typed.
        var key: ContactPointKey { VerifiedContacts.key(channel, address) }
    }

    public var id: InvitationID
    public var circle: CircleID
    public var inviter: Actor
    public var role: Role
    /// Nil = anybody with the link.
    public var contact: Contact?
    /// SHA-256 of the token's text, as 64 lower-case hexadecimal digits.
    public var tokenHash: String
    public var created: Timestamp
    public var expires: Timestamp
    /// How many people can accept it.
    public var usesMax: Int
    /// The people who accepted it, in this order.
    public var accepted: [PersonID] = []
    /// How often it was declined.
    public var declined = 0
    /// When it was revoked, or its circle removed.
    public var revoked: Timestamp?
    /// Whether the circle let members see positions when it was created: nobody joins on terms that
    /// they have not read.
    public var membersSee: Bool
    /// The history that the circle showed when it was created, days; nil = as each plan stores.
    public var historyDays: Int?

    /// What can be done with an invitation.
    public enum State: String, Sendable, CaseIterable {
        case open
        /// As many people accepted as it allows.
        case accepted
        /// By the only person who could accept it.
        case declined
        case expired
        case revoked
    }

    public func state(at now: Timestamp) -> State {
        if revoked != nil { return .revoked }
        if accepted.count >= usesMax { return .accepted }
        if declined > 0, usesMax == 1 { return .declined }
        return expires <= now ? .expired : .open
    }
}

/// An invitation that a caller requested.
public struct NewInvitation: Hashable, Sendable {
    public var id: InvitationID
    public var tokenHash: String
    /// Nil = member.
    public var role: Role?
    public var contact: Invitation.Contact?
    /// Nil = after ``Limits/invitationAgeDefault``.
    public var expires: Timestamp?
    /// Nil = one.
    public var usesMax: Int?

    public init(
        id: InvitationID, tokenHash: String, role: Role? = nil,
        contact: Invitation.Contact? = nil, expires: Timestamp? = nil, usesMax: Int? = nil
    ) {
        self.id = id
        self.tokenHash = tokenHash
        self.role = role
        self.contact = contact
        self.expires = expires
        self.usesMax = usesMax
    }
}

/// A change to the stored invitations.
public enum InvitationChange: Hashable, Sendable {
    case save(Invitation)
    case remove(InvitationID)
}

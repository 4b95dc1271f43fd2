import Model

/// What a decision changes or sends beside the directory.
struct Consequences: Sendable {
    var invitations: [InvitationChange] = []
    var consents: [ConsentChange] = []
    var messages: [PersonNotice] = []

    static func + (left: Consequences, right: Consequences) -> Consequences {
        Consequences(
            invitations: left.invitations + right.invitations,
            consents: left.consents + right.consents, messages: left.messages + right.messages)
    }
}

/// Message about an account, to a contact point whose owner need not be known to Jaga.
public struct PersonNotice: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        /// Of the invitation that came with the command; the daemon adds the link.
        case invitation
        /// Somebody asks for the recipient's consent.
        case consent
        /// A ward takes over the account at this time.
        case takeOver(ward: String, Timestamp)
    }

    public var channel: Channel
    /// E.164 for `sms`, an address for `email`.
    public var address: String
    /// On whose behalf it is sent; empty = Jaga itself.
    public var sender: String
    /// BCP 47.
    public var locale: String
    public var content: Content
    public var expires: Timestamp

    public init(
        channel: Channel, address: String, sender: String, locale: String, content: Content,
        expires: Timestamp
    ) {
        self.channel = channel
        self.address = address
        self.sender = sender
        self.locale = locale
        self.content = content
        self.expires = expires
    }
}

extension PersonNotice {
    /// A message to a person's preferred contact point, a confirmed one before others; nil if they
    /// have none.
    init?(
        to person: Person, from sender: String, _ content: Content, expires: Timestamp
    ) {
        let contacts = person.contacts.filter { $0.channel.rules.hasGateways }
        let preferred = contacts.min { left, right in
            (left.verified == nil ? 1 : 0, left.rank, left.id)
                < (right.verified == nil ? 1 : 0, right.rank, right.id)
        }
        guard let preferred else { return nil }
        self.init(
            channel: preferred.channel, address: preferred.address, sender: sender,
            locale: person.locale, content: content, expires: expires)
    }
}

/// Encrypted message that is sent once, to a recipient who need not be known to Jaga.
///
/// Only the notifier can decrypt it, since it contains an address and a code.
public struct SealedMessage: EventPayload {
    /// From when on it is not sent any more.
    public var expires: Timestamp
    /// A ``RequestedMessage`` as JSON, encrypted with the key that membership and notifier share,
    /// in base64.
    public var sealed: String

    public init(expires: Timestamp, sealed: String) {
        self.expires = expires
        self.sealed = sealed
    }
}

/// Content of a ``SealedMessage``.
public struct RequestedMessage: Hashable, Sendable, Codable {
    /// Zone file attached to the message.
    public struct File: Hashable, Sendable, Codable {
        /// File name, such as `School.pad`.
        public var name: String
        public var text: String

        public init(name: String, text: String) {
            self.name = name
            self.text = text
        }
    }

    public enum Content: Hashable, Sendable, Codable {
        /// Code with which the owner of a number agrees to the sender's zone messages.
        case consentCode(String)
        /// Zones of the sender.
        case zones(File)
        /// About the recipient's account. The sender is the site.
        case account(AccountMessage)
        /// About a membership, or being a ward.
        case membership(MembershipNotice)
        /// Nothing: the message is dropped. A sign-in with an unknown contact causes the same work
        /// as one with a known contact.
        case decoy
    }

    public var channel: Channel
    /// E.164 for `sms`, an address for `email`.
    public var address: String
    /// Name of the person who requested it, or of the site, as the text shows it.
    public var sender: String
    /// BCP 47: the language of the text.
    public var locale: String
    public var content: Content

    public init(
        channel: Channel, address: String, sender: String, locale: String, content: Content
    ) {
        self.channel = channel
        self.address = address
        self.sender = sender
        self.locale = locale
        self.content = content
    }
}

/// Content of a message to a person about their own account.
public enum AccountMessage: Hashable, Sendable, Codable {
    case signInCode(String)
    /// Code with which a person proves that the contact point is theirs.
    case contactCode(String)
    /// Asks the person to verify the contact point.
    case contactReminder
    /// The person tests the contact point.
    case contactTest
    /// The contact point was removed from the account, or replaced.
    case contactRemoved
    /// A browser signed in.
    case newSession

    /// Whether it is sent to a number that replied STOP. Codes and warnings about one's own account
    /// are; what may reach a stranger, or could be done without, is not.
    public var overridesOptOut: Bool {
        switch self {
        case .signInCode, .contactRemoved, .newSession: true
        case .contactCode, .contactReminder, .contactTest: false
        }
    }

    /// Whether it contains a secret.
    public var isCode: Bool {
        switch self {
        case .signInCode, .contactCode: true
        case .contactReminder, .contactTest, .contactRemoved, .newSession: false
        }
    }
}

/// What a person is told about joining a circle, or about their account as a ward.
public enum MembershipNotice: Hashable, Sendable, Codable {
    /// The sender invites the recipient, who may be a stranger.
    case invitation(link: String)
    /// The sender asks for the recipient's consent; nil = the suite has no public URL.
    case consent(link: String?)
    /// This ward takes over the account at a time.
    case takeOver(ward: String, Timestamp)
}

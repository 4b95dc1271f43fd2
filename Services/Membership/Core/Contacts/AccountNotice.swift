import Model

/// A message to a person about their account. The daemon adds the site's name and the code.
public struct AccountNotice: Hashable, Sendable {
    public enum Content: Hashable, Sendable, CaseIterable {
        /// With the code that came with the request.
        case signInCode
        /// With the code that came with the command.
        case contactCode
        case contactReminder, contactTest, contactRemoved, newSession
        /// Nothing is sent, but the work is the same as for ``signInCode``.
        case decoy
    }

    public var content: Content
    public var channel: Channel
    /// E.164 or a mail address.
    public var address: String
    /// BCP 47.
    public var locale: String
    public var expires: Timestamp

    init(
        _ content: Content, to channel: Channel, _ address: String, locale: String,
        expires: Timestamp
    ) {
        self.content = content
        self.channel = channel
        self.address = address
        self.locale = locale
        self.expires = expires
    }

    /// A message to a contact point of a person.
    init(_ content: Content, to contact: ContactPoint, of person: Person, at now: Timestamp) {
        let age =
            content == .contactCode ? Limits.accountCodeAgeMax : Limits.accountNoticeAgeMax
        self.init(
            content, to: contact.channel, contact.address, locale: person.locale,
            expires: now + age)
    }
}

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

    public var channel: Channel
    /// E.164 for `sms`, an address for `email`.
    public var address: String
    /// Name of the person who requested it, as the text shows it.
    public var sender: String
    /// BCP 47: the language of the text.
    public var locale: String
    /// Code with which the recipient consents to messages; nil = none.
    public var code: String?
    /// Zones for the recipient; nil = none.
    public var file: File?

    public init(
        channel: Channel, address: String, sender: String, locale: String, code: String? = nil,
        file: File? = nil
    ) {
        self.channel = channel
        self.address = address
        self.sender = sender
        self.locale = locale
        self.code = code
        self.file = file
    }
}

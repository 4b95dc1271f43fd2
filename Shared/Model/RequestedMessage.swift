/// Something to be sent once to somebody who need not be known to Jaga. Only the notifier can read
/// it: it holds an address, and what nobody else is to see.
public struct SealedMessage: Hashable, Sendable, Codable {
    /// Not worth sending from then on.
    public var expires: Timestamp
    /// A ``RequestedMessage`` as JSON, sealed with the key that membership and notifier share, in
    /// base64.
    public var sealed: String

    public init(expires: Timestamp, sealed: String) {
        self.expires = expires
        self.sealed = sealed
    }
}

/// What is in a ``SealedMessage``.
public struct RequestedMessage: Hashable, Sendable, Codable {
    /// A file of zones.
    public struct File: Hashable, Sendable, Codable {
        /// Such as `School.pad`.
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
    /// Who asked for it; the text names them.
    public var sender: String
    /// BCP 47: the language of the text.
    public var locale: String
    /// The code by which the recipient agrees to texts; nil = it asks for nothing.
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

import Dialects

/// How a service signs in to its operator's broker, and what it wants to hear.
public struct BrokerLogin: Sendable {
    public var address: BrokerAddress
    public var password: String?
    /// Files in PEM form: who vouches for the broker (nil = whom the system trusts), and what shows
    /// who we are.
    public var authoritiesFile: String?
    public var certificateFile: String?
    public var keyFile: String?
    /// The broker keeps messages for this name while nobody is there.
    public var clientID: String
    /// With wildcards; at most once each message.
    public var subscriptions: [String]

    public init(
        address: BrokerAddress, password: String? = nil, authoritiesFile: String? = nil,
        certificateFile: String? = nil, keyFile: String? = nil, clientID: String,
        subscriptions: [String]
    ) {
        self.address = address
        self.password = password
        self.authoritiesFile = authoritiesFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.clientID = clientID
        self.subscriptions = subscriptions
    }
}

/// What somebody published.
public struct BrokerMessage: Hashable, Sendable {
    public var topic: String
    public var payload: [UInt8]
    /// The broker had kept it for whoever subscribes: it may be old, and was perhaps heard before.
    public var isRetained: Bool
    /// It had more than ``payloadBytesMax``, and nothing of that was kept.
    public var isTooLarge: Bool

    /// More than any phone sends, a photo included.
    public static let payloadBytesMax = 8 << 20

    public init(
        topic: String, payload: [UInt8], isRetained: Bool = false, isTooLarge: Bool = false
    ) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.isTooLarge = isTooLarge
    }
}

import Dialects

/// Address, credentials and subscriptions of a broker connection.
public struct BrokerLogin: Sendable {
    public var address: BrokerAddress
    public var password: String?
    /// PEM file with the CA to trust; nil = the system's.
    public var authoritiesFile: String?
    /// PEM file with the client certificate.
    public var certificateFile: String?
    /// PEM file with the client's private key.
    public var keyFile: String?
    /// Name of the session in which the broker keeps messages while the client is away.
    public var clientID: String
    /// Topic filters, with wildcards. No message may match two of them.
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

/// Message received from a broker.
public struct BrokerMessage: Hashable, Sendable {
    public var topic: String
    public var payload: [UInt8]
    /// Whether the broker retained it: it may be old and may have been received before.
    public var isRetained: Bool
    /// Whether it had more than ``payloadBytesMax``; its payload is then empty.
    public var isTooLarge: Bool

    /// Maximum payload: more than any phone sends, including photos.
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

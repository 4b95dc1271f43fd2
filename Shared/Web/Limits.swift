/// What a ``Server`` takes at most.
public struct ServerLimits: Hashable, Sendable {
    /// Open connections; more wait in the kernel's queue.
    public var connections = 4096
    /// Open connections of one address; more are closed at once. Behind nginx every client has the
    /// proxy's address, so this is a guard for services that are reached directly.
    public var connectionsPerAddress = 4096
    /// A connection without traffic for so long is closed. Waiting for an answer is not idleness.
    public var idleSeconds = 60
    /// Body of a request; a longer one is answered 413.
    public var bodyBytes = 1 << 20
    /// Other body limits, by the beginning of the path, in which `*` stands for any one part; the
    /// longest that fits counts.
    public var bodyBytesByPath: [String: Int] = [:]
    /// All bodies together that the server holds; more is answered 503.
    public var heldBytes = 256 << 20
    /// All header lines of a request together; more is answered 431.
    public var headerBytes = 16 << 10
    /// Path and query of a request; more is answered 414.
    public var targetBytes = 4 << 10
    /// A request that its service has not answered for so long is answered 503.
    public var answerSeconds = 30
    /// Addresses whose `X-Forwarded-For` is believed.
    public var proxies: Set<String> = ["127.0.0.1"]

    public init() {}

    /// The body limit of a path.
    func bodyBytes(of path: String) -> Int {
        bodyBytesByPath.filter { ServerLimits.begins(path, with: $0.key) }
            .max { $0.key.utf8.count < $1.key.utf8.count }?.value ?? bodyBytes
    }

    private static func begins(_ path: String, with pattern: String) -> Bool {
        guard pattern.contains("*") else { return path.hasPrefix(pattern) }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let wanted = pattern.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count >= wanted.count
            && zip(parts, wanted).allSatisfy { $1 == "*" ? !$0.isEmpty : $0 == $1 }
    }

    /// Bytes of a refused body that are read and dropped, so that its sender hears the refusal.
    var droppedBytes: Int { 8 * bodyBytes }

    /// What the HTTP library may use for a connection: the header, and room to read the body.
    var connectionMemoryBytes: Int { 2 * headerBytes + targetBytes + (12 << 10) }
}

/// What ``Transfers`` takes at most.
public struct TransferLimits: Hashable, Sendable {
    /// Transfers of one lane that run at once; more wait in order.
    public var running = 64
    /// Transfers of one lane that wait; more fail at once as not sent.
    public var waiting = 10_000
    /// Idle connections that one lane keeps.
    public var idleConnections = 64

    public init() {}

    /// Header lines of an answer that are kept.
    static let headerBytes = 16 << 10
    /// Text of a mail server's reply that is kept.
    static let replyCharacters = 1000
}

import API

/// Limits of a ``Server``.
public struct ServerLimits: Hashable, Sendable {
    /// Maximum number of open connections. Shortly before it, those that have been idle longest are
    /// closed; more wait in the kernel's queue.
    public var connections = 4096
    /// Maximum number of open connections per address; more are closed at once. Connections of
    /// ``proxies`` are not counted.
    public var connectionsPerAddress = 512
    /// Timeout of a connection without a request, or whose response is not read. A connection that
    /// waits for a response is not idle.
    public var idleSeconds = 60
    /// Timeout of a header after its request line.
    public var headerSeconds = 15
    /// How long the client of a streamed response may be behind, plus the time that
    /// ``bytesPerSecond`` allows for what it has read.
    public var behindSeconds = 60
    /// Maximum number of unsent bytes of a streamed response; above it the response is aborted.
    public var unsentBytes = 16 << 20
    /// Timeout of a body after its header, plus the time that ``bytesPerSecond`` allows.
    public var bodySeconds = 30
    /// Minimum transfer rate.
    public var bytesPerSecond = 2048
    /// Maximum size of a body; larger ones are answered with 413.
    public var bodyBytes = 1 << 20
    /// Other limits of bodies by prefix of the path, in which `*` matches any one segment. The
    /// longest matching prefix counts.
    public var bodyBytesByPath: [String: Int] = [:]
    /// Maximum size of all bodies together; a large body above it is answered with 503.
    public var heldBytes = 128 << 20
    /// Size up to which a body is small: it is accepted regardless of ``heldBytes`` and waits for
    /// no large one. Emergency requests of all apps are smaller.
    public var smallBodyBytes = 16 << 10
    /// Maximum size of all large bodies in one turn; at least one.
    public var largeBytesPerTurn = 8 << 20
    /// Size up to which a body to ``urgentPath`` and below is small. Limited, since one turn
    /// handles all small ones.
    public var urgentBodyBytes = 64 << 10
    /// Maximum number of concurrent large bodies of unknown senders per address …
    public var unknownLargeBodiesPerAddress = 2
    /// … each with this timeout after its header, plus the time that its own rate allows.
    public var unknownBodySeconds = 10
    public var unknownBytesPerSecond = 16 << 10
    /// Share of ``heldBytes`` for unknown senders; the rest is for known ones.
    public var unknownHeldBytes: Int { heldBytes / 4 }
    /// Path of emergency requests.
    public var urgentPath = IngestOperation.emergencyPath
    /// Paths where a request is valid even if its body cannot be decoded. On other paths below
    /// `/v1/` a `Content-Encoding` is answered with 415. Paths outside `/v1/` are exempt, because
    /// phone apps delete rejected reports.
    public var unreadBodyPaths: Set<String> = []
    /// Maximum size of all header lines; larger headers are answered with 431.
    public var headerBytes = 16 << 10
    /// Maximum size of path and query; longer ones are answered with 414.
    public var targetBytes = 4 << 10
    /// Timeout of the service's response, after which a request is answered with 503.
    public var answerSeconds = 30
    /// Addresses of proxies whose `X-Forwarded-For` is trusted.
    public var proxies: Set<String> = ["127.0.0.1"]

    public init() {}

    /// Size up to which a body is small.
    func smallBodyBytes(of path: String) -> Int {
        let isUrgent =
            path.hasPrefix(urgentPath)
            && (path.utf8.count == urgentPath.utf8.count || path.hasPrefix(urgentPath + "/"))
        return isUrgent ? max(urgentBodyBytes, smallBodyBytes) : smallBodyBytes
    }

    /// The body limit of a path.
    func bodyBytes(of path: String) -> Int {
        guard !bodyBytesByPath.isEmpty else { return bodyBytes }
        var found: (length: Int, bytes: Int)?
        for (pattern, bytes) in bodyBytesByPath {
            let length = pattern.utf8.count
            if length > found?.length ?? -1, ServerLimits.begins(path, with: pattern) {
                found = (length, bytes)
            }
        }
        return found?.bytes ?? bodyBytes
    }

    private static func begins(_ path: String, with pattern: String) -> Bool {
        // A path is not shorter than its prefix.
        guard path.utf8.count >= pattern.utf8.count else { return false }
        let star = UInt8(ascii: "*")
        guard let wild = pattern.utf8.firstIndex(of: star) else {
            return path.utf8.starts(with: pattern.utf8)
        }
        guard path.utf8.starts(with: pattern.utf8[..<wild]) else { return false }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let expected = pattern.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count >= expected.count
            && zip(parts, expected).allSatisfy { $1 == "*" ? !$0.isEmpty : $0 == $1 }
    }

    /// Bytes of a rejected body that are read and dropped, so that its sender can read the
    /// response.
    var droppedBytes: Int { 8 * bodyBytes }

    /// Memory of the HTTP library per connection: the header and its parsed lines. The library
    /// clears all of it for every request, so it is no larger than necessary.
    var connectionMemoryBytes: Int { headerBytes + targetBytes + (4 << 10) }
}

/// Limits of ``Transfers``.
public struct TransferLimits: Hashable, Sendable {
    /// Maximum number of concurrent transfers per lane; more wait in order.
    public var running = 64
    /// Maximum number of waiting transfers per lane; more fail at once as not sent.
    public var waiting = 10_000
    /// Maximum number of idle connections per lane.
    public var idleConnections = 64

    public init() {}

    /// Maximum size of the stored headers of a response.
    static let headerBytes = 16 << 10
    /// Maximum length of the stored text of a mail server's reply.
    static let replyCharacters = 1000
}

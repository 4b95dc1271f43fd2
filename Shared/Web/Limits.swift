/// What a ``Server`` takes at most.
public struct ServerLimits: Hashable, Sendable {
    /// Open connections. Shortly before that those are closed that have asked nothing for longest;
    /// what is still too many waits in the kernel's queue.
    public var connections = 4096
    /// Open connections of one address; more are closed at once. Those of ``proxies`` are not
    /// counted.
    public var connectionsPerAddress = 512
    /// A connection without a request for so long is closed, and one whose answer is not taken.
    /// Waiting for an answer is not idleness.
    public var idleSeconds = 60
    /// A header has to be whole so long after its first line.
    public var headerSeconds = 15
    /// Whoever reads an answer that comes piece by piece may be behind with it for so long, and
    /// what ``bytesPerSecond`` allows for what was taken meanwhile.
    public var behindSeconds = 60
    /// Of such an answer not more may wait for its reader: it is broken off.
    public var unsentBytes = 16 << 20
    /// A body has to be whole so long after its header, and what ``bytesPerSecond`` allows.
    public var bodySeconds = 30
    /// What is slower is too slow.
    public var bytesPerSecond = 2048
    /// Body of a request; a longer one is answered 413.
    public var bodyBytes = 1 << 20
    /// Other body limits, by the beginning of the path, in which `*` stands for any one part; the
    /// longest that fits counts.
    public var bodyBytesByPath: [String: Int] = [:]
    /// All bodies together that the server holds; a larger one that would be more is answered 503.
    public var heldBytes = 128 << 20
    /// A body up to here finds room all the same, and waits for no larger one: no app's call for
    /// help is larger.
    public var smallBodyBytes = 16 << 10
    /// Larger bodies that a service is given in one turn, all together; at least one.
    public var largeBytesPerTurn = 8 << 20
    /// The same for requests to ``urgentPath`` and below it. Bounded, for all that came are done in
    /// one turn.
    public var urgentBodyBytes = 64 << 10
    /// Large bodies of one address, of senders who are not known, that come in at a time …
    public var unknownLargeBodiesPerAddress = 2
    /// … each of which has to be whole so long after its header, and what its own rate allows.
    public var unknownBodySeconds = 10
    public var unknownBytesPerSecond = 16 << 10
    /// All of those together may take this share of ``heldBytes``: the rest is for who is known.
    public var unknownHeldBytes: Int { heldBytes / 4 }
    /// What is about calls for help.
    public var urgentPath = "/v1/emergencies"
    /// Paths where a body counts for something even if nobody can read it. Elsewhere below `/v1/`
    /// one with a `Content-Encoding` is answered 415. Apps that send to other paths delete what is
    /// refused.
    public var unreadBodyPaths: Set<String> = []
    /// All header lines of a request together; more is answered 431.
    public var headerBytes = 16 << 10
    /// Path and query of a request; more is answered 414.
    public var targetBytes = 4 << 10
    /// A request that its service has not answered for so long is answered 503.
    public var answerSeconds = 30
    /// Addresses whose `X-Forwarded-For` is believed.
    public var proxies: Set<String> = ["127.0.0.1"]

    public init() {}

    /// Bytes up to which a body is a small one.
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
        // Nothing is shorter than what it begins with.
        guard path.utf8.count >= pattern.utf8.count else { return false }
        let star = UInt8(ascii: "*")
        guard let wild = pattern.utf8.firstIndex(of: star) else {
            return path.utf8.starts(with: pattern.utf8)
        }
        guard path.utf8.starts(with: pattern.utf8[..<wild]) else { return false }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let wanted = pattern.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count >= wanted.count
            && zip(parts, wanted).allSatisfy { $1 == "*" ? !$0.isEmpty : $0 == $1 }
    }

    /// Bytes of a refused body that are read and dropped, so that its sender hears the refusal.
    var droppedBytes: Int { 8 * bodyBytes }

    /// What the HTTP library may use for a connection: the header, and room to keep its lines
    /// apart. All of it is cleared for every request, so it is not larger than that.
    var connectionMemoryBytes: Int { headerBytes + targetBytes + (4 << 10) }
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

import Model

/// One request of a connection, from its first line until its answer is sent or its client gone.
///
/// Belongs to the HTTP library, which holds it as the request's context.
final class Exchange {
    enum State {
        /// The first line came.
        case begun
        /// Header and body come in.
        case reading
        /// Body comes in and is dropped; this will be said at its end.
        case refused(Response)
        /// A service has it; the connection is suspended.
        case waiting
        /// The answer is there.
        case answered(Response)
        /// The beginning of the answer is there; the body comes piece by piece.
        case streaming(Response, BodyStream)
    }

    let id: UInt64
    /// Path and query as sent.
    let target: String
    /// The library's connection, valid until the request is completed.
    let connection: OpaquePointer
    var state = State.begun
    /// When its first line came, then when it was answered; of an answer that comes piece by piece,
    /// when its reader had everything.
    var since: ContinuousClock.Instant
    var isHead = false
    var request: Request
    var bodyBytesMax = 0
    /// Length of the body as its client says; 0 where it does not.
    var announcedBytes = 0
    /// Bytes of the body that count against the server's limit.
    var heldBytes = 0
    /// It was asked whether its large body may come in.
    var isLargeAdmitted = false
    /// Its body is large, and what came before it does not say who sends it.
    var isUnknownLarge = false
    /// What it counts as then.
    var unknownBytes = 0
    /// Bytes of an oversized body that were dropped.
    var droppedBytes = 0

    init(
        id: UInt64, target: String, connection: OpaquePointer, since: ContinuousClock.Instant
    ) {
        self.since = since
        self.id = id
        self.target = target
        self.connection = connection
        let (path, query) = Exchange.split(target)
        request = Request(
            id: id, method: .get, path: path,
            query: query.isEmpty ? Query() : Query(encoded: query))
    }

    /// Path and query of a target in origin form `/a?b`, absolute form `http://host/a?b`, or `*`.
    private static func split(_ target: String) -> (path: String, query: Substring) {
        let (slash, question, number) = (
            UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")
        )
        let isPlain =
            target.utf8.first == slash
            && !target.utf8.contains { $0 == question || $0 == number }
        if isPlain { return (target, "") }
        var rest = target[...]
        if rest.utf8.first != slash, let scheme = rest.firstRange(of: "://") {
            let afterHost = rest.utf8[scheme.upperBound...]
                .firstIndex { $0 == slash || $0 == question }
            rest = rest[(afterHost ?? rest.endIndex)...]
        }
        rest = rest[..<(rest.utf8.firstIndex(of: number) ?? rest.endIndex)]
        let mark = rest.utf8.firstIndex(of: question) ?? rest.endIndex
        let path = rest[..<mark]
        return (
            path.isEmpty ? "/" : String(path), Substring(rest.utf8[mark...].dropFirst())
        )
    }
}

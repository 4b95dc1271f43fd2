import Model

/// Request and response of a connection, from the request line until the response is sent or the
/// client is gone.
///
/// Owned by the HTTP library as the request's context.
final class Exchange {
    enum State {
        /// The request line has arrived.
        case begun
        /// The body is being received.
        case reading
        /// The body is being received and dropped; this response is sent at its end.
        case refused(Response)
        /// The service is handling it; the connection is suspended.
        case waiting
        /// The response is ready.
        case answered(Response)
        /// The response is being streamed.
        case streaming(Response, BodyStream)
    }

    let id: UInt64
    /// Path and query as sent.
    let target: String
    /// The library's connection, valid until the request is completed.
    let connection: OpaquePointer
    var state = State.begun
    /// Time of the request line, then of the response; of a streamed response, when the client was
    /// last up to date.
    var since: ContinuousClock.Instant
    var isHead = false
    var request: Request
    var bodyBytesMax = 0
    /// Length of the body by its `Content-Length`; 0 if it has none.
    var announcedBytes = 0
    /// Bytes of the body that count against the server's limit.
    var heldBytes = 0
    /// Whether the admission of its large body has been decided.
    var isLargeAdmitted = false
    /// Whether its body is large and its sender unknown.
    var isUnknownLarge = false
    /// Bytes that count against the limit of unknown senders.
    var unknownBytes = 0
    /// Dropped bytes of an oversized body.
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

    /// Splits a target in origin form `/a?b`, absolute form `http://host/a?b`, or `*`.
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

import Parsing

/// A complete HTTP request whose connection waits, suspended, for its answer.
public struct Request: Hashable, Sendable {
    /// What ``Server/answer(_:_:)`` is told; never used twice by one server.
    public var id: UInt64
    public var method: Method
    /// The path as sent, still escaped, without the query: `/v1/people/per_…`.
    public var path: String
    public var query: Query
    public var headers: Headers
    public var body: [UInt8]
    /// Numeric address of the client; behind a trusted proxy the one that the proxy saw.
    public var remote: String
    /// `X-Request-Id` of the client when it is 1…64 letters, digits and `-._`, else a made one.
    /// The answer carries it, and events that follow from the request.
    public var trace: String

    /// The path without what may be a secret: a long part that is no id, as in
    /// `/log/gpslogger/{token}`, becomes `…`. For log lines.
    public var pathWithoutSecrets: String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            let bytes = Array(part.utf8)
            let isID =
                bytes.count == 30 && bytes[3] == UInt8(ascii: "_")
                && !bytes.contains(UInt8(ascii: "%"))
            return bytes.count <= 20 || isID ? String(part) : "…"
        }.joined(separator: "/")
    }

    public init(
        id: UInt64, method: Method, path: String, query: Query = Query(),
        headers: Headers = Headers(), body: [UInt8] = [], remote: String = "127.0.0.1",
        trace: String = ""
    ) {
        self.id = id
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.remote = remote
        self.trace = trace
    }
}

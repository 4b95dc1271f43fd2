import API
import Parsing

public typealias Method = API.Method

/// A complete HTTP request. Its connection is suspended until the response.
public struct Request: Hashable, Sendable {
    /// Id for ``Server/answer(_:_:)``; unique within a server.
    public var id: UInt64
    public var method: Method
    /// The path as sent, still escaped, without the query: `/v1/people/per_…`.
    public var path: String
    public var query: Query
    public var headers: Headers
    public var body: [UInt8]
    /// Numeric address of the client, or behind a trusted proxy the one that the proxy reports.
    public var remote: String
    /// `X-Request-Id` of the client if it has 1 to 64 letters, digits and `-._`, else a random id.
    /// The response and all resulting events carry it.
    public var trace: String

    /// The path for log lines: long segments that are no ids may be secrets, as in
    /// `/log/gpslogger/{token}`, and are replaced by `…`.
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

import Parsing

/// Response to a ``Request``.
public struct Response: Hashable, Sendable {
    public var status: Int
    public var headers: Headers
    public var body: [UInt8]

    public init(status: Int, headers: Headers = Headers(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A JSON value.
    public static func json(_ json: JSON, status: Int = 200) -> Response {
        .json(json.serialized(), status: status)
    }

    /// Serialized JSON.
    public static func json(_ text: [UInt8], status: Int = 200) -> Response {
        Response(status: status, headers: ["Content-Type": "application/json"], body: text)
    }

    /// Plain text in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> Response {
        Response(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: Array(text.utf8))
    }

    /// A problem as `application/problem+json` (RFC 9457), with the headers that its status
    /// requires.
    public static func problem(_ problem: Problem) -> Response {
        var response = Response(
            status: problem.status, headers: ["Content-Type": "application/problem+json"],
            body: problem.json.serialized())
        if problem.status == 401 {
            response.headers["WWW-Authenticate"] = #"Basic realm="jaga", charset="UTF-8""#
        }
        if problem.status == 503 || problem.status == 429 {
            response.headers["Retry-After"] = String(problem.retryAfterSeconds ?? 1)
        }
        return response
    }
}

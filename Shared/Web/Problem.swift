import Parsing

/// Problem details of a rejected request (RFC 9457).
///
/// `detail` says what is wrong, `field` where, and `hint` how to correct it. None of them contains
/// personal data that the sender did not send.
public struct Problem: Error, Hashable, Sendable {
    public var status: Int
    /// Short summary, equal for all occurrences of the problem.
    public var title: String
    public var detail: String
    /// Name or path of the field concerned, such as `members[1].role`.
    public var field: String?
    /// What to do about it.
    public var hint: String?
    /// Sent as `Retry-After` with status 429 and 503.
    public var retryAfterSeconds: Int?

    public init(
        status: Int, title: String, detail: String, field: String? = nil, hint: String? = nil,
        retryAfterSeconds: Int? = nil
    ) {
        self.status = status
        self.title = title
        self.detail = detail
        self.field = field
        self.hint = hint
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The object of RFC 9457, with the members `field` and `hint` if they are set.
    public var json: JSON {
        var members: [JSON.Member] = [
            .init("type", "about:blank"), .init("title", .string(title)),
            .init("status", .integer(Int64(status))), .init("detail", .string(detail)),
        ]
        if let field { members.append(.init("field", .string(field))) }
        if let hint { members.append(.init("hint", .string(hint))) }
        return .object(members)
    }

    /// 400: the request is invalid.
    public static func invalid(
        _ detail: String, field: String? = nil, hint: String? = nil
    ) -> Problem {
        Problem(
            status: 400, title: "Invalid request", detail: detail, field: field, hint: hint)
    }

    /// 400: a field of the body is invalid.
    public init(_ error: FieldError) {
        self = .invalid(
            error.detail, field: error.path.isEmpty ? nil : error.path, hint: error.hint)
    }

    /// 401: the credentials are missing or wrong.
    public static func unauthorized(_ detail: String, hint: String? = nil) -> Problem {
        Problem(status: 401, title: "Credentials needed", detail: detail, hint: hint)
    }

    /// 403: the principal may not do this.
    public static func denied(_ detail: String, hint: String? = nil) -> Problem {
        Problem(status: 403, title: "Not allowed", detail: detail, hint: hint)
    }

    /// 404.
    public static func notFound(_ detail: String, hint: String? = nil) -> Problem {
        Problem(status: 404, title: "Not found", detail: detail, hint: hint)
    }

    /// 409: the request conflicts with stored data.
    public static func conflict(
        _ detail: String, field: String? = nil, hint: String? = nil
    ) -> Problem {
        Problem(status: 409, title: "Conflict", detail: detail, field: field, hint: hint)
    }

    /// 412: `If-Match` names another version.
    public static func outdated(_ detail: String, hint: String? = nil) -> Problem {
        Problem(status: 412, title: "Changed meanwhile", detail: detail, hint: hint)
    }

    /// 413.
    public static func tooLarge(limitBytes: Int) -> Problem {
        Problem(
            status: 413, title: "Body too large",
            detail: "the body is larger than \(limitBytes) bytes",
            hint: "send it in parts, or a shape with fewer points")
    }

    /// 429: too many requests from this credential or address.
    public static func tooMany(_ detail: String, retryAfterSeconds: Int) -> Problem {
        Problem(
            status: 429, title: "Too many requests", detail: detail,
            retryAfterSeconds: retryAfterSeconds)
    }

    /// 503: temporarily unavailable.
    public static func unavailable(_ detail: String, retryAfterSeconds: Int = 1) -> Problem {
        Problem(
            status: 503, title: "Temporarily unavailable", detail: detail,
            hint: "send the same request again", retryAfterSeconds: retryAfterSeconds)
    }
}

import Model

/// Lane of a transfer. Lanes share no connection, queue or limit.
public enum Lane: String, Sendable, CaseIterable {
    /// For emergencies and everything else that must not queue behind bulk transfers.
    case safety
    case ordinary
}

/// Transfer to another server: HTTP or mail.
public struct Transfer: Sendable {
    /// Returned with the result.
    public var token: UInt64
    public var lane: Lane
    public var call: Call
    /// Timeout from start to response, without the wait in the lane.
    public var timeoutMilliseconds: Int

    /// The request or mail.
    public enum Call: Sendable {
        case http(HTTPCall)
        case mail(MailCall)
    }

    public init(
        token: UInt64, lane: Lane = .ordinary, _ call: Call, timeoutMilliseconds: Int = 15_000
    ) {
        self.token = token
        self.lane = lane
        self.call = call
        self.timeoutMilliseconds = timeoutMilliseconds
    }
}

/// User and password for HTTP Basic or SMTP AUTH.
public struct Login: Hashable, Sendable {
    public var user: String
    public var password: String

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

/// HTTP request to another server. Redirects are not followed: a 3xx is a response like any other.
public struct HTTPCall: Sendable {
    public var method: Method
    /// Absolute, escaped URL with scheme `http` or `https`.
    public var url: String
    public var headers: Headers
    public var body: [UInt8]
    public var login: Login?
    /// PEM file with the CA to trust; nil = the system's.
    public var authoritiesFile: String?
    /// Maximum size of the response's body; the rest is cut off.
    public var answerBytesMax: Int
    /// Whether the request is idempotent. Such requests may reuse a connection and are repeated on
    /// a new one if it turns out to be closed. Other requests get a connection of their own.
    public var isRepeatable: Bool

    public init(
        _ method: Method, _ url: String, headers: Headers = Headers(), body: [UInt8] = [],
        login: Login? = nil, authoritiesFile: String? = nil, answerBytesMax: Int = 64 << 10,
        isRepeatable: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.login = login
        self.authoritiesFile = authoritiesFile
        self.answerBytesMax = answerBytesMax
        self.isRepeatable = isRepeatable
    }
}

/// Mail to one recipient. TLS is required, by `smtps:` or STARTTLS; without it nothing is sent.
public struct MailCall: Sendable {
    /// `smtp://host:587` or `smtps://host:465`; a path is the name for EHLO.
    public var url: String
    /// Envelope sender, without angle brackets.
    public var sender: String
    /// Envelope recipient, without angle brackets.
    public var recipient: String
    /// Header and body with CR LF line ends, without dot stuffing.
    public var message: [UInt8]
    public var login: Login?
    /// PEM file with the CA to trust; nil = the system's.
    public var authoritiesFile: String?

    public init(
        url: String, sender: String, recipient: String, message: [UInt8], login: Login? = nil,
        authoritiesFile: String? = nil
    ) {
        self.url = url
        self.sender = sender
        self.recipient = recipient
        self.message = message
        self.login = login
        self.authoritiesFile = authoritiesFile
    }
}

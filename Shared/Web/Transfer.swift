import Model

/// Which transfers may wait for each other: lanes share no connection, queue or limit.
public enum Lane: String, Sendable, CaseIterable {
    /// Emergencies and everything else that may never queue behind bulk.
    case safety
    case ordinary
}

/// One call to the outside.
public struct Transfer: Sendable {
    /// Comes back with the result.
    public var token: UInt64
    public var lane: Lane
    public var call: Call
    /// At most so long from start to answer, waiting in the lane excluded.
    public var timeoutMilliseconds: Int

    /// What is transferred.
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

/// User and password, of HTTP Basic or SMTP AUTH.
public struct Login: Hashable, Sendable {
    public var user: String
    public var password: String

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

/// An HTTP request to somebody else. Redirects are not followed: a 3xx is an answer like others.
public struct HTTPCall: Sendable {
    public var method: Method
    /// Absolute, `http` or `https`, escaped.
    public var url: String
    public var headers: Headers
    public var body: [UInt8]
    public var login: Login?
    /// PEM file of the authorities believed in place of the system's.
    public var authoritiesFile: String?
    /// The answer's body is cut after so many bytes.
    public var answerBytesMax: Int
    /// Sent twice it does no more than once. Then a kept connection is used: where that turns out
    /// dead, the request is sent again on a new one. Any other call gets a connection of its own.
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

/// One mail to one recipient. TLS is required, by `smtps:` or STARTTLS: without it nothing is sent.
public struct MailCall: Sendable {
    /// `smtp://host:587` or `smtps://host:465`; a path is the name said in EHLO.
    public var url: String
    /// Envelope sender, without angle brackets.
    public var sender: String
    /// Envelope recipient, without angle brackets.
    public var recipient: String
    /// Header and body with CR LF line ends; dots are stuffed on the way.
    public var message: [UInt8]
    public var login: Login?
    /// PEM file of the authorities believed in place of the system's.
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

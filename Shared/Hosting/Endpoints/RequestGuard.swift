import API
import Directory
import Model
import Runtime
import Timing
import Web

/// Rejects cross-site requests of browsers, and requests above the rate limits.
struct RequestGuard {
    private var limiter: RequestLimiter
    private let publicOrigin: Origin?
    private let limited: Counter

    /// - Parameter publicURL: public URL of this suite; nil if unknown
    init(_ configuration: Configuration, publicURL: String? = nil, _ metrics: Metrics) {
        limiter = RequestLimiter(RequestLimits(configuration))
        publicOrigin = publicURL.flatMap { Origin(url: $0) }
        limited = metrics.counter(
            "jaga_requests_limited_total", "Requests answered 429, by the limit reached.", "limit")
    }

    /// Returns the rejection of a request that a page of another site made a browser send.
    ///
    /// Browsers add stored Basic credentials and cookies to such requests. They never add a Bearer
    /// token, or a token in the URL or form of a phone's report or an emergency request: requests
    /// with one are accepted from anywhere. A followed link is accepted too, except on phones'
    /// paths, where GET reports a position.
    ///
    /// A request with the cookie of a session that may change something must prove that a page of
    /// this server sent it, because pages of other hosts of the same site can send cookies, too.
    ///
    /// - Parameter publicOrigin: origin of this suite; nil = compare with the `Host` header only
    static func originRefusal(of request: Request, publicOrigin: Origin? = nil) -> Problem? {
        if request.sessionToken != nil, request.method != .get, request.headers["Origin"] == nil,
            request.headers["Sec-Fetch-Site"] != "same-origin"
        {
            return .denied(
                "the request does not say that a page of this server sent it",
                hint: "with a cookie, send Sec-Fetch-Site: same-origin or the Origin of this "
                    + "server; outside a browser, use a credential of kind person")
        }
        guard !hasOwnSecret(request), isForeign(request, publicOrigin) else { return nil }
        return .denied(
            "cross-site request: it was sent by a page of another site",
            hint: "call the API from this server's own pages, with a Bearer token, or outside a "
                + "browser")
    }

    private static func hasOwnSecret(_ request: Request) -> Bool {
        if case .bearer? = Credentials(request.headers) { return true }
        return request.headers["Authorization"] == nil && request.sessionToken == nil
            && (isPhonePath(request.path) || request.path == IngestOperation.emergencyPath)
    }

    /// Whether phones report to a path: every path except the API's and the host's.
    static func isPhonePath(_ path: String) -> Bool {
        !path.hasPrefix("/v1/") && !HostOperation.localPaths.contains(path)
    }

    private static func isForeign(_ request: Request, _ publicOrigin: Origin?) -> Bool {
        if let text = request.headers["Origin"] {
            guard let origin = Origin(text) else { return true }
            return origin != publicOrigin && !origin.isHost(of: request)
        }
        switch request.headers["Sec-Fetch-Site"] {
        case "cross-site", "same-site":
            let isFollowedLink =
                request.method == .get && request.headers["Sec-Fetch-Mode"] == "navigate"
                && request.headers["Sec-Fetch-Dest"] == "document"
            return !isFollowedLink || isPhonePath(request.path)
        default: return false
        }
    }

    /// The cookie in which the sender of a request can store a session; nil if it can store none.
    func sessionCookie(for request: Request) -> SessionCookie? {
        let isPublicSecure =
            publicOrigin.map { $0.scheme == "https" && $0.isAuthority(of: request) } ?? false
        return SessionCookie(for: request, isPublicSecure: isPublicSecure)
    }

    /// Returns the rejection of a request before anything else handles it.
    mutating func refusal(of request: Request, _ context: HostContext) -> Problem? {
        if let problem = Self.originRefusal(of: request, publicOrigin: publicOrigin) {
            return problem
        }
        guard context.definition.isLimited(request) else { return nil }
        let principal = context.principal(of: request)
        return limitRefusal(
            of: request, by: principal,
            needsNone: principal == nil
                && (Credentials(request.headers) == nil || context.isMonitor(request)),
            at: context.now)
    }

    /// Returns the rejection of a request above a rate limit; nil if it is within all limits.
    ///
    /// - Parameters:
    ///   - principal: the sender; nil if the credentials are wrong or missing
    ///   - needsNone: whether the request has no credentials, or the monitoring token
    mutating func limitRefusal(
        of request: Request, by principal: Principal?, needsNone: Bool, at now: Timestamp
    ) -> Problem? {
        let cost = 1 + Int64(request.body.count / HostLimits.bytesPerRequest)
        let wait: RequestLimiter.Wait?
        if let principal {
            wait = limiter.admit(principal.limitKey, from: request.remote, cost: cost, at: now)
        } else if needsNone {
            wait = limiter.admit(address: request.remote, cost: cost, at: now)
        } else {
            wait = limiter.recordFailure(from: request.remote, at: now)
        }
        guard let wait else { return nil }
        limited.add(1, wait.limit.rawValue)
        let detail =
            switch wait.limit {
            case .device: "too many requests with these credentials"
            case .address: "too many requests from this address"
            case .failures: "too many requests with wrong credentials from this address"
            }
        return .tooMany(detail, retryAfterSeconds: wait.seconds)
    }
}

extension Principal {
    /// Key of the rate limit; nil = not limited.
    fileprivate var limitKey: ID128? {
        switch self {
        case .operator: nil
        case .person(let person): person.raw
        case .device(let device, _): device.raw
        }
    }
}

extension RequestLimits {
    /// Reads the limits of every service except ingest.
    init(_ configuration: Configuration) {
        self.init(
            callsOfDevicePerSecond: Int64(configuration.int("JAGA_CREDENTIAL_CALLS_PER_SECOND")),
            callsOfAddressPerSecond: Int64(configuration.int("JAGA_ADDRESS_CALLS_PER_SECOND")),
            failuresOfAddressPerMinute: Int64(
                configuration.int("JAGA_AUTH_FAILURES_PER_MINUTE")))
    }

    static let settings = [
        Setting(
            "JAGA_CREDENTIAL_CALLS_PER_SECOND", .integer(0...100_000), default: "20",
            help: "Requests per second and credential, averaged over 60 s; ingest has its own; 0 ="
                + " unlimited."),
        Setting(
            "JAGA_ADDRESS_CALLS_PER_SECOND", .integer(0...1_000_000), default: "500",
            help: "Requests per second and address, averaged over 10 s; ingest has its own; 0 ="
                + " unlimited."),
        Setting(
            "JAGA_AUTH_FAILURES_PER_MINUTE", .integer(0...1_000_000), default: "60",
            help: "Wrong credentials per minute and address; ingest has its own; 0 = unlimited."),
    ]
}

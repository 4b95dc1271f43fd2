import Directory
import Model
import Runtime
import Timing
import Web

/// Refuses requests before the service looks at them: those that another site's page makes a
/// browser send, and those of senders who ask too much.
struct RequestGuard {
    private var limiter: RequestLimiter
    private let publicOrigin: Origin?
    private let limited: Counter

    /// - Parameter publicURL: of this suite; nil = not known here
    init(_ configuration: Configuration, publicURL: String? = nil, _ metrics: Metrics) {
        limiter = RequestLimiter(RequestLimits(configuration))
        publicOrigin = publicURL.flatMap { Origin(url: $0) }
        limited = metrics.counter(
            "jaga_requests_limited_total", "Requests answered 429, by the limit reached.", "limit")
    }

    /// Refuses what a page of another site makes a browser send, since browsers add Basic
    /// credentials that they remember.
    ///
    /// No browser adds a Bearer token, or a token in the address or form of a phone's path or of a
    /// call for help: requests with one pass from anywhere. Following a link passes as well, except
    /// on the paths of phones, where GET reports a position.
    ///
    /// - Parameter publicOrigin: of this suite; nil = only what the `Host` header says
    static func originRefusal(of request: Request, publicOrigin: Origin? = nil) -> Problem? {
        guard !hasOwnSecret(request), isForeign(request, publicOrigin) else { return nil }
        return .denied(
            "this request was made by a page of another site",
            hint: "call the API from this server's own pages, from no browser, or with a Bearer "
                + "token")
    }

    private static func hasOwnSecret(_ request: Request) -> Bool {
        if case .bearer? = Credentials(request.headers) { return true }
        return request.headers["Authorization"] == nil
            && (isPhonePath(request.path) || request.path == "/v1/emergencies")
    }

    /// Whether apps of phones report to a path: all but the API and what hosts answer.
    private static func isPhonePath(_ path: String) -> Bool {
        !path.hasPrefix("/v1/") && !["/healthz", "/readyz", "/metrics"].contains(path)
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

    /// As ``originRefusal(of:publicOrigin:)``, for the origin of this suite.
    func originRefusal(of request: Request) -> Problem? {
        Self.originRefusal(of: request, publicOrigin: publicOrigin)
    }

    /// Why the sender has to wait; nil if they need not.
    ///
    /// - Parameters:
    ///   - principal: who asks; nil if the credentials are wrong or missing
    ///   - needsNone: no credentials came along, or others than a principal's
    mutating func limitRefusal(
        of request: Request, by principal: Principal?, needsNone: Bool, at now: Timestamp
    ) -> Problem? {
        let cost = 1 + Int64(request.body.count / HostLimits.bytesPerCall)
        let wait: RequestLimiter.Wait?
        if let principal {
            wait = limiter.pass(principal.limitKey, from: request.remote, cost: cost, at: now)
        } else if needsNone {
            wait = limiter.pass(address: request.remote, cost: cost, at: now)
        } else {
            wait = limiter.fail(from: request.remote, at: now)
        }
        guard let wait else { return nil }
        limited.add(1, wait.limit.rawValue)
        let detail =
            switch wait.limit {
            case .device: "these credentials are used too often"
            case .address: "too many requests come from this address"
            case .failures: "too many requests with wrong credentials"
            }
        return .tooMany(detail, retryAfterSeconds: wait.seconds)
    }
}

extension Host {
    /// Why a request is refused before anything looks at it.
    func guardRefusal(of request: Request) -> Problem? {
        if let problem = requestGuard.originRefusal(of: request) { return problem }
        guard definition.isLimited(request) else { return nil }
        let principal = principal(of: request)
        return requestGuard.limitRefusal(
            of: request, by: principal,
            needsNone: principal == nil
                && (Credentials(request.headers) == nil || isMonitor(request)), at: now)
    }
}

extension Principal {
    /// What a limit counts by; nil for the operator, who is not limited.
    fileprivate var limitKey: ID128? {
        switch self {
        case .operator: nil
        case .person(let person): person.raw
        case .device(let device, _): device.raw
        }
    }
}

extension RequestLimits {
    /// Those of every service but ingest.
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

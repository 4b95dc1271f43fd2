import Directory
import Model
import Runtime
import Timing
import Web

/// Refuses requests before the service looks at them: those that another site's page makes a
/// browser send, and those of senders who ask too much.
struct RequestGuard {
    private var limiter: RequestLimiter
    private let limited: Counter

    init(_ configuration: Configuration, _ metrics: Metrics) {
        limiter = RequestLimiter(RequestLimits(configuration))
        limited = metrics.counter(
            "jaga_requests_limited_total", "Requests answered 429, by the limit reached.", "limit")
    }

    /// Browsers add the credentials that they remember to whatever a page asks for. So what a
    /// foreign page asks for is refused, except following a link, which changes nothing, and a call
    /// for help with a token that no browser remembers.
    static func originRefusal(of request: Request) -> Problem? {
        guard isForeign(request) else { return nil }
        if case .bearer? = Credentials(request.headers), request.path == "/v1/emergencies" {
            return nil
        }
        return .denied(
            "this request was made by a page of another site",
            hint: "call the API from this server's own pages, or from no browser")
    }

    private static func isForeign(_ request: Request) -> Bool {
        if let origin = request.headers["Origin"] {
            return host(ofOrigin: origin) != host(request.headers["Host"] ?? "")
        }
        switch request.headers["Sec-Fetch-Site"] {
        case "cross-site", "same-site":
            let isLink = request.method == .get && request.headers["Sec-Fetch-Mode"] == "navigate"
            return !isLink
        default: return false
        }
    }

    /// `https://jaga.example.org:8443` → `jaga.example.org`; nil for `null` and what is no origin.
    private static func host(ofOrigin origin: String) -> String? {
        guard let colon = origin.firstRange(of: "://") else { return nil }
        return host(String(origin[colon.upperBound...]))
    }

    /// Without the port, which the origin's proxy does not pass on.
    private static func host(_ authority: String) -> String {
        let text = authority.lowercased()
        if text.hasPrefix("[") { return String(text.prefix { $0 != "]" }) }
        return String(text.prefix { $0 != ":" })
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
        if let problem = RequestGuard.originRefusal(of: request) { return problem }
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

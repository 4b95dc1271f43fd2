import Model

/// A gateway named in the configuration.
public struct Gateway: Hashable, Sendable {
    public var name: String
    public var channels: Set<Channel>
    public var kind: GatewayState.Kind

    public init(
        name: String, channels: Set<Channel>, kind: GatewayState.Kind = .external
    ) {
        self.name = name
        self.channels = channels
        self.kind = kind
    }
}

/// Health of a gateway, as a circuit breaker.
public struct GatewayHealth: Hashable, Sendable, Codable {
    public var name: String
    public var isDown = false
    /// Time of the last change between up and down.
    public var since: Timestamp?
    /// Consecutive failures caused by the gateway.
    public var failures = 0
    /// While it is down, only messages about emergencies use it before this time.
    public var retryAt: Timestamp?
    public var lastOutcome: AttemptOutcome?
    public var lastAnswer = ""
    public var lastAnswered: Timestamp?
    public var lastAccepted: Timestamp?

    public init(name: String) { self.name = name }

    /// Whether all messages may use it at this time.
    func isOpen(at now: Timestamp) -> Bool { !isDown || (retryAt ?? now) <= now }

    /// Records the outcome of an attempt.
    ///
    /// Any answer about a single message shows that the gateway is up. Rejected credentials show at
    /// once that it is down, a failed connection the second time, a missing answer the third time.
    mutating func record(
        _ outcome: AttemptOutcome, _ answer: String, at now: Timestamp, jitter: UInt64
    ) {
        lastOutcome = outcome
        lastAnswer = answer
        lastAnswered = now
        switch outcome {
        case .accepted, .refused, .unroutable, .later, .sink:
            if outcome == .accepted { lastAccepted = now }
            if isDown || since == nil { since = now }
            isDown = false
            failures = 0
            retryAt = nil
        case .misconfigured, .unreachable, .unknown:
            failures += 1
            guard failures >= outcome.failuresUntilDown else { return }
            if !isDown { since = now }
            isDown = true
            retryAt = now + Limits.gatewayBackoff.delay(after: failures, jitter: jitter)
        }
    }

    /// Lets one message probe whether the gateway is up; others wait for the result.
    mutating func probe(at now: Timestamp) { retryAt = now + Limits.gatewayBackoff.longest }
}

extension AttemptOutcome {
    /// Consecutive failures, the last of this kind, after which a gateway counts as down.
    fileprivate var failuresUntilDown: Int {
        switch self {
        case .misconfigured: 1
        case .unreachable: 2
        default: 3
        }
    }
}

/// The gateway for a message, or why there is none now.
enum GatewayChoice: Hashable {
    case use(String)
    /// All gateways are down; retry at this time.
    case wait(Timestamp)
    /// Every gateway rejects this address.
    case exhausted
    /// No gateway is configured for this channel.
    case none
}

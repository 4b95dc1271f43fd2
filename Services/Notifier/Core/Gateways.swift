import Model

/// A way out that the configuration names.
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

/// What is known of a gateway from its answers; a circuit breaker.
public struct GatewayHealth: Hashable, Sendable, Codable {
    public var name: String
    public var isDown = false
    /// Since when it is up or down.
    public var since: Timestamp?
    /// Failures in a row that were the gateway's.
    public var failures = 0
    /// While it is down, only emergencies use it before this time.
    public var retryAt: Timestamp?
    public var lastOutcome: AttemptOutcome?
    public var lastAnswer = ""
    public var lastAnswered: Timestamp?
    public var lastAccepted: Timestamp?

    public init(name: String) { self.name = name }

    /// Whether everything may use it at this time.
    func isOpen(at now: Timestamp) -> Bool { !isDown || (retryAt ?? now) <= now }

    /// Takes the end of an attempt in.
    ///
    /// Whatever the gateway says of a single message proves that it is up. A refusal of ourselves
    /// proves at once that it is down; a connection that is not made may be chance and does the
    /// second time, silence the third.
    mutating func heard(
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

    /// One message may try whether it is up again; the others wait for that.
    mutating func probe(at now: Timestamp) { retryAt = now + Limits.gatewayBackoff.longest }
}

extension AttemptOutcome {
    /// Failures in a row, the last one of this kind, that show that a gateway is down.
    fileprivate var failuresUntilDown: Int {
        switch self {
        case .misconfigured: 1
        case .unreachable: 2
        default: 3
        }
    }
}

/// Which gateway a message takes.
enum GatewayChoice: Hashable {
    case use(String)
    /// All are down; try again then.
    case wait(Timestamp)
    /// None has a way to this address.
    case exhausted
    /// None is configured for this channel.
    case none
}

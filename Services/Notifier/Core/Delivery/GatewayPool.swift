import Directory
import Model

/// A gateway named in the configuration.
package struct Gateway: Hashable, Sendable {
    package var name: String
    package var channels: Set<Channel>
    package var kind: GatewayState.Kind

    package init(name: String, channels: Set<Channel>, kind: GatewayState.Kind = .external) {
        self.name = name
        self.channels = channels
        self.kind = kind
    }
}

/// Health of a gateway, as a circuit breaker.
package struct GatewayHealth: Hashable, Sendable, Codable {
    package var name: String
    package var isDown = false
    /// Time of the last change between up and down.
    package var since: Timestamp?
    /// Consecutive failures caused by the gateway.
    package var failures = 0
    /// While it is down, only messages about emergencies use it before this time.
    package var retryAt: Timestamp?
    package var lastOutcome: AttemptOutcome?
    package var lastAnswer = ""
    package var lastAnswered: Timestamp?
    package var lastAccepted: Timestamp?

    package init(name: String) { self.name = name }

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
        case .accepted, .rejected, .unroutable, .later, .sink:
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
        case .accepted, .sink, .rejected, .unroutable, .later, .unknown: 3
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

/// The configured gateways with their health: chooses the one for a message.
struct GatewayPool: Sendable {
    /// In order of preference.
    private let gateways: [Gateway]
    private var health: [String: GatewayHealth] = [:]

    init(_ gateways: [Gateway], _ rows: [GatewayHealth]) {
        self.gateways = gateways
        for gateway in gateways { health[gateway.name] = GatewayHealth(name: gateway.name) }
        for row in rows where health[row.name] != nil { health[row.name] = row }
    }

    /// Health of each gateway, in configuration order.
    var all: [GatewayHealth] { gateways.compactMap { health[$0.name] } }

    /// The gateways as other services see them.
    var states: [GatewayState] {
        gateways.map { gateway in
            let health = health[gateway.name]
            return GatewayState(
                name: gateway.name, kind: gateway.kind,
                channels: gateway.channels.sorted { $0.rawValue < $1.rawValue },
                failing: health?.isDown == true ? health?.lastAnswered : nil)
        }
    }

    /// One line per gateway that is down; empty = none.
    var healthProblems: [String] {
        health.values.filter(\.isDown).sorted { $0.name < $1.name }.map {
            "gateway \($0.name) is down: \($0.lastOutcome?.rawValue ?? "") \($0.lastAnswer)"
        }
    }

    func isUp(_ gateway: String) -> Bool { health[gateway]?.isDown == false }

    /// Chooses a gateway that is up.
    ///
    /// While all are down, messages about emergencies try them in turn. Other messages wait, except
    /// for one probe per back-off.
    func choose(for notification: Notification, at now: Timestamp) -> GatewayChoice {
        let serving = gateways.filter {
            $0.channels.contains(notification.channel)
                && (notification.requiredGateway ?? $0.name) == $0.name
        }
        guard !serving.isEmpty else { return .none }
        let usable = serving.map(\.name).filter {
            !notification.rejectingGateways.contains($0)
        }
        guard !usable.isEmpty else { return .exhausted }
        let up = usable.filter(isUp)
        if let ready = up.first(where: { !notification.isBackingOff($0, at: now) }) ?? up.first {
            return .use(ready)
        }
        if notification.severity != .routine {
            return .use(usable[notification.attempts % usable.count])
        }
        if let open = usable.first(where: { health[$0]?.isOpen(at: now) ?? true }) {
            return .use(open)
        }
        let until = usable.compactMap { health[$0]?.retryAt }.min() ?? now
        return .wait(until)
    }

    /// Whether another gateway of the channel is up and not backing off.
    func hasOpenAlternative(to notification: Notification, at now: Timestamp) -> Bool {
        guard notification.requiredGateway == nil else { return false }
        return gateways.contains {
            $0.name != notification.gateway && $0.channels.contains(notification.channel)
                && !notification.rejectingGateways.contains($0.name)
                && isUp($0.name) && !notification.isBackingOff($0.name, at: now)
        }
    }

    /// Lets one message probe a gateway that is down.
    mutating func probe(_ gateway: String, at now: Timestamp) {
        if health[gateway]?.isDown == true { health[gateway]?.probe(at: now) }
    }

    /// Updates a gateway's health by the result of an attempt.
    ///
    /// - Returns: a warning if it went down or came back; nil for an unknown gateway, too
    mutating func record(
        _ notification: Notification, _ result: AttemptResult, jitter: UInt64, _ turn: inout Turn
    ) -> Warning? {
        guard var state = health[notification.gateway] else { return nil }
        let wasDown = state.isDown
        state.record(result.outcome, notification.answer, at: turn.now, jitter: jitter)
        health[state.name] = state
        turn.save(.gateway(state))
        if state.isDown == wasDown { return nil }
        return state.isDown
            ? .gatewayDown(state.name, result.outcome, answer: state.lastAnswer)
            : .gatewayUp(state.name)
    }
}

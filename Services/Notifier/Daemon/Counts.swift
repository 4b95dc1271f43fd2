import Model
import NotifierCore
import Parsing
import Runtime

/// Counters since the process started, for `/metrics`.
struct Counts {
    struct AttemptKind: Hashable {
        var gateway: String
        var outcome: AttemptOutcome
    }

    var attempts: [AttemptKind: Int] = [:]
    var openedByFallback = 0
    var receipts: [ReceiptKind: Int] = [:]
    var receiptsUnknown = 0
    var replies = 0
    /// The sender is not a number.
    var repliesUnusable = 0
    var repliesUnknown = 0
    /// Without a command; included in ``replies``.
    var repliesOther = 0
    var unauthorized = 0

    func write(to metrics: Metrics, core: Notifier, at now: Timestamp) {
        let tried = metrics.counter(
            "jaga_attempts_total", "Attempts to hand a message to a gateway, by outcome.",
            "gateway", "outcome")
        for (kind, count) in attempts {
            tried.set(Double(count), kind.gateway, kind.outcome.rawValue)
        }
        metrics.counter(
            "jaga_escalations_opened_by_fallback_total",
            "Escalations opened by the notifier because no evaluator answered."
        ).set(Double(openedByFallback))
        let receipts = metrics.counter("jaga_receipts_total", "Callbacks of gateways.", "kind")
        for (kind, count) in self.receipts { receipts.set(Double(count), kind.rawValue) }
        receipts.set(Double(receiptsUnknown), "unknown")
        let replies = metrics.counter("jaga_replies_total", "Incoming SMS, by kind.", "kind")
        replies.set(Double(self.replies - repliesOther), "accepted")
        replies.set(Double(repliesOther), "other")
        replies.set(Double(repliesUnusable), "unusable")
        replies.set(Double(repliesUnknown), "unknown")
        metrics.counter("jaga_unauthorized_total", "Requests with missing or invalid credentials.")
            .set(Double(unauthorized))
        writeState(to: metrics, core: core, at: now)
    }

    private func writeState(to metrics: Metrics, core: Notifier, at now: Timestamp) {
        let waiting = metrics.gauge(
            "jaga_notifications_waiting", "Messages waiting in a lane.", "lane", "channel")
        let flying = metrics.gauge(
            "jaga_notifications_in_flight", "In-flight attempts.", "lane", "channel")
        for lane in core.delivery.load {
            let name = lane.kind.rawValue
            waiting.set(Double(lane.waiting), name, lane.channel.rawValue)
            flying.set(Double(lane.inFlight), name, lane.channel.rawValue)
        }
        metrics.gauge("jaga_notifications_retrying", "Messages waiting for a retry.")
            .set(Double(core.delivery.waitingForRetry))
        let open = metrics.gauge("jaga_emergencies", "Active emergencies, by state.", "state")
        for state in [EmergencyState.countdown, .open, .acknowledged] {
            open.set(Double(core.escalation.count(in: state)), state.rawValue)
        }
        metrics.gauge(
            "jaga_emergency_unacknowledged_seconds",
            "Age of the oldest unacknowledged emergency; 0 = none."
        ).set(core.escalation.oldestOpen.map { max(0, (now - $0).inSeconds) } ?? 0)
        writeGateways(to: metrics, core.delivery.health)
    }

    private func writeGateways(to metrics: Metrics, _ healths: [GatewayHealth]) {
        let up = metrics.gauge("jaga_gateway_up", "1 = the gateway is up.", "gateway")
        let failures = metrics.gauge(
            "jaga_gateway_failures", "Consecutive failures of a gateway.", "gateway")
        let accepted = metrics.gauge(
            "jaga_gateway_accepted_timestamp_seconds",
            "When a gateway last accepted a message; absent = never.", "gateway")
        for health in healths {
            up.set(health.isDown ? 0 : 1, health.name)
            failures.set(Double(health.failures), health.name)
            if let time = health.lastAccepted { accepted.set(time.inSeconds, health.name) }
        }
    }
}

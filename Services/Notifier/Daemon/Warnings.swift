import Model
import NotifierCore
import Runtime

extension Warning {
    /// Logs the warning for the operator.
    func write(to log: Log) {
        switch self {
        case .gatewayDown(let name, let outcome, let answer):
            log.warning(
                "gateway is down",
                [
                    "gateway": name, "outcome": outcome.rawValue, "answer": answer,
                    "hint": outcome.hint,
                ])
        case .gatewayUp(let name): log.info("gateway is up", ["gateway": name])
        case .requestSuppressed(let reason):
            log.info("requested message suppressed", ["reason": reason.rawValue])
        case .receiptForAnother(let id):
            log.warning("receipt names another recipient", ["notification": id])
        case .nobodyReachable(let id):
            log.error("no recipient of an emergency is reachable", ["emergency": id])
        case .openedByFallback(let id):
            log.warning(
                "escalation opened without an evaluator",
                ["emergency": id, "hint": "Check that jaga-evaluator is running."])
        }
    }
}

extension AttemptOutcome {
    /// What the operator can do.
    fileprivate var hint: String {
        switch self {
        case .misconfigured: "Check the gateway's user, password and sender."
        case .unreachable: "Check that the gateway is running and its URL is correct."
        case .accepted, .sink, .rejected, .unroutable, .later, .unknown:
            "Read GET /v1/gateways."
        }
    }
}

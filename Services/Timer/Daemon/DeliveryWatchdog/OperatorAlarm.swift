import Model
import Runtime
import TimerCore
import Web

/// Alarms the operator when nobody is notified of an emergency: log, metric, and calls to the alarm
/// URL.
final class OperatorAlarm {
    private let host: any TimerHost
    private let metrics: TimerMetrics
    private var calls: AlarmCalls

    /// - Parameter url: called when nobody was notified of an emergency; nil = none
    init(_ host: any TimerHost, _ metrics: TimerMetrics, url: String?) {
        self.host = host
        self.metrics = metrics
        calls = AlarmCalls(url: url)
    }

    // MARK: Turns

    /// A new turn has begun without a rollback of the last one.
    func confirmCalls() { calls.confirmCalls() }

    func rollBack() { calls.rollBack() }

    /// Repeats calls that were rolled back with their turn, in a turn that writes nothing and
    /// therefore commits even on a full disk. The next turn decides again.
    ///
    /// - Returns: whether there were any
    func makeOwedCalls() -> Bool {
        let owed = calls.owedCalls(at: host.now)
        guard !owed.isEmpty else { return false }
        host.log.error(
            "operator alarm call without a stored alarm",
            ["calls": owed.count, "hint": "Free disk space for the timer's store."])
        for call in owed { host.start(call) }
        return true
    }

    // MARK: Effects

    /// Logs and counts an emergency that nobody was notified of.
    func raise(_ watchdog: DeliveryWatchdog) {
        guard calls.shouldLog(watchdog.emergency, at: host.now) else { return }
        metrics.countAlarm()
        host.log.error(
            "emergency undelivered",
            [
                "emergency": watchdog.emergency,
                "countdown_ends": watchdog.countdownEnds,
                "hint": "Contact people yourself; jaga status shows queue and gateways.",
            ])
    }

    func end(_ watchdog: DeliveryWatchdog) {
        host.log.info("alarm ended", ["emergency": watchdog.emergency])
    }

    /// Calls the alarm URL.
    func call(_ watchdog: DeliveryWatchdog) {
        if let transfer = calls.call(watchdog, at: host.now) { host.start(transfer) }
    }

    /// Drops the owed calls about an emergency that is settled or over.
    func updated(_ watchdog: DeliveryWatchdog) {
        if !watchdog.isOpen { calls.forget(watchdog.emergency) }
    }

    /// Handles the result of a call.
    ///
    /// - Returns: the input of the core; nil for an unknown call
    func completed(_ result: TransferResult) -> Input? {
        let rejection = result.outcome.rejection
        guard let emergency = calls.finish(result.token, isAccepted: rejection == nil) else {
            return nil
        }
        if let rejection {
            host.log.warning(
                "operator alarm call failed",
                ["emergency": emergency, "reason": rejection, "setting": TimerSettings.alarmURL])
        }
        return .alarmCalled(
            emergency, accepted: rejection == nil, jitter: SecureRandom.id().high)
    }
}

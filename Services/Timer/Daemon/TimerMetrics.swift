import Model
import Runtime
import TimerCore

/// Metrics of the timer.
struct TimerMetrics {
    private let expired: Counter
    private let lag: Histogram
    private let alarms: Counter
    private let undelivered: Gauge
    private let deadlines: Gauge
    private let watches: Gauge

    init(_ metrics: Metrics) {
        expired = metrics.counter(
            "jaga_timer_deadlines_expired_total",
            "Expired deadlines; late: due while the timer was down.",
            "rule", "late")
        lag = metrics.histogram(
            "jaga_timer_deadline_lag_seconds",
            "Time from due to expired, without late ones, seconds.",
            buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5])
        alarms = metrics.counter(
            "jaga_timer_alarms_total", "Emergencies that nobody was notified of in time.")
        undelivered = metrics.gauge(
            "jaga_emergency_undelivered", "Emergencies that nobody has been notified of yet.")
        deadlines = metrics.gauge(
            "jaga_timer_pending_deadlines", "Pending deadlines of other services.")
        watches = metrics.gauge("jaga_timer_active_watches", "Running watches.")
    }

    func count(_ deadline: ExpiredDeadline) {
        expired.add(1, deadline.deadline.kind.rawValue, deadline.late ? "true" : "false")
        guard !deadline.late else { return }
        lag.observe(Double((deadline.expired - deadline.deadline.due).microseconds) / 1e6)
    }

    func countAlarm() { alarms.add() }

    func update(from core: TimerCore) {
        undelivered.set(Double(core.undelivered.count))
        deadlines.set(Double(core.pendingDeadlineCount))
        watches.set(Double(core.activeWatchCount))
    }
}

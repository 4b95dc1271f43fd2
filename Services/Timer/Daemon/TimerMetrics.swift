import Model
import Runtime
import TimerCore

/// The timer's numbers.
struct TimerMetrics {
    private let fired: Counter
    private let lag: Histogram
    private let alarms: Counter
    private let undelivered: Gauge
    private let clocks: Gauge
    private let watches: Gauge

    init(_ metrics: Metrics) {
        fired = metrics.counter(
            "jaga_timer_clocks_fired_total", "Clocks that fired; late: due while it was down.",
            "rule", "late")
        lag = metrics.histogram(
            "jaga_timer_fire_lag_seconds", "From due to fired, late ones apart.",
            buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5])
        alarms = metrics.counter(
            "jaga_timer_alarms_total", "Emergencies that nobody was told of in time.")
        undelivered = metrics.gauge(
            "jaga_emergency_undelivered", "Emergencies that nobody has been told of yet.")
        clocks = metrics.gauge("jaga_timer_pending_clocks", "Clocks of others that wait.")
        watches = metrics.gauge("jaga_timer_active_watches", "Watches that run.")
    }

    func count(_ clock: FiredClock) {
        fired.add(1, clock.clock.rule.rawValue, clock.late ? "true" : "false")
        guard !clock.late else { return }
        lag.observe(Double((clock.fired - clock.clock.due).microseconds) / 1e6)
    }

    func countAlarm() { alarms.add() }

    func show(_ core: TimerCore) {
        undelivered.set(Double(core.undelivered.count))
        clocks.set(Double(core.pendingClockCount))
        watches.set(Double(core.activeWatchCount))
    }
}

import IngestCore
import Model
import Runtime

/// What has happened since the start, counted as numbers and shown as metrics.
struct Counts {
    var accepted = 0
    var duplicates = 0
    var rejected = 0
    var overloaded = 0
    var unauthorized = 0
    var notFresh = 0
    var diskFull = 0
    var emergencies = 0
    var namesChanged = 0
    /// By whose limit it was.
    var limited: [Gate.Limit: Int] = [:]
    var replaced = 0
    /// Further calls for help that joined an emergency without being stored.
    var joinedCalls = 0

    mutating func count(_ answer: Answer) {
        switch answer {
        case .reports(let reports):
            accepted += reports.accepted
            duplicates += reports.duplicates
            rejected += reports.rejections.count
        case .overloaded: overloaded += 1
        case .redelivered, .emergency, .positions, .alarm, .policy, .located, .journey, .allRight,
            .tooSoon, .denied,
            .notFound,
            .tooLate, .tooManyCancels:
            break
        }
    }

    func write(to metrics: Metrics, core: Core, at now: Timestamp) {
        let reports = metrics.counter(
            "jaga_ingest_reports_total", "Reports of phones, by what became of them.", "outcome")
        reports.set(Double(accepted), "accepted")
        reports.set(Double(duplicates), "duplicate")
        reports.set(Double(rejected), "quarantined")
        let refused = metrics.counter(
            "jaga_ingest_refused_total", "Requests refused before they were read.", "reason")
        refused.set(Double(overloaded), "overload")
        refused.set(Double(unauthorized), "credentials")
        refused.set(Double(notFresh), "directory")
        refused.set(Double(diskFull), "disk")
        refused.set(Double(replaced), "replaced-credentials")
        for limit in Gate.Limit.allCases {
            refused.set(Double(limited[limit] ?? 0), "rate-\(limit.rawValue)")
        }
        metrics.counter(
            "jaga_ingest_names_changed_total",
            "Reports under another name of the phone than those before them."
        ).set(Double(namesChanged))
        metrics.gauge("jaga_ingest_blind_devices", "Phones that say that they may fall silent.")
            .set(Double(core.blindCount))
        metrics.counter("jaga_ingest_emergencies_total", "Emergency signals raised here.")
            .set(Double(emergencies))
        metrics.counter(
            "jaga_ingest_joined_calls_total",
            "Further calls for help within 30 s that joined an emergency as a count."
        ).set(Double(joinedCalls))
        metrics.gauge("jaga_ingest_waiting_reports", "Reports that wait behind what is live.")
            .set(Double(core.waitingCount))
        metrics.gauge("jaga_ingest_devices", "Devices that ever reported.")
            .set(Double(core.deviceCount))
        metrics.gauge("jaga_ingest_active_emergencies", "Emergencies that go on.")
            .set(Double(core.activeEmergencyCount))
        let untaken = core.oldestUntakenEmergency.map { max(0, (now - $0).milliseconds) / 1000 }
        metrics.gauge(
            "jaga_ingest_emergency_unacknowledged_seconds",
            "How long the oldest emergency that nobody has taken goes on, also without a notifier."
        ).set(Double(untaken ?? 0))
        metrics.gauge("jaga_ingest_open_journeys", "Journeys that go on.")
            .set(Double(core.openJourneyCount))
    }
}

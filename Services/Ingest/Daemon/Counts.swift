import IngestCore
import Model
import Runtime

/// Counters since the start, written as metrics.
final class Counts {
    var accepted = 0
    var duplicates = 0
    var rejected = 0
    var overloaded = 0
    var unauthorized = 0
    var notFresh = 0
    var diskFull = 0
    var emergencies = 0
    var namesChanged = 0
    /// Limited requests by kind of limit.
    var limited: [IngestLimiter.Limit: Int] = [:]
    var replaced = 0
    /// Further calls for help that joined an emergency without being stored.
    var joinedCalls = 0

    func count(_ answer: Answer) {
        switch answer {
        case .reports(let reports):
            accepted += reports.accepted
            duplicates += reports.duplicates
            rejected += reports.rejections.count
        case .overloaded: overloaded += 1
        case .quarantineRetried, .emergency, .positions, .alarm, .policy, .located,
            .checkIn,
            .tooSoon, .denied,
            .notFound,
            .tooLate, .pinNeeded, .wrongPIN, .tooManyPINs, .tooManyCancels, .personNeeded:
            break
        }
    }

    func write(to metrics: Metrics, core: Core, at now: Timestamp) {
        let reports = metrics.counter(
            "jaga_ingest_reports_total", "Reports of phones, by outcome.", "outcome")
        reports.set(Double(accepted), "accepted")
        reports.set(Double(duplicates), "duplicate")
        reports.set(Double(rejected), "quarantined")
        let refused = metrics.counter(
            "jaga_ingest_rejected_total", "Requests rejected before they were read, by reason.",
            "reason")
        refused.set(Double(overloaded), "overload")
        refused.set(Double(unauthorized), "credentials")
        refused.set(Double(notFresh), "directory")
        refused.set(Double(diskFull), "disk")
        refused.set(Double(replaced), "replaced-credentials")
        for limit in IngestLimiter.Limit.allCases {
            refused.set(Double(limited[limit] ?? 0), "rate-\(limit.rawValue)")
        }
        metrics.counter(
            "jaga_ingest_names_changed_total",
            "Changes of the name that a phone reports under."
        ).set(Double(namesChanged))
        metrics.gauge("jaga_ingest_impaired_devices", "Devices that may fail to report.")
            .set(Double(core.devices.impairedCount))
        metrics.counter("jaga_ingest_emergencies_total", "Emergency signals raised here.")
            .set(Double(emergencies))
        metrics.counter(
            "jaga_ingest_joined_calls_total",
            "Further calls for help within 30 s that joined an emergency as a count."
        ).set(Double(joinedCalls))
        metrics.gauge("jaga_ingest_waiting_reports", "Reports in the backlog.")
            .set(Double(core.reports.waitingCount))
        metrics.gauge("jaga_ingest_devices", "Devices that have ever reported.")
            .set(Double(core.reports.devices.count))
        metrics.gauge("jaga_ingest_active_emergencies", "Active emergencies.")
            .set(Double(core.emergencies.signals.activeCount))
        let unacknowledged = core.emergencies.signals.oldestUnacknowledged.map {
            max(0, (now - $0).milliseconds) / 1000
        }
        metrics.gauge(
            "jaga_ingest_emergency_unacknowledged_seconds",
            "Age of the oldest active emergency without acknowledgement, also without a notifier."
        ).set(Double(unacknowledged ?? 0))
        metrics.gauge("jaga_ingest_open_journeys", "Open journeys.")
            .set(Double(core.journeys.openCount))
        writeContactStates(to: metrics, core.contactStates)
    }

    private func writeContactStates(to metrics: Metrics, _ states: ContactStateMachine) {
        metrics.gauge("jaga_ingest_devices_with_expectation", "Devices with a contact expectation.")
            .set(Double(states.expectedCount))
        let silent = metrics.gauge(
            "jaga_ingest_devices_out_of_contact", "Devices out of contact, by contact state.",
            "state")
        for state in ContactState.allCases {
            silent.set(Double(states.outOfContactCount(state)), state.rawValue)
        }
        metrics.gauge(
            "jaga_ingest_intake_outage_suspected",
            "1 while an intake outage is suspected and contact losses are held."
        ).set(states.heldSince == nil ? 0 : 1)
    }
}

import IngestCore
import Model
import Parsing
import Runtime

/// What the operator is shown about ingest.
struct IngestStatus {
    let runner: CoreRunner
    let deferred: DeferredCalls
    /// The operator's MQTT broker; nil = none.
    let mqtt: MQTTIntake?

    private var ownership: OwnershipStatus { OwnershipStatus(ownership: runner.ownership) }

    var healthProblems: [String] {
        let isFull = runner.core.reports.waitingCount >= Limits.backlogReportsMax
        return (isFull ? ["the backlog is full: old reports are rejected until it shrinks"] : [])
            + ownership.healthProblems
    }

    var alarms: [String] {
        let count = runner.core.distributor.leftOut
        let leftOut =
            count == 0
            ? []
            : [
                "\(count) zones of sets are not evaluated: they have too many points for one"
                    + " record; draw them with fewer points"
            ]
        let broker = mqtt?.alarm(at: runner.host.now).map { [$0] } ?? []
        return deferred.alarms + leftOut + contactLossAlarms + ownership.alarms + broker
    }

    private var contactLossAlarms: [String] {
        let states = runner.core.contactStates
        guard let since = states.heldSince else { return [] }
        return [
            "intake outage suspected since \(since): \(states.outOfContactCount) of "
                + "\(states.expectedCount) devices are out of contact; check whether reports "
                + "arrive (nginx, uplink, certificate); contact losses are held meanwhile"
        ]
    }

    var concerns: [String] { mqtt?.concern.map { [$0] } ?? [] }

    var details: JSON {
        .object(
            [
                .init("devices", .integer(Int64(runner.core.reports.devices.count))),
                .init("impaired", .integer(Int64(runner.core.devices.impairedCount))),
                .init("waiting", .integer(Int64(runner.core.reports.waitingCount))),
                .init(
                    "activeEmergencies",
                    .integer(Int64(runner.core.emergencies.signals.activeCount))),
            ] + ownership.statusMembers + (mqtt.map { [$0.statusMember] } ?? []))
    }

    func write(to metrics: Metrics) {
        runner.counts.write(to: metrics, core: runner.core, at: runner.host.now)
        ownership.write(to: metrics)
        mqtt?.write(to: metrics)
        deferred.write(to: metrics)
        let quarantine = runner.writer.quarantine
        metrics.counter(
            "jaga_ingest_quarantine_dropped_total",
            "Quarantined payloads deleted for lack of room."
        ).set(Double(quarantine.dropped))
        metrics.gauge(
            "jaga_ingest_quarantine_payloads", "Quarantined payloads, counted up to 100,000."
        )
        .set(Double((try? quarantine.count()) ?? 0))
    }
}

import Model
import NotifierCore
import Parsing
import Runtime

/// What the operator is shown about the notifier.
struct NotifierStatus {
    let runner: CoreRunner
    let heartbeat: HeartbeatRunner
    let live: LiveStreams

    private var core: Notifier { runner.core }

    var healthProblems: [String] { core.delivery.healthProblems }

    var concerns: [String] { runner.registry.sinkNotice.map { [$0] } ?? [] }

    var alarms: [String] {
        let now = runner.host.now
        let unacknowledged = core.escalation.unacknowledged(at: now).map { id in
            "emergency \(id) is not acknowledged; run jaga emergency show \(id)"
        }
        guard let end = core.holdEnds else { return unacknowledged }
        return unacknowledged + [
            "\(core.heldSummaries.count) overdue items are held until \(end); run jaga held list"
        ]
    }

    var details: JSON {
        let lanes = core.delivery.load.filter { $0.waiting + $0.inFlight > 0 }.map { lane -> JSON in
            [
                "lane": .string(lane.kind.rawValue),
                "channel": .string(lane.channel.rawValue),
                "waiting": .integer(Int64(lane.waiting)),
                "inFlight": .integer(Int64(lane.inFlight)),
            ]
        }
        return [
            "openEmergencies": .integer(Int64(core.escalation.count(in: .open))),
            "acknowledgedEmergencies": .integer(Int64(core.escalation.count(in: .acknowledged))),
            "lanes": .array(lanes),
            "retrying": .integer(Int64(core.delivery.waitingForRetry)),
            "gateways": .array(core.delivery.health.map { Documents.gateway($0, replies: nil) }),
            "heartbeat": heartbeat.heartbeat?.json ?? .null,
        ]
    }

    func write(to metrics: Metrics, _ readiness: ReadinessCount) {
        runner.counts.write(to: metrics, core: core, at: runner.host.now)
        metrics.gauge(
            "jaga_nobody_outside_reached", "1 = messages go to the built-in sink only."
        ).set(runner.registry.sinkNotice == nil ? 0 : 1)
        heartbeat.heartbeat?.write(to: metrics)
        readiness.write(to: metrics)
        live.writeMetrics(metrics)
    }
}

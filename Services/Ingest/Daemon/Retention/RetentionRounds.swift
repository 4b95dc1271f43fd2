import IngestCore
import JourneysCore
import Model
import Runtime

/// Rounds of retention and erasure, started by the timer.
final class RetentionRounds {
    private let runner: CoreRunner
    private var retention: Retention

    private var host: any IngestHost { runner.host }

    init(_ runner: CoreRunner, ages: RetentionAges) {
        self.runner = runner
        retention = Retention(database: runner.database, ages: ages)
    }

    func load() throws { try retention.load() }

    /// Whether retention or erasure has work.
    var isAtWork: Bool { runner.erasures.isAtWork || retention.isAtWork }

    /// Starts a round.
    func begin(_ round: RetentionRound) throws {
        guard round.at <= host.now + .seconds(Limits.clocksApartSeconds) else {
            return host.log.warning(
                "retention skipped: timer clock ahead",
                ["timer": round.at, "hint": "Synchronize the clocks of both hosts."])
        }
        guard try retention.begin(round) else { return }
        if let quiet = retention.journeyQuiet {
            try runner.handle(.journeys(.stopForgotten(quietFor: quiet)))
        }
        // By now evaluators know about removed people, unless much configuration is queued.
        guard !runner.core.hasWork else { return }
        let behind = try runner.erasures.beginRound(
            at: round.at, end: { host.position(of: .input($0))?.sequence ?? 0 },
            floor: runner.ownership.checkpoints.pruneFloor)
        if !behind.isEmpty { try runner.handle(.renewCheckpoints(behind)) }
    }

    /// Deletes and erases one portion; called each turn.
    func step() throws {
        if runner.erasures.isAtWork {
            var erasures = runner.erasures
            try erasures.step(runner)
            runner.erasures = erasures
        } else if retention.isAtWork {
            var retention = retention
            try retention.step(runner)
            self.retention = retention
        }
    }
}

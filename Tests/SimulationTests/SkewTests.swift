import EvaluatorCore
import Hosting
import Model
import Store
import Testing
import Wire

@testable import EvaluatorDaemon
@testable import IngestDaemon

/// Two releases side by side: evaluators with a newer version of the logic, and of the release
/// before, which are replaced when they restart.
@Suite struct `A world during an upgrade` {
    /// Two evaluators that stop or die now and then, and no other faults.
    private var faults: Faults {
        var faults = Faults()
        faults.evaluators = 2
        faults.killed = 2
        faults.ended = 30
        return faults
    }

    @Test func `uses the older logic until all evaluators have the newer one`() throws {
        let simulation = try Simulation(isUpgraded: true)
        var logics: Set<Int> = []
        for seed in 1...5 as ClosedRange<UInt64> {
            let outcome = try simulation.run(seed: seed, steps: 600, faults: faults)
            #expect(outcome.objection == nil, "seed \(seed): \(outcome.objection as Any)")
            logics.insert(outcome.logic)
        }
        #expect(logics.contains(2))
        var still = Faults()
        still.evaluators = 2
        let outcome = try simulation.run(seed: 1, steps: 300, faults: still)
        #expect(outcome.objection == nil && outcome.logic == 1, "no process was restarted")
    }
}

extension Program {
    /// Ingest of the release with a second version of the logic.
    static func nextIngest(home: String) throws -> Program {
        try Program(IngestDaemon.Main.definition, ["JAGA_HOME": home]) { host in
            IngestService(
                host: host, database: host.database,
                secrets: host.configuration.text("JAGA_HOME") + "/secrets",
                sosWord: host.configuration.text("JAGA_SOS_WORD"),
                pressesWithinSeconds: Int64(
                    host.configuration.int("JAGA_INGEST_DOUBLE_PRESS_SECONDS")),
                logicNewest: 2)
        }
    }

    /// Evaluators of that release, with both versions.
    static func nextEvaluator(home: String) throws -> Program {
        var definition = EvaluatorDaemon.Main.definition
        definition.logic = 1...2
        let settings = ["JAGA_HOME": home, "JAGA_EVALUATOR_CHECKPOINT_SECONDS": "10"]
        return try Program(definition, settings) { host in
            EvaluatorService(host: host, logics: .next)
        }
    }
}

extension EvaluatorLogics {
    /// A second version of the logic, with another decision about late signals.
    static var next: EvaluatorLogics {
        var second = EvaluatorRules()
        second.lateSignalSeconds *= 2
        return EvaluatorLogics(oldest: 1, [EvaluatorRules(), second])
    }
}

extension World {
    /// The version of the logic in ingest's logs.
    func logic() throws -> Int {
        let store = slots.first { $0.service == .ingest }?.disk?.database
        return try store?.first("SELECT logic FROM sequence") { $0.int(0) } ?? 1
    }
}

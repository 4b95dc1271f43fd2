import Hosting
import Model
import Synchronization
import TestSupport

@testable import Runtime

/// Runs worlds from their seeds.
struct Simulation {
    private let folder: TemporaryFolder
    private let programs: [ServiceName: Program]
    private let upgrade: Program?

    /// The result of one world.
    struct Outcome {
        var seed: UInt64
        var steps = 0
        var digest: UInt64 = 0
        var objection: Objection?
        var faults: Faults
        var injectedFaults: [String: Int] = [:]
        var lines: [String] = []
        /// The version of the logic in the logs at the end.
        var logic = 1
    }

    /// - Parameter isUpgraded: evaluators are replaced by those of a next release, with a newer
    ///   version of the logic, when they restart; ingest is of that release already
    init(isUpgraded: Bool = false) throws {
        folder = try TemporaryFolder()
        try Files.makeFolder(folder.file("secrets"), mode: 0o700)
        try Files.write(
            Array((Household.operatorToken + "\n").utf8), to: folder.file("secrets/operator.token"),
            mode: 0o600)
        // Files that a service creates at its first start would make the first world differ from
        // the others.
        for name in ["message", "devices"] {
            try Files.write(
                Array((String(repeating: "5a", count: 32) + "\n").utf8),
                to: folder.file("secrets/\(name).key"), mode: 0o600)
        }
        var programs = try Program.all(home: folder.path)
        if isUpgraded { programs[.ingest] = try Program.nextIngest(home: folder.path) }
        self.programs = programs
        upgrade = isUpgraded ? try Program.nextEvaluator(home: folder.path) : nil
    }

    /// Runs one world from start to end.
    func run(
        seed: UInt64, steps: Int, faults: Faults? = nil, plant: PlantedBug? = nil,
        keepsText: Bool = false
    ) throws -> Outcome {
        try SecureRandom.$substitute.withValue(SeededBytes(seed: seed)) {
            let world = try World(
                seed: seed, faults: faults, programs: programs, upgrade: upgrade,
                logics: upgrade == nil ? .current : .next, plant: plant,
                keepsText: keepsText)
            var outcome = Outcome(seed: seed, faults: world.faults)
            do {
                try world.setUp()
                try world.runWithFaults(steps: steps)
                // Items held after an outage wait ten minutes for the operator.
                try world.runToRest(stepsMax: 6 * steps + 60_000)
                try Oracle(world).check()
            } catch let objection as Objection {
                outcome.objection = objection
            }
            outcome.steps = world.step
            outcome.digest = world.trace.digest
            outcome.injectedFaults = world.injectedFaultCounts
            outcome.lines = world.trace.lines
            outcome.logic = try world.logic()
            return outcome
        }
    }
}

/// Derives bytes from the seed.
private final class SeededBytes: RandomSource {
    private let chance: Mutex<SeededRandom>

    init(seed: UInt64) { chance = Mutex(SeededRandom(seed: ~seed)) }

    func bytes(_ count: Int) -> [UInt8] {
        chance.withLock { chance in
            (0..<count).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
        }
    }
}

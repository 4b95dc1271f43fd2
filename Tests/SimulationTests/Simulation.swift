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

    /// What came of one world.
    struct Outcome {
        var seed: UInt64
        var steps = 0
        var digest: UInt64 = 0
        var objection: Objection?
        var faults: Faults
        var mishaps: [String: Int] = [:]
        var lines: [String] = []
        /// The version of the logic that the logs go by at the end.
        var logic = 1
    }

    /// - Parameter isUpgraded: evaluators are replaced by those of a next release, which has a
    ///   further version of the logic, one by one as they are started again; ingest is of that one
    init(isUpgraded: Bool = false) throws {
        folder = try TemporaryFolder()
        try Files.makeFolder(folder.file("secrets"), mode: 0o700)
        try Files.write(
            Array((Household.operatorToken + "\n").utf8), to: folder.file("secrets/operator.token"),
            mode: 0o600)
        // What a service makes for itself at its first start would make the first world a special
        // one.
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

    /// One world from its beginning to its end.
    func run(
        seed: UInt64, steps: Int, faults: Faults? = nil, plant: Plant? = nil,
        keepsWords: Bool = false
    ) throws -> Outcome {
        try SecureRandom.$substitute.withValue(SeededBytes(seed: seed)) {
            let world = try World(
                seed: seed, faults: faults, programs: programs, upgrade: upgrade,
                logics: upgrade == nil ? .current : .next, plant: plant,
                keepsWords: keepsWords)
            var outcome = Outcome(seed: seed, faults: world.faults)
            do {
                try world.settle()
                try world.rage(steps: steps)
                // What became due in an outage waits ten minutes for the operator.
                try world.rest(stepsMax: 6 * steps + 60_000)
                try Oracle(world).judge()
            } catch let objection as Objection {
                outcome.objection = objection
            }
            outcome.steps = world.step
            outcome.digest = world.trace.digest
            outcome.mishaps = world.mishapCounts
            outcome.lines = world.trace.lines
            outcome.logic = try world.logic()
            return outcome
        }
    }
}

/// The same bytes for the same seed.
private final class SeededBytes: RandomSource {
    private let chance: Mutex<Chance>

    init(seed: UInt64) { chance = Mutex(Chance(seed: ~seed)) }

    func bytes(_ count: Int) -> [UInt8] {
        chance.withLock { chance in
            (0..<count).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
        }
    }
}

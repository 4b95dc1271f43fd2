import Foundation
import Model
import Runtime

/// The worlds to run, as requested by `make simulate`.
struct SimulationRequest {
    var seeds: ClosedRange<UInt64>
    var steps: Int
    /// Run new seeds for this time instead of the given range.
    var minutes: Double?
    /// How many of the last lines of a failed world's trace to show.
    var lines = 60

    init(seeds: ClosedRange<UInt64>, steps: Int) {
        self.seeds = seeds
        self.steps = steps
    }

    /// The request in `SEED`, `STEPS`, `SEEDS`, `MINUTES` and `LINES`; nil if none is set.
    static let fromEnvironment: SimulationRequest? = {
        let environment = ProcessInfo.processInfo.environment
        func number(_ name: String) -> UInt64? { environment[name].flatMap { UInt64($0) } }
        guard number("SEED") != nil || number("SEEDS") != nil || environment["MINUTES"] != nil
        else { return nil }
        let first = number("SEED") ?? 1
        let count = max(1, number("SEEDS") ?? 1)
        var request = SimulationRequest(
            seeds: first...first + count - 1, steps: number("STEPS").map { Int($0) } ?? 2000)
        request.minutes = environment["MINUTES"].flatMap { Double($0) }
        if let lines = number("LINES") { request.lines = Int(lines) }
        return request
    }()

    /// The results of all worlds.
    struct Report {
        var worlds = 0
        var steps = 0
        var injectedFaults: [String: Int] = [:]
        var objections: [String] = []
        /// Hash over all worlds.
        var digest: UInt64 = 0
    }

    /// Runs the worlds and reports each failed one, and a summary at the end.
    func run() throws -> Report {
        let simulation = try Simulation()
        let clock = SystemClock()
        var report = Report()
        var seed = seeds.lowerBound
        while minutes.map({ clock.monotonic < .milliseconds(Int64($0 * 60_000)) })
            ?? (seed <= seeds.upperBound)
        {
            let outcome = try simulation.run(seed: seed, steps: steps)
            report.add(outcome)
            if outcome.objection != nil { try printFailure(outcome, simulation) }
            seed += 1
        }
        report.print(elapsed: clock.monotonic)
        return report
    }

    /// Runs the failed world again with a readable trace.
    private func printFailure(_ outcome: Simulation.Outcome, _ simulation: Simulation) throws {
        writeLine("")
        writeLine("seed \(outcome.seed), \(steps) steps: \(outcome.objection?.description ?? "")")
        writeLine("  faults: \(outcome.faults)")
        let again = try simulation.run(seed: outcome.seed, steps: steps, keepsText: true)
        guard again.digest == outcome.digest else {
            return writeLine(
                "  The second run had another result: is the hashing deterministic?")
        }
        for line in again.lines.suffix(lines) { writeLine("  " + line) }
        writeLine("  again: make simulate SEED=\(outcome.seed) STEPS=\(steps)")
    }
}

extension SimulationRequest.Report {
    fileprivate mutating func add(_ outcome: Simulation.Outcome) {
        worlds += 1
        steps += outcome.steps
        digest = worlds == 1 ? outcome.digest : digest &* 31 &+ outcome.digest
        injectedFaults.merge(outcome.injectedFaults, uniquingKeysWith: +)
        if let objection = outcome.objection {
            objections.append("seed \(outcome.seed): \(objection)")
        }
    }

    fileprivate func print(elapsed: Duration) {
        writeLine("")
        writeLine("worlds      \(worlds)")
        writeLine("steps       \(steps)")
        for (name, count) in injectedFaults.sorted(by: { $0.key < $1.key }) {
            writeLine(name.padding(toLength: 28, withPad: " ", startingAt: 0) + "\(count)")
        }
        writeLine("objections  \(objections.count)")
        writeLine("digest      \(digest)")
        writeLine("seconds     \(elapsed.milliseconds / 1000)")
    }
}

/// Writes one line to standard output, unbuffered.
private func writeLine(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

import Foundation
import Model
import Runtime

/// Which worlds to run, as `make simulate` asks for them.
struct Wish {
    var seeds: ClosedRange<UInt64>
    var steps: Int
    /// New seeds until then, rather than those asked for.
    var minutes: Double?
    /// The last lines of a failing world's trace that are shown.
    var lines = 60

    init(seeds: ClosedRange<UInt64>, steps: Int) {
        self.seeds = seeds
        self.steps = steps
    }

    /// What `SEED`, `STEPS`, `SEEDS`, `MINUTES` and `LINES` say; nil where none is set.
    static let fromEnvironment: Wish? = {
        let environment = ProcessInfo.processInfo.environment
        func number(_ name: String) -> UInt64? { environment[name].flatMap { UInt64($0) } }
        guard number("SEED") != nil || number("SEEDS") != nil || environment["MINUTES"] != nil
        else { return nil }
        let first = number("SEED") ?? 1
        let count = max(1, number("SEEDS") ?? 1)
        var request = Wish(
            seeds: first...first + count - 1, steps: number("STEPS").map { Int($0) } ?? 2000)
        request.minutes = environment["MINUTES"].flatMap { Double($0) }
        if let lines = number("LINES") { request.lines = Int(lines) }
        return request
    }()

    /// What came of all worlds.
    struct Report {
        var worlds = 0
        var steps = 0
        var mishaps: [String: Int] = [:]
        var objections: [String] = []
        /// Of everything that happened in all of them.
        var digest: UInt64 = 0
    }

    /// Runs them, telling of each that is not as it must be, and of all in the end.
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
            if outcome.objection != nil { try tell(outcome, simulation) }
            seed += 1
        }
        report.tell(elapsed: clock.monotonic)
        return report
    }

    /// The world once more, with words.
    private func tell(_ outcome: Simulation.Outcome, _ simulation: Simulation) throws {
        say("")
        say("seed \(outcome.seed), \(steps) steps: \(outcome.objection?.description ?? "")")
        say("  faults: \(outcome.faults)")
        let again = try simulation.run(seed: outcome.seed, steps: steps, keepsWords: true)
        guard again.digest == outcome.digest else {
            return say("  It came out otherwise the second time: is the hashing deterministic?")
        }
        for line in again.lines.suffix(lines) { say("  " + line) }
        say("  again: make simulate SEED=\(outcome.seed) STEPS=\(steps)")
    }
}

extension Wish.Report {
    fileprivate mutating func add(_ outcome: Simulation.Outcome) {
        worlds += 1
        steps += outcome.steps
        digest = worlds == 1 ? outcome.digest : digest &* 31 &+ outcome.digest
        mishaps.merge(outcome.mishaps, uniquingKeysWith: +)
        if let objection = outcome.objection {
            objections.append("seed \(outcome.seed): \(objection)")
        }
    }

    fileprivate func tell(elapsed: Duration) {
        say("")
        say("worlds      \(worlds)")
        say("steps       \(steps)")
        for (name, count) in mishaps.sorted(by: { $0.key < $1.key }) {
            say(name.padding(toLength: 28, withPad: " ", startingAt: 0) + "\(count)")
        }
        say("objections  \(objections.count)")
        say("digest      \(digest)")
        say("seconds     \(elapsed.milliseconds / 1000)")
    }
}

/// One line on standard output, at once.
private func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

import EvaluatorCore
import Foundation
import IngestCore
import Model
import Testing

/// The whole suite in one process under seeded faults.
@Suite struct `A simulated world` {
    /// Swift orders sets and dictionaries differently in each process unless hashing is
    /// deterministic, and with them the order of outputs.
    static let isRepeatable =
        ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] != nil

    @Test func `switches logs only to versions that its evaluators support`() {
        #expect(Int(IngestCore.Limits.logicNewest) == EvaluatorLimits.logicVersions.upperBound)
        #expect(EvaluatorLimits.logicVersions.contains(Int(IngestCore.Limits.logicVersion)))
    }

    @Test func `starts and becomes idle`() throws {
        let outcome = try Simulation().run(seed: 1, steps: 300, faults: Faults())
        #expect(outcome.objection == nil)
    }

    @Test(.enabled(if: SimulationRequest.fromEnvironment == nil), arguments: [1...100, 101...200])
    func `recovers from all faults`(seeds: ClosedRange<UInt64>) throws {
        let report = try SimulationRequest(seeds: seeds, steps: 2000).run()
        #expect(report.objections.isEmpty, "\(report.objections.joined(separator: "\n"))")
    }

    @Test(.enabled(if: isRepeatable)) func `is equal in every run`() throws {
        let simulation = try Simulation()
        let digests = try [3, 4, 3, 4].map { try simulation.run(seed: $0, steps: 800).digest }
        #expect(digests[0] == digests[2] && digests[1] == digests[3])
        #expect(digests[0] != digests[1])
        guard SimulationRequest.fromEnvironment == nil else { return }
        let text = try Self.output(["SEED": "3", "STEPS": "800"])
        #expect(text.contains("digest      \(digests[0])\n"))
    }

    /// The worlds of `make simulate`.
    @Test(.enabled(if: SimulationRequest.fromEnvironment != nil))
    func `the requested worlds`() throws {
        let report = try SimulationRequest.fromEnvironment?.run()
        #expect(report?.objections == [])
    }

    /// The output of this program in a process of its own.
    private static func output(_ environment: [String: String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [
            "--testing-library", "swift-testing", "--filter", "the requested worlds",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}

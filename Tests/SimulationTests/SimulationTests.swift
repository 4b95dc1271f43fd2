import Foundation
import Model
import Testing

/// The whole suite in one process under seeded faults.
@Suite(.serialized) struct `A simulated world` {
    /// Swift orders sets and dictionaries differently in each process unless it is told not to, and
    /// with them what one process says first.
    static let isRepeatable =
        ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] != nil

    @Test func `comes up and rests`() throws {
        let outcome = try Simulation().run(seed: 1, steps: 300, faults: Faults())
        #expect(outcome.objection == nil)
    }

    @Test(.enabled(if: Wish.fromEnvironment == nil))
    func `becomes whole again`() throws {
        let report = try Wish(seeds: 1...200, steps: 2000).run()
        #expect(report.objections.isEmpty, "\(report.objections.joined(separator: "\n"))")
    }

    /// What `make simulate` runs.
    @Test(.enabled(if: Wish.fromEnvironment != nil))
    func `as it was asked for`() throws {
        let report = try Wish.fromEnvironment?.run()
        #expect(report?.objections == [])
    }
}

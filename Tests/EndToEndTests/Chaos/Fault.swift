import Foundation
import Glibc
import TestSupport

/// A row of the table: a fault of a suite under load, and its effect.
struct Fault: Sendable, CustomStringConvertible {
    let description: String
    let run: @Sendable () async throws -> Tally

    /// Faults that need only the suite.
    static let everywhere = [
        publishesSuppressed, writersKilled, consumersKilled, evaluatorKilled, evaluatorLeaves,
        evaluatorStopped, forger, ingestRestarted, storeRestored,
    ]

    /// Faults that need network namespaces.
    static let withNamespaces = [blackHole(seconds: 10), newAddress]

    /// Runs a suite with three evaluators and walkers until everything has arrived.
    static func tally(
        settings: [String: String] = [:], arguments: [String] = ["--scale", "evaluator=3"],
        prepare: (RunningSuite) throws -> Void = { _ in },
        _ body: (RunningSuite, Crowd) async throws -> Void
    ) async throws -> Tally {
        var settings = settings
        settings["JAGA_EVALUATOR_CHECKPOINT_SECONDS"] = "2"
        let suite = try RunningSuite(settings: settings, arguments: arguments)
        try prepare(suite)
        do {
            try await suite.start()
            let crowd = try await Crowd(of: suite, people: 12)
            try await body(suite, crowd)
            let tally = try await crowd.complete()
            await suite.stop()
            return tally
        } catch {
            let log = suite.log
            await suite.stop()
            throw TestFailure("\(error)\n\(log)")
        }
    }

    // MARK: Lost frames

    static let publishesSuppressed = Fault(description: "2 % of publishes suppressed") {
        nonisolated(unsafe) var proxy: LossyProxy?
        defer { proxy?.stop() }
        return try await tally(
            settings: LossyProxy.settings,
            prepare: { proxy = try LossyProxy(portBase: $0.portBase, losing: 0.02) },
            { _, crowd in
                try await crowd.walk { try await Task.sleep(for: .seconds(10)) }
                guard let proxy, proxy.droppedCount > 0 else {
                    throw TestFailure("no batch was dropped")
                }
            })
    }

    /// Kills writers while they wait for their disk: their records are stored but not published.
    static let writersKilled = Fault(
        description: "writer killed between COMMIT and publish, 8 times"
    ) {
        try await tally { suite, crowd in
            try await crowd.walk {
                for number in 0..<8 {
                    try await killAtCommit(number.isMultiple(of: 2) ? .ingest : .notifier, suite)
                    try await Task.sleep(for: .seconds(1))
                }
            }
        }
    }

    private static func killAtCommit(
        _ service: RunningSuite.Service, _ suite: RunningSuite
    ) async throws {
        guard let pid = suite.processID(of: service) else {
            throw TestFailure("\(service) does not run")
        }
        let tracer = try Capture(
            Programs.installed("strace"),
            [
                "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync", "-e",
                "inject=fdatasync:signal=SIGKILL:when=\(Int.random(in: 2...6))", "-p", "\(pid)",
            ])
        let isDead = await eventually(within: 10) { suite.processID(of: service) != pid }
        await tracer.stop(SIGKILL)
        guard isDead else { throw TestFailure("\(service) is not killed: \(tracer.text)") }
        _ = await eventually {
            _ = suite.log
            return suite.processID(of: service).map { $0 != pid } ?? false
        }
    }

    // MARK: Dead processes

    static let consumersKilled = Fault(
        description: "consumers killed between effect and ACK, 8 times"
    ) {
        try await tally { suite, crowd in
            try await crowd.walk {
                for number in 0..<8 {
                    try await Task.sleep(for: .milliseconds(.random(in: 500..<1500)))
                    try await suite.kill(number.isMultiple(of: 2) ? .notifier : .timer)
                }
            }
        }
    }

    static let evaluatorKilled = Fault(description: "evaluator kill -9, 1 of 3, under load") {
        try await tally { suite, crowd in
            try await crowd.walk {
                try await Task.sleep(for: .seconds(3))
                // It is not restarted, so the two others get its partitions.
                let pid = suite.processID(of: .evaluator)
                try await suite.keepDead(pid, for: .seconds(9))
            }
        }
    }

    static let evaluatorLeaves = Fault(description: "evaluator drains (SIGTERM), 1 of 3") {
        try await tally { suite, crowd in
            try await crowd.walk {
                try await Task.sleep(for: .seconds(3))
                if let pid = suite.processID(of: .evaluator) { Glibc.kill(pid, SIGTERM) }
                try await Task.sleep(for: .seconds(5))
            }
        }
    }

    static let evaluatorStopped = Fault(description: "evaluator stopped 15 s, continued") {
        try await tally { suite, crowd in
            try await crowd.walk {
                try await Task.sleep(for: .seconds(2))
                guard let pid = suite.processID(of: .evaluator) else { return }
                Glibc.kill(pid, SIGSTOP)
                try await Task.sleep(for: .seconds(15))
                Glibc.kill(pid, SIGCONT)
                try await Task.sleep(for: .seconds(3))
            }
        }
    }

    static let ingestRestarted = Fault(description: "ingest restarted, 4 times") {
        try await tally { suite, crowd in
            try await crowd.walk {
                for _ in 0..<4 {
                    try await Task.sleep(for: .milliseconds(.random(in: 1500..<2500)))
                    try await suite.kill(.ingest)
                }
            }
        }
    }
}

extension RunningSuite {
    /// Kills a process and delays its restart by `jaga up`.
    func keepDead(_ pid: Int32?, for duration: Duration) async throws {
        guard let pid, let supervisor = up?.process.pid else { return }
        Glibc.kill(supervisor, SIGSTOP)
        Glibc.kill(pid, SIGKILL)
        try await Task.sleep(for: duration)
        Glibc.kill(supervisor, SIGCONT)
        _ = await eventually {
            _ = log
            return processID(of: .evaluator) != pid
        }
    }
}

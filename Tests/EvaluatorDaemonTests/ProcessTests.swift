import Glibc
import Model
import TestSupport
import Testing
import Wire

/// The real program over real sockets.
@Suite struct ProcessTests {
    private let village = Village()
    private var people: [PersonID] { village.people }

    @Test func `it continues after a kill without gap or repetition`() throws {
        let coordinator = try FakeCoordinator()
        try village.configure(coordinator)
        try village.walk(coordinator, rounds: 0..<5)
        var evaluator = try coordinator.startEvaluator()
        #expect(try coordinator.run { village.isComplete(coordinator, rounds: 5) })
        evaluator.process.send(SIGKILL)
        #expect(try coordinator.run { evaluator.process.reap() != nil })
        coordinator.bury(try #require(coordinator.members.first))
        try village.walk(coordinator, rounds: 5..<10)
        evaluator = try coordinator.startEvaluator()
        #expect(try coordinator.run { village.isComplete(coordinator, rounds: 10) })
        #expect(coordinator.notices.allSatisfy { !$0.needsAttention })
        evaluator.process.send(SIGTERM)
        #expect(try coordinator.run { evaluator.process.reap() != nil })
        #expect(evaluator.process.exitStatus == 0)
    }

    @Test func `two evaluators of one log publish everything once`() throws {
        let coordinator = try FakeCoordinator()
        let evaluators = [try coordinator.startEvaluator(), try coordinator.startEvaluator()]
        try village.configure(coordinator)
        for round in 0..<10 as Range<Int64> {
            try village.walk(coordinator, rounds: round..<round + 1)
            #expect(try coordinator.run { village.isComplete(coordinator, rounds: Int(round) + 1) })
        }
        #expect(coordinator.notices.allSatisfy { !$0.needsAttention })
        for evaluator in evaluators { evaluator.process.send(SIGTERM) }
        #expect(try coordinator.run { evaluators.allSatisfy { $0.process.reap() != nil } })
    }

    @Test func `it is ready once it has read everything, and counts records`() throws {
        let coordinator = try FakeCoordinator()
        try village.configure(coordinator)
        try village.walk(coordinator, rounds: 0..<3)
        let evaluator = try coordinator.startEvaluator()
        #expect(try coordinator.run { evaluator.port != nil })
        let http = PlainHTTP(port: try #require(evaluator.port))
        #expect(try coordinator.run { village.isComplete(coordinator, rounds: 3) })
        #expect(try coordinator.run { try http.send("GET", "/readyz").status == 200 })
        let metrics = try http.send("GET", "/metrics").text
        #expect(metrics.contains("jaga_evaluator_fixes_total 120\n"))
        #expect(metrics.contains("jaga_evaluator_outputs_total 120\n"))
        #expect(metrics.contains("jaga_evaluator_records_total 160\n"))
        #expect(try http.send("GET", "/v1/people").status == 404)
        evaluator.process.send(SIGTERM)
        #expect(try coordinator.run { evaluator.process.reap() != nil })
    }

    @Test func `it is not ready without ingest`() async throws {
        let home = try TemporaryFolder()
        let base = FreePorts.base(of: [101, 201, 301, 302])
        let evaluator = try Capture(
            Programs.path("jaga-evaluator"), [],
            environment: ["JAGA_PORT_BASE": "\(base)", "JAGA_HOME": home.path])
        #expect(await eventually { evaluator.port != nil })
        let http = PlainHTTP(port: try #require(evaluator.port))
        #expect(try http.send("GET", "/readyz").status == 503)
        #expect(await evaluator.stop() == 0)
    }

    @Test func `an unknown logic version stops it and is reported`() throws {
        let coordinator = try FakeCoordinator()
        try village.configure(coordinator)
        try coordinator.append(.inputLogic(LogicVersion(version: 99)), of: people[0])
        let evaluator = try coordinator.startEvaluator()
        #expect(try coordinator.run { evaluator.port != nil })
        let http = PlainHTTP(port: try #require(evaluator.port))
        #expect(
            try coordinator.run {
                try http.send("GET", "/healthz").text.contains("logic version 99")
            })
        #expect(try http.send("GET", "/healthz").status == 503)
        evaluator.process.send(SIGTERM)
        #expect(try coordinator.run { evaluator.process.reap() != nil })
    }
}

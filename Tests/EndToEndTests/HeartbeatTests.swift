import Foundation
import Glibc
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `The heartbeat` {
        @Test func `reaches the monitor, but not without an evaluator`() async throws {
            let monitor = try Monitor()
            defer { monitor.end() }
            let suite = try RunningSuite(settings: [
                "JAGA_HEARTBEAT_URL": monitor.url, "JAGA_HEARTBEAT_SECONDS": "2",
            ])
            try await suite.start()
            #expect(await eventually { monitor.calls > 1 }, "\(suite.log)")

            let evaluator = try #require(suite.processID(of: .evaluator))
            kill(evaluator, SIGSTOP)
            let missed = await eventually { suite.log.contains("missing=\"canary: no answer\"") }
            #expect(missed, "\(suite.log)")
            let before = monitor.calls
            let rounds = suite.log.matches(of: /heartbeat not sent/).count
            let further = await eventually {
                suite.log.matches(of: /heartbeat not sent/).count > rounds
            }
            #expect(further, "\(suite.log)")
            #expect(monitor.calls == before, "rounds without a canary send no heartbeat")

            kill(evaluator, SIGCONT)
            #expect(await eventually { monitor.calls > before }, "\(suite.log)")
            await suite.stop()
        }
    }
}

/// A monitor outside: a web server that writes one line per call.
private final class Monitor {
    let url: String
    private let folder: TemporaryFolder
    private let server: Capture

    init() throws {
        folder = try TemporaryFolder()
        try "".write(toFile: folder.file("ping"), atomically: true, encoding: .utf8)
        let port = FreePorts.base(of: [0])
        url = "http://127.0.0.1:\(port)/ping"
        server = try Capture(
            "/usr/bin/env",
            [
                "python3", "-u", "-m", "http.server", "\(port)", "--bind", "127.0.0.1",
                "--directory", folder.path,
            ])
    }

    /// The number of calls.
    var calls: Int { server.lines.count { $0.contains("\"GET /ping HTTP/1.1\" 200") } }

    func end() { server.end() }
}

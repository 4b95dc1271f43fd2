import Foundation
import Glibc
import TestSupport

extension Fault {
    /// Ingest restarts on an older copy. Later reports are lost, and no new report counts as a
    /// duplicate.
    static let storeRestored = Fault(description: "ingest's store replaced by an older copy") {
        try await tally { suite, crowd in
            let store = suite.home + "/ingest/store.sqlite"
            try await crowd.walk { try await Task.sleep(for: .seconds(3)) }
            try await crowd.moveOutside()
            _ = try await crowd.complete()
            try await copy(store, to: store + ".old")
            try await crowd.walk { try await Task.sleep(for: .seconds(3)) }
            try await crowd.moveOutside()
            _ = try await crowd.complete()
            try await suite.replace(store, by: store + ".old", of: .ingest)
            try await suite.waitUntilReady(.ingest)
            try await crowd.walk { try await Task.sleep(for: .seconds(3)) }
            try await crowd.moveOutside()
            let isReported = await eventually { suite.log.contains("was replaced") }
            guard isReported else { throw TestFailure("the replaced store is not reported") }
        }
    }

    /// A consistent copy of a store in use.
    private static func copy(_ store: String, to path: String) async throws {
        let program =
            "import sqlite3, sys; sqlite3.connect(sys.argv[1])"
            + ".execute('VACUUM INTO ?', (sys.argv[2],))"
        let capture = try Capture("/usr/bin/python3", ["-c", program, store, path])
        _ = await eventually { capture.process.reap() != nil }
        guard capture.process.exitStatus == 0 else { throw TestFailure(capture.text) }
    }
}

extension RunningSuite {
    /// Kills a service and replaces its store before it is restarted.
    func replace(_ store: String, by other: String, of service: Service) async throws {
        guard let pid = processID(of: service), let supervisor = up?.process.pid else {
            throw TestFailure("\(service) does not run")
        }
        Glibc.kill(supervisor, SIGSTOP)
        Glibc.kill(pid, SIGKILL)
        // Dead, although not yet reaped.
        let isDead = await eventually {
            let state = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
            return state?.split(separator: ")").last?.hasPrefix(" Z") ?? true
        }
        guard isDead else { throw TestFailure("\(service) does not die") }
        for end in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: store + end)
        }
        try FileManager.default.moveItem(atPath: other, toPath: store)
        Glibc.kill(supervisor, SIGCONT)
        let isRestarted = await eventually {
            _ = log
            return processID(of: service).map { $0 != pid } ?? false
        }
        guard isRestarted else { throw TestFailure("\(service) was not restarted:\n\(log)") }
    }
}

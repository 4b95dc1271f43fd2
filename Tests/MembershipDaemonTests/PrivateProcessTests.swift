import Foundation
import Runtime
import TestSupport
import Testing

@Suite struct `A service as a process` {
    private func limit(_ process: Int32) throws -> String {
        let text = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        return try #require(line).split(separator: " ").suffix(3).joined(separator: " ")
    }

    @Test func `writes files for its owner only and no core file`() async throws {
        let suite = try await RunningMembership()
        let process = try #require(suite.membership)
        for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
            #expect(try Files.mode(of: "\(suite.home)/membership/\(name)") == 0o600)
        }
        #expect(try limit(process.process.pid) == "1 1 bytes")
        let path = "/proc/\(process.process.pid)/status"
        let status = try String(contentsOfFile: path, encoding: .utf8)
        #expect(status.contains("Umask:\t0077"))
    }

    @Test func `removes other users' rights to its settings`() async throws {
        let suite = try await RunningMembership()
        await suite.kill()
        let path = suite.home + "/jaga.conf"
        try "JAGA_LOG_LEVEL=info\n".write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o644)
        try await suite.startAgain()
        #expect(try Files.mode(of: path) == 0o600)
    }

    @Test func `prints no memory when it crashes`() async throws {
        let suite = try await RunningMembership()
        let process = try #require(suite.membership)
        kill(process.process.pid, SIGSEGV)
        _ = await eventually { process.process.reap() != nil }
        let text = process.text
        #expect(!text.contains("Registers") && !text.contains("Thread 0"), "\(text)")
    }
}

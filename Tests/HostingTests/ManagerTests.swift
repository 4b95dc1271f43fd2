import Model
import Runtime
import TestSupport
import Testing

@testable import Hosting

@Suite struct `A host started by systemd` {
    @Test func `reports when it is ready, that it is alive, and when it stops`() throws {
        let folder = try TemporaryFolder()
        let systemd = try NotifySocket(folder.file("notify"))
        let manager = try ServiceManager(environment: [
            "NOTIFY_SOCKET": folder.file("notify"), "WATCHDOG_USEC": "8000000",
        ])
        let stage = try Stage(manager: manager)
        #expect(systemd.received == ["READY=1\nSTATUS=version \(Version.text), port 8104"])
        try stage.run(for: .seconds(9))
        #expect(systemd.received == [String](repeating: "WATCHDOG=1", count: 5))
        stage.host.beginShutdown()
        stage.host.beginShutdown()
        try stage.run(for: .seconds(3))
        let last = systemd.received
        #expect(last.first == "STOPPING=1")
        #expect(last.filter { $0 == "STOPPING=1" }.count == 1)
        #expect(last.contains("WATCHDOG=1"), "the watchdog runs during the drain")
    }
}

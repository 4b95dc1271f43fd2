import Model
import Runtime
import TestSupport
import Testing

@testable import Hosting

@Suite struct `A host that systemd has started` {
    @Test func `says when it is ready, while it turns, and when it ends`() throws {
        let folder = try TemporaryFolder()
        let systemd = try NotifySocket(folder.file("notify"))
        let manager = try ServiceManager(environment: [
            "NOTIFY_SOCKET": folder.file("notify"), "WATCHDOG_USEC": "8000000",
        ])
        let stage = try Stage(manager: manager)
        #expect(systemd.heard == ["READY=1\nSTATUS=version \(Version.text), port 8104"])
        try stage.run(for: .seconds(9))
        #expect(systemd.heard == [String](repeating: "WATCHDOG=1", count: 5))
        stage.host.startLeaving()
        stage.host.startLeaving()
        try stage.run(for: .seconds(3))
        let last = systemd.heard
        #expect(last.first == "STOPPING=1")
        #expect(last.filter { $0 == "STOPPING=1" }.count == 1)
        #expect(last.contains("WATCHDOG=1"), "whoever leaves is still watched")
    }
}

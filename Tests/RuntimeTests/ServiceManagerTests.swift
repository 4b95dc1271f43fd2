import Glibc
import TestSupport
import Testing

@testable import Runtime

@Suite struct `The service manager` {
    private func manager(_ environment: [String: String]) throws -> ServiceManager {
        try #require(try ServiceManager(environment: environment))
    }

    @Test func `is notified at a path of readiness and stopping`() throws {
        let folder = try TemporaryFolder()
        let socket = try NotifySocket(folder.file("notify"))
        let manager = try manager(["NOTIFY_SOCKET": folder.file("notify")])
        try manager.ready("port 8101\nREADY=0")
        manager.stopping()
        #expect(socket.received == ["READY=1\nSTATUS=port 8101READY=0", "STOPPING=1"])
        manager.beat(.seconds(5))
        #expect(socket.received == [], "no heartbeat without WATCHDOG_USEC")
    }

    @Test func `is notified at an abstract name, too`() throws {
        let name = "@jaga-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let socket = try NotifySocket(name)
        try manager(["NOTIFY_SOCKET": name]).ready("x")
        #expect(socket.received == ["READY=1\nSTATUS=x"])
    }

    @Test func `receives four heartbeats per watchdog interval`() throws {
        let folder = try TemporaryFolder()
        let socket = try NotifySocket(folder.file("notify"))
        let manager = try manager([
            "NOTIFY_SOCKET": folder.file("notify"), "WATCHDOG_USEC": "2000000",
            "WATCHDOG_PID": String(getpid()),
        ])
        #expect(manager.watchdog == .seconds(2))
        for turn in 0..<20 { manager.beat(.milliseconds(100 * turn)) }
        #expect(socket.received == [String](repeating: "WATCHDOG=1", count: 4))
    }

    @Test func `may have meant another process, or be absent`() throws {
        let environment = [
            "NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "1",
        ]
        #expect(try manager(environment).watchdog == nil)
        #expect(try ServiceManager(environment: [:]) == nil)
    }

    @Test(arguments: ["", "/", "x/y", "vsock:2:1", "/" + String(repeating: "a", count: 107)])
    func `is not notified at an invalid address`(socket: String) {
        #expect(throws: SystemError.self) {
            _ = try ServiceManager(environment: ["NOTIFY_SOCKET": socket])
        }
    }

    @Test func `is missed if its socket does not exist`() throws {
        let folder = try TemporaryFolder()
        let manager = try manager(["NOTIFY_SOCKET": folder.file("nobody")])
        #expect(throws: SystemError.self) { try manager.ready("x") }
        manager.stopping()
    }
}

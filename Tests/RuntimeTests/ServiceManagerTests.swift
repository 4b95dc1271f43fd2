import Glibc
import TestSupport
import Testing

@testable import Runtime

@Suite struct `Whoever started the process` {
    private func manager(_ environment: [String: String]) throws -> ServiceManager {
        try #require(try ServiceManager(environment: environment))
    }

    @Test func `hears at a path that it is ready, and that it ends`() throws {
        let folder = try TemporaryFolder()
        let ear = try NotifySocket(folder.file("notify"))
        let manager = try manager(["NOTIFY_SOCKET": folder.file("notify")])
        try manager.ready("port 8101\nREADY=0")
        manager.stopping()
        #expect(ear.heard == ["READY=1\nSTATUS=port 8101READY=0", "STOPPING=1"])
        manager.beat(.seconds(5))
        #expect(ear.heard == [], "without WATCHDOG_USEC nobody minds")
    }

    @Test func `hears at a name without a file, too`() throws {
        let name = "@jaga-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let ear = try NotifySocket(name)
        try manager(["NOTIFY_SOCKET": name]).ready("x")
        #expect(ear.heard == ["READY=1\nSTATUS=x"])
    }

    @Test func `hears of turns four times in the time that it allows`() throws {
        let folder = try TemporaryFolder()
        let ear = try NotifySocket(folder.file("notify"))
        let manager = try manager([
            "NOTIFY_SOCKET": folder.file("notify"), "WATCHDOG_USEC": "2000000",
            "WATCHDOG_PID": String(getpid()),
        ])
        #expect(manager.watchdog == .seconds(2))
        for turn in 0..<20 { manager.beat(.milliseconds(100 * turn)) }
        #expect(ear.heard == [String](repeating: "WATCHDOG=1", count: 4))
    }

    @Test func `may have meant another process, or nobody`() throws {
        let environment = [
            "NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "1",
        ]
        #expect(try manager(environment).watchdog == nil)
        #expect(try ServiceManager(environment: [:]) == nil)
    }

    @Test(arguments: ["", "/", "x/y", "vsock:2:1", "/" + String(repeating: "a", count: 107)])
    func `cannot be told at an address that is none`(socket: String) {
        #expect(throws: SystemError.self) {
            _ = try ServiceManager(environment: ["NOTIFY_SOCKET": socket])
        }
    }

    @Test func `is missed when it is not there`() throws {
        let folder = try TemporaryFolder()
        let manager = try manager(["NOTIFY_SOCKET": folder.file("nobody")])
        #expect(throws: SystemError.self) { try manager.ready("x") }
        manager.stopping()
    }
}

import Model
import Parsing
import Testing

@testable import JagaCLI

@Suite struct `The status for people` {
    private let now = Timestamp("2026-11-20T02:20:00Z")!

    private func lines(_ heartbeat: JSON) -> [String] {
        let notifier: JSON = ["ready": true, "details": ["heartbeat": heartbeat]]
        return StatusReport(documents: [(.notifier, notifier)]).text(now: now)
            .split(separator: "\n").map(String.init).filter { $0.contains("heartbeat") }
    }

    @Test func `shows the last heartbeat, and why one was skipped`() throws {
        #expect(lines(.null).isEmpty)
        #expect(lines(["lastSent": .null, "missing": []]) == ["no heartbeat sent yet"])
        let sent: JSON = "2026-11-20T02:19:15.000Z"
        #expect(lines(["lastSent": sent, "missing": []]) == ["heartbeat sent 45 s ago"])
        let refused = lines(["lastSent": sent, "missing": ["monitor: status 501"]])
        let line = try #require(refused.first)
        #expect(line.contains("heartbeat sent 45 s ago; last round skipped: monitor: status 501"))
    }
}

import Foundation
import Store
import TestSupport
import Testing

@testable import Hosting
@testable import MembershipDaemon

@Suite struct `A store of a newer version` {
    @Test func `stops the start with one line that has the cause and a hint`() async throws {
        let jaga = try await RunningMembership()
        await jaga.kill()
        do {
            let store = try Database(path: jaga.home + "/membership/store.sqlite", migrations: nil)
            try store.run("INSERT INTO migration VALUES ('', 99)")
        }
        let process = try Capture(
            Programs.path("jaga-membership"),
            ["--home", jaga.home, "--port-base", "\(jaga.portBase)"])
        #expect(await eventually { process.process.reap() != nil })
        #expect(process.process.exitStatus == 1)
        let lines = process.text.split(separator: "\n").filter { $0.contains("level=error") }
        #expect(lines.count == 1, "\(process.text)")
        for word in ["code=newer", "store.sqlite", "migration 99", "hint="] {
            #expect(process.text.contains(word), "\(process.text)")
        }
    }

    @Test func `is recognisable without this program`() {
        #expect(StoreLayout.agrees(with: Main.definition))
    }
}

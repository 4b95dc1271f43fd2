import Foundation
import Parsing
import TestSupport
import Testing
import Wire

extension `The suite` {
    @Suite struct `A watch` {
        @Test func `that expires without an evaluator is notified with the last position`()
            async throws
        {
            let settings = ["JAGA_TIMER_GRACE_SECONDS": "1"]
            try await Household.run(settings: settings, arguments: ["--without", "evaluator"]) {
                home in
                try await home.phone.report(Zone.outside)
                try home.anna.api.call("POST", "/v1/watches", ["minutes": 0.1])
                let isNotified = try await eventually {
                    _ = home.suite.log
                    return try home.messages().contains { $0.text.contains("watch expired") }
                }
                #expect(isNotified, "\(home.suite.log)")
                let alarms = try home.messages().filter { $0.text.contains("watch expired") }
                #expect(alarms.contains { $0.summary.to == "Bob" })
                for alarm in alarms {
                    #expect(!alarm.text.contains("No position known"), "\(alarm.text)")
                    #expect(alarm.text.contains("1.3000"), "\(alarm.text)")
                    #expect(alarm.text.lowercased().contains("within 5 m"), "\(alarm.text)")
                }
            }
        }

        @Test func `is recovered after ingest's disk was replaced and records were pruned`()
            async throws
        {
            try await Household.run { home in
                try await home.phone.report(Zone.outside)
                let watch = try home.anna.api.call("POST", "/v1/watches", ["minutes": 600])
                    .text("id")
                func inputs() throws -> Int {
                    let answer = try home.admin.send(
                        "GET", "/v1/tail/ingest?type=jaga.input.watch&since=1h&until=now")
                    return answer.text.components(separatedBy: watch).count - 1
                }
                let isKnown = try await eventually { try inputs() > 0 }
                #expect(isKnown)
                #expect(await home.suite.stop() == 0)
                // All required consumers have acknowledged, and the minimum age is reached.
                try prune(.deadlines, of: home.suite.home + "/timer/store.sqlite")
                try FileManager.default.removeItem(atPath: home.suite.home + "/ingest")
                try await home.suite.start()
                let isKnownAgain = try await eventually { try inputs() > 0 }
                #expect(isKnownAgain, "\(home.suite.log)")
                let streams = try home.admin.call("GET", "/v1/streams/ingest")["stopped"]
                #expect(streams?.array?.isEmpty == true)
            }
        }

        /// Prunes all records of a stream, as the service does after their retention.
        private func prune(_ stream: StreamName, of store: String) throws {
            let sql = """
                UPDATE stream SET
                    base_hash = (SELECT hash FROM outbox WHERE place >> 48 = code
                        ORDER BY place DESC LIMIT 1),
                    base_sequence = (SELECT max(place) & 281474976710655 FROM outbox
                        WHERE place >> 48 = code)
                WHERE name = '\(stream.text)';
                DELETE FROM outbox WHERE place >> 48 =
                    (SELECT code FROM stream WHERE name = '\(stream.text)');
                """
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
            shell.arguments = [store, sql]
            try shell.run()
            shell.waitUntilExit()
            #expect(shell.terminationStatus == 0)
        }
    }
}

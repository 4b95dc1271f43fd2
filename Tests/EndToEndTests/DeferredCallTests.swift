import Store
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `An emergency request that ingest cannot process` {
        @Test func `is accepted, stored, alerted, and raised as soon as possible`()
            async throws
        {
            try await Household.run { home in
                try await home.phone.report(Zone.outside)
                let store = try Database(
                    path: home.suite.home + "/ingest/store.sqlite", migrations: nil)
                // Every write about emergencies fails.
                try store.execute(
                    """
                    CREATE TRIGGER rejected BEFORE INSERT ON emergency
                    BEGIN SELECT RAISE(ABORT, 'planted'); END
                    """)
                let answer = try home.phoneAPI.send(
                    "POST", "/v1/emergencies",
                    ["trigger": "panic", "countdown": 0, "id": "1", "note": "by the bridge"])
                #expect(answer.status == 202, "\(answer.text)")
                #expect(answer.json["id"]?.string?.hasPrefix("emg_") == true)
                #expect(try waiting(in: store) == 1)

                let ingest = PlainHTTP(port: home.suite.portBase + 1)
                let isReported = try await eventually {
                    let health = try ingest.send("GET", "/healthz")
                    return health.status == 503
                        && health.text.contains("calls for help cannot be")
                }
                #expect(isReported)
                let metrics = try ingest.send("GET", "/metrics").text
                #expect(metrics.contains("jaga_ingest_unprocessed_calls 1"))
                // The operator finds the person and whom to call.
                let list = try await home.suite.finish("emergency", "list").text
                #expect(list.contains("jaga emergency unprocessed"), "\(list)")
                let shown = try await home.suite.finish("emergency", "unprocessed", "anna").text
                #expect(shown.contains("nobody is notified, panic"), "\(shown)")
                #expect(shown.contains("by the bridge"))
                #expect(shown.contains("Bob (") && shown.contains(home.bob.number))
                // It is retried, also by a new process, while other requests are served.
                try await home.suite.kill(.ingest)
                try await home.suite.waitUntilReady(.ingest)
                try await home.phone.report(Zone.outside)
                #expect(try waiting(in: store) == 1)

                try store.execute("DROP TRIGGER rejected")
                try await home.expectNotifications(
                    NotificationSummary.all("SOS Anna: panic button (by the bridge)", to: "Bob"),
                    kills: 1)
                #expect(try waiting(in: store) == 0)
                let isCleared = try await eventually {
                    !(try ingest.send("GET", "/healthz").text.contains("calls for help cannot be"))
                }
                #expect(isCleared)
            }
        }

        private func waiting(in store: Database) throws -> Int64? {
            let count = try store.scalar("SELECT count(*) FROM deferred_call WHERE raised IS NULL")
            guard case .integer(let number) = count else { return nil }
            return number
        }
    }
}

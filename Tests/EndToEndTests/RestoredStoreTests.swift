import Foundation
import Parsing
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `With an older copy of ingest's store` {
        @Test func `continues its emergencies, and sends nothing twice`() async throws {
            try await Household.run { home in
                let copy = try TemporaryFolder()
                let store = home.suite.home + "/ingest"
                /// Stops everything, modifies ingest's store, and restarts.
                func pause(_ work: () throws -> Void) async throws {
                    #expect(await home.suite.stop() == 0)
                    try work()
                    try await home.suite.start()
                }
                func restore() throws {
                    try FileManager.default.removeItem(atPath: store)
                    try FileManager.default.copyItem(atPath: copy.file("ingest"), toPath: store)
                }
                try await pause {
                    try FileManager.default.copyItem(
                        atPath: store, toPath: copy.file("ingest"))
                }

                let emergency = try await home.button.callForHelp("call 1")
                var expected = NotificationSummary.all("SOS Anna: panic button (call 1)", to: "Bob")
                try await home.wait(for: expected)
                try await pause(restore)
                let path = "/v1/emergencies/\(emergency)"
                func becomes(_ state: JSON) async throws -> Bool {
                    try await eventually {
                        try home.anna.api.send("GET", path).json["state"] == state
                    }
                }
                #expect(try await becomes("open"), "\(home.suite.log)")
                #expect(try home.anna.api.call("GET", path)["deliveryState"] != "none")
                try await home.bob.api.insist("POST", path + "/acknowledgement")
                expected += NotificationSummary.all(
                    "Bob is responding to your emergency", to: "Anna")
                #expect(try await becomes("acknowledged"), "\(home.suite.log)")
                try await home.expectNotifications(expected)

                try await pause(restore)
                #expect(try await becomes("acknowledged"), "\(home.suite.log)")
                #expect(try home.anna.api.call("GET", path)["deliveryState"] == "acknowledged")
                try await home.expectNotifications(expected)

                // A further press joins it, and Bob has to answer again.
                let second = try await home.button.callForHelp("call 2")
                let joined = try home.anna.api.call("GET", "/v1/emergencies/\(second)")["emergency"]
                #expect(joined?.string == emergency)
                expected += NotificationSummary.all(
                    "again: SOS Anna: panic button (call 1)", to: "Bob")
                try await home.wait(for: expected)
                #expect(try await becomes("open"), "\(home.suite.log)")
                try await home.bobHelps(emergency)
                expected += Household.helped
                #expect(try await becomes("resolved"), "\(home.suite.log)")
                try await home.expectNotifications(expected)

                let found = try home.admin.call("GET", "/v1/streams/notifier")["divergences"]
                let streams = found?.array?.compactMap { $0["stream"]?.string } ?? []
                #expect(streams.contains("sos"))
                #expect(
                    streams.count { $0.hasPrefix("events/") } == 2, "once each time: \(streams)")
            }
        }
    }
}

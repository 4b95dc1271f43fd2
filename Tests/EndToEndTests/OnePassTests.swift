import Model
import Parsing
import Runtime
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `Without faults` {
        @Test(.enabled(if: Gateways.areInstalled, "Kannel or Exim is not installed"))
        func `everything is one event, one SMS and one mail to each guardian`() async throws {
            let gateways = try Gateways()
            try await gateways.start()
            try await Household.run(
                through: gateways, zones: [.park, Self.school],
                settings: ["JAGA_TIMER_GRACE_SECONDS": "1"]
            ) { home in
                let tail = try Tail(of: home.suite)
                try await cross(home)
                try await press(home)
                try await watch(home)
                try await home.expectNotifications(Self.summary)
                try await tail.expect(Self.events)
                await tail.stop()
            }
            await gateways.stop()
        }

        private func cross(_ home: Household) async throws {
            for place in [Zone.outside, Zone.park.inside, Zone.outside, Self.school.inside] {
                try await home.phone.report(place)
            }
            try await home.phone.reportAsOwnTracks(Zone.outside)
        }

        private func press(_ home: Household) async throws {
            let emergency = try await home.button.callForHelp("call 1", countdown: 2)
            try await home.wait(
                for: NotificationSummary.all("SOS Anna: panic button (call 1)", to: "Bob"))
            try await home.bobHelps(emergency)
        }

        private func watch(_ home: Household) async throws {
            let deadline = SystemClock().now + .seconds(6)
            try home.anna.api.call(
                "POST", "/v1/watches",
                ["deadline": .string(deadline.description), "note": "walk"])
            let alarm = "SOS Anna: watch expired (walk)"
            try await home.wait(for: NotificationSummary.all(alarm, to: "Bob"))
            let open = try home.admin.list("/v1/notifications").first { $0["reason"] == "tier" }
            try await home.bobHelps(try #require(open).text("emergency"))
        }

        private static let school = Zone.square("School")

        private static let summary =
            NotificationSummary.all(
                "Anna entered Park", "Anna left Park", "Anna entered School", "Anna left School",
                to: "Bob", "Cara")
            + NotificationSummary.all("SOS Anna: panic button (call 1)", to: "Bob")
            + Household.helped
            + NotificationSummary.all("Are you OK (walk)", to: "Anna")
            + NotificationSummary.all("SOS Anna: watch expired (walk)", to: "Bob")
            + Household.helped

        private static let events = [
            "jaga.zone.entered": 2, "jaga.zone.exited": 2,
            "jaga.sos.raised": 1, "jaga.sos.located": 1, "jaga.watch.expired": 1,
            "jaga.emergency.countdown": 1, "jaga.emergency.opened": 2,
            "jaga.emergency.acknowledged": 2, "jaga.emergency.resolved": 2,
            "jaga.acknowledgement.committed": 2, "jaga.resolution.committed": 2,
        ]
    }
}

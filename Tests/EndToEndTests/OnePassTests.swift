import TestSupport
import Testing

extension `The suite` {
    @Suite struct `Without faults` {
        @Test func `tells guardians of crossings and of a panic once`() async throws {
            let suite = try RunningSuite()
            try await suite.start()
            let home = try Household(in: suite)
            let park = Zone.circle("Park", at: Place(latitude: 1.3, longitude: 103.8))
            let school = Zone.polygon("School", at: Place(latitude: 1.4, longitude: 103.8))
            try home.add(park)
            try home.add(school)

            for place in [Zone.far, park.inside, Zone.far, school.inside, Zone.far] {
                try await home.phone.report(place)
            }
            try await home.phone.callForHelp("call 1", countdown: 1)

            try await home.expect(
                Told.all(
                    "Anna entered Park", "Anna left Park", "Anna entered School",
                    "Anna left School", to: "Bob", "Cara")
                    + Told.all("SOS Anna: panic button (call 1)", to: "Bob"),
                from: home.told)
            #expect(await suite.stop() == 0)
        }
    }
}

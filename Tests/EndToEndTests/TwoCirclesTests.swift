import Parsing
import TestSupport
import Testing

extension `The suite` {
    /// Anna is in the family with the guardian Bob, and in a team with the guardian Dan.
    @Suite struct `In two circles` {
        @Test func `a guardian resolves an emergency in their own circle, the person for all`()
            async throws
        {
            try await Household.run { home in
                let dan = try Household.person("Dan", number: "+15550001004", home.admin)
                let team = try home.admin.call("POST", "/v1/circles", ["name": "Team"]).text("id")
                for (person, role) in [(dan, "guardian"), (home.anna, "member")] {
                    try home.admin.call(
                        "POST", "/v1/circles/\(team)/members",
                        ["person": .string(person.id), "role": .string(role)])
                }
                try await home.phone.report(Zone.outside)
                for circle in [home.circle, team] {
                    try home.anna.api.call(
                        "PUT", "/v1/circles/\(circle)/members/\(home.anna.id)",
                        ["sharing": "off"])
                }
                let emergency = try await home.button.callForHelp("call 1", countdown: 0)
                try await expect(home, "SOS Anna", to: "Bob", dan.number)
                #expect(try await sees(dan, team, home))
                #expect(try await sees(home.bob, home.circle, home))

                try await home.bobHelps(emergency)
                try await expect(home, "Bob ended your emergency for Family", to: "Anna")
                try await expect(
                    home, "Bob ended Anna's emergency for Family", to: dan.number)
                #expect(try state(emergency, home.bob) == "resolved")
                #expect(try state(emergency, dan) == "open")
                #expect(try await sees(dan, team, home))
                #expect(try !positionIsShown(home.bob, home.circle, home))
                let own = try home.anna.api.call("GET", "/v1/emergencies/\(emergency)")
                #expect(own["endedCircles"] == [.string(home.circle)])

                try await home.anna.api.insist(
                    "POST", "/v1/emergencies/\(emergency)/confirmation")
                let isResolved = await eventually {
                    (try? state(emergency, dan)) == "resolved"
                        && (try? positionIsShown(dan, team, home)) == false
                }
                #expect(isResolved)
            }
        }

        /// Waits for a text with these words to each of them.
        private func expect(
            _ home: Household, _ words: String, to people: String...
        ) async throws {
            let arrives = await eventually(within: 30) {
                let messages = (try? home.messages()) ?? []
                return people.allSatisfy { person in
                    messages.contains { $0.summary.to == person && $0.text.contains(words) }
                }
            }
            guard arrives else { throw TestFailure("no message \(words)") }
        }

        private func state(_ emergency: String, _ person: Household.Person) throws -> String {
            try person.api.call("GET", "/v1/emergencies/\(emergency)").text("state")
        }

        private func positionIsShown(
            _ viewer: Household.Person, _ circle: String, _ home: Household
        ) throws -> Bool {
            let positions = try viewer.api.call("GET", "/v1/circles/\(circle)/positions")
            let anna = positions["features"]?.array?.first { $0["id"] == .string(home.anna.id) }
            return anna?["geometry"]?.isNull == false
        }

        /// Whether a viewer can see Anna's position.
        private func sees(
            _ viewer: Household.Person, _ circle: String, _ home: Household
        ) async throws -> Bool {
            await eventually { (try? positionIsShown(viewer, circle, home)) == true }
        }
    }
}

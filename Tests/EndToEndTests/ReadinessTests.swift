import Parsing
import TestSupport
import Testing

extension `The suite` {
    /// What is known before an emergency: who can be reached, and where people are, through real
    /// gateways in both directions.
    @Suite struct `Readiness and drills` {
        @Test(.enabled(if: Gateways.areInstalled, "Kannel or Exim is not installed"))
        func `a drill is answered by SMS, proves a channel, and WHERE answers by SMS`()
            async throws
        {
            let gateways = try Gateways()
            try await Household.run(
                through: gateways, settings: ["JAGA_SMS_REPLIES": "on"]
            ) { home in
                let kannel = try home.admin.list("/v1/gateways").first { $0["name"] == "kannel" }
                gateways.kannel.replyAddress = try #require(kannel).text("replies")
                try await gateways.start()
                try await drill(home, gateways)
                try await readiness(home)
                try await whereabouts(home, gateways)
            }
            await gateways.stop()
        }

        private func text(
            _ words: String, to number: String, _ gateways: Gateways
        ) async throws -> String {
            var found: String?
            let arrives = await eventually(within: 30) {
                found =
                    gateways.kannel.messages.first {
                        $0.recipient == number && $0.text.contains(words)
                    }?.text
                return found != nil
            }
            guard arrives, let found else { throw TestFailure("no text \(words)") }
            return found
        }

        /// Bob agrees, Cara starts, Bob answers with the code of his message.
        private func drill(_ home: Household, _ gateways: Gateways) async throws {
            let circle = "/v1/circles/\(home.circle)"
            let none = try home.cara.api.send("POST", circle + "/drills", [:])
            #expect(none.status == 409, "nobody has agreed")
            try home.bob.api.call(
                "PUT", circle + "/members/\(home.bob.id)", ["joinsDrills": true])
            var started: JSON = nil
            let starts = await eventually {
                guard let answer = try? home.cara.api.call("POST", circle + "/drills", [:]) else {
                    return false
                }
                started = answer
                return true
            }
            #expect(starts, "the notifier knows of the agreement")
            let id = try started.text("id")
            let sms = try await text("TEST Jaga", to: home.bob.number, gateways)
            let start = try #require(sms.range(of: "Or reply OK ")).upperBound
            let code = String(sms[start...].prefix { $0.isNumber })
            try await gateways.kannel.receive("OK \(code)", from: home.bob.number)
            _ = try await text("your answer to the drill", to: home.bob.number, gateways)
            let report = try home.cara.api.call("GET", circle + "/drills/" + id)
            let bob = report["participants"]?[0]
            #expect(bob?["answeredBy"] == "sms")
            #expect(gateways.kannel.messages.allSatisfy { $0.recipient == home.bob.number })
            try home.cara.api.call("POST", circle + "/drills/\(id)/stop")
        }

        private func readiness(_ home: Household) async throws {
            let path = "/v1/circles/\(home.circle)/readiness"
            let isProven = await eventually(within: 30) {
                let rows = try? home.cara.api.call("GET", path)["items"]?.array
                let bob = rows?.first { $0["name"] == "Bob" }
                return bob?["channels"]?.array?.contains {
                    $0["channel"] == "sms" && $0["provenDay"]?.string != nil
                } ?? false
            }
            #expect(isProven, "the receipt of the drill")
            #expect(try home.anna.api.call("GET", path)["items"]?.array?.count == 1)
        }

        /// Anna's phone reports, and Bob asks.
        private func whereabouts(_ home: Household, _ gateways: Gateways) async throws {
            _ = try await home.phone.report(Zone.outside)
            try await gateways.kannel.receive("where", from: home.bob.number)
            let answer = try await text("Anna: ", to: home.bob.number, gateways)
            #expect(answer.contains("within"))
            var looks: [JSON] = []
            let isRecorded = await eventually {
                looks = (try? home.anna.api.list("/v1/people/\(home.anna.id)/access-log")) ?? []
                return looks.contains { $0["name"] == "Bob" && $0["kind"] == "positions" }
            }
            #expect(isRecorded, "\(looks)")
        }
    }
}

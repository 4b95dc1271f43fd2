import Foundation
import Parsing
import TestSupport
import Testing

extension `The suite` {
    /// From an invitation to leaving: nobody is put into a circle, and nobody is shown more than
    /// they agreed to.
    @Suite struct `An invited person` {
        @Test func `reads, accepts, agrees to be shown and leaves`() async throws {
            try await Household.run { home in
                let admin = home.admin
                let dora = try Household.person("Dora", number: "+15550001004", admin)
                let evan = try Household.person("Evan", number: "+15550001005", admin)
                let made = try dora.api.call(
                    "POST", "/v1/circles", ["name": "Team", "membersSeePositions": false])
                let circle = try "/v1/circles/" + made.text("id")
                try await byLink(to: circle, home, dora, evan)
                try await visibility(of: evan, in: circle, home, dora)
                let left = try evan.api.send("DELETE", "\(circle)/members/\(evan.id)")
                #expect(left.status == 204)
                #expect(try evan.api.send("GET", circle).status == 403)
                try await byNumber(to: circle, home, dora)
            }
        }

        /// Dora invites by link; Evan previews without an account's credential, and accepts.
        private func byLink(
            to circle: String, _ home: Household, _ dora: Household.Person,
            _ evan: Household.Person
        ) async throws {
            let invitation = try dora.api.call(
                "POST", circle + "/invitations", ["role": "member"])
            let token = try Self.token(of: invitation)
            let preview = try home.suite.http.send(
                "POST", "/v1/invitations/preview",
                body: JSON.object([.init("token", .string(token))]).serialized())
            #expect(preview.status == 200)
            #expect(preview.json["inviter"] == "Dora" && preview.json["circle"] == "Team")
            #expect(preview.json["watchers"]?[0]?["people"] == 1)
            let joined = try evan.api.call(
                "POST", "/v1/invitations/acceptance", ["token": .string(token)])
            #expect(joined["members"]?.array?.count == 2)
            let again = try home.bob.api.send(
                "POST", "/v1/invitations/acceptance", ["token": .string(token)])
            #expect(again.status == 409)
        }

        /// Dora lets members see each other. Evan is notified, and agrees.
        private func visibility(
            of evan: Household.Person, in circle: String, _ home: Household,
            _ dora: Household.Person
        ) async throws {
            func isSeen() throws -> Bool? {
                try dora.api.call("GET", circle)["members"]?.array?.first {
                    $0["person"]?.string == evan.id
                }?["membersSeePosition"]?.bool
            }
            try dora.api.call("PUT", circle, ["membersSeePositions": true])
            #expect(try isSeen() == false)
            let isTold = await eventually {
                let messages = try? home.admin.list("/v1/outbox")
                return messages?.contains {
                    $0["to"]?.string == evan.number
                        && $0["text"]?.string?.contains("Dora") == true
                } ?? false
            }
            #expect(isTold)
            let path = "/v1/people/\(evan.id)/consents"
            let consent = try evan.api.call("GET", path)["items"]?[0]
            #expect(consent?["question"] == "members-see-position")
            let id = consent?["id"]?.string ?? ""
            try evan.api.call("PUT", "\(path)/\(id)", ["agreed": true])
            #expect(try isSeen() == true)
        }

        /// Dora invites a number, which gets the link.
        private func byNumber(
            to circle: String, _ home: Household, _ dora: Household.Person
        ) async throws {
            let invitation = try dora.api.call(
                "POST", circle + "/invitations", ["contact": "+15550009876"])
            let token = try Self.token(of: invitation)
            let isSent = await eventually {
                let messages = try? home.admin.list("/v1/outbox")
                return messages?.contains {
                    $0["to"]?.string == "+15550009876"
                        && $0["text"]?.string?.contains("#invitation=\(token)") == true
                } ?? false
            }
            #expect(isSent)
            let stranger = try home.bob.api.send(
                "POST", "/v1/invitations/acceptance", ["token": .string(token)])
            #expect(stranger.status == 409)
            let list = try dora.api.call("GET", circle + "/invitations")
            #expect(
                list["items"]?.array?.compactMap { $0["state"]?.string }.sorted() == [
                    "accepted", "open",
                ])
        }

        private static func token(of invitation: JSON) throws -> String {
            let link = try invitation.text("link")
            guard let mark = link.firstRange(of: "#invitation=") else {
                throw TestFailure("no token in the link")
            }
            return String(link[mark.upperBound...])
        }
    }
}

import Foundation
import Parsing
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `Signing in by code` {
        @Test(.enabled(if: Gateways.areInstalled, "Kannel or Exim is not installed"))
        func `works over a real SMS and a real mail, and a used code opens nothing`() async throws {
            let gateways = try Gateways()
            try await gateways.start()
            try await Household.run(
                through: gateways, settings: ["JAGA_SITE_NAME": "Hillside School"]
            ) { home in
                for (contact, isMail) in [(home.bob.number, false), (home.bob.mail, true)] {
                    #expect(try request(contact, home) == 202)
                    let code = try await code(isMail: isMail, home, gateways)
                    let opened = try open(contact, code, home)
                    #expect(opened.status == 201, "\(opened.text)")
                    #expect(opened.json["person"]?["id"] == .string(home.bob.id))
                    let cookie = try #require(opened.headers["set-cookie"])
                    #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite="))
                    let pair = try #require(cookie.split(separator: ";").first)
                    let own = try home.suite.http.send(
                        "GET", "/v1/people/\(home.bob.id)", headers: ["Cookie": String(pair)])
                    #expect(own.status == 200, "\(own.text)")
                    #expect(own.json["name"] == "Bob")
                    #expect(try open(contact, code, home).status == 401, "it is used")
                    #expect(!home.suite.log.contains(code), "no log has the code")
                }
                // The number is warned of the session that the mail opened.
                let isWarned = await eventually {
                    messages(home, gateways).contains {
                        $0.summary.to == "Bob" && $0.summary.way == .sms
                            && $0.text.contains("Hillside School: a new browser signed in")
                    }
                }
                #expect(isWarned)
            }
            await gateways.stop()
        }

        @Test func `answers known and unknown contacts alike`() async throws {
            try await Household.run { home in
                func answer(_ path: String, _ json: JSON) throws -> [String] {
                    let answer = try home.suite.http.send("POST", path, json, token: nil)
                    let headers = answer.headers.filter {
                        !["date", "x-request-id"].contains($0.key)
                    }
                    return ["\(answer.status)", answer.text]
                        + headers.map { "\($0.key): \($0.value)" }.sorted()
                }
                for (known, unknown) in [
                    (home.anna.number, "+15550009999"), (home.anna.mail, "nobody@example.test"),
                ] {
                    for (path, code) in [
                        ("/v1/sign-in/codes", nil), ("/v1/sessions", "000000" as JSON?),
                    ] {
                        var answers: [[String]] = []
                        for contact in [known, unknown] {
                            var body: [JSON.Member] = [.init("contact", .string(contact))]
                            if let code { body.append(.init("code", code)) }
                            answers.append(try answer(path, .object(body)))
                        }
                        #expect(answers[0] == answers[1])
                    }
                }
            }
        }

        @Test func `a contact point is verified by its code`() async throws {
            try await Household.run { home in
                let path = "/v1/people/\(home.anna.id)"
                let number = "+15550001009"
                let person = try home.anna.api.call(
                    "PUT", path, ["contacts": [["channel": "sms", "address": .string(number)]]])
                #expect(person["warning"]?["reason"] == "no-verified-contact-point")
                let contact = try #require(person["contacts"]?[0])
                #expect(contact["verified"] == .null && contact["vouched"] == false)
                let own = try path + "/contacts/" + contact.text("id")
                try home.anna.api.call("POST", own + "/code", [:])
                var text: String?
                let arrives = await eventually {
                    text =
                        (try? home.admin.list("/v1/outbox"))?.first {
                            $0["to"] == .string(number)
                        }?["text"]?.string
                    return text != nil
                }
                #expect(arrives)
                let code = String(try #require(text).prefix(6))
                let verified = try home.anna.api.call(
                    "POST", own + "/verification", ["code": .string(code)])
                #expect(verified["contacts"]?[0]?["verified"]?.string != nil)
                try home.anna.api.call("POST", own + "/test", [:])
                let isTested = await eventually {
                    (try? home.admin.list("/v1/outbox"))?.contains {
                        $0["to"] == .string(number)
                            && $0["text"]?.string?.contains("test message") == true
                    } ?? false
                }
                #expect(isTested)
            }
        }

        private func request(_ contact: String, _ home: Household) throws -> Int {
            try home.suite.http.send(
                "POST", "/v1/sign-in/codes", ["contact": .string(contact)], token: nil
            ).status
        }

        private func open(
            _ contact: String, _ code: String, _ home: Household
        ) throws -> PlainHTTP.Answer {
            try home.suite.http.send(
                "POST", "/v1/sessions",
                ["contact": .string(contact), "code": .string(code)], token: nil)
        }

        private func messages(_ home: Household, _ gateways: Gateways) -> [Message] {
            gateways.messages(to: home.people)
        }

        /// The code of the next message to Bob.
        private func code(
            isMail: Bool, _ home: Household, _ gateways: Gateways
        ) async throws -> String {
            var found: String?
            let arrives = await eventually {
                found = messages(home, gateways).lazy
                    .filter {
                        $0.summary.to == "Bob" && ($0.summary.way == .mail) == isMail
                    }
                    .compactMap { $0.text.firstMatch(of: #/(\d{6}) is your code to sign in/#)?.1 }
                    .last.map(String.init)
                return found != nil
            }
            guard arrives, let found else { throw TestFailure("no code arrived") }
            return found
        }
    }
}

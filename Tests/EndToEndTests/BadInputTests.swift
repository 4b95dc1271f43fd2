import Parsing
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `Bad input` {
        @Test func `is rejected with the field and a hint`() async throws {
            try await Household.run { home in
                try rejectWrongCredentials(home)
                try rejectMalformed(home)
                try rejectLarge(home)
            }
        }

        private func rejectWrongCredentials(_ home: Household) throws {
            let paths = [
                "/v1/people", "/v1/quarantine", "/v1/watches",
                "/v1/circles/\(home.circle)/timeline",
            ]
            let wrong = String(repeating: "x", count: 43)
            for path in paths {
                for token in [wrong, nil] {
                    let answer = try home.suite.http.send("GET", path, token: token)
                    #expect(answer.status == 401, "\(path)")
                    #expect(answer.headers["content-type"] == "application/problem+json")
                }
            }
            for path in ["/pub", "/v1/reports", "/v1/emergencies"] {
                let answer = try home.suite.http.send("POST", path, [:], token: wrong)
                #expect(answer.status == 401, "\(path)")
            }
        }

        private func rejectMalformed(_ home: Household) throws {
            for bad in Self.malformed {
                let path = bad.path.replacing("{circle}", with: home.circle)
                let api = bad.isForAnna ? home.anna.api : home.admin
                let answer = try api.http.send(
                    "POST", path, body: Array(bad.body.utf8), token: api.token,
                    headers: ["Content-Type": "application/json"])
                #expect(answer.status == 400, "\(path) \(bad.body): \(answer.text)")
                #expect(answer.headers["content-type"] == "application/problem+json")
                #expect(answer.json["field"]?.string == bad.field, "\(answer.text)")
                let words = (answer.json["detail"]?.string ?? "")
                #expect(words.contains(bad.message), "\(answer.text)")
                #expect(answer.json["hint"]?.string != nil, "\(answer.text)")
            }
        }

        /// A fault and its error.
        private struct Malformed {
            let path: String
            let body: String
            let field: String?
            let message: String
            var isForAnna = false
        }

        private static let malformed = [
            Malformed(path: "/v1/people", body: #"{"name":"#, field: nil, message: "byte 8"),
            Malformed(
                path: "/v1/people",
                body: #"{"name":"A","contacts":[{"channel":"sms","address":"12"}]}"#,
                field: "contacts[0].address", message: "must be a phone number"),
            Malformed(
                path: "/v1/circles/{circle}/zones", body: zone("Point", "[103.8,91]"),
                field: "geometry.coordinates[1]", message: "91"),
            Malformed(
                path: "/v1/circles/{circle}/zones", body: zone("Sphere", "[103.8,1]"),
                field: "geometry.type", message: "must be an allowed value"),
            Malformed(
                path: "/v1/circles/{circle}/zones",
                body: zone("Polygon", "[[[0,0],[0.1,0.1],[0.1,0],[0,0.1],[0,0]]]"),
                field: "geometry.coordinates[0][0]", message: "at longitude 0.05"),
            Malformed(
                path: "/v1/watches", body: #"{"minutes":"soon"}"#, field: "minutes",
                message: "number of minutes", isForAnna: true),
            Malformed(
                path: "/v1/gateways/outbox/test", body: #"{"to":5}"#, field: "to",
                message: "a recipient is required"),
        ]

        private static func zone(_ type: String, _ coordinates: String) -> String {
            let radius = type == "Point" ? #","radius":100"# : ""
            return #"{"type":"Feature","geometry":{"type":"\#(type)","#
                + #""coordinates":\#(coordinates)},"#
                + #""properties":{"name":"Z","kind":"safe"\#(radius)}}"#
        }

        private func rejectLarge(_ home: Household) throws {
            let body = Array(#"{"name":""#.utf8) + [UInt8](repeating: 65, count: 1 << 20)
            for (number, path) in [(1, "/v1/reports"), (2, "/v1/people"), (4, "/v1/watches")] {
                for port in [home.suite.port, home.suite.portBase + number] {
                    let answer = try PlainHTTP(port: port).send(
                        "POST", path, body: body, token: home.anna.api.token)
                    #expect(answer.status == 413, "\(port) \(path)")
                    #expect(answer.headers["content-type"] == "application/problem+json")
                }
            }
        }

        @Test func `of a phone gets a success response and is quarantined`()
            async throws
        {
            try await Household.run { home in
                let photo = String(repeating: "A", count: 2 << 20)
                let payloads = [
                    ("not-json", "{"),
                    ("bad-position", #"{"_type":"location","lat":91,"lon":1,"tst":1}"#),
                    ("not-an-object", #"{"_type":"waypoints","photo":"\#(photo)"}"#),
                ]
                for (_, payload) in payloads {
                    let answer = try home.phoneAPI.http.send(
                        "POST", "/pub", body: Array(payload.utf8), token: home.phoneAPI.token)
                    #expect(answer.status == 200)
                    #expect(answer.text == "[]")
                }
                let kept = try home.admin.list("/v1/quarantine")
                let reasons = kept.compactMap { $0["reason"]?.string }
                #expect(Set(reasons) == Set(payloads.map(\.0)))
                let own = try home.anna.api.list("/v1/quarantine")
                #expect(own.count == kept.count)
                let command = try home.suite.run("quarantine")
                _ = await eventually { command.process.reap() != nil }
                for (reason, _) in payloads { #expect(command.text.contains(reason)) }
            }
        }
    }
}

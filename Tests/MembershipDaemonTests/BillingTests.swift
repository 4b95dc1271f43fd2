import Directory
import Foundation
import Hashing
import Parsing
import TestSupport
import Testing

/// Notifications of the app store, signed by a secret that it shares with the operator.
@Suite struct BillingTests {
    private static let secret = "whsec-0123456789abcdef"

    private struct Store {
        let jaga: RunningMembership

        func notify(
            _ body: String, id: String = "evt-1", age: Int = 0,
            secret: String = BillingTests.secret,
            changing: (inout [String: String]) -> Void = { _ in }
        ) throws -> PlainHTTP.Answer {
            let text = body.replacing("'", with: "\"")
            let time = String(Int(Date().timeIntervalSince1970) - age)
            let signed = Array("\(id).\(time).\(text)".utf8)
            var headers = [
                "webhook-id": id, "webhook-timestamp": time,
                "webhook-signature": "v1,bm9uZQ== v1,"
                    + Base64.encode(Hash.hmacSHA256(signed, key: Array(secret.utf8))),
            ]
            changing(&headers)
            return try PlainHTTP(port: jaga.portBase + 2).send(
                "POST", "/v1/billing/events", body: Array(text.utf8), headers: headers)
        }
    }

    private func running() async throws -> (RunningMembership, Store, person: String) {
        let jaga = try await RunningMembership()
        let file = jaga.home + "/secrets/billing"
        try Data((Self.secret + "\n").utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        await jaga.kill()
        try await jaga.startAgain(["JAGA_BILLING_SECRET_FILE": file])
        let person = try jaga.ask("POST", "/v1/people", "{'name': 'Anna', 'billing': 'store'}")
            .text("id")
        return (jaga, Store(jaga: jaga), person)
    }

    private func plan(_ jaga: RunningMembership, _ person: String) throws -> String {
        try jaga.ask("GET", "/v1/people/\(person)").text("plan")
    }

    @Test func `a signed notification changes the plan once`() async throws {
        let (jaga, store, anna) = try await running()
        let paid = try store.notify("{'person': '\(anna)', 'plan': 'paid'}")
        #expect(paid.status == 200 && paid.json["plan"] == "paid", "\(paid.text)")
        #expect(paid.json["name"] == nil, "nothing else of the person")
        #expect(try plan(jaga, anna) == "paid")
        let lapsed = try store.notify("{'person': '\(anna)', 'plan': 'lapsed'}", id: "evt-2")
        #expect(lapsed.json["plan"] == "lapsed")
        let again = try store.notify("{'person': '\(anna)', 'plan': 'paid'}")
        #expect(again.status == 200 && again.json["plan"] == "lapsed", "a known id")
        let old = try store.notify(
            "{'person': '\(anna)', 'plan': 'paid', 'at': '2020-01-01T00:00:00Z'}", id: "evt-3")
        #expect(old.status == 200 && old.json["plan"] == "lapsed", "older than another one")
        #expect(try plan(jaga, anna) == "lapsed")
        let denied = try jaga.ask("PUT", "/v1/people/\(anna)", "{'plan': 'paid'}")
        #expect(denied.status == 403 && denied.json["hint"] == "billed-by-store")
    }

    @Test func `what is not signed, too old or malformed changes nothing`() async throws {
        let (jaga, store, anna) = try await running()
        let body = "{'person': '\(anna)', 'plan': 'paid'}"
        #expect(try store.notify(body, secret: "another secret of theirs").status == 401)
        #expect(try store.notify(body) { $0["webhook-id"] = "evt-9" }.status == 401)
        for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
            let answer = try store.notify(body) { $0[name] = nil }
            #expect(answer.status == 400 && answer.field == name)
        }
        for age in [301, -302] {
            let answer = try store.notify(body, age: age)
            #expect(answer.status == 400 && answer.field == "webhook-timestamp")
        }
        #expect(try store.notify("{'person': '\(anna)'}").field == "plan")
        #expect(try store.notify("{'person': '\(anna)', 'plan': 'gold'}").field == "plan")
        #expect(try store.notify("{'plan': 'paid'}").field == "person")
        #expect(try store.notify("{").status == 400)
        let nobody = "per_" + String(repeating: "0", count: 26)
        #expect(try store.notify("{'person': '\(nobody)', 'plan': 'paid'}").status == 404)
        #expect(try plan(jaga, anna) == "trial")
        let ben = try jaga.person("Ben")
        let other = try store.notify("{'person': '\(ben)', 'plan': 'paid'}")
        #expect(other.status == 409 && other.field == "person")
        // A notification that was refused may come again.
        #expect(try store.notify(body).json["plan"] == "paid")
        let log = jaga.membership?.text ?? ""
        #expect(!log.contains(Self.secret))
    }

    @Test func `without a secret nothing is accepted`() async throws {
        let jaga = try await RunningMembership()
        let answer = try Store(jaga: jaga).notify("{}")
        #expect(answer.status == 404)
        #expect(answer.text.contains("JAGA_BILLING_SECRET_FILE"))
    }
}

/// Questions about rights, and the operator's file.
@Suite struct RightsServiceTests {
    @Test func `staff administer with their own credentials, not with those of their phones`()
        async throws
    {
        let jaga = try await RunningMembership()
        let ben = try jaga.person("Ben", ", 'staff': 'operator'")
        let phone = try jaga.ask("POST", "/v1/people/\(ben)/devices", "{'name': 'phone'}")
            .text("credential", "token")
        for path in ["/v1/streams/membership", "/v1/status/membership", "/v1/people"] {
            #expect(try jaga.ask("GET", path, as: phone).status == 403, "\(path)")
            #expect(try jaga.ask("GET", path, as: jaga.token(of: ben)).status == 200, "\(path)")
        }
    }

    @Test func `a denial has reason and remedy, and the operator learns who may`() async throws {
        let jaga = try await RunningMembership()
        let (anna, ben) = (try jaga.person("Anna"), try jaga.person("Ben"))
        let circle = try jaga.ask("POST", "/v1/circles", "{'name': 'C'}").text("id")
        for (person, role) in [(anna, "admin"), (ben, "member")] {
            try jaga.ask(
                "POST", "/v1/circles/\(circle)/members",
                "{'person': '\(person)', 'role': '\(role)'}")
        }
        let token = try jaga.token(of: ben)
        let rights = try jaga.ask("GET", "/v1/rights?circle=\(circle)", as: token).json
        let invite = rights["items"]?.array?.first { $0["action"] == "invite" }
        #expect(invite?["reason"] == "role-too-low")
        #expect(invite?["remedy"]?.string?.contains("admin") == true)
        #expect(rights["items"]?.array?.count == Action.allCases.count)

        let path = "/v1/circles/\(circle)/rights"
        func may(_ query: String) throws -> [String: Bool] {
            let items = try jaga.ask("GET", path + query).json["items"]?.array ?? []
            return Dictionary(
                uniqueKeysWithValues: items.compactMap { item in
                    item["name"]?.string.map { ($0, item["allowed"]?.bool ?? false) }
                })
        }
        #expect(try may("?action=invite") == ["Anna": true, "Ben": false])
        #expect(try may("?action=read-person&person=\(ben)") == ["Anna": false, "Ben": true])
        let omar = try jaga.person("Omar")
        #expect(
            try jaga.ask("PUT", "/v1/people/\(omar)", "{'staff': 'officer'}").json["staff"]
                == "officer")
        let emergencies = try may("?action=acknowledge&person=\(ben)")
        #expect(emergencies == ["Anna": true, "Ben": false, "Omar": true])
        #expect(try jaga.ask("GET", path + "?action=fly").field == "action")
        #expect(try jaga.ask("GET", path).field == "action")
        #expect(try jaga.ask("GET", path + "?action=read-person").field == "person")
        #expect(try jaga.ask("GET", path + "?action=invite", as: token).status == 403)
        #expect(
            try jaga.ask("PUT", "/v1/people/\(ben)", "{'staff': 'operator'}", as: token).status
                == 403)
        #expect(try jaga.ask("PUT", "/v1/people/\(omar)", "{'staff': null}").json["staff"] == .null)
    }

    @Test func `the file of overrides is read at the start, or the start fails`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let circle = try jaga.ask("POST", "/v1/circles", "{'name': 'C'}").text("id")
        try jaga.ask(
            "POST", "/v1/circles/\(circle)/members", "{'person': '\(anna)', 'role': 'member'}")
        let token = try jaga.token(of: anna)
        func mayEdit() throws -> Bool? {
            try jaga.ask("GET", "/v1/rights?circle=\(circle)", as: token).json["items"]?.array?
                .first { $0["action"] == "edit-zones" }?["allowed"]?.bool
        }
        #expect(try mayEdit() == false)
        let file = jaga.home + "/rights.conf"
        try Data("edit-zones.member = guardians-edit-zones\n".utf8)
            .write(to: URL(fileURLWithPath: file))
        await jaga.kill()
        try await jaga.startAgain(["JAGA_RIGHTS_FILE": file])
        #expect(try mayEdit() == true)

        try Data("\nedit-zones.members = yes\n".utf8).write(to: URL(fileURLWithPath: file))
        await jaga.kill()
        let failed = try Capture(
            try Programs.path("jaga-membership"),
            ["--home", jaga.home, "--port-base", "\(jaga.portBase)", "--check"],
            environment: ["PATH": "/usr/bin:/bin", "JAGA_RIGHTS_FILE": file])
        #expect(await eventually { failed.text.contains("line 2") })
        #expect(failed.text.contains("edit-zones.members"))
        #expect(failed.text.contains("admin, guardian, member, lapsed"))
    }

    @Test func `set-up links are those of the platform`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        for (platform, missing) in [("ios", "gpslogger"), ("android", "overland")] {
            let made = try jaga.ask(
                "POST", "/v1/people/\(anna)/devices",
                "{'name': '\(platform)', 'platform': '\(platform)'}")
            let token = try made.text("credential", "token")
            let path = "/v1/devices/\(try made.text("device", "id"))/setup?url=https%3A%2F%2Fj.test"
            let apps = try jaga.ask("GET", path, as: token).json["apps"]?.array ?? []
            #expect(apps.count == 4)
            #expect(!apps.contains { $0["app"]?.string == missing })
            let code = try jaga.ask("GET", path + "&format=svg&app=\(missing)", as: token)
            #expect(code.status == 400 && code.field == "app")
        }
    }
}

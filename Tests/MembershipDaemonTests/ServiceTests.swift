import Foundation
import Parsing
import Runtime
import TestSupport
import Testing

/// The daemon as a process, over its real HTTP, store and streams.
@Suite(.serialized) struct ServiceTests {
    private static let ring = "[[101, 3], [101.01, 3], [101.01, 3.01], [101, 3.01], [101, 3]]"

    private static func feature(_ ring: String, _ name: String = "School") -> String {
        """
        {'type': 'Feature', 'properties': {'name': '\(name)'},
         'geometry': {'type': 'Polygon', 'coordinates': [\(ring)]}}
        """
    }

    @Test func `a first start has no people and requires credentials`() async throws {
        let jaga = try await RunningMembership()
        let people = try jaga.ask("GET", "/v1/people")
        #expect(people.status == 200)
        #expect(people.text == #"{"items":[],"next":null}"#)
        #expect(try jaga.ask("GET", "/v1/circles").text == #"{"items":[],"next":null}"#)
        let wrong = try jaga.ask("GET", "/v1/people", as: String(repeating: "x", count: 43))
        #expect(wrong.status == 401)
        #expect(wrong.headers["content-type"] == "application/problem+json")
        let none = try PlainHTTP(port: jaga.portBase + 2).send("GET", "/v1/people")
        #expect(none.status == 401)
        #expect(none.headers["www-authenticate"] != nil)
        #expect(try jaga.ask("GET", "/v1/nothing").status == 404)
        #expect(try jaga.ask("GET", "/v1/people/per_1").status == 404)
        let patch = try jaga.ask("PATCH", "/v1/people")
        #expect(patch.status == 405)
        #expect(patch.headers["allow"]?.contains("POST") == true)
        #expect(try jaga.ask("POST", "/v1/people", "{'name': ").status == 400)
        #expect(try jaga.ask("POST", "/v1/people").status == 400)
        #expect(try jaga.ask("POST", "/v1/people", "{'nmae': 'A'}").field == "nmae")
        for field in ["members", "sets"] {
            let made = try jaga.ask("POST", "/v1/circles", "{'name': 'C', '\(field)': []}")
            #expect(made.status == 400 && made.field == field)
        }
    }

    @Test func `a circle grows from nothing to zones, with a version for each step`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna Tan")
        let ben = try jaga.person("Ben")
        let token = try jaga.token(of: anna)
        let made = try jaga.ask("POST", "/v1/circles", "{'name': 'Family'}", as: token)
        #expect(made.status == 201)
        let path = try "/v1/circles/" + made.text("id")
        #expect(made.headers["location"] == path)
        #expect(made.headers["etag"] == "\"1\"")

        let stranger = try jaga.ask(
            "POST", path + "/members", "{'person': '\(ben)', 'role': 'guardian'}", as: token)
        #expect(stranger.status == 403)
        let benToken = try jaga.token(of: ben)
        #expect(try jaga.ask("GET", path, as: benToken).status == 403)
        let invitation = try jaga.invite(to: path, "{'role': 'guardian'}", as: token)
        let joined = try jaga.ask(
            "POST", "/v1/invitations/acceptance", "{'token': '\(invitation.token)'}", as: benToken)
        #expect(joined.status == 200)
        #expect(joined.json["version"] == 2)
        #expect(joined.json["members"]?[0]?["trackerID"] == "AT")
        #expect(joined.json["members"]?[1]?["managed"] == false)

        let zone = try jaga.ask("POST", path + "/zones", Self.feature(Self.ring), as: benToken)
        #expect(zone.status == 201)
        let zonePath = try path + "/zones/" + zone.text("id")
        #expect(zone.headers["location"] == zonePath)
        let off = "{'type': 'Feature', 'properties': {'active': false}}"
        let stale = try jaga.ask(
            "PUT", zonePath, off, as: benToken, headers: ["If-Match": "\"9\""])
        #expect(stale.status == 412)
        let bad = try jaga.ask(
            "PUT", zonePath, off, as: benToken, headers: ["If-Match": "latest"])
        #expect(bad.status == 400)
        #expect(bad.field == "If-Match")
        let changed = try jaga.ask(
            "PUT", zonePath, off, as: benToken, headers: ["If-Match": "\"1\""])
        #expect(changed.json["properties"]?["active"] == false)
        #expect(changed.headers["etag"] == "\"2\"")
        let read = try jaga.ask("GET", zonePath, as: token)
        #expect(read.json["properties"] == changed.json["properties"])
        #expect(try jaga.ask("DELETE", zonePath, as: token).json["zones"]?["count"] == 0)
        #expect(try jaga.ask("GET", zonePath, as: token).status == 404)
        #expect(try jaga.ask("DELETE", path + "/members/\(ben)", as: benToken).status == 204)
        let left = try jaga.ask("GET", path, as: benToken)
        #expect(left.status == 403)
        #expect(left.json["hint"] == "not-a-member")
    }

    @Test func `an invalid shape is rejected with its location`() async throws {
        let jaga = try await RunningMembership()
        let circle = try jaga.ask("POST", "/v1/circles", "{'name': 'C'}").text("id")
        let zones = "/v1/circles/\(circle)/zones"
        let bow = "[[101, 3], [101.01, 3.01], [101.01, 3], [101, 3.01], [101, 3]]"
        let crossing = try jaga.ask("POST", zones, Self.feature(bow))
        #expect(crossing.status == 400)
        #expect(crossing.field == "geometry.coordinates[0][0]")
        #expect(crossing.json["detail"]?.string?.contains("longitude 101.005") == true)
        let north = "[[101, 3], [101.01, 3], [101.01, 91], [101, 3]]"
        let beyond = try jaga.ask("POST", zones, Self.feature(north))
        #expect(beyond.status == 400)
        #expect(beyond.field == "geometry.coordinates[0][2][1]")
        #expect(try jaga.ask("GET", zones).json["items"]?.array?.isEmpty == true)
    }

    @Test func `people are listed in pages`() async throws {
        let jaga = try await RunningMembership()
        var made: Set<String> = []
        for number in 1...5 { made.insert(try jaga.person("P\(number)")) }
        var seen: [String] = []
        var path = "/v1/people?limit=2"
        for _ in 1...3 {
            let page = try jaga.ask("GET", path).json
            seen += (page["items"]?.array ?? []).compactMap { $0["id"]?.string }
            if let next = page["next"]?.string { path = "/v1/people?limit=2&cursor=\(next)" }
        }
        #expect(seen.count == 5)
        #expect(Set(seen) == made)
        #expect(try jaga.ask("GET", "/v1/people?limit=0").field == "limit")
        #expect(try jaga.ask("GET", "/v1/people?limit=501").field == "limit")
        #expect(try jaga.ask("GET", "/v1/people?cursor=").field == "cursor")
    }

    @Test func `ingest accepts a new device once its creation is answered`() async throws {
        let jaga = try await RunningMembership(withIngest: true)
        let anna = try jaga.person("Anna")
        let devices = "/v1/people/\(anna)/devices"
        let made = try jaga.ask("POST", devices, "{'name': 'Phone'}")
        #expect(made.status == 201)
        #expect(made.json["active"] == true)
        let token = try made.text("credential", "token")
        #expect(token.utf8.count == 43)
        #expect(try jaga.askIngest("POST", "/pub", as: token).status == 200)
        let device = try made.text("device", "id")
        let rotated = try jaga.ask("POST", devices + "/\(device)/credential")
        #expect(rotated.json["active"] == true)
        #expect(
            try jaga.askIngest("POST", "/pub", as: rotated.text("credential", "token")).status
                == 200)
        // The old secret stays valid until the phone is set up with the new one.
        #expect(try jaga.askIngest("POST", "/pub", as: token).status == 503)
        #expect(try !jaga.ask("GET", devices).text.contains("token"))
        #expect(try jaga.ask("GET", "/v1/status/ingest").status == 404)
        #expect(try jaga.ask("GET", "/v1/status/membership").json["details"]?["devices"] == 1)
    }

    @Test func `without ingest a new credential is returned as not active`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let made = try jaga.ask("POST", "/v1/people/\(anna)/devices", "{'name': 'Phone'}")
        #expect(made.status == 201)
        #expect(made.json["active"] == false)
        let token = try made.text("credential", "token")
        let setup = "/v1/devices/\(try made.text("device", "id"))/setup?url=https%3A%2F%2Fj.example"
        #expect(try jaga.ask("GET", setup, as: token).status == 200)
        #expect(try jaga.ask("GET", "/v1/people/\(anna)", as: token).status == 403)
    }

    @Test func `answered changes survive a kill, and repeating them changes nothing`()
        async throws
    {
        let jaga = try await RunningMembership()
        let body = "{'name': 'Anna'}"
        let headers = ["Idempotency-Key": "first-person"]
        let first = try jaga.ask("POST", "/v1/people", body, headers: headers)
        await jaga.kill()
        try await jaga.startAgain()
        let again = try jaga.ask("POST", "/v1/people", body, headers: headers)
        #expect(again.status == 201)
        #expect(again.body == first.body)
        #expect(again.headers["location"] == first.headers["location"])
        #expect(again.headers["idempotency-replayed"] == "true")
        #expect(try jaga.ask("GET", "/v1/people").json["items"]?.array?.count == 1)
        let other = try jaga.ask("POST", "/v1/people", "{'name': 'Ben'}", headers: headers)
        #expect(other.status == 409)
        #expect(other.field == "Idempotency-Key")
    }

    @Test func `the operator's token can be replaced over HTTP or by its file`() async throws {
        let jaga = try await RunningMembership()
        let old = try jaga.operatorToken()
        let rotated = try jaga.ask("POST", "/v1/admin/token")
        #expect(rotated.status == 201)
        let new = try jaga.operatorToken()
        #expect(try rotated.text("credential", "token") == new)
        #expect(try jaga.ask("GET", "/v1/people", as: old).status == 401)
        #expect(try jaga.ask("GET", "/v1/people", as: new).status == 200)
        await jaga.kill()
        let own = String(repeating: "A", count: 43)
        try Files.write(Array((own + "\n").utf8), to: jaga.tokenPath, mode: 0o600)
        try await jaga.startAgain()
        #expect(try jaga.ask("GET", "/v1/people", as: new).status == 401)
        #expect(try jaga.ask("GET", "/v1/people", as: own).status == 200)
    }

    @Test func `a missing key is replaced only on request`() async throws {
        let jaga = try await RunningMembership()
        await jaga.kill()
        let token = try jaga.operatorToken()
        let key = try Files.read(jaga.messageKeyPath)
        try Files.remove(jaga.messageKeyPath)
        try Files.remove(jaga.tokenPath)
        for words in [["--check"], []] {
            let refused = try Capture(
                try Programs.path("jaga-membership"),
                ["--home", jaga.home, "--port-base", "\(jaga.portBase)"] + words,
                environment: ["PATH": "/usr/bin:/bin"])
            #expect(await eventually { refused.process.reap() != nil })
            #expect(refused.process.exitStatus == 1)
            #expect(refused.text.contains("code=key-missing"), "\(refused.text)")
            #expect(refused.text.contains("echo new >\(jaga.messageKeyPath)"))
            #expect(!Files.exists(jaga.tokenPath))
        }
        try Files.write(Array("new\n".utf8), to: jaga.messageKeyPath, mode: 0o600)
        try await jaga.startAgain()
        #expect(try Files.read(jaga.messageKeyPath).count == key.count)
        #expect(try jaga.operatorToken() != token)
        #expect(jaga.membership?.text.contains("operator token missing") == true)
    }

    @Test func `callers can query their rights`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let token = try jaga.token(of: anna)
        let circle = try jaga.ask("POST", "/v1/circles", "{'name': 'C'}").text("id")
        let rights = try jaga.ask("GET", "/v1/rights?circle=\(circle)", as: token).json
        #expect(rights["principal"]?["person"]?.string == anna)
        func decision(_ action: String) -> JSON? {
            rights["items"]?.array?.first { $0["action"]?.string == action }
        }
        #expect(decision("panic")?["allowed"] == true)
        #expect(decision("invite")?["allowed"] == false)
        #expect(decision("invite")?["reason"] == "not-a-member")
        #expect(decision("administer")?["reason"] == "operator-only")
        #expect(try jaga.ask("GET", "/v1/rights?circle=nonsense").field == "circle")
    }

    @Test func `nothing private is in the log`() async throws {
        let jaga = try await RunningMembership()
        let contacts = ", 'contacts': [{'channel': 'sms', 'address': '+15550000101'}]"
        let person = try jaga.person("Annabelle", contacts)
        let token = try jaga.token(of: person)
        try jaga.ask("POST", "/v1/people", "{'name': 'Annabelle', 'contacts': 5}")
        let log = jaga.membership?.text ?? ""
        #expect(log.contains("msg=ready"))
        let code = jaga.activationCodes[person] ?? ""
        for secret in ["Annabelle", "15550000101", token, code, try jaga.operatorToken()] {
            #expect(!log.contains(secret))
        }
    }
}

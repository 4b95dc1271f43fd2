import Parsing
import TestSupport
import Testing

/// `GET /v1/me`, and whole circles in responses.
@Suite struct `What a person sees first` {
    private static func feature(_ name: String) -> String {
        """
        {'type': 'Feature', 'properties': {'name': '\(name)', 'radius': 100},
        'geometry': {'type': 'Point', 'coordinates': [101.6, 3.1]}}
        """
    }

    @Test func `is one response with a tag`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let token = try jaga.token(of: anna)
        let contacts = "{'contacts': [{'channel': 'sms', 'address': '+60123456789'}]}"
        #expect(try jaga.ask("PUT", "/v1/people/\(anna)", contacts, as: token).status == 200)
        let circle = try jaga.ask("POST", "/v1/circles", "{'name': 'C'}", as: token).text("id")

        let me = try jaga.ask("GET", "/v1/me", as: token)
        #expect(me.status == 200)
        #expect(me.json["person"] == (try jaga.ask("GET", "/v1/people/\(anna)", as: token).json))
        let read = try jaga.ask("GET", "/v1/circles/\(circle)", as: token)
        #expect(me.json["circles"]?.array == [read.json])
        #expect(me.json["emergencyNumber"] == "999")
        #expect(me.json["languages"] == ["en", "ms", "id"])
        #expect(me.json["time"]?.string != nil)
        let version = try #require(me.headers["circle-list-version"])
        #expect(me.json["circleListVersion"]?.int.map(String.init) == version)
        #expect(read.headers["circle-list-version"] == version)
        #expect(me.json["live"]?.string?.isEmpty == false)
        #expect(me.headers["live-position"] == me.json["live"]?.string)
        let rights = try jaga.ask("GET", "/v1/rights", as: token)
        #expect(me.json["rights"]?["own"] == rights.json["items"])
        let inCircle = me.json["rights"]?["circles"]?[0]
        #expect(inCircle?["circle"]?.string == circle)
        #expect(inCircle?["items"]?.array?.contains { $0["action"] == "invite" } == true)

        let tag = try #require(me.headers["etag"])
        for known in [tag, "W/" + tag, "\"x\", \(tag)", "*"] {
            let same = try jaga.ask(
                "GET", "/v1/me", as: token, headers: ["If-None-Match": known])
            #expect(same.status == 304 && same.body.isEmpty && same.headers["etag"] == tag)
            #expect(same.headers["live-position"]?.isEmpty == false)
            #expect(same.headers["circle-list-version"] == version)
        }
        let zones = "/v1/circles/\(circle)/zones"
        #expect(try jaga.ask("POST", zones, Self.feature("Home"), as: token).status == 201)
        let other = try jaga.ask("GET", "/v1/me", as: token, headers: ["If-None-Match": tag])
        #expect(other.status == 200)
        #expect(other.json["circles"]?[0]?["zones"]?["count"] == 1)
        #expect(try jaga.ask("GET", "/v1/me").status == 403)
    }

    @Test func `follows from each change, whole`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let ben = try jaga.person("Ben")
        let token = try jaga.token(of: anna)
        let benToken = try jaga.token(of: ben)
        let made = try jaga.ask("POST", "/v1/circles", "{'name': 'C'}", as: token)
        let path = try "/v1/circles/" + made.text("id")
        var last = 0
        func expectNewer(_ answer: PlainHTTP.Answer) throws {
            let version = try #require(answer.headers["circle-list-version"].flatMap { Int($0) })
            #expect(version > last)
            last = version
        }
        try expectNewer(made)
        let invitation = try jaga.invite(to: path, as: token).token
        try expectNewer(
            try jaga.ask(
                "POST", "/v1/invitations/acceptance", "{'token': '\(invitation)'}", as: benToken))
        let zone = try jaga.ask("POST", path + "/zones", Self.feature("Home"), as: token)
        try expectNewer(zone)
        #expect(zone.json["wholeCircle"] == (try jaga.ask("GET", path, as: token).json))
        let zonePath = try path + "/zones/" + zone.text("id")
        let changed = try jaga.ask(
            "PUT", zonePath, String(decoding: zone.body, as: UTF8.self), as: token)
        #expect(changed.status == 200, "a response can be sent back: \(changed.text)")
        let renamed = try jaga.ask("PATCH", zonePath, Self.feature("Work"), as: token)
        try expectNewer(renamed)
        #expect(renamed.json["wholeCircle"] == (try jaga.ask("GET", path, as: token).json))
        let message = try jaga.ask(
            "POST", path + "/messages", "{'number': '+60123456789'}", as: token)
        try expectNewer(message)
        #expect(message.json["wholeCircle"]?["messages"]?["count"] == 1)
        let removed = try jaga.ask("DELETE", zonePath, as: token)
        try expectNewer(removed)
        #expect(removed.status == 200)
        #expect(removed.json == (try jaga.ask("GET", path, as: token).json))
        let left = try jaga.ask("DELETE", path + "/members/\(ben)", as: benToken)
        #expect(left.status == 204)
        try expectNewer(left)
        #expect(made.headers["circle-list-version"] != nil)
        #expect(
            try jaga.ask("GET", "/v1/circles").headers["circle-list-version"] == nil,
            "the operator has no list")

        await jaga.kill()
        try await jaga.startAgain()
        let after = try jaga.ask("GET", "/v1/me", as: benToken)
        #expect(after.headers["circle-list-version"] == String(last))
        try expectNewer(try jaga.ask("PUT", path, "{'name': 'D'}", as: token))
    }
}

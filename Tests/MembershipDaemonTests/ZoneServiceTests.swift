import Foundation
import Parsing
import Runtime
import TestSupport
import Testing

/// Zones, sets and messages over the real process.
@Suite(.serialized) struct ZoneServiceTests {
    private static let ring = "[[101, 3], [101.01, 3], [101.01, 3.01], [101, 3.01], [101, 3]]"

    private static func feature(_ ring: String, _ name: String = "School") -> String {
        """
        {'type': 'Feature', 'properties': {'name': '\(name)'},
         'geometry': {'type': 'Polygon', 'coordinates': [\(ring)]}}
        """
    }

    @Test func `a zone is returned with all fields, changed by PATCH and read back`() async throws {
        let jaga = try await RunningMembership()
        let circle = try jaga.ask("POST", "/v1/circles", "{'name': 'C'}").text("id")
        let zones = "/v1/circles/\(circle)/zones"
        let made = try jaga.ask(
            "POST", zones,
            """
            {'type': 'Feature', 'geometry': {'type': 'Point', 'coordinates': [101, 3]},
             'properties': {'name': 'School', 'radius': 100, 'dwell': 600, 'absentBy': '08:00',
              'timeZone': 'Asia/Kuala_Lumpur'}}
            """)
        #expect(made.status == 201)
        let path = try zones + "/" + made.text("id")
        #expect(made.json["properties"]?["transitions"]?.array?.count == 4)
        let off = "{'type': 'Feature', 'properties': {'absentBy': null, 'inset': -20}}"
        let changed = try jaga.ask("PATCH", path, off, headers: ["If-Match": "\"1\""])
        #expect(changed.status == 200)
        #expect(changed.json["properties"]?["timeZone"] == .null)
        #expect(changed.json["properties"]?["inset"]?.double == -20)
        let read = try jaga.ask("GET", path).json
        for name in ["id", "geometry", "properties"] {
            #expect(read[name] != nil && read[name] == changed.json[name])
        }
        let senseless = try jaga.ask(
            "PATCH", path, "{'type': 'Feature', 'properties': {'transitions': ['approach']}}")
        #expect(senseless.status == 400)
        #expect(senseless.field == "properties.transitions[0]")
    }

    @Test func `zones are listed by activity, category and priority, page by page`() async throws {
        let jaga = try await RunningMembership()
        let set = try jaga.ask("POST", "/v1/sets", "{'name': 'S'}").text("id")
        let zones = "/v1/sets/\(set)/zones"
        for (name, properties) in [
            ("off", "'active': false"), ("b-10", "'category': 'b', 'priority': 10"),
            ("b-9", "'category': 'b', 'priority': 9"), ("none", "'priority': 1000"),
            ("a", "'category': 'a'"),
        ] {
            let body = """
                {'type': 'Feature', 'geometry': {'type': 'Point', 'coordinates': [101, 3]},
                 'properties': {'name': '\(name)', 'radius': 100, \(properties)}}
                """
            #expect(try jaga.ask("POST", zones, body).status == 201)
        }
        var names: [String] = []
        var path = zones + "?limit=2"
        for _ in 1...3 {
            let page = try jaga.ask("GET", path).json
            names += (page["items"]?.array ?? []).compactMap { $0["properties"]?["name"]?.string }
            if let next = page["next"]?.string { path = zones + "?limit=2&cursor=\(next)" }
        }
        #expect(names == ["none", "a", "b-9", "b-10", "off"])
        #expect(try jaga.ask("GET", "/v1/sets/\(set)").json["zones"] == 5)
    }

    @Test func `a person sees every applicable zone and its recipients`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let ben = try jaga.person("Ben")
        let token = try jaga.token(of: anna)
        let circle = try jaga.ask("POST", "/v1/circles", "{'name': 'C'}").text("id")
        for (person, role) in [(anna, "member"), (ben, "guardian")] {
            try jaga.ask(
                "POST", "/v1/circles/\(circle)/members",
                "{'person': '\(person)', 'role': '\(role)'}")
        }
        let set = try jaga.ask("POST", "/v1/sets", "{'name': 'Floods'}").text("id")
        #expect(try jaga.ask("PUT", "/v1/circles/\(circle)/sets/\(set)").status == 200)
        let message = try jaga.ask(
            "POST", "/v1/people/\(anna)/messages", "{'number': '+60123456789'}", as: token
        ).text("id")
        let body = Self.feature(Self.ring)
        let zone = try jaga.ask("POST", "/v1/circles/\(circle)/zones", body).text("id")
        #expect(try jaga.ask("POST", "/v1/sets/\(set)/zones", body).status == 201)
        let own = try jaga.ask("POST", "/v1/people/\(anna)/zones", body, as: token)
        #expect(own.status == 201)
        let texting = "{'type': 'Feature', 'properties': {'messages': ['\(message)']}}"
        let path = try "/v1/people/\(anna)/zones/" + own.text("id")
        #expect(try jaga.ask("PATCH", path, texting, as: token).status == 200)
        #expect(try jaga.ask("GET", path).status == 403)
        let refused = "/v1/people/\(anna)/zone-opt-outs/\(zone)"
        #expect(try jaga.ask("PUT", refused, as: token).status == 204)

        func applicable() throws -> [String: JSON] {
            let list = try jaga.ask("GET", "/v1/people/\(anna)/applicable-zones", as: token)
            let items = list.json["items"]?.array ?? []
            return Dictionary(
                uniqueKeysWithValues: items.map { ($0["ownerName"]?.string ?? "", $0) })
        }
        let zones = try applicable()
        #expect(Set(zones.keys) == ["C", "Floods", "Anna"])
        #expect(zones["C"]?["optedOut"] == true)
        #expect(zones["C"]?["recipients"]?.array?.compactMap { $0["name"]?.string } == ["Ben"])
        #expect(zones["Floods"]?["recipients"]?.array?.count == 1)
        #expect(zones["Anna"]?["recipients"]?.array?.isEmpty == true)
        #expect(zones["Anna"]?["texted"]?[0]?["number"] == "+60123456789")
        #expect(zones["Anna"]?["texted"]?[0]?["confirmed"] == false)
        #expect(try jaga.ask("DELETE", refused, as: token).status == 204)
        #expect(try applicable()["C"]?["optedOut"] == false)
        #expect(try jaga.ask("GET", "/v1/people/\(anna)/applicable-zones").status == 403)
        #expect(try jaga.ask("DELETE", "/v1/sets/\(set)").status == 204)
        #expect(try applicable().count == 2)
    }

    @Test func `a message is confirmed by the operator and survives a kill`() async throws {
        let jaga = try await RunningMembership()
        let circle = try jaga.ask("POST", "/v1/circles", "{'name': 'C'}").text("id")
        let messages = "/v1/circles/\(circle)/messages"
        let bad = try jaga.ask("POST", messages, "{'number': '0123'}")
        #expect(bad.field == "number")
        #expect(bad.json["hint"]?.string?.contains("+60") == true)
        let made = try jaga.ask("POST", messages, "{'number': '+60 12 3456789'}")
        #expect(made.json["confirmed"] == .null)
        let path = try messages + "/" + made.text("id")
        #expect(try jaga.ask("PUT", path + "/confirmed").json["confirmed"]?.string != nil)
        await jaga.kill()
        try await jaga.startAgain()
        #expect(try jaga.ask("GET", path).json["confirmed"]?.string != nil)
        let other = try jaga.ask("PATCH", path, "{'number': '+60123456780', 'mode': 'automatic'}")
        #expect(other.json["confirmed"] == .null)
        #expect(try jaga.ask("DELETE", path).json["messages"]?["count"] == 0)
    }

    @Test func `codes, attempts and rate limits survive a kill`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let token = try jaga.token(of: anna)
        let messages = "/v1/people/\(anna)/messages"
        let made = try jaga.ask("POST", messages, "{'number': '+60123456789'}", as: token)
        #expect(try made.text("codeExpires") > "2026")
        let path = try messages + "/" + made.text("id")
        func enter(_ code: String) throws -> PlainHTTP.Answer {
            try jaga.ask("POST", path + "/confirmation", "{'code': '\(code)'}", as: token)
        }
        #expect(try enter("12345").field == "code")
        #expect(try enter("12345").json["hint"]?.string?.contains("six digits") == true)
        let first = try enter("000 000")
        #expect(first.status == 400 && first.json["hint"] == "4 attempts left")
        await jaga.kill()
        try await jaga.startAgain()
        #expect(try enter("000000").json["hint"] == "3 attempts left")
        for _ in 1...2 {
            #expect(try jaga.ask("POST", path + "/code", as: token).status == 200)
        }
        await jaga.kill()
        try await jaga.startAgain()
        let refused = try jaga.ask("POST", path + "/code", as: token)
        #expect(refused.status == 429)
        #expect((Int(refused.headers["retry-after"] ?? "") ?? 0) > 86_000)
        #expect(try jaga.ask("POST", path + "/code", as: jaga.token(of: anna)).status == 429)
        let rights = try FileManager.default.attributesOfItem(atPath: jaga.messageKeyPath)
        #expect(rights[.posixPermissions] as? Int == 0o600)
        #expect(try jaga.ask("PUT", path + "/confirmed").json["codeExpires"] == .null)
    }

    @Test func `a zone is mailed by a sealed record, which no snapshot contains`() async throws {
        let jaga = try await RunningMembership()
        let circle = try jaga.ask("POST", "/v1/circles", "{'name': 'C'}").text("id")
        let zones = "/v1/circles/\(circle)/zones"
        let made = try jaga.ask("POST", zones, Self.feature(Self.ring, "River bank"))
        let path = try zones + "/" + made.text("id") + "/mail"
        let sent = try jaga.ask("POST", path, "{'to': ' mum@example.org '}")
        #expect(sent.status == 202 && sent.json["file"] == "River bank.pad")
        #expect(sent.json["zones"] == 1)
        for wrong in ["mum", "", "a@b@", "x\\r\\nBcc: y@example.org"] {
            #expect(try jaga.ask("POST", path, "{'to': '\(wrong)'}").field == "to")
        }
        #expect(try jaga.ask("POST", zones + "/zon_x/mail", "{'to': 'a@b.c'}").status == 404)
        let bytes = jaga.storeBytes()
        #expect(bytes.contains("jaga.message.requested"))
        #expect(!bytes.contains("AlertZoneStart"), "it is sealed")
    }

    @Test func `an update of the time zone database updates zones at the next start`() async throws
    {
        let jaga = try await RunningMembership()
        let circle = try jaga.ask("POST", "/v1/circles", "{'name': 'C'}").text("id")
        let zones = "/v1/circles/\(circle)/zones"
        let body = """
            {'type': 'Feature', 'geometry': {'type': 'Point', 'coordinates': [101, 3]},
             'properties': {'name': 'School', 'radius': 100, 'absentBy': '08:00',
              'timeZone': 'Europe/Berlin'}}
            """
        let path = try zones + "/" + jaga.ask("POST", zones, body).text("id")
        await jaga.kill()
        try await jaga.startAgain()
        #expect(try jaga.ask("GET", path).json["properties"]?["version"] == 1)
        #expect(jaga.membership?.text.contains("zone offsets updated") == false)
        await jaga.kill()
        let folder = try TemporaryFolder()
        try Files.makeFolder(folder.file("Europe"))
        // Berlin with Tokyo's offsets.
        try Files.write(
            try Files.read("/usr/share/zoneinfo/Asia/Tokyo"), to: folder.file("Europe/Berlin"))
        try await jaga.startAgain(["JAGA_MEMBERSHIP_ZONEINFO": folder.path])
        #expect(try jaga.ask("GET", path).json["properties"]?["version"] == 2)
        let log = jaga.membership?.text ?? ""
        #expect(log.contains("zone offsets updated"))
        #expect(log.contains("zones=1 timeZones=Europe/Berlin"))
        await jaga.kill()
        try await jaga.startAgain(["JAGA_MEMBERSHIP_ZONEINFO": folder.path + "/nowhere"])
        #expect(try jaga.ask("GET", path).json["properties"]?["version"] == 2)
        #expect(jaga.membership?.text.contains("time zones unknown") == true)
    }
}

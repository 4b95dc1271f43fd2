import Parsing
import TestSupport
import Testing

/// Zones as files, through the real daemon.
@Suite(.serialized) struct ZoneFileTests {
    private static let pad = """
        AlertZoneStart
        AlertZoneName,Reef
        AlertZoneCategory,Rocks
        AlertZonePriority,3
        AlertZoneSize,60
        AlertZoneInset,-30
        AlertDistance,250
        Depth,4
        Location,1,3.1,101.7
        AlertZoneEnd
        AlertZoneStart
        AlertZoneActive,0
        AlertZoneSize,20
        Location,1,3.1,101.7
        Location,2,3.2,101.7
        AlertZoneEnd
        AlertZoneStart
        Location,1,3.1,101.7
        Location,2,3.2,101.7
        Location,3,3.2,101.8
        AlertZoneEnd

        """

    private let jaga: RunningMembership
    private let zones: String

    init() async throws {
        jaga = try await RunningMembership()
        let made = try jaga.ask("POST", "/v1/circles", "{'name': 'Family'}")
        zones = try "/v1/circles/" + made.text("id") + "/zones"
    }

    private func send(
        _ file: String, _ query: String, to zones: String? = nil
    ) throws -> PlainHTTP.Answer {
        try PlainHTTP(port: jaga.portBase + 2).send(
            "POST", (zones ?? self.zones) + "/import?" + query, body: Array(file.utf8),
            token: jaga.operatorToken())
    }

    private func count() throws -> Int? {
        try jaga.ask("GET", zones).json["items"]?.array?.count
    }

    @Test func `a preview shows the zones and creates none`() throws {
        let answer = try send(Self.pad, "format=pad&preview=true")
        #expect(answer.status == 200)
        #expect(answer.json["problems"] == [])
        #expect(answer.json["notes"] == ["line 8: this key is unknown; the row is kept"])
        let zones = answer.json["zones"]?.array ?? []
        #expect(zones.map { $0["properties"]?["name"] } == ["Reef", "Zone 2", "Zone 3"])
        #expect(zones.map { $0["properties"]?["kind"] } == ["alert", "alert", "alert"])
        #expect(try count() == 0)
    }

    @Test func `a file survives a round trip`() throws {
        let made = try send(Self.pad, "format=pad")
        #expect(made.status == 201)
        #expect(made.json["items"]?.array?.count == 3)
        #expect(made.json["notes"]?.array?.count == 1)
        let reef = made.json["items"]?[0]?["properties"]
        #expect(reef?["inset"]?.double == -30)
        #expect(reef?["alertDistance"] == 250)
        #expect(reef?["transitions"]?.array?.contains("approach") == true)
        #expect(reef?["extra"] == ["Depth,4"])

        let written = try jaga.ask("GET", zones + "/export?format=pad")
        #expect(written.status == 200)
        #expect(written.headers["jaga-notes"] == "0")
        #expect(written.headers["content-disposition"]?.contains("zones.pad") == true)
        #expect(try send(written.text, "format=pad").status == 201)
        func plain(_ zone: JSON) -> [JSON.Member] {
            (zone["properties"]?.object ?? []) + [.init("geometry", zone["geometry"] ?? .null)]
        }
        let all = try jaga.ask("GET", zones).json["items"]?.array ?? []
        #expect(all.count == 6)
        for zone in all { #expect(all.count { plain($0) == plain(zone) } == 2) }

        let geojson = try jaga.ask("GET", zones + "/export?format=geojson")
        #expect(geojson.headers["content-type"] == "application/geo+json")
        #expect(geojson.json["features"]?.array?.count == 6)
        #expect(try send(geojson.text, "format=geojson").status == 201)
        let more = try jaga.ask("GET", zones).json["items"]?.array ?? []
        #expect(more.count == 12)
        for zone in more { #expect(more.count { plain($0) == plain(zone) } == 4) }
    }

    @Test func `times and all other fields survive a round trip through GeoJSON`() throws {
        let made = try jaga.ask(
            "POST", zones,
            """
            {'type': 'Feature', 'geometry': {'type': 'Point', 'coordinates': [101.7, 3.1]},
             'properties': {'name': 'School', 'radius': 200, 'hysteresis': 33, 'dwell': 600,
             'alertDistance': 70, 'inset': -1.5, 'absentBy': '08:00', 'timeZone': 'Asia/Tokyo',
             'transitions': ['enter', 'absent', 'cross', 'dwell'], 'schedule': {'windows': [
             {'days': ['mon', 'fri'], 'from': '07:30', 'to': '15:00'}], 'except': ['2026-12-25']},
             'alarm': {'cycle': 20, 'sleep': 90, 'sound': 'S', 'vibrate': false}}}
            """)
        #expect(made.status == 201)
        let file = try jaga.ask("GET", zones + "/export?format=geojson")
        #expect(try send(file.text, "format=geojson").status == 201)
        let both = try jaga.ask("GET", zones).json["items"]?.array ?? []
        #expect(both.count == 2)
        #expect(both.first?["properties"]?["schedule"]?["timeZone"] == "Asia/Tokyo")
        #expect(both.first?["properties"] == both.last?["properties"])
    }

    @Test func `an unknown time zone in a file is rejected with field, location and fix`() throws {
        let file = """
            {"type":"Feature","geometry":{"type":"Point","coordinates":[101.7,3.1]},"properties":\
            {"radius":200,"absentBy":"08:00","timeZone":"Asia/Tokio"}}
            """
        let refused = try send(file, "format=geojson")
        #expect(refused.status == 400)
        #expect(refused.field == "properties.timeZone")
        #expect(try refused.text("hint") == "Did you mean Asia/Tokyo?")
        #expect(try count() == 0)
    }

    @Test func `all zones of a file are created or none`() throws {
        let bad = Self.pad.replacing("Location,3,3.2,101.8", with: "Location,3,3.3,101.7")
        let refused = try send(bad, "format=pad")
        #expect(refused.status == 400)
        #expect(try refused.text("detail").hasPrefix("line 17: "))
        #expect(refused.field == nil)
        let preview = try send(bad, "format=pad&preview=true")
        #expect(preview.status == 200)
        #expect(preview.json["problems"]?.array?.count == 1)
        let cut = try send(Self.pad.replacing("Depth,4", with: "Location,1,0,0"), "format=pad")
        #expect(try cut.text("detail").hasPrefix("line 9: the zone has two Locations"))
        let priority = Self.pad.replacing("AlertZonePriority,3", with: "AlertZonePriority,-3")
        #expect(try send(priority, "format=pad").field == "priority")
        let inset = Self.pad.replacing("AlertZoneInset,-30", with: "AlertZoneInset,60")
        #expect(try send(inset, "format=pad").status == 400)
        #expect(try count() == 0)
    }

    @Test func `faults of GeoJSON have the path of their value`() throws {
        let feature = #"{"type":"Feature","geometry":{"type":"Point","coordinates":[101,3]},"#
        func file(_ properties: String) -> String {
            #"{"type":"FeatureCollection","features":["#
                + feature + #""properties":{"radius":50}},"# + feature
                + #""properties":\#(properties)}]}"#
        }
        let radius = try send(file("{}"), "format=geojson")
        #expect(radius.field == "features[1].properties.radius")
        let clock = try send(file(#"{"radius":5,"absentBy":"25:00"}"#), "format=geojson")
        #expect(clock.field == "features[1].properties.absentBy")
        let nobodys = try send(file(#"{"radius":5,"absentBy":"08:00"}"#), "format=geojson")
        #expect(nobodys.field == "features[1].properties.timeZone")
        let good = #"{"radius":5,"absentBy":"08:00","timeZone":"Asia/Kuala_Lumpur","fid":1}"#
        let preview = try send(file(good), "format=geojson&preview=true")
        #expect(preview.json["problems"] == [])
        #expect(preview.json["notes"]?.array?.count == 1)
        #expect(try send(file(good), "format=geojson&kind=alert").status == 201)
        let pad = try jaga.ask("GET", zones + "/export?format=pad&notes=true")
        #expect(
            pad.json["notes"]?.array?.contains { $0.string?.contains("absentBy") == true } == true)
        #expect(pad.json["file"]?.string?.contains("AlertZoneName,Zone 2") == true)
    }

    @Test func `waypoints get the requested radius`() throws {
        let gpx = #"<gpx><wpt lat="3" lon="101"><name>Well</name></wpt></gpx>"#
        #expect(try send(gpx, "format=gpx").status == 400)
        let made = try send(gpx, "format=gpx&radius=75.5&kind=alert")
        #expect(made.json["items"]?[0]?["properties"]?["radius"]?.double == 75.5)
        #expect(made.json["items"]?[0]?["properties"]?["kind"] == "alert")
    }

    @Test(arguments: [
        ("", "format"), ("format=csv", "format"), ("format=pad&preview=yes", "preview"),
        ("format=gpx&radius=-5", "radius"), ("format=gpx&radius=wide", "radius"),
        ("format=gpx&kind=danger", "kind"),
    ])
    func `what a request asks for is checked`(query: String, field: String) throws {
        #expect(try send(Self.pad, query).field == field)
        #expect(try jaga.ask("GET", zones + "/export?format=gpx").field == "format")
    }

    @Test func `callers without the right cannot import or preview zones`() throws {
        let anna = try jaga.person("Anna")
        let token = try jaga.token(of: anna)
        for query in ["format=pad", "format=pad&preview=true"] {
            let answer = try PlainHTTP(port: jaga.portBase + 2).send(
                "POST", zones + "/import?" + query, body: Array(Self.pad.utf8), token: token)
            #expect(answer.status == 403)
        }
        #expect(try jaga.ask("GET", zones + "/export?format=pad", as: token).status == 403)
    }

    @Test func `too many zones and empty files are rejected`() throws {
        let one = "AlertZoneStart\nAlertZoneSize,5\nLocation,1,1,1\nAlertZoneEnd\n"
        let answer = try send(String(repeating: one, count: 501), "format=pad")
        #expect(answer.status == 409)
        #expect(try send("", "format=pad").status == 400)
        let preview = try send("", "format=pad&preview=true")
        #expect(preview.status == 200)
        #expect(preview.json["problems"]?.array?.count == 1)
    }

    @Test func `a set accepts more zones from a larger file`() throws {
        let set = try "/v1/sets/" + jaga.ask("POST", "/v1/sets", "{'name': 'All'}").text("id")
        let one = "AlertZoneStart\nAlertZoneSize,5\nLocation,1,1,1\nAlertZoneEnd\n"
        let blank = String(repeating: ",", count: 1 << 20) + "\n"
        let file = String(repeating: one, count: 600) + blank
        let made = try send(file, "format=pad", to: set + "/zones")
        #expect(made.status == 201)
        #expect(made.json["items"]?.array?.count == 600)
        #expect(try send(file, "format=pad").status == 413)
        let written = try jaga.ask("GET", set + "/zones/export?format=pad").text
        #expect(written.split(separator: "AlertZoneStart").count == 600)
    }

    @Test func `a person imports and exports their private zones`() throws {
        let anna = try jaga.person("Anna")
        let token = try jaga.token(of: anna)
        let path = "/v1/people/\(anna)/zones"
        let made = try PlainHTTP(port: jaga.portBase + 2).send(
            "POST", path + "/import?format=pad", body: Array(Self.pad.utf8), token: token)
        #expect(made.status == 201)
        #expect(try jaga.ask("GET", path + "/export?format=pad", as: token).status == 200)
        #expect(try jaga.ask("GET", path + "/export?format=pad").status == 403)
        #expect(try send(Self.pad, "format=pad", to: path).status == 403)
    }
}

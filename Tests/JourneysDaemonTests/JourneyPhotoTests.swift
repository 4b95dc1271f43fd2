import Foundation
import JourneysCore
import Model
import Parsing
import Testing
import Web

@testable import JourneysDaemon

@Suite struct `Photos of a journey` {
    /// The smallest that passes for a JPEG, with a comment that tells something; different for
    /// each number.
    private func jpeg(_ number: UInt8 = 1) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xFE, 0, 8] + Array("secret".utf8)
            + [0xFF, 0xC0, 0, 8, 8, 0, 2, 0, 3, 1, 0xFF, 0xDA, 0, 2, number, 0xFF, 0xD9]
    }

    private func post(
        _ travels: Travels, _ body: [UInt8], query: String = "", as token: String = "phone-1",
        headers: Headers = [:]
    ) throws -> Response {
        var request = travels.world.request(
            .post, travels.journey + "/photos" + query, token: token, headers: headers)
        request.body = body
        try travels.world.turn { try travels.world.handle(request) }
        return try #require(travels.world.answers[request.id])
    }

    private func files(_ travels: Travels) -> [String] {
        let folder = (travels.world.database.path as NSString).deletingLastPathComponent
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder + "/photos")
        return (names ?? []).sorted()
    }

    @Test func `are stored without metadata, and read by permitted viewers`() throws {
        let travels = try Travels()
        try travels.report(at: 10, north: 10)
        let added = try post(travels, jpeg())
        #expect(added.status == 201)
        #expect(added.json["width"] == 3 && added.json["height"] == 2)
        #expect(added.json["time"] == "2026-11-20T10:20:10.000Z", "now")
        #expect((added.json["lat"]?.double ?? 0) > 3, "where the journey was then")
        let path = "/photos/" + (added.json["id"]?.string ?? "")
        let picture = try travels.get(path).body
        for token in ["phone-1", "person-2"] {
            let picture = try travels.get(path, as: token)
            #expect(picture.headers["Content-Type"] == "image/jpeg")
            #expect(!picture.text.contains("secret") && picture.body.count == jpeg().count - 10)
        }
        #expect(try travels.get(path, as: "person-3").status == 404)
        let shown = try travels.get().json["photos"]?.array?.first
        #expect(shown == added.json)
        let track = try travels.get("/points.gpx").text
        #expect(track.contains("<type>photo</type>"))
        let parts = track.split(separator: "<link href=\"", maxSplits: 1)
        #expect(parts.count == 2 && parts[1].contains("<type>image/jpeg</type></link>"))
        let place = String(parts[1].prefix { $0 != "\"" })
        #expect(try travels.world.send(.get, place, token: "phone-1").body == picture)
    }

    @Test func `have the time and position of the request`() throws {
        let travels = try Travels()
        travels.world.now = start + .seconds(100)
        let query = "?time=2026-11-20T10:20:30.000Z&lat=1.5&lon=2.5"
        let added = try post(travels, jpeg(), query: query).json
        #expect(added["time"] == "2026-11-20T10:20:30.000Z" && added["lat"] == 1.5)
        for (query, field) in [
            ("?time=x", "time"), ("?lat=1", "lon"), ("?lat=100&lon=1", "lat"),
            ("?time=2026-11-20T09:00:00.000Z", "time"),
        ] {
            let refused = try post(travels, jpeg(), query: query)
            #expect(refused.status == 400 && refused.json["field"]?.string == field)
        }
        #expect(files(travels).count == 1)
    }

    @Test func `are files that are removed with their last row`() throws {
        let travels = try Travels()
        let first = try post(travels, jpeg())
        #expect(try post(travels, jpeg()).status == 201)
        #expect(files(travels).count == 1, "the same bytes are one file")
        #expect(try post(travels, jpeg(2)).status == 201)
        #expect(files(travels).count == 2)
        let folder = (travels.world.database.path as NSString).deletingLastPathComponent
        let file = "\(folder)/photos/\(files(travels)[0])"
        let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(rights as? Int == 0o600)
        try Data([1]).write(to: URL(fileURLWithPath: file + ".77.new"))
        try travels.world.restart()
        #expect(files(travels).count == 2, "a draft that a crash has left is gone")
        let path = "/photos/" + (first.json["id"]?.string ?? "")
        #expect(try travels.get(path).status == 200)
        try travels.world.failingTurn {
            try travels.world.handle(
                travels.world.request(.delete, travels.journey, token: "phone-1"))
        }
        try travels.world.turn {}
        try travels.world.turn {}
        #expect(files(travels).count == 2)
        #expect(try travels.get(path).status == 200)
        try travels.world.send(.delete, travels.journey, token: "phone-1")
        while travels.world.journeys.nextDeadline != nil { try travels.world.turn {} }
        #expect(files(travels).isEmpty)
    }

    @Test func `of a turn that was rolled back leave no row, and no file for long`() throws {
        let travels = try Travels()
        var request = travels.world.request(.post, travels.journey + "/photos", token: "phone-1")
        request.body = jpeg()
        try travels.world.failingTurn { try travels.world.handle(request) }
        #expect(travels.world.answers[request.id] == nil)
        #expect(try travels.get().json["photos"]?.array?.count == 0)
        #expect(files(travels).count == 1)
        try travels.world.restart()
        #expect(files(travels).isEmpty)
    }

    @Test func `are rejected if invalid, too many, or on a nearly full disk`()
        throws
    {
        let travels = try Travels()
        #expect(try post(travels, Array("GIF89a".utf8)).status == 415)
        #expect(try post(travels, Array(jpeg().dropLast(2))).status == 400)
        travels.world.diskPressure = .tight
        #expect(try post(travels, jpeg()).status == 503)
        travels.world.diskPressure = .none
        for number in 0..<JourneyLimits.photosMax {
            #expect(try post(travels, jpeg(UInt8(number))).status == 201)
        }
        #expect(try post(travels, jpeg()).status == 409)
    }

    @Test func `of one person have a limited total size`() throws {
        let travels = try Travels()
        #expect(try post(travels, jpeg(1)).status == 201)
        let most = JourneyLimits.photoBytesOfPerson
        try travels.world.database.run("UPDATE journey_photo SET size = ?", .integer(most - 30))
        #expect(try post(travels, jpeg(2)).status == 201)
        let refused = try post(travels, jpeg(3))
        #expect(refused.status == 409)
        #expect(refused.json["hint"]?.string?.contains("Delete journeys") == true)
    }

    @Test func `sent again with the same key are one`() throws {
        let travels = try Travels()
        let key: Headers = ["Idempotency-Key": "k"]
        let first = try post(travels, jpeg(), headers: key)
        #expect(try post(travels, jpeg(), headers: key).json == first.json)
        #expect(try travels.get().json["photos"]?.array?.count == 1)
    }
}

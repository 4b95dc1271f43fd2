import JourneysCore
import Model
import Parsing
import Store
import TestSupport
import Testing
import Web

@testable import JourneysDaemon

@Suite struct JourneyTests {
    @Test func `a journey starts once, continues and stops`() throws {
        let travels = try Travels()
        let world = travels.world
        let again = try world.send(.post, travels.path, token: "person-1")
        #expect(again.status == 200)
        #expect(travels.journey.hasSuffix(again.json["id"]?.string ?? "?"))
        #expect(again.json["state"] == "open" && again.json["name"] == "Home & <back>")
        #expect(again.json["started"] == "2026-11-20T10:20:00.000Z")
        world.now = start + .seconds(600)
        let stop = travels.journey + "/stop"
        let stopped = try world.send(.post, stop, token: "phone-1")
        #expect(stopped.json["stopped"] == "2026-11-20T10:30:00.000Z")
        #expect(stopped.json["state"] == "stopped")
        #expect(try world.send(.post, stop, token: "phone-1").json == stopped.json)
        try world.restart()
        #expect(try travels.get().json["stopped"] == stopped.json["stopped"])
        #expect(try world.send(.post, travels.path, token: "phone-1").status == 201)
        #expect(
            try world.send(.post, travels.journey + "/reset", token: "phone-1").status == 409)
    }

    @Test func `a key makes a repeated request one request`() throws {
        let travels = try Travels()
        let world = travels.world
        try world.send(.post, travels.journey + "/stop", token: "phone-1")
        let key: Headers = ["Idempotency-Key": "k"]
        let first = try world.send(.post, travels.path, token: "phone-1", headers: key)
        let id = try #require(first.json["id"]?.string)
        try world.send(.post, "\(travels.path)/\(id)/stop", token: "phone-1")
        let second = try world.send(.post, travels.path, token: "phone-1", headers: key)
        #expect(second.json == first.json && second.status == 201)
        let notes = "\(travels.path)/\(id)/notes"
        for _ in 0..<2 {
            try world.send(.post, notes, #"{"text":"x"}"#, token: "phone-1", headers: key)
        }
        #expect(try world.database.scalar("SELECT count(*) FROM journey_note") == .integer(1))
    }

    @Test func `a note is not pinned to 0, 0`() throws {
        let travels = try Travels()
        let notes = travels.journey + "/notes"
        let answer = try travels.world.send(
            .post, notes, #"{"text":"x","lat":0,"lon":0}"#, token: "phone-1")
        #expect(answer.status == 400 && answer.json["field"]?.string == "lat")
        let body = #"{"text":"x","lat":0,"lon":9.5}"#
        #expect(try travels.world.send(.post, notes, body, token: "phone-1").status == 201)
    }

    @Test func `points are read as GeoJSON with their times`() throws {
        let travels = try Travels()
        #expect(try travels.get("/points").json["geometry"] == .null)
        try travels.report(at: 10, north: 0)
        #expect(try travels.get("/points").json["geometry"]?["type"] == "Point")
        try travels.report(at: 20, north: 10)
        try travels.report(at: 30, north: 11)
        try travels.report(at: 40, north: 20)
        try travels.report(at: 50, north: 21)
        let answer = try travels.get("/points")
        #expect(answer.headers["Content-Type"] == "application/geo+json")
        #expect(travels.lines(answer) == [[0, 10, 20, 21]])
        #expect(answer.json["type"] == "Feature")
        let properties = answer.json["properties"]
        let times = (properties?["times"]?.array ?? []).compactMap(\.string)
        #expect(times.first == "2026-11-20T10:20:10.000Z" && times.count == 4)
        #expect(times.last == "2026-11-20T10:20:50.000Z")
        #expect(properties?["name"] == "Home & <back>" && properties?["stopped"] == .null)
    }

    @Test func `in whatever order fixes arrive the journey is the same`() throws {
        var generator = SeededGenerator(seed: 3)
        var fixes: [(seconds: Int, north: Double)] = []
        var north = 0.0
        for index in 0..<40 {
            north += Double.random(in: -4...6, using: &generator)
            fixes.append((10 + index * 7, north))
        }
        func path(_ fixes: [(seconds: Int, north: Double)], stopsAfter count: Int) throws -> String
        {
            let travels = try Travels()
            for (index, fix) in fixes.enumerated() {
                if index == count {
                    travels.world.now = start + .seconds(1000)
                    try travels.world.send(.post, travels.journey + "/stop", token: "phone-1")
                }
                try travels.report(at: fix.seconds, north: fix.north)
            }
            let json = try travels.get("/points").json
            return "\(json["geometry"] ?? .null) \(json["properties"]?["times"] ?? .null)"
        }
        let expected = try path(fixes, stopsAfter: 40)
        for count in [0, 10, 40] {
            #expect(try path(fixes.shuffled(using: &generator), stopsAfter: count) == expected)
        }
    }

    @Test func `a cursor returns what follows, or everything after a late fix`() throws {
        let travels = try Travels()
        for index in 1...5 { try travels.report(at: index * 10, north: Double(index * 10)) }
        let first = try travels.get("/points").json["properties"]
        let next = try #require(first?["next"]?.string)
        let same = try travels.get("/points?since=\(next)")
        #expect(travels.lines(same) == [[50]] && same.json["properties"]?["from"] == 4)
        try travels.report(at: 60, north: 51)
        try travels.report(at: 70, north: 60)
        let more = try travels.get("/points?since=\(next)")
        #expect(travels.lines(more) == [[50, 60]] && more.json["properties"]?["from"] == 4)
        try travels.report(at: 80, north: 62)
        let spare = try travels.get("/points?since=\(next)").json["properties"]?["next"]?.string
        try travels.report(at: 90, north: 64)
        let after = try travels.get("/points?since=\(try #require(spare))")
        #expect(travels.lines(after) == [[60, 64]], "62 was but the last")
        try travels.report(at: 15, north: 15)
        let again = try travels.get("/points?since=\(next)")
        #expect(travels.lines(again) == [[10, 15, 20, 30, 40, 50, 60, 64]])
        #expect(again.json["properties"]?["from"] == 0)
        let huge = next.split(separator: ".").enumerated().map { index, part in
            index == 3 ? String(Int.max) : String(part)
        }.joined(separator: ".")
        #expect(try travels.get("/points?since=\(huge)").status == 400, "it stopped the process")
        for query in ["since=x", "since=\(next)&tolerance=5", "tolerance=-1", "tolerance=x"] {
            #expect(try travels.get("/points?" + query).status == 400)
        }
    }

    @Test func `an unchanged response is 304`() throws {
        let travels = try Travels()
        for index in 1...5 { try travels.report(at: index * 10, north: Double(index * 10)) }
        for what in ["", "/points", "/points.gpx", "/points?tolerance=20"] {
            let first = try travels.get(what)
            let tag = try #require(first.headers["ETag"])
            let known = try travels.get(what, headers: ["If-None-Match": "\"x\", W/\(tag)"])
            #expect(known.status == 304 && known.body.isEmpty && known.headers["ETag"] == tag)
        }
        let tag = try #require(try travels.get("/points").headers["ETag"])
        try travels.report(at: 60, north: 50)
        #expect(try travels.get("/points", headers: ["If-None-Match": tag]).status == 200)
    }

    @Test func `GPX has the path and notes, with escaped text`() throws {
        let travels = try Travels()
        try travels.report(at: 10, north: 0)
        try travels.report(at: 20, north: 10)
        try travels.world.send(
            .post, travels.journey + "/notes", #"{"text":"a < b & \u0007c","lat":1.5,"lon":-2.25}"#,
            token: "phone-1")
        for answer in [
            try travels.get("/points.gpx"),
            try travels.get("/points", headers: ["Accept": "application/gpx+xml"]),
        ] {
            #expect(answer.headers["Content-Type"] == "application/gpx+xml")
            #expect(answer.text.contains("<name>Home &amp; &lt;back&gt;</name>"))
            #expect(answer.text.contains("<name>a &lt; b &amp; c</name>"))
            #expect(answer.text.contains(#"<wpt lat="1.5" lon="-2.25">"#))
            #expect(
                answer.text.contains(
                    #"<trkpt lat="3" lon="101.5"><time>2026-11-20T10:20:10.000Z</time></trkpt>"#))
            #expect(answer.text.hasSuffix("</trkseg>\n</trk>\n</gpx>\n"))
        }
    }

    @Test func `a tolerance drops points on a line`() throws {
        let travels = try Travels()
        for index in 1...50 { try travels.report(at: index * 10, north: Double(index * 10)) }
        #expect(try travels.points("?tolerance=1") == [[10, 500]])
        #expect(try travels.points("?tolerance=0")[0].count == 50)
    }

    @Test func `the summary has distance, duration and stops`() throws {
        let travels = try Travels()
        for index in 0...10 { try travels.report(at: index * 60, north: Double(index * 100)) }
        for index in 11...30 { try travels.report(at: index * 60, north: 1000) }
        for index in 31...40 {
            try travels.report(at: index * 60, north: Double(4100 - index * 100))
        }
        let sum = try travels.get().json
        #expect(sum["duration"] == 2400.0 && sum["stopCount"] == 1)
        #expect((1259...1261).contains(2400 - (sum["movingTime"]?.double ?? 0)))
        #expect((1880...1900).contains(sum["distance"]?.double ?? 0))
        #expect(sum["points"] == 20)
        #expect(sum["stops"]?.array?.first?["from"] == "2026-11-20T10:30:00.000Z")
        try travels.report(at: 2460, north: 0)
        #expect((1980...2000).contains(try travels.get().json["distance"]?.double ?? 0))
    }

    @Test func `journeys are listed newest first, page by page`() throws {
        let travels = try Travels()
        for index in 1...4 {
            travels.world.now = start + .seconds(index * 100)
            let open = try travels.world.send(.post, travels.path, token: "phone-1").json["id"]
            try travels.world.send(
                .post, "\(travels.path)/\(open?.string ?? "")/stop", token: "phone-1")
            try travels.world.send(
                .post, travels.path, #"{"name":"\#(index)"}"#, token: "phone-1")
        }
        var names: [String] = []
        var cursor: String?
        repeat {
            let query = "?limit=2" + (cursor.map { "&cursor=\($0)" } ?? "")
            let page = try travels.world.send(.get, travels.path + query, token: "phone-1").json
            names += (page["items"]?.array ?? []).compactMap { $0["name"]?.string }
            cursor = page["next"]?.string
        } while cursor != nil
        #expect(names == ["4", "3", "2", "1", "Home & <back>"])
        for query in ["?limit=0", "?cursor=x"] {
            #expect(
                try travels.world.send(.get, travels.path + query, token: "phone-1").status == 400)
        }
    }

    @Test func `deleted and reset journeys lose all fixes`() throws {
        for action in ["delete", "reset"] {
            let travels = try Travels()
            let world = travels.world
            let more = Int(JourneyLimits.fixesForgottenPerTurn) + 10
            try world.turn {
                for index in 0..<more {
                    try world.journeys.store.write(
                        .fix(
                            Fix(
                                time: start + .milliseconds(index),
                                position: Coordinate(latitudeE7: 1, longitudeE7: 1)), number: 1))
                }
            }
            try world.send(
                .post, travels.journey + "/notes", #"{"text":"x"}"#, token: "phone-1")
            world.now = start + .seconds(100)
            if action == "delete" {
                let gone = try world.send(.delete, travels.journey, token: "phone-1")
                #expect(gone.status == 204)
                #expect(try travels.get().status == 404)
                #expect(
                    try world.send(.delete, travels.journey, token: "phone-1").status == 404)
            } else {
                let again = try world.send(
                    .post, travels.journey + "/reset", token: "phone-1")
                #expect(again.json["started"] == "2026-11-20T10:21:40.000Z")
                #expect(try travels.points() == [])
                try travels.report(at: 50, north: 1)
                #expect(try travels.points() == [])
            }
            while world.journeys.nextDeadline != nil { try world.turn {} }
            #expect(try world.database.scalar("SELECT count(*) FROM journey_fix") == .integer(0))
            #expect(try world.database.scalar("SELECT count(*) FROM journey_note") == .integer(0))
            #expect(try world.database.scalar("SELECT count(*) FROM journey_gone") == .integer(0))
        }
    }

    @Test func `invalid requests are rejected with a reason`() throws {
        let travels = try Travels()
        let world = travels.world
        let long = String(repeating: "x", count: 101)
        let name = try world.send(
            .post, travels.path, #"{"name":"\#(long)"}"#, token: "phone-1")
        #expect(name.status == 400 && name.json["field"] == "name")
        for (body, field) in [
            ("{}", "text"), (#"{"text":""}"#, "text"), (#"{"text":"x","lat":1}"#, "lon"),
            (#"{"text":"x","lat":91,"lon":1}"#, "lat"), (#"{"text":"x","time":"now"}"#, "time"),
            (#"{"text":"x","time":"2026-11-20T10:19:00.000Z"}"#, "time"),
        ] {
            let note = try world.send(
                .post, travels.journey + "/notes", body, token: "phone-1")
            #expect(note.status == 400 && note.json["field"]?.string == field)
        }
        let nobody = travels.path + "/\(JourneyID(.zero))"
        for what in ["", "/points", "/replay"] {
            #expect(try world.send(.get, nobody + what, token: "phone-1").status == 404)
        }
        #expect(try world.send(.post, nobody + "/stop", token: "phone-1").status == 404)
        #expect(try world.send(.get, travels.path + "/x", token: "phone-1").status == 404)
        let other = "/v1/people/\(person(2))/journeys/" + travels.journey.suffix(30)
        #expect(try world.send(.get, other, token: "person-2").status == 404)
    }
}

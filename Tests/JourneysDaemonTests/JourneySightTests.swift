import JourneysCore
import Model
import Parsing
import Testing
import Web

@testable import JourneysDaemon

@Suite struct `Who reads a journey of somebody else` {
    @Test func `sees what was shared, and is in the access log`() throws {
        let travels = try Travels()
        for index in 1...3 { try travels.report(at: index * 10, north: Double(index * 10)) }
        #expect(travels.world.accesses.count == 0)
        #expect(try travels.points(as: "person-2") == [[10, 20, 30]])
        #expect(travels.world.accesses.count == 1)
        #expect(try travels.get(as: "person-2").json["points"] == 3)
        #expect(
            try travels.world.send(.get, travels.path, token: "person-2").json["items"]?.array?
                .count == 1)
        #expect(try travels.get(as: "person-1").status == 200)
        #expect(travels.world.accesses.count == 1, "one a viewer and hour, none of one's own")
        #expect(try travels.get("/points", as: "operator").status == 400, "without a reason")
        #expect(travels.world.accesses.count == 1)
        let reason = "/points?reason=support%20case"
        #expect(try travels.get(reason, as: "operator").status == 200)
        #expect(travels.world.accesses.count == 2)
    }

    @Test func `sees nothing of a pause, and a line for each part`() throws {
        let travels = try Travels()
        try travels.report(at: 10, north: 10)
        try travels.report(at: 20, north: 20)
        travels.world.now = start + .seconds(25)
        try travels.change(.off)
        #expect(try travels.get("/points", as: "person-2").status == 403)
        #expect(
            try travels.world.send(.get, travels.path, token: "person-2").json["detail"]
                == "That person does not share their position now.")
        try travels.report(at: 30, north: 1000)
        travels.world.now = start + .seconds(35)
        try travels.change(.on)
        try travels.report(at: 40, north: 100)
        try travels.report(at: 27, north: 500)
        #expect(try travels.points(as: "person-2") == [[10, 20], [100, 100]])
        #expect(try travels.points() == [[10, 20, 500, 1000, 100]])
        let answer = try travels.get("/points", as: "person-2").json["properties"]
        let times = (answer?["times"]?.array ?? []).map { $0.array?.count }
        #expect(times == [2, 2])
        #expect((9...11).contains(try travels.get(as: "person-2").json["distance"]?.double ?? 0))
        let track = try travels.get("/points.gpx", as: "person-2").text
        #expect(track.split(separator: "<trkseg>").count == 3 && !track.contains("10:20:30"))
    }

    @Test func `sees notes and photos of shared times only`() throws {
        let travels = try Travels()
        func note(_ text: String) throws {
            let answer = try travels.world.send(
                .post, travels.journey + "/notes", #"{"text":"\#(text)"}"#, token: "phone-1")
            #expect(answer.status == 201)
        }
        try note("seen")
        travels.world.now = start + .seconds(10)
        try travels.change(.off)
        travels.world.now = start + .seconds(15)
        try note("secret")
        travels.world.now = start + .seconds(20)
        try travels.change(.on)
        let notes = try travels.get(as: "person-2").json["notes"]?.array ?? []
        #expect(notes.compactMap { $0["text"]?.string } == ["seen"])
        #expect(try !travels.get("/points.gpx", as: "person-2").text.contains("secret"))
        #expect(try travels.get().json["notes"]?.array?.count == 2)
    }

    @Test func `changes nothing, and strangers get 404`() throws {
        let travels = try Travels()
        for (method, what) in [
            (Method.post, ""), (.post, "/stop"), (.post, "/reset"), (.delete, ""),
        ] {
            let path = what.isEmpty && method == .post ? travels.path : travels.journey + what
            for token in ["person-2", "person-3", "operator"] {
                #expect(try travels.world.send(method, path, token: token).status == 403)
            }
        }
        for what in ["/notes", "/photos"] {
            let answer = try travels.world.send(
                .post, travels.journey + what, #"{"text":"x"}"#, token: "person-2")
            #expect(answer.status == 403)
        }
        for what in ["", "/points", "/points.gpx", "/replay"] {
            #expect(try travels.get(what, as: "person-3").status == 404)
        }
        #expect(
            try travels.world.send(.get, travels.path, token: "person-3").status == 404)
        #expect(travels.world.accesses.count == 0)
    }
}

import Model
import Parsing
import Testing
import Web

@testable import IngestDaemon

/// Several messages of one fix, and fixes that are no positions.
@Suite struct CompletionTests {
    private func reasons(_ world: World) throws -> [String] {
        try world.database.all("SELECT reason FROM quarantine ORDER BY number") { $0.text(0) }
    }

    /// What an iPhone sends when it leaves a region.
    private static let transition =
        #"{"_type":"transition","event":"leave","desc":"Home","wtst":1790000000,"lat":3.1,"#
        + #""lon":101.7,"tst":1795169990,"acc":12,"tid":"AN","t":"c"}"#
    private static func location(_ fields: String) -> String {
        #"{"_type":"location","lat":3.1,"lon":101.7,"tst":1795169990,"acc":12,"#
            + #""tid":"AN","t":"c","m":1,\#(fields)}"#
    }
    private static let iPhone: Headers = ["User-Agent": "OwnTracks/26.2.3 CFNetwork/3826 Darwin/25"]

    @Test func `transition and location of an iPhone are one report, complete`() throws {
        let world = try World()
        let body = Self.location(#""vel":5,"cog":270,"alt":38,"batt":15,"bs":1"#)
        for message in [Self.transition, body, body] {
            let answer = try world.send(
                .post, "/pub", message, token: "phone-1", headers: Self.iPhone)
            #expect(answer.status == 200)
            try world.restart()
        }
        let reports = try world.database.all(
            "SELECT speed, course, altitude, state >> 8 FROM report"
        ) { row in (0..<4).map { row.int64($0) } }
        #expect(reports == [[139, 270, 3800, 16]])
        #expect(world.records(.inputReport).count == 2, "evaluated again, once")
        let positions = try world.send(
            .get, "/v1/circles/\(circle(1))/positions", token: "person-2")
        let anna = positions.json["features"]?.array?.first
        #expect(anna?["properties"]?["battery"] == 15)
    }

    @Test func `0, 0 is never shown, and its panic has the last position`() throws {
        let world = try World()
        let zero = #"{"_type":"location","lat":0,"lon":0,"tst":1795169995,"poi":"SOS","batt":12}"#
        try world.send(.post, "/pub", PhoneTests.location, token: "phone-1")
        try world.send(.post, "/pub", zero, token: "phone-1", headers: Self.iPhone)
        let anna = try world.send(
            .get, "/v1/circles/\(circle(1))/positions", token: "person-2"
        ).json["features"]?.array?.first
        #expect(anna?["geometry"]?["coordinates"]?[1] == 3.1)
        #expect(anna?["properties"]?["battery"] == 12)
        #expect(try reasons(world) == ["zero-position"])
        guard case .sosRaised(let signal)? = world.records(.sosRaised).last?.body else {
            Issue.record("a call for help was lost")
            return
        }
        #expect(signal.fix?.position.latitude == 3.1 && signal.battery == 12)
        // A row of an older version.
        try world.database.run("UPDATE device SET latitude = 0, longitude = 0")
        try world.database.run("UPDATE report SET latitude = 0, longitude = 0")
        try world.restart()
        let after = try world.send(
            .get, "/v1/circles/\(circle(1))/positions", token: "person-2"
        ).json["features"]?.array?.first
        #expect(after?["geometry"]?["coordinates"] == nil)
    }

    @Test func `0, 0 in Jaga's own JSON is rejected with field and hint`() throws {
        let world = try World()
        let body =
            #"{"reports":[{"time":"2026-11-20T10:19:50Z","lat":0,"lon":0},"#
            + #"{"time":"2026-11-20T10:19:51Z","lat":3.1,"lon":101.7,"accuracy":-1}]}"#
        let answer = try world.send(.post, "/v1/reports", body, token: "phone-1").json
        #expect(answer["accepted"] == 0)
        #expect(answer["quarantined"]?[0]?["reason"] == "zero-position")
        #expect(answer["quarantined"]?[0]?["field"] == "lat")
        #expect(answer["quarantined"]?[1]?["field"] == "accuracy")
        #expect(answer["quarantined"]?[1]?["hint"]?.string?.isEmpty == false)
        let call = #"{"report":{"time":"2026-11-20T10:19:50Z","lat":0,"lon":0,"battery":7}}"#
        let raised = try world.send(.post, "/v1/emergencies", call, token: "phone-1")
        #expect(raised.status == 202 && raised.json["ignored"] == ["report"])
        guard case .sosRaised(let signal)? = world.records(.sosRaised).last?.body else {
            Issue.record("a call for help was lost")
            return
        }
        #expect(signal.fix == nil && signal.battery == 7)
    }
}

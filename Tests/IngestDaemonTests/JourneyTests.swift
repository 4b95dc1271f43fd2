import Model
import Parsing
import Testing
import Web

@testable import IngestDaemon

/// Journeys as a part of ingest; the rest is tested in `JourneysDaemonTests`.
@Suite struct JourneyTests {
    private let path = "/v1/people/\(person(1))/journeys"

    private func start(in world: World, headers: Headers = [:]) throws -> String {
        let answer = try world.send(.post, path, token: "phone-1", headers: headers)
        #expect(answer.status == 201)
        return path + "/" + (answer.json["id"]?.string ?? "")
    }

    @Test func `a journey has what the phone reported, for those who may see it`() throws {
        let world = try World()
        let members = [
            Membership(
                person: person(1), role: .member, joined: world.now, sharing: .on, trackerID: "T1"),
            Membership(person: person(2), role: .guardian, joined: world.now, trackerID: "T2"),
        ]
        world.replica.apply(
            .circleChanged(Circle(id: circle(1), name: "Family", members: members)))
        let journey = try start(in: world)
        world.now = world.now + .seconds(60)
        let report = #"{"lat":3.2,"lon":101.7,"time":"\#(world.now)"}"#
        #expect(try world.send(.post, "/v1/reports", report, token: "phone-1").status == 202)
        for token in ["phone-1", "person-2"] {
            let points = try world.send(.get, journey + "/points", token: token).json
            #expect(points["geometry"]?["coordinates"] == [101.7, 3.2])
        }
        #expect(try world.send(.get, journey, token: "person-3").status == 404)
        #expect(try world.send(.get, journey).status == 401)
        #expect(try world.send(.post, journey + "/stop").status == 401)
        let looks = try world.database.scalar("SELECT count(*) FROM access")
        #expect(looks == .integer(1), "Ben's")
    }

    @Test func `a key makes a repeated request one request`() throws {
        let world = try World()
        let key: Headers = ["Idempotency-Key": "k"]
        let first = try world.send(.post, path, token: "phone-1", headers: key)
        let id = try #require(first.json["id"]?.string)
        try world.send(.post, "\(path)/\(id)/stop", token: "phone-1")
        let second = try world.send(.post, path, token: "phone-1", headers: key)
        #expect(second.json == first.json && second.status == 201)
        let notes = "\(path)/\(id)/notes"
        for _ in 0..<2 {
            try world.send(.post, notes, #"{"text":"x"}"#, token: "phone-1", headers: key)
        }
        #expect(try world.database.scalar("SELECT count(*) FROM journey_note") == .integer(1))
    }
}

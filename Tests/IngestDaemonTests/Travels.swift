import IngestCore
import Model
import Parsing
import Testing
import Web

@testable import IngestDaemon

/// Anna (1) on a journey, with guardian Ben (2) in circle 1; Cho (3) is nobody to them.
struct Travels {
    let world: World
    let path: String
    private(set) var journey = ""

    init(sharing: Sharing = .on) throws {
        world = try World()
        path = "/v1/people/\(person(1))/journeys"
        share(sharing)
        try world.turn {}
        try report(at: -60, north: 0)
        let answer = try world.send(.post, path, #"{"name":"Home & <back>"}"#, token: "phone-1")
        #expect(answer.status == 201)
        journey = path + "/" + (answer.json["id"]?.string ?? "")
    }

    func share(_ sharing: Sharing, precision: Precision = .exact) {
        let members = [
            Membership(
                person: person(1), role: .member, joined: start, sharing: sharing,
                precision: precision, trackerID: "T1"),
            Membership(person: person(2), role: .guardian, joined: start, trackerID: "T2"),
        ]
        world.replica.apply(
            .circleChanged(Circle(id: circle(1), name: "Family", members: members)))
    }

    /// Membership tells it, and a turn later others see otherwise.
    func change(_ sharing: Sharing) throws {
        let circle = try #require(world.replica.circle(circle(1)))
        try world.turn {
            try world.service.directoryWillChange(
                Event(id: EventID(.zero), time: world.now, body: .circleChanged(circle)))
            share(sharing)
        }
    }

    func text(at seconds: Int, north metres: Double) -> String {
        let time = start + .seconds(seconds)
        return #"{"lat":\#(3 + metres / 111_194.9),"lon":101.5,"time":"\#(time)"}"#
    }

    /// So many seconds after the start, so many metres north of where it began. The clock goes on
    /// if that is not over yet.
    func report(at seconds: Int, north metres: Double) throws {
        world.now = max(world.now, start + .seconds(seconds))
        let answer = try world.send(
            .post, "/v1/reports", text(at: seconds, north: metres), token: "phone-1")
        #expect(answer.status == 202)
    }

    func get(
        _ what: String = "", as token: String = "phone-1", headers: Headers = [:]
    ) throws -> Response {
        try world.send(.get, journey + what, token: token, headers: headers)
    }

    /// The positions, metres north, of each line.
    func lines(_ response: Response) -> [[Int]] {
        let geometry = response.json["geometry"]
        let all = geometry?["coordinates"]?.array ?? []
        func north(_ position: JSON) -> Int {
            Int((((position.array?[1].double ?? 0) - 3) * 111_194.9).rounded())
        }
        switch geometry?["type"]?.string {
        case "MultiLineString": return all.map { ($0.array ?? []).map(north) }
        case "LineString": return [all.map(north)]
        case "Point": return [[north(geometry?["coordinates"] ?? .null)]]
        default: return []
        }
    }

    func points(_ query: String = "", as token: String = "phone-1") throws -> [[Int]] {
        lines(try get("/points" + query, as: token))
    }
}

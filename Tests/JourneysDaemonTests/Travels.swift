import JourneysCore
import Model
import Parsing
import Testing
import Web

@testable import JourneysDaemon

/// Anna (1) on a journey, with guardian Ben (2) in circle 1; Cho (3) is nobody to them.
struct Travels {
    let world: World
    let path: String
    private(set) var journey = ""

    init(sharing: Sharing = .on) throws {
        world = try World()
        path = "/v1/people/\(person(1))/journeys"
        share(sharing)
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
            try world.handleJourneys(.directoryChanging(.circleChanged(circle), at: world.now))
            world.journeys.directoryWillChange()
            share(sharing)
        }
    }

    /// Anna's phone was so many metres north of where it began, so many seconds after the start.
    /// The clock goes on if that is not over yet.
    func report(at seconds: Int, north metres: Double) throws {
        world.now = max(world.now, start + .seconds(seconds))
        let position = try #require(Coordinate(latitude: 3 + metres / 111_194.9, longitude: 101.5))
        try world.turn {
            try world.handleJourneys(
                .fix(Fix(time: start + .seconds(seconds), position: position), of: person(1)))
        }
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

import JourneysCore
import Model
import Parsing
import Testing
import Web

@testable import JourneysDaemon

@Suite struct `A long journey` {
    /// With so many points, 10 s and 5 m apart.
    private func long(_ count: Int) throws -> Travels {
        let travels = try Travels()
        try travels.world.turn {
            for index in 0..<count {
                let position = Coordinate(
                    latitude: 3 + Double(index) * 5 / 111_194.9, longitude: 101.5)!
                try travels.world.journeys.store.write(
                    .fix(
                        Fix(time: start + .seconds(index * 10), position: position), number: 1))
            }
        }
        travels.world.now = start + .seconds(count * 10)
        return travels
    }

    private func begin(
        _ travels: Travels, _ what: String, as token: String = "phone-1", headers: Headers = [:]
    ) throws -> UInt64 {
        let request = travels.world.request(
            .get, travels.journey + what, token: token, headers: headers)
        try travels.world.turn { try travels.world.handle(request) }
        return request.id
    }

    @Test func `is sent in portions, no faster than its reader accepts them`() throws {
        let travels = try long(JourneyLimits.fixesPerPortion * 3 + 7)
        let id = try begin(travels, "/points")
        let world = travels.world
        #expect(world.streams[id]?.isOpen == true && world.journeys.nextDeadline == world.now)
        world.unsent = JourneyLimits.unsentBytesMax
        let size = world.streams[id]?.response.body.count
        try world.turn {}
        #expect(world.streams[id]?.response.body.count == size)
        #expect(world.journeys.nextDeadline == nil)
        world.unsent = 0
        for _ in 0..<10 { try world.turn {} }
        #expect(world.streams[id]?.isWhole == true)
        let line = travels.lines(try #require(world.streams[id]?.response))[0]
        #expect(line.count == JourneyLimits.fixesPerPortion * 3 + 7)
        #expect(line == (0..<line.count).map { $0 * 5 })
        let properties = world.streams[id]?.response.json["properties"]
        #expect(properties?["times"]?.array?.count == line.count)
        #expect(world.streams[id]?.response.headers["Content-Type"] == "application/geo+json")
    }

    @Test func `is summed up over many turns and continued from the stored sum`() throws {
        let travels = try long(JourneyLimits.fixesPerPortion * 2 + 1)
        let id = try begin(travels, "")
        #expect(travels.world.answers[id] == nil)
        for _ in 0..<2 { try travels.world.turn {} }
        let points = Int64(JourneyLimits.fixesPerPortion * 2 + 1)
        #expect(travels.world.answers[id]?.json["points"] == .integer(points))
        #expect(try travels.get().json["points"] == .integer(points), "at once")
        try travels.report(at: Int(points) * 10, north: 0)
        #expect(try travels.get().json["points"] == .integer(points + 1))
        try travels.report(at: 5, north: 1000)
        let again = try begin(travels, "")
        #expect(travels.world.answers[again] == nil, "a late fix makes the sum void")
        for _ in 0..<2 { try travels.world.turn {} }
        #expect(travels.world.answers[again]?.json["points"] == .integer(points + 2))
    }

    @Test func `ends when a turn is rolled back, and when sharing ends`() throws {
        let travels = try long(JourneyLimits.fixesPerPortion * 3)
        let world = travels.world
        let own = try begin(travels, "/points")
        try world.failingTurn {}
        try world.turn {}
        #expect(world.streams[own]?.isOpen == false && world.streams[own]?.isWhole == false)
        let ben = try begin(travels, "/points", as: "person-2")
        let anna = try begin(travels, "/points")
        try travels.change(.off)
        for _ in 0..<5 { try world.turn {} }
        #expect(world.streams[ben]?.isOpen == false && world.streams[ben]?.isWhole == false)
        #expect(world.streams[anna]?.isWhole == true)
    }

    @Test func `has a limited number of readers`() throws {
        let travels = try long(JourneyLimits.fixesPerPortion * 3)
        let world = travels.world
        let requests = (0...JourneyLimits.readersMax).map { _ in
            world.request(.get, travels.journey, token: "phone-1")
        }
        try world.turn { for request in requests { try world.handle(request) } }
        #expect(world.answers[requests[JourneyLimits.readersMax].id]?.status == 503)
        #expect(world.journeys.readers.count == JourneyLimits.readersMax)
        while world.journeys.nextDeadline != nil { try world.turn {} }
        for request in requests.dropLast() { #expect(world.answers[request.id]?.status == 200) }
        let id = try begin(travels, "/points?tolerance=5")
        #expect(world.streams[id]?.isOpen == true)
    }

    // MARK: - Replay

    private func events(_ travels: Travels, _ id: UInt64) -> [(id: String, data: JSON)] {
        let text = (travels.world.streams[id]?.response ?? travels.world.answers[id])?.text ?? ""
        return text.split(separator: "\n\n").map { event in
            var id = ""
            var data = JSON.null
            for line in event.split(separator: "\n") {
                if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
                if line.hasPrefix("event: ") { id = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") {
                    data = (try? JSON.parse(Array(line.dropFirst(6).utf8))) ?? .null
                }
            }
            return (id, data)
        }
    }

    @Test func `is replayed at a speed`() throws {
        let travels = try long(5)
        let world = travels.world
        let id = try begin(travels, "/replay?speed=10")
        let begun = world.now
        #expect(world.streams[id]?.response.headers["Content-Type"] == "text/event-stream")
        #expect(events(travels, id).map(\.id) == ["1"])
        #expect(world.journeys.nextDeadline == begun + .seconds(1))
        try world.turn {}
        #expect(events(travels, id).count == 1)
        for second in 1...4 {
            world.now = begun + .seconds(second)
            try world.turn {}
            #expect(events(travels, id).count == second + (second == 4 ? 2 : 1))
        }
        let last = events(travels, id)
        #expect(last.map(\.id) == ["1", "2", "3", "4", "5", "end"])
        #expect(last[1].data["time"] == "2026-11-20T10:20:10.000Z" && last[1].data["lon"] == 101.5)
        #expect(world.streams[id]?.isWhole == true && world.journeys.nextDeadline == nil)
    }

    @Test func `continues after the last event, with limited pauses`() throws {
        let travels = try long(5)
        try travels.report(at: 100_000, north: 1000)
        let world = travels.world
        let id = try begin(travels, "/replay?speed=1", headers: ["Last-Event-ID": "4"])
        #expect(events(travels, id).isEmpty && world.streams[id]?.isOpen == true)
        world.now = world.now + .seconds(10)
        try world.turn {}
        #expect(events(travels, id).map(\.id) == ["5"])
        world.now = world.now + .seconds(JourneyLimits.replayPauseSeconds)
        try world.turn {}
        #expect(events(travels, id).map(\.id) == ["5", "6", "end"])
        for (query, headers) in [
            ("?speed=0", [:]), ("?speed=x", [:]), ("", ["Last-Event-ID": "x"]),
        ] as [(String, Headers)] {
            #expect(try travels.get("/replay" + query, headers: headers).status == 400)
        }
    }

    @Test func `has a limited number of replays`() throws {
        let travels = try long(5)
        for _ in 0..<JourneyLimits.replaysMax { _ = try begin(travels, "/replay?speed=0.1") }
        #expect(try travels.get("/replay").status == 503)
        for id in travels.world.streams.keys { travels.world.streams[id]?.isOpen = false }
        try travels.world.turn {}
        #expect(travels.world.journeys.readers.count == 0)
    }

    @Test func `is replayed completely with many points`() throws {
        let travels = try long(JourneyLimits.fixesPerPortion * 2 + 5)
        let id = try begin(travels, "/replay?speed=1000000")
        for _ in 0..<20 {
            travels.world.now = travels.world.now + .seconds(1)
            try travels.world.turn {}
        }
        #expect(events(travels, id).count == JourneyLimits.fixesPerPortion * 2 + 6)
        #expect(travels.world.streams[id]?.isWhole == true)
    }
}

import Hashing
import IngestCore
import JourneysCore
import Model
import Parsing
import TestSupport
import Testing
import Web

@testable import IngestDaemon

@Suite struct ExportTests {
    private let path = "/v1/people/\(person(1))/export"

    /// The files of the archive.
    private func export(
        _ world: World, as token: String = "person-1"
    ) throws -> [String: ZipFile.Entry] {
        let request = world.request(.get, path, token: token)
        try world.turn { try world.service.handle(request) }
        while world.answers[request.id] == nil, world.streams[request.id]?.isOpen != false {
            try world.turn {}
        }
        let stream = try #require(world.streams[request.id])
        #expect(stream.isWhole && stream.response.status == 200)
        #expect(stream.response.headers["Content-Type"] == "application/zip")
        let entries = try ZipFile.read(stream.response.body)
        return Dictionary(uniqueKeysWithValues: entries.map { ($0.name, $0) })
    }

    private func json(_ entry: ZipFile.Entry?) throws -> JSON {
        try JSON.parse(try #require(entry).content)
    }

    @Test func `an export has all data of the person, without secrets`() throws {
        let world = try World()
        try world.send(
            .post, "/v1/reports",
            #"{"lat":3.1,"lon":101.7,"accuracy":12,"battery":50,"#
                + #""time":"\#(start - .seconds(60))"}"#,
            token: "phone-1")
        let journeys = "/v1/people/\(person(1))/journeys"
        let journey = try #require(
            try world.send(.post, journeys, #"{"name":"Hill"}"#, token: "phone-1").json["id"]?
                .string)
        world.now = start + .seconds(60)
        try world.send(
            .post, "/v1/reports", #"{"lat":3.2,"lon":101.7,"time":"\#(world.now)"}"#,
            token: "phone-1")
        try world.send(
            .post, "\(journeys)/\(journey)/notes", #"{"text":"tea"}"#, token: "phone-1")
        var photo = world.request(.post, "\(journeys)/\(journey)/photos", token: "phone-1")
        photo.body = [
            0xFF, 0xD8, 0xFF, 0xC0, 0, 8, 8, 0, 2, 0, 3, 1, 0xFF, 0xDA, 0, 2, 1, 0xFF, 0xD9,
        ]
        try world.turn { try world.service.handle(photo) }
        let pin = try #require(world.answers[photo.id]?.json["id"]?.string)
        try world.send(.post, "/pub", "not JSON", token: "phone-1")
        try world.send(.post, "/v1/emergencies", "{}", token: "person-1")
        try world.send(.get, "/v1/circles/\(circle(1))/positions", token: "person-2")

        let files = try export(world)
        let reports = try json(files["reports/\(device(1)).geojson"])["features"]?.array ?? []
        #expect(reports.count == 2)
        #expect(reports.first?["properties"]?["accuracy"] == 12.0)
        #expect(reports.first?["properties"]?["battery"] == 50)
        #expect(reports.first?["geometry"]?["coordinates"] == [101.7, 3.1])
        #expect(try json(files["journeys/\(journey).json"])["name"] == "Hill")
        #expect(files["journeys/\(journey).json"]?.text.contains("tea") == true)
        #expect(
            try json(files["journeys/\(journey).geojson"])["features"]?.array?.count == 1)
        #expect(files["photos/\(pin).jpg"]?.content == photo.body)
        #expect(try json(files["person.json"])["name"] == "Anna")
        #expect(try json(files["devices.json"]).array?.count == 1)
        #expect(try json(files["circles.json"]).array?.first?["name"] == "Family")
        #expect(try json(files["access-log.json"]).array?.count == 1)
        #expect(try json(files["quarantine.json"]).array?.first?["payload"] == "not JSON")
        #expect(try json(files["emergencies.json"]).array?.count == 1)
        let all = files.values.map(\.text).joined()
        #expect(!all.contains("Ben"), "others are not part of it")
        let hashes = world.replica.credentials(of: person(1)).map(\.hash)
        #expect(hashes.allSatisfy { !all.contains($0) })
        #expect(files["about.json"] != nil)
    }

    @Test func `an export has the card and the avatar`() throws {
        let world = try World()
        let avatar = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3] as [UInt8]
        try world.send(
            .post, "/pub", #"{"_type":"card","name":"Mama","face":"\#(Base64.encode(avatar))"}"#,
            token: "phone-1")
        try world.turn {
            try world.service.runner.writer.alarms.write(.arm(person(1), armed: false))
        }
        for (number, topic) in [(1, "anna/pixel8"), (2, "ben/phone")] as [(UInt64, String)] {
            let set = try world.send(
                .put, "/v1/devices/\(device(number))/mqtt-topic", #"{"topic":"\#(topic)"}"#,
                token: "operator")
            #expect(set.status == 204)
        }
        let files = try export(world)
        #expect(try json(files["card.json"])["name"] == "Mama")
        #expect(try json(files["card.json"])["avatar"] == "avatar.jpg")
        #expect(files["avatar.jpg"]?.content == avatar)
        #expect(try json(files["alarms.json"])["armed"] == false)
        let topics = try json(files["mqtt-topics.json"]).array
        #expect(topics?.count == 1 && topics?.first?["topic"] == "anna/pixel8")
        #expect(topics?.first?["device"]?.string == device(1).description)
        let other = try export(try World())
        #expect(try json(other["card.json"])["avatar"] == .null && other["avatar.jpg"] == nil)
        #expect(try json(other["alarms.json"])["armed"] == true)
    }

    @Test func `every erased table is exported or listed here`() throws {
        // The passphrase is a secret. Other services export locate requests, contact states and
        // watches. The primary device is exported with the person, a tag with the emergencies.
        let others = [
            "device_key", "locating", "tagged", "contact_expectation", "contact_state", "watching",
            "primary_device",
            // A deferred call is exported as the emergency that it became.
            "deferred_call",
        ]
        let exported = [
            "quarantine", "access", "decision", "emergency", "card", "suggestion", "disarmed",
            "condition", "policy", "device_topic", "device_log",
        ]
        let erased = Erasures.tablesOfPeople + Erasures.tablesOfDevices
        #expect(Set(erased) == Set(others + exported))
        #expect(Set(others).isDisjoint(with: exported))
        let world = try World()
        let files = try export(world)
        let about = try json(files["about.json"])["files"]?.object?.map(\.key) ?? []
        let shared = files.keys.filter { !$0.contains("/") && $0 != "about.json" }
        #expect(Set(shared).subtracting(about) == [], "each file is said to be there")
    }

    @Test func `long histories are exported in portions, complete and in order`() throws {
        let world = try World()
        let many = JourneyLimits.fixesPerPortion + 10
        for part in 0..<2 {
            let reports = (0..<many / 2).map { index in
                let time = start + .seconds(part * many + index)
                return #"{"lat":3.1,"lon":101.7,"time":"\#(time)"}"#
            }
            world.now = start + .seconds(3 * many)
            try world.send(
                .post, "/v1/reports", #"{"reports":[\#(reports.joined(separator: ","))]}"#,
                token: "phone-1")
        }
        let files = try export(world)
        let features = try json(files["reports/\(device(1)).geojson"])["features"]?.array ?? []
        let times = features.compactMap { $0["properties"]?["time"]?.string }
        #expect(times.count == many / 2 * 2 && times == times.sorted())
        #expect(try json(files["decisions.json"]).array == [])
    }

    @Test func `only the person may export their data`() throws {
        let world = try World()
        for token in ["person-2", "operator", "person-3"] {
            #expect(try world.send(.get, path, token: token).status == 403)
        }
        #expect(try world.send(.get, path).status == 401)
        let nobody = "/v1/people/\(person(9))/export"
        #expect(try world.send(.get, nobody, token: "person-1").status == 403)
    }

    @Test func `an export is cut when its person is removed`() throws {
        let world = try World()
        world.unsent = 10 << 20
        let request = world.request(.get, path, token: "person-1")
        try world.turn { try world.service.handle(request) }
        #expect(world.streams[request.id]?.isOpen == true)
        try world.turn {
            let body = EventBody.personRemoved(PersonRemoval(person: person(1)))
            try world.service.directoryWillChange(
                Event(id: EventID(.zero), time: world.now, body: body))
            world.replica.apply(body)
        }
        #expect(world.streams[request.id]?.isOpen == false)
        #expect(world.streams[request.id]?.isWhole == false)
    }
}

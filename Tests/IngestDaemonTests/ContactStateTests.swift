import IngestCore
import Model
import Parsing
import Testing
import Web

@testable import IngestDaemon

@Suite struct ContactStateTests {
    /// A phone that goes by a hint.
    private func expectContact(_ world: World) throws {
        try world.receive(
            .policyChanged(
                ReportingPolicy(
                    person: person(1), device: device(1), mode: .significant, intervalSeconds: 180,
                    contactTimeoutSeconds: 1800)), id: 1, on: .events(.of(person(1))))
        let mark = try #require(try report(world)["policy"]?["mark"]?.string)
        _ = try report(world, mark: mark)
    }

    private func report(_ world: World, mark: String? = nil) throws -> JSON {
        world.now = world.now + .seconds(1)
        let policy = mark.map { #","policy":"\#($0)""# } ?? ""
        return try world.send(
            .post, "/v1/reports",
            #"{"lat":3,"lon":101,"time":"\#(world.now.description)"\#(policy)}"#,
            token: "phone-1"
        ).json
    }

    private func news(_ world: World, end: ContactEnd? = nil) -> ContactChange {
        ContactChange(
            person: person(1), device: device(1), state: .late, at: world.now,
            since: world.now - .seconds(1800), contactTimeoutSeconds: 1800, isWatched: false,
            end: end)
    }

    private func shown(_ world: World) throws -> JSON? {
        let answer = try world.send(.get, "/v1/circles/\(circle(1))/positions", token: "person-1")
        return answer.json["features"]?.array?
            .first { $0["id"]?.string == person(1).description }?["properties"]
    }

    @Test func `a contact state survives a restart and is shown with the position`() throws {
        let world = try World()
        try expectContact(world)
        #expect(world.records(.inputContactExpectation).count == 1)
        try world.receive(.contactLate(news(world)), id: 2, on: .events(.of(person(1))))
        try world.restart()
        #expect(try shown(world)?["contactState"] == "late")
        #expect(
            try shown(world)?["silentSince"]?.string
                == (world.now - .seconds(1800)).description)
        try world.receive(.contactOK(news(world, end: .seen)), id: 3, on: .events(.of(person(1))))
        #expect(try shown(world)?["contactState"] == nil)
        try world.restart()
        #expect(try shown(world)?["contactState"] == nil)
    }

    @Test func `a phone that gets 503 is in contact`() throws {
        let world = try World()
        try expectContact(world)
        let before = world.records(.inputContact).count
        world.diskPressure = .short
        func rejectedRequest(_ number: Int) throws {
            let body = #"{"lat":3,"lon":101,"time":"\#(world.now.description)"}"#
            let answer = try world.send(.post, "/v1/reports", body, token: "phone-\(number)")
            #expect(answer.status == 503)
        }
        // A third of the 30 minutes that it may be silent lies between two of them.
        for _ in 1...20 {
            try rejectedRequest(1)
            try rejectedRequest(2)
            world.now = world.now + .seconds(60)
        }
        #expect(world.records(.inputContact).count == before + 2, "nobody would miss phone 2")
        try rejectedRequest(1)
        #expect(world.records(.inputContact).count == before + 3)
    }

    @Test func `an intake outage is appended before the first report after it`() throws {
        let world = try World()
        try expectContact(world)
        world.now = world.now + .seconds(600)
        try world.restart()
        _ = try report(world)
        let kinds = world.records.filter { $0.stream == .input(.of(person(1))) }
            .suffix(2).map(\.event.kind)
        #expect(kinds == [.inputIntakeOutage, .inputReport])
    }

    @Test func `a check-in counts once`() throws {
        let world = try World()
        let path = "/v1/people/\(person(1))/check-ins"
        func say() throws -> Response {
            try world.send(
                .post, path, token: "person-1", headers: ["Idempotency-Key": "k"])
        }
        let answer = try say()
        #expect(answer.status == 202)
        #expect(answer.json["at"]?.string == world.now.description)
        #expect(try say().text == answer.text)
        #expect(world.records(.inputContact).count == 1)
        // A constant key is a new confirmation a minute later.
        world.now = world.now + .seconds(61)
        #expect(try say().text != answer.text)
        #expect(world.records(.inputContact).count == 2)
        #expect(try world.send(.post, path, token: "phone-2").status == 403)
    }
}

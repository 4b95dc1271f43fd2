import Directory
import IngestCore
import Model
import Parsing
import Runtime
import Store
import Testing
import Web

@testable import IngestDaemon

/// A call for help whose turn fails is stored as it came, and raised at a further try.
@Suite struct `A call for help that ingest cannot process` {
    private let sos = "lat=3.1&lon=101.7&timestamp=1763634000&alarm=sos"

    private func request(
        _ path: String, _ body: String = "", token: String = "phone-1", query: String = ""
    ) -> Request {
        Request(
            id: 900, method: .post, path: path, query: Query(encoded: query),
            headers: ["Authorization": "Bearer \(token)"], body: Array(body.utf8), trace: "t-kept")
    }

    /// Whatever is written about emergencies fails.
    private func spoil(_ world: World) throws {
        try world.database.execute(
            """
            CREATE TRIGGER spoilt BEFORE INSERT ON emergency
            BEGIN SELECT RAISE(ABORT, 'planted'); END
            """)
    }

    private func mend(_ world: World) throws {
        try world.database.execute("DROP TRIGGER spoilt")
    }

    private func keep(_ world: World, _ request: Request) throws -> Response? {
        var response: Response?
        try world.turn { response = try world.service.deferCall(request, because: "planted") }
        return response
    }

    @Test func `is raised with its content, also after a restart`() throws {
        let world = try World()
        try spoil(world)
        let call = request(
            "/v1/emergencies",
            #"{"note":"bridge","report":{"lat":3.1,"lon":101.7,"time":"2026-11-20T10:19:00Z"}}"#)
        let response = try #require(try keep(world, call))
        #expect(response.status == 202)
        let id = try #require(JSON.parse(response.body)["id"]?.string)
        #expect(world.service.deferredCallDue == world.now)
        #expect(world.service.alarms.contains { $0.hasPrefix("calls for help cannot be") })
        #expect(throws: (any Error).self) {
            try world.turn { try world.service.retryDeferredCall(isBare: false) }
        }
        try world.restart()
        try mend(world)
        try world.turn { try world.service.retryDeferredCall(isBare: false) }
        let raised = try #require(world.records(.sosRaised).first)
        guard case .sosRaised(let signal) = raised.body else { return }
        #expect(signal.id.description == id)
        #expect(signal.note == "bridge" && signal.fix?.position.latitudeE7 == 31_000_000)
        #expect(world.service.deferredCallDue == nil)
        #expect(!world.service.alarms.contains { $0.hasPrefix("calls for help cannot be") })
        try world.turn { try world.service.retryDeferredCall(isBare: false) }
        #expect(world.records(.sosRaised).count == 1)
    }

    @Test func `is raised bare with the same id`() throws {
        let world = try World()
        let response = try #require(
            try keep(world, request("/v1/emergencies", #"{"trigger":"fall","note":"x"}"#)))
        try world.turn { try world.service.retryDeferredCall(isBare: true) }
        guard case .sosRaised(let signal) = world.records(.sosRaised).first?.body else {
            Issue.record("nothing was raised")
            return
        }
        #expect(JSON.parseID(response) == signal.id.description)
        #expect(signal.trigger == .fall && signal.note == nil)
    }

    @Test(arguments: [
        ("/osmand", "", "lat=3.1&lon=101.7&timestamp=1763634000&alarm=sos", 200),
        ("/pub", #"{"_type":"location","lat":3.1,"lon":101.7,"tst":1,"poi":"SOS"}"#, "", 200),
        (
            "/v1/reports",
            #"{"lat":3.1,"lon":101.7,"trigger":"panic","time":"2026-11-20T10:19:00Z"}"#, "", 202
        ),
    ])
    func `gets the success of its protocol`(
        path: String, body: String, query: String, status: Int
    ) throws {
        let world = try World()
        let response = try #require(try keep(world, request(path, body, query: query)))
        #expect(response.status == status)
        try world.turn { try world.service.retryDeferredCall(isBare: false) }
        guard case .sosRaised(let signal) = world.records(.sosRaised).first?.body else {
            Issue.record("nothing was raised")
            return
        }
        #expect(signal.person == person(1) && signal.device == device(1))
        #expect(signal.fix?.position.latitudeE7 == 31_000_000)
    }

    @Test func `needs valid credentials and a call in the payload`() throws {
        let world = try World()
        #expect(try keep(world, request("/v1/emergencies", token: "wrong")) == nil)
        #expect(try keep(world, request("/v1/emergencies", token: "operator")) == nil)
        #expect(try keep(world, request("/osmand", token: "wrong", query: sos)) == nil)
        #expect(try keep(world, request("/v1/reports", #"{"lat":3.1,"lon":101.7}"#)) == nil)
        #expect(try keep(world, request("/v1/people")) == nil)
        #expect(world.service.deferredCallDue == nil)
    }

    @Test func `is retried less and less often, and is limited`() throws {
        let world = try World()
        try spoil(world)
        for number in 0..<100 {
            #expect(try keep(world, request("/v1/emergencies", "\(number)")) != nil)
        }
        let count = try world.database.scalar("SELECT count(*) FROM deferred_call")
        #expect(count == .integer(Int64(Limits.deferredCallsPerPerson)))
        try world.database.run(
            "DELETE FROM deferred_call WHERE id NOT IN (SELECT min(id) FROM deferred_call)")
        try world.restart()
        var pauses: [Int64] = []
        for _ in 0..<5 {
            world.now = try #require(world.service.deferredCallDue)
            try world.turn { try world.service.postponeDeferredCall() }
            pauses.append(
                (try #require(world.service.deferredCallDue) - world.now).milliseconds / 1000)
        }
        #expect(pauses == [1, 5, 15, 60, 60])
    }
}

extension JSON {
    fileprivate static func parseID(_ response: Response) -> String? {
        (try? JSON.parse(response.body))?["id"]?.string
    }
}

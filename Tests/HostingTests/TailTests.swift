import Hashing
import Model
import Parsing
import Runtime
import Testing
import Web
import Wire

@testable import Bus
@testable import Hosting

/// `GET /v1/tail/<service>`.
@Suite struct `Events over HTTP` {
    private let stage: Stage

    init() throws { stage = try Stage() }

    /// The received part of a streamed response, as text.
    private func text(_ id: UInt64) -> String {
        (stage.httpServer.steps[id] ?? []).map { step in
            switch step {
            case .begin(let response): String(decoding: response.body, as: UTF8.self)
            case .piece(let bytes): String(decoding: bytes, as: UTF8.self)
            case .end, .cut: "|"
            }
        }.joined()
    }

    /// Sequences of the received events.
    private func sequences(_ id: UInt64) -> [Int] {
        text(id).split(separator: "\n").filter { $0.hasPrefix("data: {\"specversion\"") }
            .compactMap { try? JSON.parse(Array($0.dropFirst(6).utf8))["jagaseq"]?.int }
    }

    private func lastID(_ id: UInt64) -> String {
        text(id).split(separator: "\n").last { $0.hasPrefix("id: ") }.map {
            String($0.dropFirst(4))
        }
            ?? ""
    }

    private func follow(_ query: String = "", lastID: String? = nil, token: String = "operator")
        throws -> UInt64
    {
        let id = stage.start(.get, "/v1/tail/timer", token: token)
        var request = stage.httpServer.requests.removeLast()
        request.query = Query(encoded: query)
        if let lastID { request.headers["Last-Event-ID"] = lastID }
        stage.httpServer.requests.append(request)
        try stage.round()
        return id
    }

    /// Publishes expired deadlines of a person on the stream that this service keeps.
    private func publish(_ count: Int, person: UInt64 = 1) throws {
        for _ in 0..<count {
            stage.script.onRequest = { [stage] _ in
                let deadline = Deadline(
                    id: DeadlineID(ID128(high: 7, low: 1)), kind: .tier,
                    person: PersonID(ID128(high: 1, low: person)), due: .zero)
                let event = Event(
                    id: EventID(SecureRandom.id()), time: stage.host.now,
                    body: .deadlineExpired(
                        ExpiredDeadline(deadline: deadline, expired: stage.host.now, late: false)))
                try stage.host.publish(event, on: .deadlines)
            }
            _ = try stage.send(.post, "/v1/anything")
        }
    }

    @Test func `arrive as they are published`() throws {
        try publish(2)
        let id = try follow()
        #expect(sequences(id) == [])
        #expect(text(id).hasPrefix(": timer\n\n"))
        try publish(3)
        #expect(sequences(id) == [3, 4, 5])
        #expect(lastID(id).hasPrefix("deadlines@5."))
    }

    @Test func `can be read from the past, and filtered`() throws {
        try publish(2)
        try stage.run(for: .seconds(120))
        try publish(1)
        try publish(1, person: 2)
        #expect(sequences(try follow("since=1h")) == [1, 2, 3, 4])
        #expect(sequences(try follow("since=30s")) == [3, 4])
        let person = "\(PersonID(ID128(high: 1, low: 2)))"
        #expect(sequences(try follow("since=1h&person=\(person)")) == [4])
        #expect(sequences(try follow("since=1h&type=deadline&stream=deadlines")) == [1, 2, 3, 4])
        #expect(sequences(try follow("since=1h&type=jaga.zone")) == [])
    }

    @Test func `resume after the last received id`() throws {
        let first = try follow()
        try publish(3)
        let cursor = lastID(first)
        try publish(2)
        let second = try follow(lastID: cursor)
        #expect(sequences(second) == [4, 5])
        #expect(!text(second).contains("event:"))
    }

    @Test func `start with a notice if the stream diverged`() throws {
        try publish(3)
        let id = try follow(lastID: "deadlines@2.0000")
        #expect(text(id).contains("event: diverged\ndata: {\"stream\":\"deadlines\"}"))
        #expect(sequences(id) == [1, 2, 3])
        let beyond = try follow(lastID: "deadlines@9.0000")
        #expect(text(beyond).contains("event: diverged"))
    }

    @Test func `start with a notice if records were pruned`() throws {
        let first = try follow()
        try publish(1)
        let cursor = lastID(first)
        try publish(3)
        try stage.host.bus.prune(.deadlines, through: 3)
        try stage.host.database.commit()
        stage.host.bus.committed()
        let id = try follow(lastID: cursor)
        #expect(
            text(id).contains("event: gap\ndata: {\"stream\":\"deadlines\",\"from\":2,\"to\":3}"))
        #expect(sequences(id) == [4])
    }

    @Test func `can be filtered by the members of a circle`() throws {
        try publish(1)
        try publish(1, person: 2)
        let circle = CircleID(ID128(high: 3, low: 3))
        let member = Membership(
            person: PersonID(ID128(high: 1, low: 2)), role: .member, joined: .zero, trackerID: "aa")
        try stage.change(.circleChanged(Circle(id: circle, name: "Us", members: [member])))
        try stage.run(until: { stage.host.directory?.replica.circle(circle) != nil })
        #expect(sequences(try follow("since=1h&circle=\(circle)")) == [2])
    }

    @Test func `are for the operator, and end when the token is revoked`() throws {
        let denied = try follow(token: "anna")
        #expect(stage.httpServer.answers[denied]?.status == 403)
        let nobody = try follow(token: "nobody")
        #expect(stage.httpServer.answers[nobody]?.status == 401)
        let id = try follow()
        try stage.run(for: .seconds(16))
        #expect(text(id).contains("\n:\n\n"))
        #expect(!text(id).contains("|"))
        stage.script.operatorToken = "another"
        try stage.run(for: .seconds(16))
        #expect(text(id).hasSuffix("|"))
    }

    @Test func `are masked for the monitoring token, which allows nothing else`() throws {
        let credential = try stage.addMonitoringToken("watcher")
        let id = try follow(token: "watcher")
        try publish(1)
        #expect(sequences(id) == [1])
        let unmasked = try follow("pii=true", token: "watcher")
        #expect(stage.httpServer.answers[unmasked]?.status == 403)
        for path in ["/v1/streams/timer", "/v1/held/timer"] {
            #expect(try stage.send(.get, path, token: "watcher").status == 403, "\(path)")
        }
        try stage.change(.credentialRemoved(CredentialRemoval(credential: credential)))
        try stage.run(for: .seconds(16))
        #expect(text(id).hasSuffix("|"))
    }

    @Test func `are masked for staff with the role of an operator, as long as they have it`() throws
    {
        _ = try stage.addStaff("officer", .officer, 7)
        let ben = try stage.addStaff("ben", .operator, 8)
        #expect(stage.httpServer.answers[try follow(token: "officer")]?.status == 403)
        #expect(try stage.send(.get, "/v1/status/timer", token: "officer").status == 403)
        let id = try follow(token: "ben")
        try publish(1)
        #expect(sequences(id) == [1])
        #expect(try stage.send(.get, "/v1/status/timer", token: "ben").status == 200)
        let unmasked = try follow("pii=true", token: "ben")
        #expect(stage.httpServer.answers[unmasked]?.status == 403)
        try stage.run(for: .seconds(16))
        #expect(!text(id).hasSuffix("|"))
        try stage.change(.personChanged(Person(id: ben, name: "Ben")))
        try stage.run(for: .seconds(16))
        #expect(text(id).hasSuffix("|"))
    }

    @Test func `end when the token is revoked, even if more are waiting`() throws {
        let id = try follow()
        stage.script.operatorToken = "another"
        for _ in 0..<20 where !text(id).hasSuffix("|") {
            try stage.run(for: .seconds(1))
            try publish(1)
        }
        #expect(text(id).hasSuffix("|"))
        #expect((1..<20).contains(sequences(id).count))
    }

    @Test func `end with until=now`() throws {
        try publish(2)
        let id = try follow("since=1h&until=now")
        #expect(sequences(id) == [1, 2])
        #expect(text(id).hasSuffix("|"))
        let later = try follow("until=now")
        #expect(text(later) == ": timer\n\n|")
    }

    @Test(
        arguments: [
            ("until=tomorrow", "until"),
            ("stream=sos", "stream"), ("type=zones", "type"), ("person=anna", "person"),
            ("circle=1", "circle"), ("since=yesterday", "since"), ("pii=yes", "pii"),
            ("pii=true", "pii"), ("typ=zone", "typ"),
        ])
    func `are rejected for an invalid parameter, which is named`(query: String, field: String)
        throws
    {
        let id = try follow(query)
        #expect(stage.httpServer.answers[id]?.status == 400)
        #expect(stage.httpServer.answers[id]?.json["field"]?.string == field)
    }

    @Test(arguments: [
        "deadlines", "deadlines@1", "deadlines@x.0000", "deadlines@1.zzzz", "deadline@1.0000", ",",
    ])
    func `are rejected for an invalid cursor`(cursor: String) throws {
        let id = try follow(lastID: cursor)
        #expect(stage.httpServer.answers[id]?.status == 400)
    }

    @Test func `end at shutdown, and have a limit of readers`() throws {
        let ids = try (0..<HostLimits.tailsMax).map { _ in try follow() }
        let late = try follow()
        #expect(stage.httpServer.answers[late]?.status == 503)
        stage.host.beginShutdown()
        for id in ids { #expect(text(id).hasSuffix("|")) }
    }

    @Test func `reserve readers for the operator`() throws {
        _ = try stage.addMonitoringToken("watcher")
        let unreserved = HostLimits.tailsMax - HostLimits.tailsReservedForOperator
        for _ in 0..<unreserved {
            let id = try follow(token: "watcher")
            #expect(stage.httpServer.answers[id] == nil)
        }
        let late = try follow(token: "watcher")
        #expect(stage.httpServer.answers[late]?.status == 503)
        for _ in 0..<HostLimits.tailsReservedForOperator {
            let id = try follow()
            #expect(stage.httpServer.answers[id] == nil && text(id).hasPrefix(": timer"))
        }
        let last = try follow()
        #expect(stage.httpServer.answers[last]?.status == 503)
    }
}

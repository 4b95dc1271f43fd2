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

    /// What came of an answer, as text.
    private func text(_ id: UInt64) -> String {
        (stage.door.steps[id] ?? []).map { step in
            switch step {
            case .begin(let response): String(decoding: response.body, as: UTF8.self)
            case .piece(let bytes): String(decoding: bytes, as: UTF8.self)
            case .end, .cut: "|"
            }
        }.joined()
    }

    /// Numbers of the events that came.
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
        var request = stage.door.requests.removeLast()
        request.query = Query(encoded: query)
        if let lastID { request.headers["Last-Event-ID"] = lastID }
        stage.door.requests.append(request)
        try stage.round()
        return id
    }

    /// Appends clocks of a person to the stream that this service keeps.
    private func publish(_ count: Int, person: UInt64 = 1) throws {
        for _ in 0..<count {
            stage.script.onRequest = { [stage] _ in
                let clock = WantedClock(
                    id: ClockID(ID128(high: 7, low: 1)), rule: .tier,
                    person: PersonID(ID128(high: 1, low: person)), due: .zero)
                let event = Event(
                    id: EventID(SecureRandom.id()), time: stage.host.now,
                    body: .clockFired(FiredClock(clock: clock, fired: stage.host.now, late: false)))
                try stage.host.publish(event, on: .fired)
            }
            _ = try stage.send(.post, "/v1/anything")
        }
    }

    @Test func `come as they happen, from now on`() throws {
        try publish(2)
        let id = try follow()
        #expect(sequences(id) == [])
        #expect(text(id).hasPrefix(": timer\n\n"))
        try publish(3)
        #expect(sequences(id) == [3, 4, 5])
        #expect(lastID(id).hasPrefix("fired@5."))
    }

    @Test func `come from the past too, and filtered`() throws {
        try publish(2)
        try stage.run(for: .seconds(120))
        try publish(1)
        try publish(1, person: 2)
        #expect(sequences(try follow("since=1h")) == [1, 2, 3, 4])
        #expect(sequences(try follow("since=30s")) == [3, 4])
        let person = "\(PersonID(ID128(high: 1, low: 2)))"
        #expect(sequences(try follow("since=1h&person=\(person)")) == [4])
        #expect(sequences(try follow("since=1h&type=clock&stream=fired")) == [1, 2, 3, 4])
        #expect(sequences(try follow("since=1h&type=jaga.zone")) == [])
    }

    @Test func `go on after the last one that came`() throws {
        let first = try follow()
        try publish(3)
        let place = lastID(first)
        try publish(2)
        let second = try follow(lastID: place)
        #expect(sequences(second) == [4, 5])
        #expect(!text(second).contains("event:"))
    }

    @Test func `tell of another stream than the one that was read`() throws {
        try publish(3)
        let id = try follow(lastID: "fired@2.0000")
        #expect(text(id).contains("event: diverged\ndata: {\"stream\":\"fired\"}"))
        #expect(sequences(id) == [1, 2, 3])
        let beyond = try follow(lastID: "fired@9.0000")
        #expect(text(beyond).contains("event: diverged"))
    }

    @Test func `tell of records that are gone`() throws {
        let first = try follow()
        try publish(1)
        let place = lastID(first)
        try publish(3)
        try stage.host.bus.prune(.fired, through: 3)
        try stage.host.database.commit()
        stage.host.bus.committed()
        let id = try follow(lastID: place)
        #expect(text(id).contains("event: gap\ndata: {\"stream\":\"fired\",\"from\":2,\"to\":3}"))
        #expect(sequences(id) == [4])
    }

    @Test func `show a circle's people`() throws {
        try publish(1)
        try publish(1, person: 2)
        let circle = CircleID(ID128(high: 3, low: 3))
        let member = Membership(
            person: PersonID(ID128(high: 1, low: 2)), role: .member, joined: .zero, trackerID: "aa")
        try stage.change(.circleChanged(Circle(id: circle, name: "Us", members: [member])))
        try stage.run(until: { stage.host.directory?.replica.circle(circle) != nil })
        #expect(sequences(try follow("since=1h&circle=\(circle)")) == [2])
    }

    @Test func `are for the operator, and only as long as the token is`() throws {
        let refused = try follow(token: "anna")
        #expect(stage.door.answers[refused]?.status == 403)
        let nobody = try follow(token: "nobody")
        #expect(stage.door.answers[nobody]?.status == 401)
        let id = try follow()
        try stage.run(for: .seconds(16))
        #expect(text(id).contains("\n:\n\n"))
        #expect(!text(id).contains("|"))
        stage.script.operatorToken = "another"
        try stage.run(for: .seconds(16))
        #expect(text(id).hasSuffix("|"))
    }

    @Test func `are shown masked to whoever has the monitoring token, who may nothing else`() throws
    {
        let credential = try stage.giveMonitoringToken("watcher")
        let id = try follow(token: "watcher")
        try publish(1)
        #expect(sequences(id) == [1])
        let unmasked = try follow("pii=true", token: "watcher")
        #expect(stage.door.answers[unmasked]?.status == 403)
        for path in ["/v1/streams/timer", "/v1/held/timer"] {
            #expect(try stage.send(.get, path, token: "watcher").status == 401, "\(path)")
        }
        try stage.change(.credentialRemoved(CredentialRemoval(credential: credential)))
        try stage.run(for: .seconds(16))
        #expect(text(id).hasSuffix("|"))
    }

    @Test func `end with the token also where there is always more`() throws {
        let id = try follow()
        stage.script.operatorToken = "another"
        for _ in 0..<20 where !text(id).hasSuffix("|") {
            try stage.run(for: .seconds(1))
            try publish(1)
        }
        #expect(text(id).hasSuffix("|"))
        #expect((1..<20).contains(sequences(id).count))
    }

    @Test func `end where they are told only until now`() throws {
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
    func `are refused by the name of what is wrong`(query: String, field: String) throws {
        let id = try follow(query)
        #expect(stage.door.answers[id]?.status == 400)
        #expect(stage.door.answers[id]?.json["field"]?.string == field)
    }

    @Test(arguments: ["fired", "fired@1", "fired@x.0000", "fired@1.zzzz", "fires@1.0000", ","])
    func `begin at no place that is none`(place: String) throws {
        let id = try follow(lastID: place)
        #expect(stage.door.answers[id]?.status == 400)
    }

    @Test func `end with the process, and are not for everybody at once`() throws {
        let ids = try (0..<HostLimits.tailsMax).map { _ in try follow() }
        let late = try follow()
        #expect(stage.door.answers[late]?.status == 503)
        stage.host.startLeaving()
        for id in ids { #expect(text(id).hasSuffix("|")) }
    }

    @Test func `leave places to the operator, however many only watch`() throws {
        _ = try stage.giveMonitoringToken("watcher")
        let places = HostLimits.tailsMax - HostLimits.tailsOfOperator
        for _ in 0..<places {
            let id = try follow(token: "watcher")
            #expect(stage.door.answers[id] == nil)
        }
        let late = try follow(token: "watcher")
        #expect(stage.door.answers[late]?.status == 503)
        for _ in 0..<HostLimits.tailsOfOperator {
            let id = try follow()
            #expect(stage.door.answers[id] == nil && text(id).hasPrefix(": timer"))
        }
        let last = try follow()
        #expect(stage.door.answers[last]?.status == 503)
    }
}

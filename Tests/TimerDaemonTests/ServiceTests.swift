import Hosting
import Model
import Parsing
import Testing
import TimerCore
import Web
import Wire

@testable import TimerDaemon

@Suite struct `The timer` {
    private let signal = EmergencySignal(
        id: EmergencyID(ID128(high: 3, low: 1)), person: anna, trigger: .panic, raised: noon,
        received: noon, countdownEnds: noon + .seconds(10))

    private func deadline(_ number: UInt64, after seconds: Int) -> Deadline {
        Deadline(
            id: DeadlineID(ID128(high: 2, low: number)), kind: .countdown, person: anna,
            due: noon + .seconds(seconds))
    }

    private func watch(_ world: World, _ body: String = #"{"minutes": 60}"#) throws -> String {
        let answer = try world.send(.post, "/v1/watches", body, token: "anna")
        #expect(answer.status == 201)
        return try #require(answer.json["id"]?.string)
    }

    // MARK: Deadlines

    @Test func `publishes an expired deadline once, with the trace of its request`() throws {
        let world = try World()
        try world.receive(.deadlineScheduled(deadline(1, after: 10)))
        try world.receive(.deadlineScheduled(deadline(2, after: 10)))
        try world.receive(.deadlineCancelled(deadline(2, after: 10)))
        try world.pass(.seconds(60))
        let deadline = ExpiredDeadline(
            deadline: deadline(1, after: 10), expired: noon + .seconds(10))
        #expect(world.expired.map(\.body) == [.deadlineExpired(deadline)])
        #expect(world.expired.map(\.trace) == ["trace"])
    }

    @Test func `publishes at start what became due while it was down, marked late`() throws {
        let world = try World()
        try world.receive(.deadlineScheduled(deadline(1, after: 10)))
        world.now = noon + .seconds(500)
        try world.restart()
        try world.turn()
        guard case .deadlineExpired(let expired)? = world.expired.first?.body else {
            Issue.record("nothing expired")
            return
        }
        #expect(expired.late && expired.expired == world.now)
        try world.restart()
        try world.pass(.seconds(60))
        #expect(world.expired.count == 1)
    }

    @Test func `keeps a deadline whose turn was rolled back, and expires it in the next`()
        throws
    {
        let world = try World()
        try world.receive(.deadlineScheduled(deadline(1, after: 10)))
        world.now = noon + .seconds(10)
        try world.failingTurn()
        #expect(world.expired.isEmpty)
        try world.turn()
        #expect(world.expired.count == 1)
    }

    // MARK: Watches

    @Test func `runs a watch until the emergency`() throws {
        let world = try World()
        let id = try watch(world, #"{"minutes": 60, "note": "river path"}"#)
        let read = try world.send(.get, "/v1/watches/\(id)", token: "anna")
        #expect(read.json["deadline"]?.string == "2026-11-20T13:00:00.000Z")
        #expect(read.json["reminder"]?.string == "2026-11-20T12:55:00.000Z")
        #expect(read.json["expiry"]?.string == "2026-11-20T13:02:00.000Z")
        #expect(read.json["note"]?.string == "river path")
        try world.pass(.seconds(2 * 3600))
        #expect(
            world.expired.map(\.kind) == [
                .watchChanged, .watchChanged, .watchChanged, .watchExpired,
            ])
        guard case .watchExpired(let signal)? = world.expired.last?.body else { return }
        #expect(signal.note == "river path" && signal.person == anna)
        let over = try world.send(.get, "/v1/watches/\(id)", token: "operator")
        #expect(over.json["state"]?.string == "expired")
        let end = try world.send(.post, "/v1/watches/\(id)/end", token: "anna")
        #expect(end.status == 409)
    }

    @Test func `does not respond if the watch could not be saved`() throws {
        let world = try World()
        let request = world.request(.post, "/v1/watches", #"{"minutes": 60}"#, token: "anna")
        try world.failingTurn { try world.service.handle(request) }
        #expect(world.expired.isEmpty)
        let list = try world.send(.get, "/v1/watches", token: "anna")
        #expect(list.json["items"]?.array?.isEmpty == true)
        try world.pass(.seconds(2 * 3600))
        #expect(world.expired.isEmpty)
    }

    @Test func `extends, ends and cancels a watch over HTTP`() throws {
        let world = try World()
        let id = try watch(world)
        let more = try world.send(
            .post, "/v1/watches/\(id)/extension", #"{"minutes": 30}"#, token: "anna")
        #expect(more.status == 200)
        #expect(more.json["deadline"]?.string == "2026-11-20T13:30:00.000Z")
        #expect(more.headers["ETag"] == "\"2\"")
        let again = try world.send(.post, "/v1/watches", #"{"minutes": 120}"#, token: "anna")
        #expect(again.status == 200 && again.json["id"]?.string == id)
        let end = try world.send(.post, "/v1/watches/\(id)/end", token: "anna")
        #expect(end.json["state"]?.string == "ended")
        let second = try watch(world)
        let gone = try world.send(.delete, "/v1/watches/\(second)", token: "anna")
        #expect(gone.json["state"]?.string == "cancelled")
        try world.pass(.seconds(3 * 3600))
        #expect(!world.expired.contains { $0.kind == .watchExpired })
    }

    @Test func `rejects with a problem that gives the reason`() throws {
        let world = try World()
        for (body, status) in [
            (#"{"minutes": 0.01}"#, 400), (#"{"minutes": 20000}"#, 400), ("{}", 400),
        ] {
            let answer = try world.send(.post, "/v1/watches", body, token: "anna")
            #expect(answer.status == status && answer.json["detail"]?.string != nil)
        }
        world.replica.apply(.circleRemoved(CircleRemoval(circle: CircleID(.zero))))
        let alone = try world.send(.post, "/v1/watches", #"{"minutes": 5}"#, token: "anna")
        #expect(alone.status == 409 && alone.json["hint"]?.string != nil)
        #expect(try world.send(.get, "/v1/watches", token: "nobody").status == 401)
    }

    @Test func `publishes a retention round every hour, including one missed while down`()
        throws
    {
        let world = try World()
        try world.pass(.seconds(3599))
        #expect(world.rounds.isEmpty)
        try world.pass(.seconds(1))
        #expect(world.rounds == [noon + .seconds(3600)])
        world.now = noon + .seconds(5000)
        try world.restart()
        try world.turn()
        #expect(world.rounds.count == 1)
        world.now = noon + .seconds(20_000)
        try world.restart()
        try world.turn()
        #expect(world.rounds == [noon + .seconds(3600), noon + .seconds(20_000)], "once")
    }

    @Test func `deletes a removed person`() throws {
        let world = try World()
        let id = try watch(world)
        try world.receive(.personRemoved(PersonRemoval(person: anna)))
        #expect(try world.send(.get, "/v1/watches/\(id)", token: "operator").status == 404)
        try world.pass(.seconds(3 * 3600))
        #expect(!world.expired.contains { $0.kind == .watchExpired })
    }

    // MARK: Repeated requests

    @Test func `repeats the first response to the same request with the same key`() throws {
        let world = try World()
        func send(_ minutes: Int, token: String = "anna") throws -> Response {
            try world.send(
                .post, "/v1/watches", "{\"minutes\": \(minutes)}", token: token, key: "k1")
        }
        let first = try send(60)
        try world.restart()
        let second = try send(60)
        #expect(second.status == 201 && second.body == first.body)
        #expect(second.headers["ETag"] == first.headers["ETag"])
        #expect(second.headers["Idempotency-Replayed"] == "true")
        #expect(world.expired.count == 1)
        let other = try send(61)
        #expect(other.status == 200 && other.json["id"] == first.json["id"], "it is extended")
        #expect(try send(60, token: "ben").json["id"] != first.json["id"])
        try world.pass(.seconds(61))
        let third = try send(60)
        #expect(third.status == 200 && third.json["deadline"] != other.json["deadline"], "again")
        try world.pass(.seconds(24 * 3600 + 120))
        #expect(try send(60).json["id"] != first.json["id"])
        #expect(try world.database.scalar("SELECT count(*) FROM idempotent_answer") == 1)
    }

    @Test func `allows further watches with a constant key`() throws {
        let world = try World()
        func send(_ path: String, _ minutes: Int? = nil) throws -> Response {
            try world.send(
                .post, "/v1/watches" + path, minutes.map { "{\"minutes\": \($0)}" } ?? "",
                token: "anna", key: "constant")
        }
        let first = try #require(try send("", 60).json["id"]?.string)
        #expect(try send("/\(first)/end").status == 200)
        // Within a minute, but the first response would claim a watch that does not exist.
        let again = try send("", 60)
        let second = try #require(again.json["id"]?.string)
        #expect(again.status == 201 && second != first)
        let extended = try send("/\(second)/extension", 10)
        #expect(extended.status == 200)
        #expect(try send("/\(second)/extension", 10).body == extended.body, "a retry")
        try world.pass(.seconds(61))
        let further = try send("/\(second)/extension", 10)
        #expect(further.status == 200)
        #expect(further.json["deadline"] != extended.json["deadline"])
        #expect(try send("/\(second)/end").json["state"]?.string == "ended")
        #expect(try send("/\(second)/end").status == 200, "a retry")
        #expect(world.expired.filter { $0.kind == .watchChanged }.count == 6)
    }

    @Test func `stores responses so that the store alone does not reveal them`() throws {
        let world = try World()
        try world.send(
            .post, "/v1/watches", #"{"minutes": 60, "note": "sealed?"}"#, token: "anna", key: "k")
        let sealed = try world.database.first("SELECT sealed FROM idempotent_answer") { $0.blob(0) }
        let text = String(decoding: try #require(sealed), as: UTF8.self)
        #expect(!text.contains("sealed?") && !text.contains("minutes"))
    }

    @Test func `does not store a rejection, and rejects an invalid key`() throws {
        let world = try World()
        let body = #"{"minutes": 0.01}"#
        #expect(
            try world.send(.post, "/v1/watches", body, token: "anna", key: "k").status == 400)
        #expect(try world.database.scalar("SELECT count(*) FROM idempotent_answer") == 0)
        for key in [String(repeating: "k", count: 256), "ü"] {
            let answer = try world.send(
                .post, "/v1/watches", #"{"minutes": 5}"#, token: "anna", key: key)
            #expect(answer.status == 400)
            #expect(answer.json["field"]?.string == "Idempotency-Key")
        }
    }

    // MARK: Undelivered emergencies

    @Test func `alarms the operator until somebody is published`() throws {
        let world = try World(alarmURL: "https://operator.example/alarm")
        try world.receive(.sosRaised(signal))
        try world.pass(.seconds(24))
        #expect(world.service.healthProblems.isEmpty && world.transfers.isEmpty)
        try world.pass(.seconds(1))
        #expect(world.service.healthProblems.count == 1)
        world.service.writeMetrics(world.metrics)
        #expect(world.metrics.render().contains("\njaga_emergency_undelivered 1\n"))
        guard case .http(let call)? = world.transfers.first?.call else {
            Issue.record("nothing was called")
            return
        }
        #expect(call.url == "https://operator.example/alarm" && call.method == .post)
        let body = try JSON.parse(call.body)
        #expect(body["emergency"]?.string == signal.id.description)
        #expect(world.transfers.first?.lane == .safety)

        let failed = TransferResult(
            token: world.transfers[0].token,
            outcome: .answered(TransferAnswer(status: 500, body: [])), elapsed: .zero)
        try world.turn { try world.service.transferCompleted(failed) }
        try world.pass(.seconds(5))
        #expect(world.transfers.count == 2)
        let accepted = TransferResult(
            token: world.transfers[1].token,
            outcome: .answered(TransferAnswer(status: 204, body: [])), elapsed: .zero)
        try world.turn { try world.service.transferCompleted(accepted) }
        try world.pass(.seconds(3600))
        #expect(world.transfers.count == 2 && world.service.healthProblems.count == 1)

        let change = NotificationChanged(
            notification: NotificationID(.zero), emergency: signal.id, person: anna,
            recipient: ben, channel: .sms, state: .accepted, gateway: "sms", answer: "")
        try world.receive(.notificationChanged(change))
        #expect(world.service.healthProblems.isEmpty)
    }

    @Test(arguments: [ContactProblem.optedOut, .dead])
    func `a message accepted for an unreachable person notifies nobody`(
        problem: ContactProblem
    ) throws {
        let world = try World()
        let key = ContactPointKey(of: .sms, "+15550101")
        let state = ContactPointState(contact: key, problem: problem)
        try world.receive(.reachabilityChanged(ReachabilityChange(contacts: [state])))
        try world.receive(.sosRaised(signal))
        func change(_ state: NotificationState) -> EventBody {
            .notificationChanged(
                NotificationChanged(
                    notification: NotificationID(.zero), emergency: signal.id, person: anna,
                    recipient: ben, channel: .sms, state: state, gateway: "sms", answer: ""))
        }
        try world.pass(.seconds(12))
        try world.receive(change(.accepted))
        try world.pass(.seconds(14))
        #expect(world.service.healthProblems.count == 1, "the operator is alarmed")
        try world.receive(change(.delivered))
        #expect(world.service.healthProblems.isEmpty)
    }

    @Test func `calls the operator once a minute while the store cannot commit`() throws {
        let world = try World(alarmURL: "https://operator.example/alarm")
        try world.receive(.sosRaised(signal))
        world.now = noon + .seconds(25)
        try world.failingTurn()
        #expect(world.transfers.isEmpty)
        for second in 26..<146 {
            world.now = noon + .seconds(second)
            if second == 26 || second == 88 {
                try world.turn()
            } else {
                try world.failingTurn()
            }
        }
        #expect(world.transfers.count == 2)

        let accepted = TransferResult(
            token: try #require(world.transfers.last?.token),
            outcome: .answered(TransferAnswer(status: 204, body: [])), elapsed: .zero)
        try world.failingTurn { try world.service.transferCompleted(accepted) }
        world.now = noon + .seconds(300)
        try world.failingTurn()
        try world.turn()
        #expect(world.transfers.count == 3 && world.service.healthProblems.count == 1)
    }

    // MARK: Snapshots

    @Test func `publishes running and expired waits in a snapshot with the same ids`() throws {
        let world = try World()
        _ = try watch(world)
        try world.receive(.deadlineScheduled(deadline(1, after: 10)))
        try world.pass(.seconds(2 * 3600))
        try world.send(.post, "/v1/watches", #"{"minutes": 60}"#, token: "ben")
        let published = Set(world.expired.map(\.id))
        let snapshot = try world.service.snapshot(of: .deadlines)
        #expect(
            snapshot.map(\.kind) == [.watchChanged, .watchChanged, .watchExpired, .deadlineExpired])
        #expect(snapshot.allSatisfy { published.contains($0.id) })
        #expect(snapshot.suffix(2).allSatisfy { world.expired.contains($0) })
    }

    @Test func `applies snapshots like events`() throws {
        let world = try World()
        try world.turn {
            try world.service.replace(
                .events(Partition.all[0]),
                with: [world.event(.deadlineScheduled(deadline(1, after: 10)))])
        }
        try world.pass(.seconds(10))
        #expect(world.expired.map(\.kind) == [.deadlineExpired])
    }
}

import Hashing
import Hosting
import Model
import Parsing
import Testing
import TimerCore
import Web
import Wire

@testable import TimerDaemon

/// Noon is on a Friday, UTC.
@Suite struct `Requests about check-ins and timers` {
    private let path = "/v1/people/\(anna)/check-in-schedules"
    private let atOne = #"{"name": "Lunch", "times": [{"days": ["fri", "mon"], "at": "13:00"}]}"#

    private func setPIN(_ world: World) {
        let salt = [UInt8](repeating: 7, count: PINHash.saltBytes)
        let hashes = ["4711", "0815", "unused", "none"].map {
            Hex.encode(PINHash.of($0, person: anna, salt: salt))
        }
        world.replica.apply(
            .pinChanged(PersonPIN(person: anna, salt: Hex.encode(salt), hashes: hashes)))
    }

    private func create(_ world: World, _ body: String? = nil) throws -> String {
        let answer = try world.send(.post, path, body ?? atOne, token: "anna")
        #expect(answer.status == 201)
        return try #require(answer.json["id"]?.string)
    }

    private func states(_ world: World) -> [CheckInState] {
        world.expired.compactMap {
            if case .checkInChanged(let checkIn) = $0.body { checkIn.state } else { nil }
        }
    }

    private func signals(_ world: World) -> [EmergencySignal] {
        world.expired.compactMap {
            if case .watchExpired(let signal) = $0.body { signal } else { nil }
        }
    }

    @Test func `create, list, read, replace and delete a schedule`() throws {
        let world = try World()
        let id = try create(world)
        let shown = try world.send(.get, path + "/" + id, token: "anna")
        #expect(shown.json["next"]?.string == "2026-11-20T13:00:00.000Z")
        #expect(shown.json["times"]?.array?.count == 2 && shown.headers["ETag"] == "\"1\"")
        // What is read can be written.
        let again = try world.send(
            .put, path + "/" + id, String(decoding: shown.body, as: UTF8.self), token: "anna")
        #expect(again.status == 200 && again.json["version"]?.int == 2)
        #expect(again.json["next"] == shown.json["next"])
        let list = try world.send(.get, path, token: "anna")
        #expect(list.json["items"]?.array?.count == 1)
        #expect(try world.send(.delete, path + "/" + id, token: "anna").status == 204)
        #expect(try world.send(.get, path + "/" + id, token: "anna").status == 404)
    }

    @Test func `survive a restart, and expire once`() throws {
        let world = try World()
        _ = try create(world)
        try world.restart()
        try world.pass(.seconds(3600))
        #expect(states(world) == [.asked])
        try world.restart()
        try world.pass(.seconds(7200))
        #expect(states(world) == [.asked, .reminded, .expired])
        #expect(signals(world).map(\.note) == ["Lunch"])
        let snapshot = try world.service.snapshot(of: .deadlines).map(\.body)
        #expect(snapshot.contains { $0 == .watchExpired(signals(world)[0]) })
        try world.restart()
        try world.pass(.seconds(3600))
        #expect(signals(world).count == 1)
    }

    @Test func `follow the time zone of the person`() throws {
        let world = try World()
        let id = try create(world)
        var person = try #require(world.replica.person(anna))
        person.timeZone = "Asia/Kuala_Lumpur"
        world.replica.apply(.personChanged(person))
        try world.turn {
            try world.service.apply(
                world.event(.personChanged(person)), from: .directory, at: .unknown)
        }
        let shown = try world.send(.get, path + "/" + id, token: "anna")
        #expect(shown.json["next"]?.string == "2026-11-23T05:00:00.000Z")
        #expect(shown.json["timeZone"]?.string == "Asia/Kuala_Lumpur")
    }

    @Test(arguments: [
        ("{}", "times"), (#"{"times": []}"#, "times"),
        (#"{"times": [{"days": ["fri"], "at": "25:00"}]}"#, "times[0].at"),
        (#"{"times": [{"days": [], "at": "12:00"}]}"#, "times[0].days"),
        (#"{"times": [{"days": ["fri"], "at": "12:00"}], "everyMinutes": 30}"#, "everyMinutes"),
        (#"{"shifts": [{"days": ["fri"], "from": "22:00", "to": "06:00"}]}"#, "everyMinutes"),
        (
            #"{"shifts": [{"days": ["fri"], "from": "22:00", "to": "06:00"}], "everyMinutes": 1}"#,
            "everyMinutes"
        ),
        (
            #"{"shifts": [{"days": ["fri", "sat"], "from": "06:00", "to": "05:00"},"#
                + #"{"days": ["sat"], "from": "04:00", "to": "05:00"}], "everyMinutes": 30}"#,
            "shifts"
        ),
        (#"{"times": [{"days": ["fri"], "at": "12:00"}], "except": ["2026-13-01"]}"#, "except[0]"),
        (#"{"times": [{"days": ["fri"], "at": "12:00"}], "answerMinutes": 0}"#, "answerMinutes"),
        (#"{"times": [{"days": ["fri"], "at": "12:00"}], "recipients": []}"#, "recipients"),
        (#"{"hours": 1}"#, "hours"),
    ])
    func `with an invalid body name the field`(body: String, field: String) throws {
        let world = try World()
        let answer = try world.send(.post, path, body, token: "anna")
        #expect(answer.status == 400 && answer.json["field"]?.string == field)
    }

    @Test func `of others find nothing, and those of the operator change nothing`() throws {
        let world = try World()
        let id = try create(world)
        for path in [path, path + "/" + id, "/v1/people/\(anna)/timer"] {
            #expect(try world.send(.get, path, token: "ben").status == 404)
        }
        #expect(try world.send(.get, path, token: "operator").status == 200)
        #expect(try world.send(.post, path, atOne, token: "operator").status == 403)
        #expect(try world.send(.delete, path + "/" + id, token: "operator").status == 403)
    }

    @Test func `delete with the PIN, or with the duress PIN in the same way`() throws {
        func deleted(_ pin: String) throws -> (Response, World) {
            let world = try World()
            setPIN(world)
            let id = try create(world)
            try world.pass(.seconds(3600))
            #expect(try world.send(.delete, path + "/" + id, token: "anna").status == 403)
            let body = #"{"pin": "\#(pin)"}"#
            return (try world.send(.delete, path + "/" + id, body, token: "anna"), world)
        }
        let (truly, safe) = try deleted("4711")
        let (underDuress, duress) = try deleted("0815")
        #expect(truly == underDuress && truly.status == 204)
        // The response takes the same time, too: only the request with a PIN is delayed.
        #expect(Array(safe.delays.values) == [PINResponses.delay] && duress.delays == safe.delays)
        #expect(states(safe) == states(duress) && signals(safe).isEmpty)
        #expect(signals(duress).count == 1 && signals(duress)[0].underDuress != nil)
        let list = try duress.send(.get, path, token: "anna")
        #expect(list.json == (try safe.send(.get, path, token: "anna")).json)
        let snapshot = try duress.service.snapshot(of: .deadlines).map(\.body)
        #expect(snapshot.contains { $0 == .watchExpired(signals(duress)[0]) })
    }

    @Test func `end a watch with the PIN, also with one key after a wrong PIN`() throws {
        let world = try World()
        setPIN(world)
        let watch = try world.send(.post, "/v1/watches", #"{"minutes": 60}"#, token: "anna")
        let end = "/v1/watches/\(watch.json["id"]?.string ?? "")/end"
        for _ in 1...5 {
            let answer = try world.send(.post, end, token: "anna", key: "same")
            #expect(answer.status == 403)
        }
        // No PIN is no try.
        #expect(signals(world).isEmpty)
        let right = #"{"pin": "4711"}"#
        let bad = try world.send(.post, end, #"{"pin": "471"}"#, token: "anna")
        #expect(bad.status == 400 && bad.json["field"]?.string == "pin")
        let done = try world.send(.post, end, right, token: "anna", key: "same")
        #expect(done.status == 200 && done.json["state"]?.string == "ended")
    }

    @Test func `start, show, replace and stop a timer`() throws {
        let world = try World()
        let timer = "/v1/people/\(anna)/timer"
        #expect(try world.send(.get, timer, token: "anna").status == 404)
        let body = #"{"seconds": 600, "text": "Pizza"}"#
        #expect(try world.send(.put, timer, body, token: "anna").status == 200)
        try world.restart()
        let shown = try world.send(.get, timer, token: "anna")
        #expect(shown.json["due"]?.string == "2026-11-20T12:10:00.000Z")
        _ = try world.send(.put, timer, #"{"seconds": 60}"#, token: "anna")
        try world.pass(.seconds(900))
        let texts = world.expired.compactMap {
            if case .timerExpired(let timer) = $0.body { timer.text } else { nil }
        }
        #expect(texts == [""])
        _ = try world.send(.put, timer, body, token: "anna")
        #expect(try world.send(.delete, timer, token: "anna").status == 204)
        #expect(try world.send(.delete, timer, token: "anna").status == 404)
        for body in ["{}", #"{"seconds": 0}"#, #"{"seconds": 9999999}"#, #"{"seconds": "x"}"#] {
            #expect(try world.send(.put, timer, body, token: "anna").status == 400)
        }
    }

    @Test func `of a removed person leave no row`() throws {
        let world = try World()
        _ = try create(world)
        _ = try world.send(.put, "/v1/people/\(anna)/timer", #"{"seconds": 600}"#, token: "anna")
        try world.pass(.seconds(3700))
        try world.receive(.personRemoved(PersonRemoval(person: anna)))
        for table in ["check_in_schedule", "check_in", "raised_signal", "timer"] {
            let count = try world.database.scalar("SELECT count(*) FROM \(table)")
            #expect(count == .integer(0), "\(table)")
        }
    }
}

import Model
import Parsing
import Testing
import Web

@testable import Hosting
@testable import Store

@Suite struct `A request that fails on every attempt` {
    private struct HandlerError: Error {}

    /// A stage whose service fails at one path, and the number of failures.
    private func stage() throws -> (Stage, tries: () -> Int, fix: () -> Void) {
        let stage = try Stage()
        var tries = 0
        var isFixed = false
        stage.script.onRequest = { request in
            guard request.path == "/v1/bad", !isFixed else { return }
            tries += 1
            throw HandlerError()
        }
        return (stage, { tries }, { isFixed = true })
    }

    @Test func `is answered 500 after three attempts alone, however often it is sent`() throws {
        let (stage, tries, _) = try stage()
        let body: JSON = ["name": "x"]
        let statuses = try (0..<6).map { _ in try stage.send(.put, "/v1/bad", body).status }
        // One attempt with others, three alone.
        #expect(statuses == [503, 503, 503, 500, 500, 500])
        #expect(tries() == 6)
        let problem = try stage.send(.put, "/v1/bad", body)
        #expect(problem.text.contains("failed on every attempt"))
        #expect(problem.headers["Retry-After"] == nil)
        #expect(
            try stage.send(.get, "/metrics").text.contains("jaga_inputs_abandoned_total 1\n"))
        #expect(try stage.send(.get, "/readyz").status == 200)
    }

    @Test func `is counted by its sender and body`() throws {
        let (stage, _, _) = try stage()
        for number in 0..<5 {
            let body: JSON = ["name": .integer(Int64(number))]
            #expect(try stage.send(.put, "/v1/bad", body).status == 503)
        }
        for _ in 0..<4 { _ = try stage.send(.put, "/v1/bad") }
        #expect(try stage.send(.put, "/v1/bad").status == 500)
        #expect(try stage.send(.put, "/v1/bad", token: "anna").status == 503)
    }

    @Test func `affects no other request, even when turns are shared again`() throws {
        let (stage, _, _) = try stage()
        for _ in 0..<4 { _ = try stage.send(.put, "/v1/bad") }
        // More turns than those in which every input gets its own transaction.
        try stage.run(for: .seconds(2))
        let bad = stage.start(.put, "/v1/bad")
        let good = (0..<5).map { _ in stage.start(.put, "/v1/thing") }
        try stage.round()
        #expect(good.allSatisfy { stage.httpServer.answers[$0]?.status == 204 })
        #expect(stage.httpServer.answers[bad]?.status == 500)
    }

    @Test func `is accepted once it no longer fails`() throws {
        let (stage, _, fix) = try stage()
        for _ in 0..<5 { _ = try stage.send(.put, "/v1/bad") }
        fix()
        #expect(try stage.send(.put, "/v1/bad").status == 204)
    }

    @Test func `because of the store is not abandoned`() throws {
        let stage = try Stage()
        stage.script.onRequest = { _ in throw StoreError("disk-full", "write", "", hint: "") }
        for _ in 0..<8 { #expect(try stage.send(.put, "/v1/thing").status == 503) }
    }
}

@Suite struct `An emergency request that cannot be processed` {
    private struct HandlerError: Error {}

    @Test func `is deferred and answered as accepted, at once`() throws {
        let stage = try Stage()
        var tries = 0
        var retries: [Bool] = []
        stage.script.onRequest = { request in
            guard request.path == "/v1/help" else { return }
            tries += 1
            throw HandlerError()
        }
        stage.script.onRetry = { isBare in
            retries.append(isBare)
            if retries.count < 6 { throw HandlerError() }
        }
        let other = stage.start(.put, "/v1/thing")
        let call = stage.start(.post, "/v1/help")
        try stage.round()
        #expect(stage.httpServer.answers[call]?.status == 202)
        #expect(tries == 4, "one attempt with others, three alone")
        #expect(stage.script.deferred.count == 1)
        #expect(stage.httpServer.answers[other]?.status == 503)
        #expect(try stage.send(.get, "/metrics").text.contains("jaga_calls_deferred_total 1\n"))
        try stage.run(for: .seconds(3))
        #expect(retries == [false, true, false, true, false, true], "with its details, then bare")
        #expect(try stage.send(.put, "/v1/thing").status == 204)
    }

    @Test func `is not affected by other requests of its turn`() throws {
        let stage = try Stage()
        stage.script.onRequest = { request in
            if request.path == "/v1/bad" { throw HandlerError() }
        }
        let bad = stage.start(.put, "/v1/bad")
        let calls = (0..<5).map { _ in stage.start(.post, "/v1/help") }
        try stage.round()
        #expect(stage.httpServer.answers[bad]?.status == 503)
        #expect(calls.allSatisfy { stage.httpServer.answers[$0]?.status == 204 })
        #expect(stage.script.deferred.isEmpty)
    }

    @Test func `is answered 503 if the disk cannot be written`() throws {
        let full = StoreError("disk-full", "write", "", hint: "")
        let stage = try Stage()
        stage.script.onRequest = { _ in throw full }
        for _ in 0..<5 { #expect(try stage.send(.post, "/v1/help").status == 503) }
        stage.script.onRequest = { _ in throw HandlerError() }
        stage.script.onDefer = { throw full }
        #expect(try stage.send(.post, "/v1/help").status == 503)
        #expect(stage.script.deferred.isEmpty)
    }
}

@Suite struct `A transfer result that fails on every attempt` {
    private struct HandlerError: Error {}

    private func result(_ token: UInt64) -> TransferResult {
        TransferResult(
            token: token, outcome: .answered(TransferAnswer(status: 200, body: [1])),
            elapsed: .seconds(1))
    }

    @Test func `becomes an unknown outcome after three attempts, and others arrive`() throws {
        let stage = try Stage()
        var tries = 0
        var unknown: [UInt64] = []
        var arrived: [UInt64] = []
        stage.script.onResult = { result in
            switch result.outcome {
            case .answered where result.token == 7:
                tries += 1
                throw HandlerError()
            case .answered: arrived.append(result.token)
            case .failed(let failure):
                #expect(failure.fate == .unknown)
                unknown.append(result.token)
            }
        }
        stage.httpClient.results = [result(6), result(7), result(8)]
        try stage.run(until: { unknown == [7] })
        // One attempt with others, three alone.
        #expect(tries == 4)
        #expect(arrived.suffix(2) == [6, 8], "results of rolled-back turns are handled again")
        try stage.run(for: .seconds(5))
        #expect(unknown == [7] && tries == 4)
        #expect(
            try stage.send(.get, "/metrics").text.contains("jaga_inputs_abandoned_total 1\n"))
        #expect(try stage.send(.get, "/healthz").status == 200)
    }

    @Test func `is dropped if the service cannot handle an unknown outcome either`() throws {
        let stage = try Stage()
        var tries = 0
        stage.script.onResult = { _ in
            tries += 1
            throw HandlerError()
        }
        stage.httpClient.results = [result(7)]
        try stage.run(for: .seconds(10))
        #expect(tries == 5)
        #expect(try stage.send(.put, "/v1/thing").status == 204)
        #expect(try stage.send(.get, "/healthz").status == 200)
    }

    @Test func `because of the store is handled until it succeeds`() throws {
        let stage = try Stage()
        var tries = 0
        stage.script.onResult = { _ in
            tries += 1
            if tries < 20 { throw StoreError("disk-full", "write", "", hint: "") }
        }
        stage.httpClient.results = [result(7)]
        try stage.run(until: { tries == 20 })
        try stage.run(for: .seconds(2))
        #expect(tries == 20)
    }
}

@Suite struct `The status of a service` {
    @Test func `makes it unready for health problems, and not for alarms`() throws {
        let stage = try Stage()
        try stage.run(until: { try stage.send(.get, "/readyz").status == 200 })
        stage.script.alarms = ["the log grows"]
        let health = try stage.send(.get, "/healthz")
        #expect(health.status == 503)
        #expect(health.text.contains("the log grows"))
        #expect(try stage.send(.get, "/readyz").status == 200)
        let status = try stage.send(.get, "/v1/status/timer").json
        #expect(status["ready"] == true)
        #expect(status["problems"]?.array == ["the log grows"])
        stage.script.healthProblems = ["nobody is notified"]
        #expect(try stage.send(.get, "/healthz").text.contains("nobody is notified"))
        #expect(try stage.send(.get, "/readyz").status == 503)
    }

    @Test func `is shown for the monitoring token without texts from outside`() throws {
        let stage = try Stage()
        _ = try stage.addMonitoringToken("watcher")
        stage.script.alarms = ["gateway sms is down: temporary no way to +60123456789"]
        stage.script.statusDetails = [
            "deadlines": 3, "undelivered": ["emg_1"], "heartbeat": ["missing": ["monitor: Anna"]],
            "gateways": [
                ["name": "sms", "down": true, "lastAnswer": "no way to +60123456789"]
            ],
        ]
        let shown = try stage.send(.get, "/v1/status/timer", token: "watcher")
        #expect(shown.status == 200)
        #expect(shown.json["problems"]?.array?.contains("gateway sms is down: ***") == true)
        #expect(
            shown.json["details"] == [
                "deadlines": 3, "undelivered": ["emg_1"], "heartbeat": ["missing": ["***"]],
                "gateways": [["name": "sms", "down": true, "lastAnswer": "***"]],
            ])
        #expect(!shown.text.contains("6012345") && !shown.text.contains("Anna"))
        let whole = try stage.send(.get, "/v1/status/timer")
        #expect(whole.text.contains("+60123456789"))
        #expect(whole.json["streams"] == shown.json["streams"])
        #expect(try stage.send(.get, "/v1/status/timer", token: "anna").status == 403)
    }
}

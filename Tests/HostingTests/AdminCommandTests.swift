import Model
import Parsing
import Runtime
import Store
import Testing
import Web
import Wire

@testable import Hosting

@Suite struct `A command of the operator on streams` {
    private struct InvalidRecord: Error {}

    @Test func `affects nothing if it is rejected`() throws {
        let stage = try Stage()
        let slow = stage.start(.put, "/v1/slow")
        try stage.run(for: .seconds(1))
        let skip: JSON = ["action": "skip", "stream": "deliveries"]
        #expect(try stage.command(skip, token: nil) == 401)
        #expect(try stage.command(skip, token: "anna") == 403)
        #expect(try stage.command(skip) == 409)
        let inputs = try stage.send(
            .post, "/v1/streams/timer", ["action": "skip", "stream": "in/3"])
        #expect(inputs.status == 409)
        #expect(inputs.text.contains("all evaluators must apply the same inputs"))
        #expect(try stage.command(["action": "burn"]) == 400)
        #expect(try stage.command(["action": "drop", "entry": 7]) == 404)
        #expect(try stage.send(.post, "/v1/streams/timer").status == 400, "no body at all")
        let metrics = try stage.send(.get, "/metrics").text
        #expect(metrics.contains("jaga_turns_rolled_back_total 0\n"))
        #expect(stage.script.reloads == 0)
        #expect(stage.httpServer.answers[slow] == nil, "it still waits")
        stage.script.answerSlow()
        try stage.run(for: .seconds(1))
        #expect(stage.httpServer.answers[slow]?.status == 204)
    }

    @Test func `is rolled back alone if a record still cannot be applied`() throws {
        let stage = try Stage()
        stage.script.onApply = { _, _, _ in throw InvalidRecord() }
        try stage.append(.retry, to: .deliveries)
        try stage.run(until: { try stage.streams["deadLetterCount"] == 1 })
        let reloads = stage.script.reloads
        let slow = stage.start(.put, "/v1/slow")
        let before = try stage.send(.get, "/metrics").text
        #expect(try stage.command(["action": "retry", "entry": 1]) == 409)
        #expect(stage.script.reloads == reloads + 1, "the core is reloaded")
        #expect(try stage.effects(of: .deliveries) == [])
        let line = before.split(separator: "\n").first {
            $0.hasPrefix("jaga_turns_rolled_back_total ")
        }
        let after = try stage.send(.get, "/metrics").text
        #expect(after.contains("\(try #require(line))\n"))
        #expect(stage.httpServer.answers[slow] == nil, "it still waits")
        stage.script.answerSlow()
        try stage.run(for: .seconds(1))
        #expect(stage.httpServer.answers[slow]?.status == 204)
    }

    @Test func `does not exist in a service without a store on disk`() throws {
        let stage = try Stage(isDurable: false)
        let skip: JSON = ["action": "skip", "stream": "deliveries"]
        // The service's own response to any path.
        #expect(try stage.command(skip, token: nil) == 204)
        #expect(try stage.command(skip) == 204)
    }
}

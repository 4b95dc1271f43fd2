import Model
import Parsing
import Runtime
import Store
import Testing
import Web
import Wire

@testable import Hosting

@Suite struct `What the operator has done with streams` {
    private struct Indigestible: Error {}

    @Test func `disturbs nobody when it is refused`() throws {
        let stage = try Stage()
        let slow = stage.start(.put, "/v1/slow")
        try stage.run(for: .seconds(1))
        let skip: JSON = ["action": "skip", "stream": "deliveries"]
        #expect(try stage.mend(skip, token: nil) == 401)
        #expect(try stage.mend(skip, token: "anna") == 403)
        #expect(try stage.mend(skip) == 409)
        let inputs = try stage.send(
            .post, "/v1/streams/timer", ["action": "skip", "stream": "in/3"])
        #expect(inputs.status == 409)
        #expect(inputs.text.contains("are not those of the chain"))
        #expect(try stage.mend(["action": "burn"]) == 400)
        #expect(try stage.mend(["action": "drop", "entry": 7]) == 404)
        #expect(try stage.send(.post, "/v1/streams/timer").status == 400, "no body at all")
        let metrics = try stage.send(.get, "/metrics").text
        #expect(metrics.contains("jaga_turns_taken_back_total 0\n"))
        #expect(stage.script.reloads == 0)
        #expect(stage.door.answers[slow] == nil, "it still waits")
        stage.script.answerSlow()
        try stage.run(for: .seconds(1))
        #expect(stage.door.answers[slow]?.status == 204)
    }

    @Test func `is undone alone when a record still cannot be applied`() throws {
        let stage = try Stage()
        stage.script.onApply = { _, _, _ in throw Indigestible() }
        try stage.tell(.retry, on: .deliveries)
        try stage.run(until: { try stage.streams["poisonCount"] == 1 })
        let reloads = stage.script.reloads
        let slow = stage.start(.put, "/v1/slow")
        let before = try stage.send(.get, "/metrics").text
        #expect(try stage.mend(["action": "retry", "entry": 1]) == 409)
        #expect(stage.script.reloads == reloads + 1, "what the core learned is taken from it")
        #expect(try stage.effects(of: .deliveries) == [])
        let line = before.split(separator: "\n").first {
            $0.hasPrefix("jaga_turns_taken_back_total ")
        }
        let after = try stage.send(.get, "/metrics").text
        #expect(after.contains("\(try #require(line))\n"))
        #expect(stage.door.answers[slow] == nil, "it still waits")
        stage.script.answerSlow()
        try stage.run(for: .seconds(1))
        #expect(stage.door.answers[slow]?.status == 204)
    }

    @Test func `does not exist where a service has no store, and knows nobody`() throws {
        let stage = try Stage(isDurable: false)
        let skip: JSON = ["action": "skip", "stream": "deliveries"]
        // The service's own answer, for any path that it does not know.
        #expect(try stage.mend(skip, token: nil) == 204)
        #expect(try stage.mend(skip) == 204)
    }
}

import Model
import Parsing
import Runtime
import Testing
import Web
import Wire

@testable import Hosting
@testable import Store

@Suite struct `A record that cannot be digested` {
    private struct Indigestible: Error {}

    /// A stage whose service fails at one record of a stream, after its effect was written.
    private func stage(
        failingAt sequence: UInt64, of stream: StreamName
    ) throws -> (Stage, tries: () -> Int, mend: () -> Void) {
        let stage = try Stage()
        var tries = 0
        var isMended = false
        stage.script.onApply = { _, found, position in
            guard !isMended, found == stream, position.sequence == sequence else { return }
            tries += 1
            throw Indigestible()
        }
        return (stage, { tries }, { isMended = true })
    }

    @Test func `is put aside after three tries alone; everything else goes on`() throws {
        let (stage, tries, mend) = try stage(failingAt: 5, of: .deliveries)
        for _ in 0..<9 { try stage.tell(.retry, on: .deliveries) }
        for _ in 0..<9 { try stage.tell(.retry, on: .events(3)) }
        try stage.run(until: { try stage.effects(of: .deliveries).count == 8 })
        #expect(try stage.effects(of: .deliveries) == [1, 2, 3, 4, 6, 7, 8, 9])
        try stage.run(until: { try stage.effects(of: .events(3)).count == 9 })
        #expect(try stage.effects(of: .events(3)) == Array(1...9))
        // Once with others, three times alone.
        #expect(tries() == 4)
        let poison = try #require(try stage.streams["poison"]?.array)
        #expect(poison.count == 1)
        #expect(poison[0]["stream"] == "deliveries")
        #expect(poison[0]["sequence"] == 5)
        #expect(poison[0]["kind"] == "jaga.clock.wanted")
        #expect(poison[0]["reason"]?.string?.contains("Indigestible") == true)
        // An alarm, but no reason to send requests elsewhere.
        let health = try stage.send(.get, "/healthz")
        #expect(health.status == 503)
        #expect(health.text.contains("1 record is put aside: see 'jaga streams poison'"))
        #expect(try stage.send(.get, "/readyz").status == 200)
        let metrics = try stage.send(.get, "/metrics").text
        #expect(metrics.contains("jaga_poison_records 1\n"))
        #expect(metrics.contains("jaga_poison_records_total 1\n"))

        let entry = poison[0]["entry"] ?? .null
        let early = try stage.send(
            .post, "/v1/streams/timer", ["action": "retry", "entry": entry])
        #expect(early.status == 409)
        #expect(early.text.contains("Indigestible"))
        #expect(try stage.effects(of: .deliveries).count == 8, "nothing of the try lasts")
        mend()
        let later = try stage.send(
            .post, "/v1/streams/timer", ["action": "retry", "entry": entry])
        #expect(later.status == 200)
        #expect(try stage.effects(of: .deliveries).last == 5)
        #expect(try stage.streams["poisonCount"] == 0)
        #expect(try stage.send(.get, "/healthz").status == 200)
    }

    @Test func `spoils no request while it is tried again`() throws {
        let (stage, _, _) = try stage(failingAt: 1, of: .deliveries)
        try stage.tell(.countdown, on: .deliveries)
        try stage.run(for: .seconds(1))
        for _ in 0..<50 {
            #expect(try stage.send(.put, "/v1/thing").status == 204)
        }
    }

    @Test func `is dropped when the operator says so`() throws {
        let (stage, _, _) = try stage(failingAt: 1, of: .deliveries)
        try stage.tell(.retry, on: .deliveries)
        try stage.run(until: { try stage.streams["poisonCount"] == 1 })
        let drop: JSON = ["action": "drop", "entry": 1]
        #expect(try stage.send(.post, "/v1/streams/timer", drop).status == 200)
        #expect(try stage.streams["poisonCount"] == 0)
        #expect(try stage.effects(of: .deliveries) == [])
        #expect(try stage.send(.post, "/v1/streams/timer", drop).status == 404)
    }

    @Test(arguments: [
        (ClockRule.countdown, StreamName.deliveries), (.tier, .events(3)), (.retry, .sos),
    ])
    func `and carries an emergency is tried for ever, and nobody waits for it`(
        rule: ClockRule, stream: StreamName
    ) throws {
        let (stage, tries, mend) = try stage(failingAt: 2, of: stream)
        for _ in 0..<3 { try stage.tell(rule, on: stream) }
        try stage.run(for: .seconds(3))
        #expect(try stage.effects(of: stream) == [1, 3])
        let page = try stage.streams
        #expect(page["poisonCount"] == 1)
        #expect(page["poison"]?.array?.first?["needed"] == true)
        #expect(page["stopped"]?.array?.isEmpty == true)
        let health = try stage.send(.get, "/healthz")
        #expect(health.status == 503)
        #expect(
            health.text.contains("\(stream.text) 2 is needed and cannot be applied: Indigestible"))
        let early = tries()
        try stage.run(for: .seconds(300))
        // Again and again, but less and less often.
        #expect((6...12).contains(tries() - early), "\(tries() - early) tries")
        #expect(try stage.streams["poisonCount"] == 1, "it is never given up")
        mend()
        try stage.run(for: .seconds(61))
        #expect(try stage.effects(of: stream) == [1, 3, 2])
        #expect(try stage.streams["poisonCount"] == 0)
        #expect(try stage.send(.get, "/healthz").status == 200)
    }

    @Test func `and begins an emergency keeps its end from being applied before it`() throws {
        let (stage, _, mend) = try stage(failingAt: 1, of: .sos)
        let first = try stage.raise()
        try stage.takeBack(first)
        try stage.takeBack(try stage.raise())
        try stage.run(for: .seconds(3))
        #expect(try stage.effects(of: .sos) == [3, 4], "another's emergency does not wait")
        #expect(try stage.streams["poisonCount"] == 2)
        try stage.run(for: .seconds(100))
        #expect(try stage.effects(of: .sos) == [3, 4])
        mend()
        try stage.run(for: .seconds(63))
        #expect(try stage.effects(of: .sos) == [3, 4, 1, 2])
    }

    @Test func `and is needed is tried by the operator too, and dropped by nobody else`() throws {
        let (stage, _, mend) = try stage(failingAt: 1, of: .sos)
        try stage.tell(.countdown, on: .sos)
        try stage.run(for: .seconds(3))
        #expect(try stage.mend(["action": "retry", "entry": 1]) == 409)
        #expect(try stage.streams["poisonCount"] == 1)
        mend()
        #expect(try stage.mend(["action": "retry", "entry": 1]) == 200)
        #expect(try stage.effects(of: .sos) == [1])
        try stage.run(for: .seconds(90))
        #expect(try stage.effects(of: .sos) == [1], "and not a second time")
        #expect(try stage.send(.get, "/healthz").status == 200)
    }

    @Test func `because memory is short is none`() {
        for code in ["no-memory", "interrupted", "locked", "io", "disk-full"] {
            #expect(StoreError(code, "write", "", hint: "").isOfTheStore)
        }
        #expect(!StoreError("constraint", "write", "", hint: "").isOfTheStore)
    }

    @Test func `because the disk is full is tried until there is room`() throws {
        let stage = try Stage()
        let database = stage.host.database
        guard case .integer(let pages) = try database.scalar("PRAGMA page_count") else { return }
        try database.run("PRAGMA max_page_count = \(pages + 4)")
        var fulls = 0
        stage.script.onApply = { _, _, _ in
            do {
                let bytes = [UInt8](repeating: 1, count: 100_000)
                try database.run("UPDATE effect SET b = ?", .blob(bytes))
            } catch {
                if (error as? StoreError)?.code == "disk-full" { fulls += 1 }
                throw error
            }
        }
        try stage.tell(.retry, on: .deliveries)
        try stage.run(for: .seconds(20))
        #expect(fulls > 10)
        #expect(try stage.effects(of: .deliveries) == [])
        try database.run("PRAGMA max_page_count = 100000")
        try stage.run(until: { try stage.effects(of: .deliveries) == [1] })
        #expect(try stage.streams["poisonCount"] == 0)
    }

    @Test func `because it is of a newer program stops its stream until it is left out`() throws {
        let stage = try Stage()
        try stage.tell(.retry, on: .deliveries)
        try stage.append(
            Record(kind: 50, schema: 99, id: ID128(high: 1, low: 1), payload: [1]),
            to: .deliveries)
        try stage.tell(.retry, on: .deliveries)
        try stage.tell(.countdown, on: .events(3))
        try stage.run(for: .seconds(5))
        #expect(try stage.effects(of: .deliveries) == [1])
        #expect(try stage.effects(of: .events(3)) == [1])
        let page = try stage.streams
        let stopped = try #require(page["stopped"]?.array)
        #expect(stopped.map { $0["stream"] } == ["deliveries"])
        #expect(stopped[0]["sequence"] == 2)
        let followed = page["followed"]?.array?.first { $0["stream"] == "deliveries" }
        #expect(followed?["state"] == "stopped")
        #expect(page["poisonCount"] == 0, "nothing is skipped by itself")

        func skip(_ body: JSON) throws -> Int {
            try stage.send(.post, "/v1/streams/timer", body).status
        }
        #expect(try skip(["action": "skip", "stream": "events/3"]) == 409)
        #expect(try skip(["action": "skip", "stream": "deliveries", "sequence": 7]) == 409)
        #expect(try skip(["action": "skip", "stream": "no stream"]) == 400)
        #expect(try skip(["action": "skip", "stream": "deliveries", "sequence": 2]) == 202)
        try stage.run(until: { try stage.effects(of: .deliveries) == [1, 3] })
        let after = try stage.streams
        #expect(after["stopped"]?.array?.isEmpty == true)
        let reason = after["poison"]?.array?.first?["reason"]?.string ?? ""
        #expect(reason.hasPrefix("left out by the operator: "), "\(reason)")
        #expect(try skip(["action": "skip", "stream": "deliveries"]) == 409)
    }
}

@Suite struct `Streams of a service` {
    @Test func `are shown to the operator alone`() throws {
        let stage = try Stage()
        let path = "/v1/streams/timer"
        for method in [Web.Method.get, .post] {
            #expect(try stage.send(method, path, token: nil).status == 401)
            #expect(try stage.send(method, path, token: "anna").status == 403)
        }
        #expect(try stage.send(.get, path).status == 200)
        let drop: JSON = ["action": "burn"]
        #expect(try stage.send(.post, path, drop).status == 400)
    }

    @Test func `have head, base, age, and readers with what they hold back`() throws {
        let stage = try Stage()
        try stage.host.database.transaction {
            for number in 1...3 as ClosedRange<UInt64> {
                let clock = WantedClock(
                    id: ClockID(ID128(high: 7, low: number)), rule: .retry,
                    person: PersonID(ID128(high: 1, low: 1)), due: .zero)
                let event = Event(
                    id: EventID(ID128(high: 8, low: number)), time: .zero,
                    body: .clockFired(FiredClock(clock: clock, fired: .zero)))
                try stage.host.publish(event, on: .fired)
            }
        }
        stage.host.speak()
        try stage.run(for: .seconds(9))
        let kept = try #require(try stage.streams["kept"]?.array)
        #expect(kept.map { $0["stream"] } == ["fired"])
        #expect(kept[0]["head"] == 3)
        #expect(kept[0]["base"] == 0)
        #expect(kept[0]["oldestSeconds"]?.int == 9)
        #expect((kept[0]["bytesAbout"]?.int ?? 0) > 300)
        let readers = try #require(kept[0]["readers"]?.array)
        #expect(readers.map { $0["name"] } == ["ingest", "notifier"])
        #expect(readers.allSatisfy { $0["required"] == true && $0["behind"] == 3 })
    }
}

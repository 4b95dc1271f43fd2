import Model
import Parsing
import Runtime
import Testing
import Web
import Wire

@testable import Hosting
@testable import Store

@Suite struct `A record that cannot be applied` {
    private struct InvalidRecord: Error {}

    /// A stage whose service fails at one record of a stream, after it wrote the effect.
    private func stage(
        failingAt sequence: UInt64, of stream: StreamName
    ) throws -> (Stage, tries: () -> Int, fix: () -> Void) {
        let stage = try Stage()
        var tries = 0
        var isFixed = false
        stage.script.onApply = { _, found, position in
            guard !isFixed, found == stream, position.sequence == sequence else { return }
            tries += 1
            throw InvalidRecord()
        }
        return (stage, { tries }, { isFixed = true })
    }

    @Test func `is dead-lettered after three attempts alone, and everything else goes on`() throws {
        let (stage, tries, fix) = try stage(failingAt: 5, of: .deliveries)
        for _ in 0..<9 { try stage.append(.retry, to: .deliveries) }
        for _ in 0..<9 { try stage.append(.retry, to: .events(3)) }
        try stage.run(until: { try stage.effects(of: .deliveries).count == 8 })
        #expect(try stage.effects(of: .deliveries) == [1, 2, 3, 4, 6, 7, 8, 9])
        try stage.run(until: { try stage.effects(of: .events(3)).count == 9 })
        #expect(try stage.effects(of: .events(3)) == Array(1...9))
        // One attempt with others, three alone.
        #expect(tries() == 4)
        let deadLetter = try #require(try stage.streams["deadLetters"]?.array)
        #expect(deadLetter.count == 1)
        #expect(deadLetter[0]["stream"] == "deliveries")
        #expect(deadLetter[0]["sequence"] == 5)
        #expect(deadLetter[0]["kind"] == "jaga.deadline.scheduled")
        #expect(deadLetter[0]["reason"]?.string?.contains("InvalidRecord") == true)
        // An alarm, but the service is still ready for requests.
        let health = try stage.send(.get, "/healthz")
        #expect(health.status == 503)
        #expect(health.text.contains("1 dead letter: see 'jaga streams dead-letters'"))
        #expect(try stage.send(.get, "/readyz").status == 200)
        let metrics = try stage.send(.get, "/metrics").text
        #expect(metrics.contains("jaga_dead_letters 1\n"))
        #expect(metrics.contains("jaga_dead_letters_total 1\n"))

        let entry = deadLetter[0]["entry"] ?? .null
        let early = try stage.send(
            .post, "/v1/streams/timer", ["action": "retry", "entry": entry])
        #expect(early.status == 409)
        #expect(early.text.contains("InvalidRecord"))
        #expect(try stage.effects(of: .deliveries).count == 8, "a failed retry has no effect")
        fix()
        let later = try stage.send(
            .post, "/v1/streams/timer", ["action": "retry", "entry": entry])
        #expect(later.status == 200)
        #expect(try stage.effects(of: .deliveries).last == 5)
        #expect(try stage.streams["deadLetterCount"] == 0)
        #expect(try stage.send(.get, "/healthz").status == 200)
    }

    @Test func `affects no request while it is retried`() throws {
        let (stage, _, _) = try stage(failingAt: 1, of: .deliveries)
        try stage.append(.countdown, to: .deliveries)
        try stage.run(for: .seconds(1))
        for _ in 0..<50 {
            #expect(try stage.send(.put, "/v1/thing").status == 204)
        }
    }

    @Test func `can be dropped by the operator`() throws {
        let (stage, _, _) = try stage(failingAt: 1, of: .deliveries)
        try stage.append(.retry, to: .deliveries)
        try stage.run(until: { try stage.streams["deadLetterCount"] == 1 })
        let drop: JSON = ["action": "drop", "entry": 1]
        #expect(try stage.send(.post, "/v1/streams/timer", drop).status == 200)
        #expect(try stage.streams["deadLetterCount"] == 0)
        #expect(try stage.effects(of: .deliveries) == [])
        #expect(try stage.send(.post, "/v1/streams/timer", drop).status == 404)
    }

    @Test(arguments: [
        (DeadlineKind.countdown, StreamName.deliveries), (.tier, .events(3)), (.retry, .sos),
    ])
    func `and carries an emergency is retried forever while its stream goes on`(
        rule: DeadlineKind, stream: StreamName
    ) throws {
        let (stage, tries, fix) = try stage(failingAt: 2, of: stream)
        for _ in 0..<3 { try stage.append(rule, to: stream) }
        try stage.run(for: .seconds(3))
        #expect(try stage.effects(of: stream) == [1, 3])
        let page = try stage.streams
        #expect(page["deadLetterCount"] == 1)
        #expect(page["deadLetters"]?.array?.first?["required"] == true)
        #expect(page["stopped"]?.array?.isEmpty == true)
        let health = try stage.send(.get, "/healthz")
        #expect(health.status == 503)
        #expect(
            health.text.contains(
                "required record \(stream.text) 2 cannot be applied: InvalidRecord"))
        let early = tries()
        try stage.run(for: .seconds(300))
        // The pauses grow.
        #expect((6...12).contains(tries() - early), "\(tries() - early) tries")
        #expect(try stage.streams["deadLetterCount"] == 1, "it is never dropped")
        fix()
        try stage.run(for: .seconds(61))
        #expect(try stage.effects(of: stream) == [1, 3, 2])
        #expect(try stage.streams["deadLetterCount"] == 0)
        #expect(try stage.send(.get, "/healthz").status == 200)
    }

    @Test func `and begins an emergency is applied before the emergency's end`() throws {
        let (stage, _, fix) = try stage(failingAt: 1, of: .sos)
        let first = try stage.raise()
        try stage.cancel(first)
        try stage.cancel(try stage.raise())
        try stage.run(for: .seconds(3))
        #expect(try stage.effects(of: .sos) == [3, 4], "another's emergency does not wait")
        #expect(try stage.streams["deadLetterCount"] == 2)
        try stage.run(for: .seconds(100))
        #expect(try stage.effects(of: .sos) == [3, 4])
        fix()
        try stage.run(for: .seconds(63))
        #expect(try stage.effects(of: .sos) == [3, 4, 1, 2])
    }

    @Test func `and is required can be retried by the operator`() throws {
        let (stage, _, fix) = try stage(failingAt: 1, of: .sos)
        try stage.append(.countdown, to: .sos)
        try stage.run(for: .seconds(3))
        #expect(try stage.command(["action": "retry", "entry": 1]) == 409)
        #expect(try stage.streams["deadLetterCount"] == 1)
        fix()
        #expect(try stage.command(["action": "retry", "entry": 1]) == 200)
        #expect(try stage.effects(of: .sos) == [1])
        try stage.run(for: .seconds(90))
        #expect(try stage.effects(of: .sos) == [1], "it is not applied a second time")
        #expect(try stage.send(.get, "/healthz").status == 200)
    }

    @Test func `for lack of memory or disk is a failure of the store`() {
        for code in ["no-memory", "interrupted", "locked", "io", "disk-full"] {
            #expect(StoreError(code, "write", "", hint: "").isStoreFailure)
        }
        #expect(!StoreError("constraint", "write", "", hint: "").isStoreFailure)
    }

    @Test func `because the disk is full is retried until there is space`() throws {
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
        try stage.append(.retry, to: .deliveries)
        try stage.run(for: .seconds(20))
        #expect(fulls > 10)
        #expect(try stage.effects(of: .deliveries) == [])
        try database.run("PRAGMA max_page_count = 100000")
        try stage.run(until: { try stage.effects(of: .deliveries) == [1] })
        #expect(try stage.streams["deadLetterCount"] == 0)
    }

    @Test func `because a newer version wrote it stops its stream until it is skipped`() throws {
        let stage = try Stage()
        try stage.append(.retry, to: .deliveries)
        try stage.append(
            Record(kind: 50, schema: 99, id: ID128(high: 1, low: 1), payload: [1]),
            to: .deliveries)
        try stage.append(.retry, to: .deliveries)
        try stage.append(.countdown, to: .events(3))
        try stage.run(for: .seconds(5))
        #expect(try stage.effects(of: .deliveries) == [1])
        #expect(try stage.effects(of: .events(3)) == [1])
        let page = try stage.streams
        let stopped = try #require(page["stopped"]?.array)
        #expect(stopped.map { $0["stream"] } == ["deliveries"])
        #expect(stopped[0]["sequence"] == 2)
        let followed = page["followed"]?.array?.first { $0["stream"] == "deliveries" }
        #expect(followed?["state"] == "stopped")
        #expect(page["deadLetterCount"] == 0, "nothing is skipped automatically")

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
        let reason = after["deadLetters"]?.array?.first?["reason"]?.string ?? ""
        #expect(reason.hasPrefix("skipped by the operator: "), "\(reason)")
        #expect(try skip(["action": "skip", "stream": "deliveries"]) == 409)
    }
}

@Suite struct `The state of a service's streams` {
    @Test func `is visible to the operator only`() throws {
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

    @Test func `has head, base, age, and how far each reader is behind`() throws {
        let stage = try Stage()
        try stage.host.database.transaction {
            for number in 1...3 as ClosedRange<UInt64> {
                let deadline = Deadline(
                    id: DeadlineID(ID128(high: 7, low: number)), kind: .retry,
                    person: PersonID(ID128(high: 1, low: 1)), due: .zero)
                let event = Event(
                    id: EventID(ID128(high: 8, low: number)), time: .zero,
                    body: .deadlineExpired(ExpiredDeadline(deadline: deadline, expired: .zero)))
                try stage.host.publish(event, on: .deadlines)
            }
        }
        stage.host.bus.committed()
        try stage.run(for: .seconds(9))
        let kept = try #require(try stage.streams["kept"]?.array)
        #expect(kept.map { $0["stream"] } == ["deadlines"])
        #expect(kept[0]["head"] == 3)
        #expect(kept[0]["base"] == 0)
        #expect(kept[0]["oldestSeconds"]?.int == 9)
        #expect((kept[0]["bytesAbout"]?.int ?? 0) > 300)
        let readers = try #require(kept[0]["readers"]?.array)
        #expect(readers.map { $0["name"] } == ["ingest", "membership", "notifier"])
        #expect(readers.allSatisfy { $0["required"] == true && $0["behind"] == 3 })
    }
}

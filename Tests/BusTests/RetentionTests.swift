import Model
import Testing
import Wire

@testable import Bus

@Suite(.closingWorlds) struct `The prunable part of a stream` {
    private let day = Duration.seconds(86_400)

    private func ages(_ seconds: [Int64], bytes: Int = 100) -> [RecordAge] {
        seconds.enumerated().map { index, time in
            RecordAge(
                sequence: UInt64(index) + 1, hash: 0, appended: Timestamp(seconds: time),
                bytes: bytes)
        }
    }

    @Test func `is what all required consumers have`() {
        let rule = Retention(required: ["notifier", "timer"], ageMin: day)
        #expect(rule.bound(head: 10, acknowledged: ["notifier": 7, "timer": 9], floor: nil) == 7)
        #expect(rule.bound(head: 10, acknowledged: ["notifier": 7], floor: nil) == 0)
        let others = ["notifier": UInt64(7), "timer": 9, "tail": 1]
        #expect(rule.bound(head: 10, acknowledged: others, floor: nil) == 7)
        #expect(rule.bound(head: 5, acknowledged: ["notifier": 7, "timer": 9], floor: nil) == 5)
        #expect(rule.bound(head: 10, acknowledged: ["notifier": 7, "timer": 9], floor: 3) == 3)
    }

    @Test func `is nothing without a required floor`() {
        let rule = Retention(required: [], ageMin: day, hasFloor: true)
        #expect(rule.bound(head: 10, acknowledged: [:], floor: nil) == 0)
        #expect(rule.bound(head: 10, acknowledged: [:], floor: 4) == 4)
        #expect(rule.bound(head: 10, acknowledged: [:], floor: 40) == 10)
    }

    @Test func `is what is old enough, one portion at a time`() {
        let rule = Retention(required: [], ageMin: .seconds(100))
        let now = Timestamp(seconds: 1000)
        #expect(rule.count(of: ages([800, 899, 900, 901, 1000]), now: now) == 3)
        #expect(rule.count(of: ages([901, 100]), now: now) == 0)
        // At least one record, however long it is.
        #expect(rule.count(of: ages([1, 1, 1], bytes: 1 << 20), now: now) == 1)
        #expect(rule.count(of: ages([1, 1, 1], bytes: 1 << 19), now: now) == 2)
    }
}

@Suite(.closingWorlds) struct `Pruning` {
    private static let minute = Duration.seconds(60)

    private static func served(
        _ stream: StreamName, _ required: String..., isSnapshotable: Bool = false
    ) -> Bus.Served {
        Bus.Served(
            stream, isSnapshotable: isSnapshotable,
            retention: Retention(required: required, ageMin: minute))
    }

    private static func base(_ writer: Node) -> UInt64 {
        writer.bus?.heads.first?.base.sequence ?? 0
    }

    @Test func `waits for all required consumers and the age, and proceeds in portions`() throws {
        let world = try World(.memory)
        let writer = try world.writer("writer", [Self.served(.sos, "a", "b")])
        let first = try world.consumer("a", of: writer, [.sos])
        let second = try world.consumer("b", of: writer, [.sos])
        second.kill()
        try writer.append(3000, to: .sos)
        try world.run(until: { writer.bus?.acknowledged(.sos, by: "a") == 3000 })
        world.pass(Self.minute * 2)
        try world.run(for: .seconds(2))
        #expect(Self.base(writer) == 0, "b has acknowledged nothing")
        try second.restart()
        try world.run(until: { writer.bus?.acknowledged(.sos, by: "b") == 3000 })
        var bases: [UInt64] = []
        writer.work = { _ in bases.append(Self.base(writer)) }
        try world.run(until: { Self.base(writer) == 3000 })
        let steps = zip(bases, bases.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { $0 <= UInt64(BusLimits.prunedRecordsPerTurn) }, "\(steps)")
        #expect(try writer.database.scalar("SELECT count(*) FROM outbox") == .integer(0))
        // Young records stay.
        try writer.append(10, to: .sos)
        try world.run(until: { writer.bus?.acknowledged(.sos, by: "b") == 3010 })
        try world.run(for: .seconds(5))
        #expect(Self.base(writer) == 3000)
        world.pass(Self.minute)
        try world.run(until: { Self.base(writer) == 3010 })
        #expect(try first.effectCount(of: .sos) == 3010)
        #expect(try second.effectCount(of: .sos) == 3010)
        // Pruning survives a restart.
        try writer.restart()
        #expect(Self.base(writer) == 3010)
        #expect(writer.bus?.end(of: .sos) == 3010)
    }

    @Test func `is rolled back with its turn, and repeated`() throws {
        let world = try World(.memory)
        let writer = try world.writer("writer", [Self.served(.sos, "a")])
        let consumer = try world.consumer("a", of: writer, [.sos])
        try writer.append(1200, to: .sos)
        try world.run(until: { writer.bus?.acknowledged(.sos, by: "a") == 1200 })
        world.pass(Self.minute * 2)
        for _ in 0..<200 {
            writer.failsNextCommit = true
            try world.round()
        }
        #expect(Self.base(writer) == 0)
        #expect(try writer.log(of: .sos).count == 1200)
        try world.run(until: { Self.base(writer) == 1200 })
        #expect(try consumer.effectCount(of: .sos) == 1200)
    }

    @Test func `reports a consumer that holds records back for an hour, until it returns`() throws {
        let world = try World(.memory)
        let writer = try world.writer(
            "writer", [Self.served(.sos, "a", "b"), Self.served(.deadlines, "b")])
        let first = try world.consumer("a", of: writer, [.sos])
        try writer.append(5, to: .sos)
        try writer.append(7, to: .deadlines)
        try world.run(until: { try first.effectCount(of: .sos) == 5 })
        world.pass(.seconds(3600))
        try world.run(for: .seconds(11))
        #expect(writer.bus?.warnings == [])
        world.pass(Self.minute)
        try world.run(for: .seconds(11))
        #expect(
            writer.bus?.warnings == [
                "b holds back 5 records of sos, the oldest for 1 h, and records of 1 more streams"
            ])
        let alarms = writer.notices.filter(\.needsAttention)
        #expect(alarms.count == 1, "reported once: \(alarms)")
        let second = try world.consumer("b", of: writer, [.sos, .deadlines])
        try world.run(until: { writer.bus?.warnings == [] })
        try world.run(until: { writer.bus?.heads.map(\.base.sequence) == [5, 7] })
        #expect(try second.effectCount(of: .deadlines) == 7)
    }

    @Test func `respects a consumer that was restored from a backup`() throws {
        let world = try World(.memory)
        let writer = try world.writer("writer", [Self.served(.sos, "a")])
        let consumer = try world.consumer("a", of: writer, [.sos])
        try writer.append(10, to: .sos)
        try world.run(until: { writer.bus?.acknowledged(.sos, by: "a") == 10 })
        try consumer.copy()
        try writer.append(20, to: .sos)
        try world.run(until: { writer.bus?.acknowledged(.sos, by: "a") == 30 })
        // With the restored store it cannot get ahead.
        consumer.onApply = { _, _, _ in throw CancellationError() }
        try consumer.restoreCopy()
        try world.run(until: { writer.bus?.acknowledged(.sos, by: "a") == 10 })
        world.pass(Self.minute * 2)
        try world.run(for: .seconds(3))
        #expect(Self.base(writer) == 10)
        consumer.onApply = { _, _, _ in }
        try world.run(until: { Self.base(writer) == 30 })
        #expect(consumer.notices.filter(\.needsAttention).isEmpty)
        #expect(try consumer.effectCount(of: .sos) == 30)
    }

    @Test func `ignores positions that are not of the stream`() throws {
        let world = try World(.memory)
        let writer = try world.writer("writer", [Self.served(.sos, "a")])
        let consumer = try world.consumer("other", of: writer, [.sos])
        try writer.append(10, to: .sos)
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        var claimed = try #require(writer.bus?.heads.first?.head)
        claimed.hash ^= 1
        let claim = Control.acknowledge(consumer: "a", entries: [.init(.sos, claimed)])
        _ = consumer.faults?.sendRequest(claim.encoded(), to: 0)
        try world.run(until: { writer.bus?.acknowledged(.sos, by: "a") == 10 })
        world.pass(Self.minute * 2)
        try world.run(for: .seconds(3))
        #expect(Self.base(writer) == 0)
    }

    @Test func `stores positions of a limited number of optional consumers`() throws {
        let world = try World(.memory)
        let writer = try world.writer("writer", [Self.served(.sos, "a")])
        let consumer = try world.consumer("a", of: writer, [.sos])
        try writer.append(1, to: .sos)
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        let head = try #require(writer.bus?.heads.first?.head)
        for number in 1...400 {
            let claim = Control.acknowledge(
                consumer: "liar \(number)", entries: [.init(.sos, head)])
            _ = consumer.faults?.sendRequest(claim.encoded(), to: 0)
        }
        try world.run(for: .seconds(2))
        #expect(writer.bus?.acknowledged(.sos, by: "a") == 1)
        #expect(writer.bus?.acknowledgements.count == 257)
    }

    @Test func `stops at the owner's floor`() throws {
        let world = try World(.memory)
        let rule = Retention(required: [], ageMin: Self.minute, hasFloor: true)
        let writer = try world.writer("writer", [.init(.input(3), retention: rule)])
        try writer.append(100, to: .input(3))
        world.pass(Self.minute * 2)
        try world.run(for: .seconds(3))
        #expect(Self.base(writer) == 0)
        writer.bus?.hooks.pruneFloor = { $0 == .input(3) ? 42 : nil }
        try world.run(until: { Self.base(writer) == 42 })
        try world.run(for: .seconds(3))
        #expect(Self.base(writer) == 42)
    }

    @Test func `does not wait for optional consumers, which restart after it`() throws {
        let world = try World(.memory)
        let writer = try world.writer(
            "writer", [Self.served(.sos, "a"), Self.served(.directory, isSnapshotable: true)])
        let state = [Node.record(.directory, 1, tag: "state")]
        writer.snapshot = { _ in state }
        let required = try world.consumer("a", of: writer, [.sos])
        let archive = try world.consumer("archive", of: writer, [.sos, .directory])
        try writer.append(10, to: .sos)
        try writer.append(10, to: .directory)
        try world.run(until: { archive.bus?.isCaughtUp == true })
        try world.run(until: { writer.bus?.acknowledged(.sos, by: "archive") == 10 })
        archive.kill()
        try writer.append(10, to: .sos)
        try writer.append(10, to: .directory)
        try world.run(until: { try required.effectCount(of: .sos) == 20 })
        world.pass(Self.minute * 2)
        try world.run(until: { writer.bus?.heads.map(\.base.sequence) == [20, 20] })
        #expect(writer.bus?.warnings == [])
        try archive.restart()
        try writer.append(1, to: .sos)
        try world.run(until: {
            try archive.effectCount(of: .sos) == 11
                && archive.effects(of: .directory) == state.map(\.id)
        })
        let alarms = archive.notices.filter(\.needsAttention)
        #expect(alarms.count == 2)
        #expect(alarms.allSatisfy { if case .pruned = $0 { true } else { false } })
        #expect(
            try archive.database.scalar(
                "SELECT group_concat(stream || was_sequence || now_sequence) FROM divergence")
                == "sos1020,directory1020")
    }

    @Test func `forgets absent consumers, unless they are required`() throws {
        let world = try World(.memory)
        let writer = try world.writer("writer", [Self.served(.sos, "a")])
        let nodes = try ["a", "archive"].map { try world.consumer($0, of: writer, [.sos]) }
        try writer.append(10, to: .sos)
        func known() -> [String] { writer.bus?.acknowledgements.map(\.consumer) ?? [] }
        try world.run(until: { known() == ["a", "archive"] })
        try world.run(for: .seconds(2))
        for node in nodes { node.kill() }
        world.pass(.seconds(86_000))
        try world.run(for: .seconds(11))
        #expect(known() == ["a", "archive"])
        world.pass(.seconds(500))
        try world.run(until: { known() == ["a"] })
        #expect(
            try writer.database.scalar("SELECT group_concat(consumer) FROM consumer") == "a")
    }
}

import Bus
import Model
import Store
import Testing
import Wire

@Suite(.closingWorlds) struct `A stream that was replaced` {
    /// After restoring a backup: fewer records than the consumer has, other records at the same
    /// sequences, or more.
    @Test(arguments: Carrier.allCases, [0, 5, 20])
    func `by restoring a backup is detected`(carrier: Carrier, later: Int) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos), .init(.deadlines)])
        let consumer = try world.consumer(of: writer, [.sos, .deadlines])
        try writer.append(10, to: .sos)
        try writer.append(10, to: .deadlines)
        try writer.copy()
        try writer.append(5, to: .sos, tag: "lost")
        try world.run(until: {
            try consumer.hasAll(of: .sos, from: writer)
                && consumer.hasAll(of: .deadlines, from: writer)
        })
        try writer.restoreCopy()
        try writer.append(later, to: .sos, tag: "other")
        try writer.append(1, to: .deadlines)
        try world.run(until: {
            try consumer.effectCount(of: .sos) == 15 + 10 + later
                && consumer.hasAll(of: .deadlines, from: writer)
        })
        let notices = consumer.notices.filter(\.needsAttention)
        #expect(notices.count == 1)
        guard case .diverged(.sos, let was, let now) = notices.first else {
            Issue.record("a divergence of sos was expected")
            return
        }
        #expect(was.sequence == 15)
        #expect(now.sequence == 0)
        #expect(try consumer.effects(of: .sos).suffix(10 + later) == writer.log(of: .sos)[...])
        #expect(try consumer.database.scalar("SELECT was_sequence FROM divergence") == .integer(15))
        #expect(consumer.bus?.counters.divergences == 1)
    }

    @Test(arguments: Carrier.allCases)
    func `by another incarnation is detected`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        try writer.append(10, to: .sos)
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        writer.kill()
        try writer.database.run("UPDATE stream SET incarnation = randomblob(16)")
        try writer.restart()
        try world.run(until: { try consumer.effectCount(of: .sos) == 20 })
        #expect(consumer.bus?.counters.divergences == 1)
    }

    @Test(arguments: Carrier.allCases)
    func `by pruning continues at the oldest record`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        try writer.append(10, to: .sos)
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        consumer.kill()
        try writer.append(20, to: .sos)
        writer.work = { bus in
            if bus.heads[0].base.sequence == 0 { try bus.prune(.sos, through: 25) }
        }
        try world.run(for: .milliseconds(50))
        #expect(writer.bus?.heads.first?.base.sequence == 25)
        try consumer.restart()
        try world.run(until: { try consumer.effectCount(of: .sos) == 15 })
        guard case .pruned(.sos, let was, let now) = consumer.notices.filter(\.needsAttention).first
        else {
            Issue.record("a notice was expected")
            return
        }
        #expect(was.sequence == 10)
        #expect(now.sequence == 25)
        // A new consumer starts there, too, without a notice.
        let other = try world.consumer("other", of: writer, [.sos])
        try world.run(until: { try other.effectCount(of: .sos) == 5 })
        #expect(other.notices.filter(\.needsAttention).isEmpty)
    }

    @Test(arguments: Carrier.allCases, [0, 1, 30])
    func `by pruning starts with a snapshot`(carrier: Carrier, rows: Int) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.directory, isSnapshotable: true)])
        let state = (0..<rows).map {
            Node.record(.directory, UInt64($0), size: 50_000, tag: "state")
        }
        writer.snapshot = { _ in state }
        try writer.append(20, to: .directory)
        writer.work = { bus in
            if bus.heads[0].base.sequence == 0 { try bus.prune(.directory, through: 20) }
        }
        try world.run(for: .milliseconds(30))
        let consumer = try world.consumer(of: writer, [.directory])
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        #expect(try consumer.effects(of: .directory) == state.map(\.id))
        let news = try writer.append(3, to: .directory)
        try world.run(until: { try consumer.effectCount(of: .directory) == rows + 3 })
        #expect(try consumer.effects(of: .directory) == (state + news).map(\.id))
        #expect(consumer.notices.filter(\.needsAttention).isEmpty)
        // The cursor is the snapshot's position: nothing is applied twice.
        try consumer.restart()
        try writer.append(1, to: .directory)
        try world.run(until: { try consumer.effectCount(of: .directory) == rows + 4 })
    }

    @Test(arguments: Carrier.allCases)
    func `rejects a snapshot with a wrong digest, and reads it again`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.directory, isSnapshotable: true)])
        let state = (0..<30).map {
            Node.record(.directory, UInt64($0), size: 50_000, tag: "state")
        }
        writer.snapshot = { _ in state }
        try writer.append(20, to: .directory)
        writer.work = { bus in
            if bus.heads[0].base.sequence == 0 { try bus.prune(.directory, through: 20) }
        }
        try world.run(for: .milliseconds(30))
        var corrupted = 0
        writer.fate = { kind, frame in
            guard kind == .reply, corrupted < 3, case .control(.end(var end)) = try? Frame(frame)
            else { return [frame] }
            corrupted += 1
            end.digest ^= 1
            return [Control.end(end).encoded()]
        }
        let consumer = try world.consumer(of: writer, [.directory])
        var replaced = 0
        let replace = consumer.bus?.hooks.replace
        consumer.bus?.hooks.replace = { stream, records, position in
            replaced += 1
            try replace?(stream, records, position)
        }
        try world.run(until: { corrupted == 3 })
        #expect(replaced == 0)
        #expect(consumer.bus?.isCaughtUp == false)
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        #expect(replaced == 1)
        #expect(try consumer.effects(of: .directory) == state.map(\.id))
        #expect(consumer.notices.filter(\.needsAttention).isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func `and whose snapshot cannot be read rolls back the turn, and is read again`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.directory, isSnapshotable: true)])
        let state = [Node.record(.directory, 1, tag: "state")]
        writer.snapshot = { _ in state }
        try writer.append(20, to: .directory)
        writer.work = { bus in
            if bus.heads[0].base.sequence == 0 { try bus.prune(.directory, through: 20) }
        }
        try world.run(for: .milliseconds(30))
        let consumer = try world.consumer(of: writer, [.directory])
        let replace = try #require(consumer.bus?.hooks.replace)
        var failures = 0
        consumer.bus?.hooks.replace = { stream, records, position in
            try replace(stream, records, position)
            failures += 1
            if failures < 3 { throw WireError(.payload, "read row", "not this time") }
        }
        var undone = 0
        consumer.undone = { _ in undone += 1 }
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        #expect(failures == 3)
        #expect(undone == 2)
        #expect(try consumer.effects(of: .directory) == state.map(\.id))
        #expect(consumer.bus?.counters.framesRejected == 0)
    }

    @Test(arguments: Carrier.allCases)
    func `and whose state changes during the snapshot arrives whole`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.directory, isSnapshotable: true)])
        var log = try writer.append(20, to: .directory, size: 100_000)
        writer.snapshot = { _ in log }
        writer.work = { bus in
            if bus.heads[0].base.sequence == 0 { try bus.prune(.directory, through: 20) }
        }
        try world.run(for: .milliseconds(30))
        var lost = 0
        writer.fate = { kind, frame in
            guard kind == .reply else { return [frame] }
            lost += 1
            return lost % 3 == 0 ? [] : lost % 5 == 0 ? [frame, frame] : [frame]
        }
        let consumer = try world.consumer(of: writer, [.directory])
        for _ in 0..<30 {
            log += try writer.append(1, to: .directory)
            try world.round()
        }
        try world.run(until: { try consumer.effectCount(of: .directory) == 50 })
        #expect(try consumer.effects(of: .directory) == log.map(\.id))
    }
}

import Bus
import Model
import Testing
import Wire

/// Checkpoints in transit to the publisher, and from there to a new owner.
@Suite(.closingWorlds) struct `A checkpoint in transit` {
    private static let partition = Coordinator.partitions[1]
    /// Four pieces.
    private static let padding = 900_000

    /// A member that has evaluated all inputs.
    private func settled(
        _ carrier: Carrier, padding: Int = padding
    ) throws -> (World, Coordinator, Member) {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let member = try Member(world, "member", of: coordinator)
        member.padding = padding
        coordinator.assign(Self.partition, to: [member])
        try coordinator.node.append(20, to: .input(Self.partition))
        try world.run(until: { member.bus?.isSettled(Self.partition) == true })
        return (world, coordinator, member)
    }

    @Test(arguments: Carrier.allCases)
    func `arrives piece by piece, once, and is the initial state of the next owner`(
        carrier: Carrier
    ) throws {
        let (world, coordinator, member) = try settled(carrier)
        var pieces = 0
        member.node.fate = { kind, frame in
            if kind == .request, frame.isCheckpoint { pieces += 1 }
            return [frame]
        }
        #expect(member.checkpoint(Self.partition))
        #expect(!member.checkpoint(Self.partition), "one at a time")
        #expect(member.bus?.isSendingCheckpoint == true)
        try world.run(until: { member.verdicts == [.stored] })
        #expect(pieces == 4)
        #expect(member.bus?.isSendingCheckpoint == false)
        #expect(try coordinator.checkpoints(of: Self.partition) == [20])
        let next = try Member(world, "next", of: coordinator)
        coordinator.assign(Self.partition, to: [next])
        try world.run(until: { next.restored == [Self.partition] })
        try coordinator.node.append(5, to: .input(Self.partition))
        try world.run(until: { try coordinator.isWhole(Self.partition) })
        #expect(try next.node.effectCount(of: .input(Self.partition)) == 5)
    }

    @Test func `waits for unaccepted outputs for a limited time, then others are sent`()
        throws
    {
        let (world, coordinator, member) = try settled(.memory, padding: 0)
        let stuck = Coordinator.partitions[2]
        coordinator.assign(stuck, to: [member])
        try world.run(until: { member.bus?.isSettled(stuck) == true })
        coordinator.node.onApply = { stream, _, _ in
            if stream == .events(stuck) { throw StreamStop(reason: "unknown") }
        }
        try coordinator.node.append(1, to: .input(stuck))
        try coordinator.node.append(1, to: .input(Self.partition))
        try world.run(until: { member.bus?.end(of: .events(stuck)) == 1 })
        #expect(member.checkpointNow(stuck))
        #expect(!member.checkpointNow(Self.partition))
        try world.run(until: { member.bus?.isSendingCheckpoint == false })
        try world.run(until: {
            member.verdicts == [.rejected("the publisher accepts no events/\(stuck)")]
        })
        #expect(member.checkpoint(Self.partition))
        try world.run(until: { member.verdicts.last == .stored })
        #expect(try coordinator.checkpoints(of: Self.partition) == [21])
    }

    /// Derives much more for the stuck partition than there is room for.
    @Test func `and unaccepted outputs block only their partition`() throws {
        let (world, coordinator, member) = try settled(.memory, padding: 0)
        let stuck = Coordinator.partitions[2]
        coordinator.assign(stuck, to: [member])
        try world.run(until: { member.bus?.isSettled(stuck) == true })
        member.payload = [UInt8](repeating: 1, count: 500_000)
        coordinator.node.onApply = { stream, _, _ in
            if stream == .events(stuck) { throw StreamStop(reason: "unknown") }
        }
        try coordinator.node.append(80, to: .input(stuck))
        try world.run(for: .seconds(2))
        #expect(member.bus?.end(of: .events(stuck)) ?? 0 < 10)
        member.payload = [1]
        try coordinator.node.append(9, to: .input(Self.partition))
        try world.run(until: { coordinator.bus?.end(of: .events(Self.partition)) == 29 })
        coordinator.node.onApply = { _, _, _ in }
        coordinator.bus?.resume(.events(stuck))
        try world.run(until: { coordinator.bus?.end(of: .events(stuck)) == 80 })
        #expect(try coordinator.isWhole(stuck))
    }

    @Test(arguments: Carrier.allCases)
    func `is repeated when pieces and replies are lost, and stored once`(
        carrier: Carrier
    ) throws {
        let (world, coordinator, member) = try settled(carrier)
        var count = 0
        member.node.fate = { kind, frame in
            guard kind == .request, frame.isCheckpoint else { return [frame] }
            count += 1
            return count == 2 ? [] : count == 4 ? [frame, frame] : [frame]
        }
        var replies = 0
        coordinator.node.fate = { kind, frame in
            guard kind == .reply, frame.verb == Verb.checkpointReply else { return [frame] }
            replies += 1
            return replies == 3 ? [] : [frame]
        }
        #expect(member.checkpoint(Self.partition))
        try world.run(until: { member.verdicts == [.stored] })
        #expect(try coordinator.checkpoints(of: Self.partition) == [20])
    }

    @Test(arguments: Carrier.allCases)
    func `survives rollbacks of the publisher`(carrier: Carrier) throws {
        let (world, coordinator, member) = try settled(carrier)
        #expect(member.checkpoint(Self.partition))
        var undone = 0
        coordinator.node.work = { [unowned coordinator] _ in
            guard undone < 6, member.bus?.isSendingCheckpoint == true else { return }
            undone += 1
            coordinator.node.failsNextCommit = undone % 2 == 1
        }
        try world.run(until: { member.verdicts == [.stored] })
        #expect(undone == 6)
        #expect(try coordinator.checkpoints(of: Self.partition) == [20])
        // Rolled back pieces were not acknowledged.
        #expect(member.verdicts.count == 1)
    }

    @Test(arguments: Carrier.allCases)
    func `restarts when the publisher is restarted midway`(carrier: Carrier) throws {
        let (world, coordinator, member) = try settled(carrier)
        var pieces = 0
        member.node.fate = { kind, frame in
            if kind == .request, frame.isCheckpoint { pieces += 1 }
            return [frame]
        }
        #expect(member.checkpoint(Self.partition))
        try world.run(until: { pieces == 3 })
        try coordinator.node.restart()
        try world.run(until: { member.verdicts == [.stored] })
        #expect(pieces >= 6)
        #expect(try coordinator.checkpoints(of: Self.partition) == [20])
    }

    @Test(arguments: Carrier.allCases)
    func `that is rejected is reported with the reason`(carrier: Carrier) throws {
        let (world, coordinator, member) = try settled(carrier, padding: 0)
        coordinator.rejectionReason = { _ in "no room" }
        #expect(member.checkpoint(Self.partition))
        try world.run(until: { member.verdicts == [.rejected("no room")] })
        coordinator.rejectionReason = { _ in nil }
        try coordinator.node.append(1, to: .input(Self.partition))
        try world.run(until: { member.checkpoint(Self.partition) })
        try world.run(until: { member.verdicts.last == .stored })
    }

    /// While records keep arriving, some outputs are always in transit.
    @Test(arguments: Carrier.allCases)
    func `waits until the publisher has all its outputs`(carrier: Carrier) throws {
        let (world, coordinator, member) = try settled(carrier, padding: 0)
        var pieces = 0
        var isHeld = true
        member.node.fate = { kind, frame in
            if kind == .request, frame.isCheckpoint { pieces += 1 }
            return kind == .proposal && isHeld ? [] : [frame]
        }
        try coordinator.node.append(5, to: .input(Self.partition))
        try world.run(until: {
            member.bus?.position(of: .input(Self.partition))?.sequence == 25
        })
        #expect(member.bus?.isSettled(Self.partition) == false)
        #expect(member.bus?.canCheckpoint(Self.partition) == true)
        #expect(member.checkpointNow(Self.partition))
        try world.run(for: .seconds(1))
        #expect(pieces == 0)
        isHeld = false
        try world.run(until: { member.verdicts == [.stored] })
        #expect(try coordinator.checkpoints(of: Self.partition) == [25])
    }

    @Test(arguments: Carrier.allCases)
    func `ends when its partition is revoked`(carrier: Carrier) throws {
        let (world, coordinator, member) = try settled(carrier)
        // Its pieces are lost.
        member.node.fate = { kind, frame in
            kind == .request && frame.isCheckpoint ? [] : [frame]
        }
        #expect(member.checkpoint(Self.partition))
        try world.run(for: .milliseconds(100))
        coordinator.assign(Self.partition, to: [])
        try world.run(until: { member.lost == [Self.partition] && member.verdicts.count == 1 })
        guard case .rejected = member.verdicts.first else {
            Issue.record("a rejection was expected, not \(member.verdicts)")
            return
        }
        #expect(member.bus?.isSendingCheckpoint == false)
        #expect(!member.checkpoint(Self.partition))
    }

    @Test(arguments: Carrier.allCases)
    func `of a turn that is rolled back is not sent`(carrier: Carrier) throws {
        let (world, coordinator, member) = try settled(carrier, padding: 0)
        var isSent: Bool?
        member.node.work = { [unowned member] _ in
            guard isSent == nil else { return }
            isSent = member.checkpoint(Self.partition)
            member.node.failsNextCommit = true
        }
        try world.run(until: { member.verdicts.count == 1 })
        #expect(isSent == true)
        #expect(member.verdicts == [.rejected("the turn was rolled back")])
        #expect(try coordinator.checkpoints(of: Self.partition).isEmpty)
    }
}

/// The initial state of a new owner while the publisher continues.
@Suite(.closingWorlds) struct `A partition's checkpoint` {
    private static let partition = Coordinator.partitions[1]

    /// While reading it (SNAP), or before requesting the records after it (REPLAY).
    @Test(arguments: Carrier.allCases, [Verb.snapshot, Verb.replay])
    func `is read again when the log after it is pruned meanwhile`(
        carrier: Carrier, held: UInt8
    ) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let first = try Member(world, "first", of: coordinator)
        first.padding = 2_000_000
        coordinator.assign(Self.partition, to: [first])
        for round in 1...2 {
            try coordinator.node.append(10, to: .input(Self.partition))
            try world.run(until: { try coordinator.isWhole(Self.partition) })
            try world.run(until: { first.checkpoint(Self.partition) })
            try world.run(until: { try coordinator.checkpoints(of: Self.partition).count == round })
        }
        // The older of two is served, and a request about it is lost …
        coordinator.servesOlder = true
        let second = try Member(world, "second", of: coordinator)
        var requested = 0
        second.node.fate = { kind, frame in
            guard kind == .request, frame.verb == held else { return [frame] }
            requested += 1
            return held == Verb.snapshot && requested <= 4 ? [frame] : []
        }
        coordinator.assign(Self.partition, to: [first, second])
        try world.run(until: { requested >= (held == Verb.snapshot ? 5 : 1) })
        // … until a third one exists and the log is pruned.
        try coordinator.node.append(10, to: .input(Self.partition))
        try world.run(until: { try coordinator.isWhole(Self.partition) })
        try world.run(until: { first.checkpoint(Self.partition) })
        try world.run(until: { first.verdicts.count == 3 })
        coordinator.node.work = { bus in try bus.prune(.input(Self.partition), through: 20) }
        try world.round()
        #expect(second.restored.count == (held == Verb.snapshot ? 0 : 1))
        #expect(try second.node.effectCount(of: .input(Self.partition)) == 0)
        second.node.fate = { [$1] }
        try world.run(until: {
            coordinator.state(of: Self.partition, at: second) == .live
                && second.bus?.isSettled(Self.partition) == true
        })
        #expect(second.begun.isEmpty)
        #expect(second.restored.count == (held == Verb.snapshot ? 1 : 2))
        #expect(second.states[Self.partition] == first.states[Self.partition])
        #expect(second.node.notices.filter(\.needsAttention).isEmpty, "nothing was lost")
    }

    @Test(arguments: Carrier.allCases)
    func `is read again by an owner that fell behind the pruned log`(carrier: Carrier) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let members = try ["a", "b"].map { try Member(world, $0, of: coordinator) }
        coordinator.assign(Self.partition, to: members)
        try coordinator.node.append(10, to: .input(Self.partition))
        try world.run(until: { try coordinator.isWhole(Self.partition) })
        members[0].node.isHalted = true
        try coordinator.node.append(30, to: .input(Self.partition))
        try world.run(until: { members[1].checkpoint(Self.partition) })
        try world.run(until: { members[1].verdicts == [.stored] })
        coordinator.node.work = { bus in try bus.prune(.input(Self.partition), through: 30) }
        // Published records do not reach it.
        try world.run(for: .milliseconds(100))
        members[0].node.isHalted = false
        try members[0].node.restart()
        try world.run(until: { members[0].bus?.isSettled(Self.partition) == true })
        #expect(members[0].restored == [Self.partition])
        #expect(members[0].states == members[1].states)
    }

    /// After restoring a backup, state evaluated from the lost records belongs to another log.
    @Test(arguments: Carrier.allCases, [0, 5, 40])
    func `belongs to the restored log after a backup was restored`(
        carrier: Carrier, later: Int
    ) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let member = try Member(world, "member", of: coordinator)
        coordinator.assign(Self.partition, to: [member])
        try coordinator.node.append(10, to: .input(Self.partition))
        try world.run(until: { member.checkpoint(Self.partition) })
        try world.run(until: { member.verdicts == [.stored] })
        try coordinator.node.append(10, to: .input(Self.partition))
        try world.run(until: { try coordinator.isWhole(Self.partition) })
        try coordinator.node.copy()
        try coordinator.node.append(10, to: .input(Self.partition), tag: "gone")
        try world.run(until: { try coordinator.isWhole(Self.partition) })
        try world.run(until: { member.checkpoint(Self.partition) })
        try world.run(until: { member.verdicts == [.stored, .stored] })
        try coordinator.node.restoreCopy()
        try coordinator.node.append(later, to: .input(Self.partition), tag: "other")
        try world.run(until: {
            try member.restored.count >= 1 && coordinator.isWhole(Self.partition)
                && member.bus?.isSettled(Self.partition) == true
        })
        #expect(coordinator.bus?.end(of: .events(Self.partition)) == UInt64(20 + later))
        #expect(member.bus?.healthProblems == [])
        #expect(member.node.notices.contains { $0.needsAttention })
        #expect(coordinator.node.notices.filter(\.needsAttention).isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func `is useless in another incarnation of the log`(carrier: Carrier) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let member = try Member(world, "member", of: coordinator)
        coordinator.assign(Self.partition, to: [member])
        try coordinator.node.append(10, to: .input(Self.partition))
        try world.run(until: { member.checkpoint(Self.partition) })
        try world.run(until: { member.verdicts == [.stored] })
        coordinator.node.kill()
        try coordinator.node.database.run("UPDATE stream SET incarnation = randomblob(16)")
        try coordinator.node.database.run("DELETE FROM checkpoint")
        try coordinator.node.restart()
        try coordinator.node.append(5, to: .input(Self.partition))
        try world.run(until: {
            try coordinator.isWhole(Self.partition)
                && member.bus?.isSettled(Self.partition) == true
        })
        #expect(member.begun.last == Self.partition)
        #expect(member.begun.count >= 2)
        #expect(member.bus?.counters.divergences == 1)
        // From here on, checkpoints are of this incarnation.
        try world.run(until: { member.checkpoint(Self.partition) })
        try world.run(until: { member.verdicts == [.stored, .stored] })
    }

    @Test(arguments: Carrier.allCases)
    func `is read again when its owner's turn is rolled back`(carrier: Carrier) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let member = try Member(world, "member", of: coordinator)
        coordinator.assign(Self.partition, to: [member])
        var turns = 0
        member.node.work = { [unowned member] _ in
            turns += 1
            member.node.failsNextCommit = turns % 4 == 0
        }
        for round in 0..<10 {
            try coordinator.node.append(5, to: .input(Self.partition))
            try world.round()
            if round == 5 { try world.run(until: { member.checkpoint(Self.partition) }) }
        }
        try world.run(until: { try coordinator.isWhole(Self.partition) })
        #expect(member.begun.count + member.restored.count > 1)
        #expect(member.node.notices.filter(\.needsAttention).isEmpty)
    }
}

/// Verbs of control frames on the wire.
enum Verb {
    static let replay: UInt8 = 3
    static let snapshot: UInt8 = 6
    static let assign: UInt8 = 12
    static let checkpoint: UInt8 = 13
    static let checkpointReply: UInt8 = 14
}

extension [UInt8] {
    /// The verb of a control frame; 0 for other frames.
    var verb: UInt8 { count > 10 && self[9] == 3 ? self[10] : 0 }
    var isCheckpoint: Bool { verb == Verb.checkpoint }
}

import Bus
import Model
import Testing
import Wire

/// States of partitions on their way to the keeper, and back to a new owner.
@Suite(.closingWorlds) struct `A checkpoint on its way` {
    private static let partition = Sharer.partitions[1]
    /// Four pieces.
    private static let padding = 900_000

    /// A member that has evaluated everything there is.
    private func settled(
        _ carrier: Carrier, padding: Int = padding
    ) throws -> (World, Sharer, Member) {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let member = try Member(world, "member", of: sharer)
        member.padding = padding
        sharer.give(Self.partition, to: [member])
        try sharer.node.append(20, to: .input(Self.partition))
        try world.run(until: { member.bus?.isSettled(Self.partition) == true })
        return (world, sharer, member)
    }

    @Test(arguments: Carrier.allCases)
    func `arrives piece by piece, once, and is what the next owner begins with`(
        carrier: Carrier
    ) throws {
        let (world, sharer, member) = try settled(carrier)
        var pieces = 0
        member.node.fate = { way, frame in
            if way == .question, frame.isCheckpoint { pieces += 1 }
            return [frame]
        }
        #expect(member.checkpoint(Self.partition))
        #expect(!member.checkpoint(Self.partition), "one at a time")
        #expect(member.bus?.isSendingCheckpoint == true)
        try world.run(until: { member.verdicts == [.kept] })
        #expect(pieces == 4)
        #expect(member.bus?.isSendingCheckpoint == false)
        #expect(try sharer.checkpoints(of: Self.partition) == [20])
        let next = try Member(world, "next", of: sharer)
        sharer.give(Self.partition, to: [next])
        try world.run(until: { next.restored == [Self.partition] })
        try sharer.node.append(5, to: .input(Self.partition))
        try world.run(until: { try sharer.isWhole(Self.partition) })
        #expect(try next.node.effectCount(of: .input(Self.partition)) == 5)
    }

    @Test func `waits for outputs that are not taken only so long that others have their turn`()
        throws
    {
        let (world, sharer, member) = try settled(.memory, padding: 0)
        let stuck = Sharer.partitions[2]
        sharer.give(stuck, to: [member])
        try world.run(until: { member.bus?.isSettled(stuck) == true })
        sharer.node.onApply = { stream, _, _ in
            if stream == .events(stuck) { throw StreamStop(reason: "unknown") }
        }
        try sharer.node.append(1, to: .input(stuck))
        try sharer.node.append(1, to: .input(Self.partition))
        try world.run(until: { member.bus?.end(of: .events(stuck)) == 1 })
        #expect(member.checkpointNow(stuck))
        #expect(!member.checkpointNow(Self.partition))
        try world.run(until: { member.bus?.isSendingCheckpoint == false })
        try world.run(until: {
            member.verdicts == [.refused("events/\(stuck) is not taken by its keeper")]
        })
        #expect(member.checkpoint(Self.partition))
        try world.run(until: { member.verdicts.last == .kept })
        #expect(try sharer.checkpoints(of: Self.partition) == [21])
    }

    /// Much more is computed of the stuck one than there is room for.
    @Test func `and outputs that are not taken hold up their partition alone`() throws {
        let (world, sharer, member) = try settled(.memory, padding: 0)
        let stuck = Sharer.partitions[2]
        sharer.give(stuck, to: [member])
        try world.run(until: { member.bus?.isSettled(stuck) == true })
        member.payload = [UInt8](repeating: 1, count: 500_000)
        sharer.node.onApply = { stream, _, _ in
            if stream == .events(stuck) { throw StreamStop(reason: "unknown") }
        }
        try sharer.node.append(80, to: .input(stuck))
        try world.run(for: .seconds(2))
        #expect(member.bus?.end(of: .events(stuck)) ?? 0 < 10)
        member.payload = [1]
        try sharer.node.append(9, to: .input(Self.partition))
        try world.run(until: { sharer.bus?.end(of: .events(Self.partition)) == 29 })
        sharer.node.onApply = { _, _, _ in }
        sharer.bus?.resume(.events(stuck))
        try world.run(until: { sharer.bus?.end(of: .events(stuck)) == 80 })
        #expect(try sharer.isWhole(stuck))
    }

    @Test(arguments: Carrier.allCases)
    func `is sent again when pieces and answers are lost, and kept once`(
        carrier: Carrier
    ) throws {
        let (world, sharer, member) = try settled(carrier)
        var count = 0
        member.node.fate = { way, frame in
            guard way == .question, frame.isCheckpoint else { return [frame] }
            count += 1
            return count == 2 ? [] : count == 4 ? [frame, frame] : [frame]
        }
        var answers = 0
        sharer.node.fate = { way, frame in
            guard way == .answer, frame.verb == Verb.checkpointAnswer else { return [frame] }
            answers += 1
            return answers == 3 ? [] : [frame]
        }
        #expect(member.checkpoint(Self.partition))
        try world.run(until: { member.verdicts == [.kept] })
        #expect(try sharer.checkpoints(of: Self.partition) == [20])
    }

    @Test(arguments: Carrier.allCases)
    func `survives that the keeper's turns are undone in the middle`(carrier: Carrier) throws {
        let (world, sharer, member) = try settled(carrier)
        #expect(member.checkpoint(Self.partition))
        var undone = 0
        sharer.node.work = { [unowned sharer] _ in
            guard undone < 6, member.bus?.isSendingCheckpoint == true else { return }
            undone += 1
            sharer.node.failsNextCommit = undone % 2 == 1
        }
        try world.run(until: { member.verdicts == [.kept] })
        #expect(undone == 6)
        #expect(try sharer.checkpoints(of: Self.partition) == [20])
        // What was undone was not answered.
        #expect(member.verdicts.count == 1)
    }

    @Test(arguments: Carrier.allCases)
    func `begins again with a keeper that was restarted in the middle`(carrier: Carrier) throws {
        let (world, sharer, member) = try settled(carrier)
        var pieces = 0
        member.node.fate = { way, frame in
            if way == .question, frame.isCheckpoint { pieces += 1 }
            return [frame]
        }
        #expect(member.checkpoint(Self.partition))
        try world.run(until: { pieces == 3 })
        try sharer.node.restart()
        try world.run(until: { member.verdicts == [.kept] })
        #expect(pieces >= 6)
        #expect(try sharer.checkpoints(of: Self.partition) == [20])
    }

    @Test(arguments: Carrier.allCases)
    func `that is refused is told, with the reason`(carrier: Carrier) throws {
        let (world, sharer, member) = try settled(carrier, padding: 0)
        sharer.refusal = { _ in "no room" }
        #expect(member.checkpoint(Self.partition))
        try world.run(until: { member.verdicts == [.refused("no room")] })
        sharer.refusal = { _ in nil }
        try sharer.node.append(1, to: .input(Self.partition))
        try world.run(until: { member.checkpoint(Self.partition) })
        try world.run(until: { member.verdicts.last == .kept })
    }

    /// Where records never cease, there is always something under way.
    @Test(arguments: Carrier.allCases)
    func `waits until all that it led to is with the keeper`(carrier: Carrier) throws {
        let (world, sharer, member) = try settled(carrier, padding: 0)
        var pieces = 0
        var isHeld = true
        member.node.fate = { way, frame in
            if way == .question, frame.isCheckpoint { pieces += 1 }
            return way == .offer && isHeld ? [] : [frame]
        }
        try sharer.node.append(5, to: .input(Self.partition))
        try world.run(until: {
            member.bus?.position(of: .input(Self.partition))?.sequence == 25
        })
        #expect(member.bus?.isSettled(Self.partition) == false)
        #expect(member.bus?.canCheckpoint(Self.partition) == true)
        #expect(member.checkpointNow(Self.partition))
        try world.run(for: .seconds(1))
        #expect(pieces == 0)
        isHeld = false
        try world.run(until: { member.verdicts == [.kept] })
        #expect(try sharer.checkpoints(of: Self.partition) == [25])
    }

    @Test(arguments: Carrier.allCases)
    func `ends with the ownership of its partition`(carrier: Carrier) throws {
        let (world, sharer, member) = try settled(carrier)
        // Its pieces get nowhere.
        member.node.fate = { way, frame in
            way == .question && frame.isCheckpoint ? [] : [frame]
        }
        #expect(member.checkpoint(Self.partition))
        try world.run(for: .milliseconds(100))
        sharer.give(Self.partition, to: [])
        try world.run(until: { member.lost == [Self.partition] && member.verdicts.count == 1 })
        guard case .refused = member.verdicts.first else {
            Issue.record("a refusal was expected, not \(member.verdicts)")
            return
        }
        #expect(member.bus?.isSendingCheckpoint == false)
        #expect(!member.checkpoint(Self.partition))
    }

    @Test(arguments: Carrier.allCases)
    func `of a turn that is undone is not sent`(carrier: Carrier) throws {
        let (world, sharer, member) = try settled(carrier, padding: 0)
        var isSent: Bool?
        member.node.work = { [unowned member] _ in
            guard isSent == nil else { return }
            isSent = member.checkpoint(Self.partition)
            member.node.failsNextCommit = true
        }
        try world.run(until: { member.verdicts.count == 1 })
        #expect(isSent == true)
        #expect(member.verdicts == [.refused("the turn was undone")])
        #expect(try sharer.checkpoints(of: Self.partition).isEmpty)
    }
}

/// What a new owner reads, while the keeper goes on.
@Suite(.closingWorlds) struct `A partition's checkpoint` {
    private static let partition = Sharer.partitions[1]

    /// In the middle of reading it (SNAP), or before what comes after it is asked for (REPLAY).
    @Test(arguments: Carrier.allCases, [Verb.snapshot, Verb.replay])
    func `is read again when the log after it is pruned meanwhile`(
        carrier: Carrier, held: UInt8
    ) throws {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let first = try Member(world, "first", of: sharer)
        first.padding = 2_000_000
        sharer.give(Self.partition, to: [first])
        for round in 1...2 {
            try sharer.node.append(10, to: .input(Self.partition))
            try world.run(until: { try sharer.isWhole(Self.partition) })
            try world.run(until: { first.checkpoint(Self.partition) })
            try world.run(until: { try sharer.checkpoints(of: Self.partition).count == round })
        }
        // The older of two is given out, and a question about it does not get through …
        sharer.givesOlder = true
        let second = try Member(world, "second", of: sharer)
        var asked = 0
        second.node.fate = { way, frame in
            guard way == .question, frame.verb == held else { return [frame] }
            asked += 1
            return held == Verb.snapshot && asked <= 4 ? [frame] : []
        }
        sharer.give(Self.partition, to: [first, second])
        try world.run(until: { asked >= (held == Verb.snapshot ? 5 : 1) })
        // … until a third has come, and the log is cut.
        try sharer.node.append(10, to: .input(Self.partition))
        try world.run(until: { try sharer.isWhole(Self.partition) })
        try world.run(until: { first.checkpoint(Self.partition) })
        try world.run(until: { first.verdicts.count == 3 })
        sharer.node.work = { bus in try bus.prune(.input(Self.partition), through: 20) }
        try world.round()
        #expect(second.restored.count == (held == Verb.snapshot ? 0 : 1))
        #expect(try second.node.effectCount(of: .input(Self.partition)) == 0)
        second.node.fate = { [$1] }
        try world.run(until: {
            sharer.state(of: Self.partition, at: second) == .live
                && second.bus?.isSettled(Self.partition) == true
        })
        #expect(second.begun.isEmpty)
        #expect(second.restored.count == (held == Verb.snapshot ? 1 : 2))
        #expect(second.states[Self.partition] == first.states[Self.partition])
        #expect(second.node.notices.filter(\.isAlarm).isEmpty, "that is nobody's loss")
    }

    @Test(arguments: Carrier.allCases)
    func `is read again by an owner that was too slow for the log`(carrier: Carrier) throws {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let members = try ["a", "b"].map { try Member(world, $0, of: sharer) }
        sharer.give(Self.partition, to: members)
        try sharer.node.append(10, to: .input(Self.partition))
        try world.run(until: { try sharer.isWhole(Self.partition) })
        members[0].node.isHalted = true
        try sharer.node.append(30, to: .input(Self.partition))
        try world.run(until: { members[1].checkpoint(Self.partition) })
        try world.run(until: { members[1].verdicts == [.kept] })
        sharer.node.work = { bus in try bus.prune(.input(Self.partition), through: 30) }
        // Nothing of what it missed reaches it by itself.
        try world.run(for: .milliseconds(100))
        members[0].node.isHalted = false
        try members[0].node.restart()
        try world.run(until: { members[0].bus?.isSettled(Self.partition) == true })
        #expect(members[0].restored == [Self.partition])
        #expect(members[0].states == members[1].states)
    }

    /// After the older copy was put back: what was evaluated of it is another log's.
    @Test(arguments: Carrier.allCases, [0, 5, 40])
    func `stands for the log that there is when an older copy was put back`(
        carrier: Carrier, later: Int
    ) throws {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let member = try Member(world, "member", of: sharer)
        sharer.give(Self.partition, to: [member])
        try sharer.node.append(10, to: .input(Self.partition))
        try world.run(until: { member.checkpoint(Self.partition) })
        try world.run(until: { member.verdicts == [.kept] })
        try sharer.node.append(10, to: .input(Self.partition))
        try world.run(until: { try sharer.isWhole(Self.partition) })
        try sharer.node.copy()
        try sharer.node.append(10, to: .input(Self.partition), tag: "gone")
        try world.run(until: { try sharer.isWhole(Self.partition) })
        try world.run(until: { member.checkpoint(Self.partition) })
        try world.run(until: { member.verdicts == [.kept, .kept] })
        try sharer.node.putBack()
        try sharer.node.append(later, to: .input(Self.partition), tag: "other")
        try world.run(until: {
            try member.restored.count >= 1 && sharer.isWhole(Self.partition)
                && member.bus?.isSettled(Self.partition) == true
        })
        #expect(sharer.bus?.end(of: .events(Self.partition)) == UInt64(20 + later))
        #expect(member.bus?.troubles == [])
        #expect(member.node.notices.contains { $0.isAlarm })
        #expect(sharer.node.notices.filter(\.isAlarm).isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func `is of no use in another life of the log`(carrier: Carrier) throws {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let member = try Member(world, "member", of: sharer)
        sharer.give(Self.partition, to: [member])
        try sharer.node.append(10, to: .input(Self.partition))
        try world.run(until: { member.checkpoint(Self.partition) })
        try world.run(until: { member.verdicts == [.kept] })
        sharer.node.kill()
        try sharer.node.database.run("UPDATE stream SET incarnation = randomblob(16)")
        try sharer.node.database.run("DELETE FROM checkpoint")
        try sharer.node.restart()
        try sharer.node.append(5, to: .input(Self.partition))
        try world.run(until: {
            try sharer.isWhole(Self.partition)
                && member.bus?.isSettled(Self.partition) == true
        })
        #expect(member.begun.last == Self.partition)
        #expect(member.begun.count >= 2)
        #expect(member.bus?.counters.divergences == 1)
        // From here on, checkpoints are of this life.
        try world.run(until: { member.checkpoint(Self.partition) })
        try world.run(until: { member.verdicts == [.kept, .kept] })
    }

    @Test(arguments: Carrier.allCases)
    func `is read again when its owner's turn is undone`(carrier: Carrier) throws {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let member = try Member(world, "member", of: sharer)
        sharer.give(Self.partition, to: [member])
        var turns = 0
        member.node.work = { [unowned member] _ in
            turns += 1
            member.node.failsNextCommit = turns % 4 == 0
        }
        for round in 0..<10 {
            try sharer.node.append(5, to: .input(Self.partition))
            try world.round()
            if round == 5 { try world.run(until: { member.checkpoint(Self.partition) }) }
        }
        try world.run(until: { try sharer.isWhole(Self.partition) })
        #expect(member.begun.count + member.restored.count > 1)
        #expect(member.node.notices.filter(\.isAlarm).isEmpty)
    }
}

/// Of control frames, as on the wire.
enum Verb {
    static let replay: UInt8 = 3
    static let snapshot: UInt8 = 6
    static let assign: UInt8 = 12
    static let checkpoint: UInt8 = 13
    static let checkpointAnswer: UInt8 = 14
}

extension [UInt8] {
    /// The verb of a control frame; 0 of any other.
    var verb: UInt8 { count > 10 && self[9] == 3 ? self[10] : 0 }
    var isCheckpoint: Bool { verb == Verb.checkpoint }
}

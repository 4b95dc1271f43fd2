import Bus
import Model
import Testing
import Wire

/// Members that cannot evaluate what they were given.
@Suite(.closingWorlds) struct `A member that` {
    private static let partition = Sharer.partitions[1]

    @Test(arguments: Carrier.allCases)
    func `computes differently is refused, alarmed, rebuilt and then gives up`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let honest = try Member(world, "honest", of: sharer)
        sharer.give(Self.partition, to: [honest])
        try sharer.node.append(10, to: .input(Self.partition))
        try world.run(until: { try sharer.isWhole(Self.partition) })
        let liar = try Member(world, "liar", of: sharer)
        liar.twist = 4
        sharer.give(Self.partition, to: [liar])
        try world.run(until: { sharer.state(of: Self.partition, at: liar) == .failed })
        let alarms = liar.node.notices.filter(\.isAlarm)
        #expect(alarms.count == 5)
        #expect(
            alarms.prefix(4).allSatisfy {
                $0 == .computedDiverged(.events(Self.partition), sequence: 10)
            })
        guard case .stopped(.input(Self.partition), _) = alarms.last else {
            Issue.record("the stream was expected to be stopped, not \(alarms)")
            return
        }
        #expect(liar.begun.count == 4)
        #expect(liar.bus?.troubles.count == 1)
        #expect(liar.bus?.isCaughtUp == false)
        try sharer.node.append(5, to: .input(Self.partition))
        try world.run(for: .seconds(1))
        #expect(sharer.bus?.end(of: .events(Self.partition)) == 10)
        // Somebody else has it then; the liar is known by its trouble.
        sharer.give(Self.partition, to: [honest])
        try world.run(until: { try sharer.isWhole(Self.partition) })
        try world.run(until: { liar.lost == [Self.partition] })
        #expect(liar.bus?.holdings == [])
        #expect(liar.bus?.isCaughtUp == true)
        #expect(liar.bus?.troubles.count == 1)
        #expect(honest.node.notices.filter(\.isAlarm).isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func `differed once goes on after it was rebuilt`(carrier: Carrier) throws {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let honest = try Member(world, "honest", of: sharer)
        sharer.give(Self.partition, to: [honest])
        try sharer.node.append(10, to: .input(Self.partition))
        try world.run(until: { try sharer.isWhole(Self.partition) })
        let fickle = try Member(world, "fickle", of: sharer)
        fickle.twist = 4
        sharer.give(Self.partition, to: [fickle])
        try world.run(until: { fickle.node.notices.contains(where: \.isAlarm) })
        fickle.twist = 0
        try sharer.node.append(5, to: .input(Self.partition))
        try world.run(until: { try sharer.isWhole(Self.partition) })
        try world.run(until: { sharer.state(of: Self.partition, at: fickle) == .live })
        #expect(fickle.bus?.troubles == [])
        #expect(sharer.node.notices.filter(\.isAlarm).isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func `cannot read a record gives up that partition and no other`(carrier: Carrier) throws {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let old = try Member(world, "old", of: sharer)
        let evaluate = old.node.onApply
        old.node.onApply = { stream, position, record in
            if stream == .input(Self.partition), position.sequence == 6 {
                throw StreamStop(reason: "newer than this")
            }
            try evaluate(stream, position, record)
        }
        let other = Sharer.partitions[0]
        sharer.give([Self.partition, other], to: [old])
        for partition in [Self.partition, other] {
            try sharer.node.append(10, to: .input(partition))
        }
        // What was evaluated before goes another way than the word that it is given up.
        try world.run(until: {
            try sharer.state(of: Self.partition, at: old) == .failed && sharer.isWhole(other)
                && sharer.bus?.end(of: .events(Self.partition)) == 5
        })
        #expect(old.bus?.troubles == ["in/1 is given up: newer than this"])
        let new = try Member(world, "new", of: sharer)
        sharer.give(Self.partition, to: [new])
        try world.run(until: { try sharer.isWhole(Self.partition) })
        #expect(sharer.state(of: other, at: old) == .live)
    }

    @Test(arguments: Carrier.allCases)
    func `cannot read a checkpoint gives the partition up`(carrier: Carrier) throws {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let member = try Member(world, "member", of: sharer)
        sharer.give(Self.partition, to: [member])
        member.bus?.hooks.replace = { _, _, _ in
            throw WireError(.payload, "read state", "a version that is not known")
        }
        try world.run(until: { sharer.state(of: Self.partition, at: member) == .failed })
        #expect(member.bus?.troubles.count == 1)
        #expect(member.bus?.counters.framesRefused == 0)
    }
}

import Bus
import Model
import Testing
import Wire

@Suite(.closingWorlds) struct `A turn taken back at a member` {
    private static let partition = Sharer.partitions[1]
    private static let other = Sharer.partitions[2]

    /// A member with two partitions, one of them with a checkpoint.
    private func begun(_ world: World) throws -> (Sharer, Member) {
        let sharer = try Sharer(world)
        let member = try Member(world, "member", of: sharer)
        sharer.give([Self.partition, Self.other], to: [member])
        for partition in [Self.partition, Self.other] {
            try sharer.node.append(10, to: .input(partition))
        }
        try world.run(until: { try sharer.isWhole() })
        try world.run(until: {
            _ = member.checkpoint(Self.partition)
            return try sharer.checkpoints(of: Self.partition) == [10]
        })
        #expect(member.begun.sorted() == [Self.partition, Self.other])
        return (sharer, member)
    }

    @Test(arguments: Carrier.allCases)
    func `begins what it touched from the checkpoint, and nothing else`(carrier: Carrier) throws {
        let world = try World(carrier)
        let (sharer, member) = try begun(world)
        let evaluate = member.node.onApply
        var failures = 0
        member.node.onApply = { stream, position, record in
            try evaluate(stream, position, record)
            // Its output is there by now, and so is the state.
            if stream == .input(Self.partition), position.sequence == 13, failures < 2 {
                failures += 1
                member.node.failsNextCommit = true
            }
        }
        try sharer.node.append(5, to: .input(Self.partition))
        try world.run(until: { try failures == 2 && sharer.isWhole() })
        #expect(sharer.bus?.end(of: .events(Self.partition)) == 15)
        #expect(member.restored == [Self.partition, Self.partition])
        #expect(member.begun.count == 2)
        try world.run(until: { sharer.state(of: Self.partition, at: member) == .live })
        #expect((member.node.notices + sharer.node.notices).filter(\.isAlarm).isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func `sends no checkpoint of what is undone`(carrier: Carrier) throws {
        let world = try World(carrier)
        let (sharer, member) = try begun(world)
        var isSent = false
        member.node.work = { _ in
            guard !isSent, member.bus?.end(of: .input(Self.partition)) == 15 else { return }
            isSent = member.checkpointNow(Self.partition)
            member.node.failsNextCommit = true
        }
        let verdicts = member.verdicts.count
        try sharer.node.append(5, to: .input(Self.partition))
        try world.run(until: { try isSent && sharer.isWhole() })
        try world.run(until: { member.verdicts.count > verdicts })
        #expect(member.verdicts.last == .refused("the partition is read anew"))
        #expect(try sharer.checkpoints(of: Self.partition) == [10])
    }
}

import Bus
import Model
import Testing
import Wire

@Suite(.closingWorlds) struct `A turn of a member that is rolled back` {
    private static let partition = Coordinator.partitions[1]
    private static let other = Coordinator.partitions[2]

    /// A member with two partitions, one of them with a checkpoint.
    private func begun(_ world: World) throws -> (Coordinator, Member) {
        let coordinator = try Coordinator(world)
        let member = try Member(world, "member", of: coordinator)
        coordinator.assign([Self.partition, Self.other], to: [member])
        for partition in [Self.partition, Self.other] {
            try coordinator.node.append(10, to: .input(partition))
        }
        try world.run(until: { try coordinator.isWhole() })
        try world.run(until: {
            _ = member.checkpoint(Self.partition)
            return try coordinator.checkpoints(of: Self.partition) == [10]
        })
        #expect(member.begun.sorted() == [Self.partition, Self.other])
        return (coordinator, member)
    }

    @Test(arguments: Carrier.allCases)
    func `restores the changed partition from its checkpoint, and no other`(carrier: Carrier) throws
    {
        let world = try World(carrier)
        let (coordinator, member) = try begun(world)
        let evaluate = member.node.onApply
        var failures = 0
        member.node.onApply = { stream, position, record in
            try evaluate(stream, position, record)
            // Its output and the state are stored by now.
            if stream == .input(Self.partition), position.sequence == 13, failures < 2 {
                failures += 1
                member.node.failsNextCommit = true
            }
        }
        try coordinator.node.append(5, to: .input(Self.partition))
        try world.run(until: { try failures == 2 && coordinator.isWhole() })
        #expect(coordinator.bus?.end(of: .events(Self.partition)) == 15)
        #expect(member.restored == [Self.partition, Self.partition])
        #expect(member.begun.count == 2)
        try world.run(until: { coordinator.state(of: Self.partition, at: member) == .live })
        #expect((member.node.notices + coordinator.node.notices).filter(\.needsAttention).isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func `sends no checkpoint of rolled back state`(carrier: Carrier) throws {
        let world = try World(carrier)
        let (coordinator, member) = try begun(world)
        var isSent = false
        member.node.work = { _ in
            guard !isSent, member.bus?.end(of: .input(Self.partition)) == 15 else { return }
            isSent = member.checkpointNow(Self.partition)
            member.node.failsNextCommit = true
        }
        let verdicts = member.verdicts.count
        try coordinator.node.append(5, to: .input(Self.partition))
        try world.run(until: { try isSent && coordinator.isWhole() })
        try world.run(until: { member.verdicts.count > verdicts })
        #expect(member.verdicts.last == .rejected("the partition is being restored"))
        #expect(try coordinator.checkpoints(of: Self.partition) == [10])
    }
}

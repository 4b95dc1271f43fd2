import Bus
import Model
import Testing
import Wire

/// Members that cannot evaluate assigned partitions.
@Suite(.closingWorlds) struct `A member that` {
    private static let partition = Coordinator.partitions[1]

    @Test(arguments: Carrier.allCases)
    func `derives differently is rejected, reported, restored and finally fails`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let honest = try Member(world, "honest", of: coordinator)
        coordinator.assign(Self.partition, to: [honest])
        try coordinator.node.append(10, to: .input(Self.partition))
        try world.run(until: { try coordinator.isWhole(Self.partition) })
        let liar = try Member(world, "liar", of: coordinator)
        liar.twist = 4
        coordinator.assign(Self.partition, to: [liar])
        try world.run(until: { coordinator.state(of: Self.partition, at: liar) == .failed })
        let alarms = liar.node.notices.filter(\.needsAttention)
        #expect(alarms.count == 5)
        #expect(
            alarms.prefix(4).allSatisfy {
                $0 == .derivedDiverged(.events(Self.partition), sequence: 10)
            })
        guard case .stopped(.input(Self.partition), _) = alarms.last else {
            Issue.record("the stream was expected to be stopped, not \(alarms)")
            return
        }
        #expect(liar.begun.count == 4)
        #expect(liar.bus?.healthProblems.count == 1)
        #expect(liar.bus?.isCaughtUp == false)
        try coordinator.node.append(5, to: .input(Self.partition))
        try world.run(for: .seconds(1))
        #expect(coordinator.bus?.end(of: .events(Self.partition)) == 10)
        // Another member has it then; the liar has a health problem.
        coordinator.assign(Self.partition, to: [honest])
        try world.run(until: { try coordinator.isWhole(Self.partition) })
        try world.run(until: { liar.lost == [Self.partition] })
        #expect(liar.bus?.leases == [])
        #expect(liar.bus?.isCaughtUp == true)
        #expect(liar.bus?.healthProblems.count == 1)
        #expect(honest.node.notices.filter(\.needsAttention).isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func `differed once continues after being restored`(carrier: Carrier) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let honest = try Member(world, "honest", of: coordinator)
        coordinator.assign(Self.partition, to: [honest])
        try coordinator.node.append(10, to: .input(Self.partition))
        try world.run(until: { try coordinator.isWhole(Self.partition) })
        let fickle = try Member(world, "fickle", of: coordinator)
        fickle.twist = 4
        coordinator.assign(Self.partition, to: [fickle])
        try world.run(until: { fickle.node.notices.contains(where: \.needsAttention) })
        fickle.twist = 0
        try coordinator.node.append(5, to: .input(Self.partition))
        try world.run(until: { try coordinator.isWhole(Self.partition) })
        try world.run(until: { coordinator.state(of: Self.partition, at: fickle) == .live })
        #expect(fickle.bus?.healthProblems == [])
        #expect(coordinator.node.notices.filter(\.needsAttention).isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func `cannot read a record fails that partition only`(carrier: Carrier) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let old = try Member(world, "old", of: coordinator)
        let evaluate = old.node.onApply
        old.node.onApply = { stream, position, record in
            if stream == .input(Self.partition), position.sequence == 6 {
                throw StreamStop(reason: "newer than this")
            }
            try evaluate(stream, position, record)
        }
        let other = Coordinator.partitions[0]
        coordinator.assign([Self.partition, other], to: [old])
        for partition in [Self.partition, other] {
            try coordinator.node.append(10, to: .input(partition))
        }
        // Earlier records travel on another connection than the report of the failure.
        try world.run(until: {
            try coordinator.state(of: Self.partition, at: old) == .failed
                && coordinator.isWhole(other)
                && coordinator.bus?.end(of: .events(Self.partition)) == 5
        })
        #expect(old.bus?.healthProblems == ["in/1 failed here: newer than this"])
        let new = try Member(world, "new", of: coordinator)
        coordinator.assign(Self.partition, to: [new])
        try world.run(until: { try coordinator.isWhole(Self.partition) })
        #expect(coordinator.state(of: other, at: old) == .live)
    }

    @Test(arguments: Carrier.allCases)
    func `cannot read a checkpoint fails the partition`(carrier: Carrier) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let member = try Member(world, "member", of: coordinator)
        coordinator.assign(Self.partition, to: [member])
        member.bus?.hooks.replace = { _, _, _ in
            throw WireError(.payload, "read state", "a version that is not known")
        }
        try world.run(until: { coordinator.state(of: Self.partition, at: member) == .failed })
        #expect(member.bus?.healthProblems.count == 1)
        #expect(member.bus?.counters.framesRejected == 0)
    }
}

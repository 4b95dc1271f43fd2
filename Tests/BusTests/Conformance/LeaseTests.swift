import Bus
import Model
import Testing
import Wire

/// Partitions assigned to members and reassigned.
@Suite(.closingWorlds) struct `A partition` {
    private static let all = Coordinator.partitions

    @Test(arguments: Carrier.allCases)
    func `is assigned to a member that joined, and no other`(carrier: Carrier) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let member = try Member(world, "member", of: coordinator)
        coordinator.assign([Self.all[1], Self.all[3]], to: [member])
        for partition in Self.all { try coordinator.node.append(20, to: .input(partition)) }
        #expect(member.bus?.isCaughtUp == false, "no list was received yet")
        try world.run(until: {
            try coordinator.isWhole(Self.all[1]) && coordinator.isWhole(Self.all[3])
                && member.bus?.isCaughtUp == true
        })
        #expect(member.bus?.leases.map(\.partition) == [Self.all[1], Self.all[3]])
        #expect(member.begun == [Self.all[1], Self.all[3]])
        #expect(coordinator.joined == [member.bus?.member])
        try world.run(until: {
            coordinator.state(of: Self.all[1], at: member) == .live
                && coordinator.state(of: Self.all[3], at: member) == .live
        })
        for partition in Self.all { try coordinator.node.append(20, to: .input(partition)) }
        try world.run(until: {
            try coordinator.isWhole(Self.all[1]) && coordinator.isWhole(Self.all[3])
        })
        #expect(try member.node.effectCount(of: .input(Self.all[0])) == 0)
        #expect(coordinator.bus?.end(of: .events(Self.all[0])) == 0)
        #expect(member.node.notices == [.connected(peer: "publisher")])
        #expect(coordinator.node.notices.isEmpty)
        #expect(coordinator.bus?.acknowledgements == [])
    }

    @Test(arguments: Carrier.allCases)
    func `moves without a gap while records are published`(carrier: Carrier) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let members = try ["a", "b"].map { try Member(world, $0, of: coordinator) }
        let moved = Self.all[2]
        coordinator.assign(moved, to: [members[0]])
        try coordinator.node.append(30, to: .input(moved))
        try world.run(until: { try coordinator.isWhole(moved) })
        try world.run(until: { members[0].checkpoint(moved) })
        try world.run(until: { try !coordinator.checkpoints(of: moved).isEmpty })
        coordinator.node.work = { bus in
            guard bus.end(of: .input(moved)) < 300 else { return }
            let number = bus.end(of: .input(moved)) + 1
            try bus.append(Node.record(.input(moved), number), to: .input(moved))
        }
        try coordinator.move(moved, to: members[1], in: world)
        try world.run(until: {
            try members[0].lost == [moved] && coordinator.bus?.end(of: .input(moved)) == 300
                && coordinator.isWhole(moved)
        })
        #expect(members[1].restored == [moved])
        #expect(members[1].begun.isEmpty)
        #expect(members[1].lost.isEmpty)
        #expect(members[0].bus?.leases == [])
        #expect(
            (members.map(\.node) + [coordinator.node]).allSatisfy {
                !$0.notices.contains(where: \.needsAttention)
            })
    }

    @Test(arguments: Carrier.allCases)
    func `returns to a former owner, from the newest checkpoint`(carrier: Carrier) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let members = try ["a", "b"].map { try Member(world, $0, of: coordinator) }
        for round in 0..<4 {
            let member = members[round % 2]
            coordinator.assign(Self.all[0], to: [member])
            try coordinator.node.append(25, to: .input(Self.all[0]))
            try world.run(until: { try coordinator.isWhole(Self.all[0]) })
            try world.run(until: { member.checkpoint(Self.all[0]) })
            try world.run(until: { try coordinator.checkpoints(of: Self.all[0]).count == round + 1 }
            )
        }
        #expect(members.map(\.begun) == [[Self.all[0]], []])
        #expect(members.map(\.restored.count) == [1, 2])
        #expect(members.allSatisfy { $0.node.notices.filter(\.needsAttention).isEmpty })
    }

    @Test(arguments: Carrier.allCases)
    func `continues at another member when its owner is killed`(carrier: Carrier) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let members = try ["a", "b"].map { try Member(world, $0, of: coordinator) }
        coordinator.assign(Self.all, to: [members[0]])
        for partition in Self.all { try coordinator.node.append(40, to: .input(partition)) }
        try world.run(until: { try coordinator.isWhole() })
        try world.run(until: { members[0].checkpoint(Self.all[0]) })
        try world.run(until: { members[0].verdicts == [.stored] })
        members[0].node.kill()
        for partition in Self.all { try coordinator.node.append(40, to: .input(partition)) }
        coordinator.assign(Self.all, to: [members[1]])
        try world.run(until: { try coordinator.isWhole() })
        #expect(members[1].restored == [Self.all[0]])
        #expect(Set(members[1].begun) == Set(Self.all.dropFirst()))
        // A restarted process has another member id.
        let before = coordinator.joined
        try members[0].node.restart()
        try world.run(until: { coordinator.joined.count == 3 })
        #expect(!before.contains(try #require(members[0].bus?.member)))
    }

    @Test(arguments: Carrier.allCases)
    func `has two owners without harm, one of them suspended for long`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let members = try ["a", "b"].map { try Member(world, $0, of: coordinator) }
        coordinator.assign(Self.all, to: members)
        for _ in 0..<10 {
            for partition in Self.all { try coordinator.node.append(5, to: .input(partition)) }
            try world.round()
        }
        try world.run(until: { try coordinator.isWhole() })
        // The first one is suspended midway, and presumed dead.
        members[0].node.fate = { kind, frame in kind == .proposal ? [] : [frame] }
        for partition in Self.all { try coordinator.node.append(5, to: .input(partition)) }
        try world.round()
        members[0].node.isHalted = true
        coordinator.assign(Self.all, to: [members[1]])
        for _ in 0..<20 {
            for partition in Self.all { try coordinator.node.append(5, to: .input(partition)) }
            try world.round()
        }
        try world.run(for: .seconds(2))
        try world.run(until: { try coordinator.isWhole() })
        // It continues until it receives a list without partitions.
        members[0].node.isHalted = false
        members[0].node.fate = { [$1] }
        try world.run(until: { members[0].bus?.leases == [] })
        #expect(members[0].lost == Self.all)
        for partition in Self.all { try coordinator.node.append(5, to: .input(partition)) }
        try world.run(until: { try coordinator.isWhole() })
        let nodes = members.map(\.node) + [coordinator.node]
        #expect(nodes.allSatisfy { $0.notices.filter(\.needsAttention).isEmpty })
    }

    @Test(arguments: Carrier.allCases)
    func `keeps its owner while the publisher is away, and when it returns`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let member = try Member(world, "member", of: coordinator)
        coordinator.assign(Self.all, to: [member])
        try world.run(until: { member.begun.count == 4 })
        // Not all of the publisher's records have been received when it stops.
        coordinator.node.fate = { kind, frame in
            kind == .publication && frame.isBatch ? [] : [frame]
        }
        for partition in Self.all { try coordinator.node.append(10, to: .input(partition)) }
        try world.round()
        coordinator.node.fate = { [$1] }
        coordinator.node.kill()
        try world.run(for: .seconds(2))
        #expect(member.bus?.leases.map(\.partition) == Self.all)
        try coordinator.node.restart()
        for partition in Self.all { try coordinator.node.append(10, to: .input(partition)) }
        try world.run(until: { try coordinator.isWhole() })
        #expect(member.begun.count == 4)
        #expect(member.restored.isEmpty)
        #expect(member.lost.isEmpty)
        #expect(member.node.notices.filter(\.needsAttention).isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func `is free as soon as its owner leaves`(carrier: Carrier) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        let member = try Member(world, "member", of: coordinator)
        coordinator.assign(Self.all, to: [member])
        try world.run(until: { member.begun.count == 4 })
        let id = try #require(member.bus?.member)
        #expect(member.bus?.leave() == true)
        #expect(member.bus?.leave() == false)
        try world.run(until: { coordinator.left == [id] })
        let last = coordinator.leases[id]
        try world.run(for: .seconds(2))
        #expect(coordinator.leases[id] == last, "nothing is renewed any more")
        #expect(coordinator.left == [id])
        // Leaving again sends nothing.
        #expect(coordinator.bus?.leave() == false)
    }
}

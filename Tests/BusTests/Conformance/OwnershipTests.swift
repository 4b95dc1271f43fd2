import Bus
import Model
import Testing
import Wire

/// Partitions that are shared out among members, and go from one to another.
@Suite(.closingWorlds) struct `A partition` {
    private static let all = Sharer.partitions

    @Test(arguments: Carrier.allCases)
    func `comes to a member that joined, and only what it was given`(carrier: Carrier) throws {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let member = try Member(world, "member", of: sharer)
        sharer.give([Self.all[1], Self.all[3]], to: [member])
        for partition in Self.all { try sharer.node.append(20, to: .input(partition)) }
        #expect(member.bus?.isCaughtUp == false, "nothing is known before a list came")
        try world.run(until: {
            try sharer.isWhole(Self.all[1]) && sharer.isWhole(Self.all[3])
                && member.bus?.isCaughtUp == true
        })
        #expect(member.bus?.holdings.map(\.partition) == [Self.all[1], Self.all[3]])
        #expect(member.begun == [Self.all[1], Self.all[3]])
        #expect(sharer.joined == [member.bus?.member])
        try world.run(until: {
            sharer.state(of: Self.all[1], at: member) == .live
                && sharer.state(of: Self.all[3], at: member) == .live
        })
        for partition in Self.all { try sharer.node.append(20, to: .input(partition)) }
        try world.run(until: { try sharer.isWhole(Self.all[1]) && sharer.isWhole(Self.all[3]) })
        #expect(try member.node.effectCount(of: .input(Self.all[0])) == 0)
        #expect(sharer.bus?.end(of: .events(Self.all[0])) == 0)
        #expect(member.node.notices == [.heard(peer: "keeper")])
        #expect(sharer.node.notices.isEmpty)
        #expect(sharer.bus?.acknowledgements == [])
    }

    @Test(arguments: Carrier.allCases)
    func `moves without a hole while records flow`(carrier: Carrier) throws {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let members = try ["a", "b"].map { try Member(world, $0, of: sharer) }
        let moved = Self.all[2]
        sharer.give(moved, to: [members[0]])
        try sharer.node.append(30, to: .input(moved))
        try world.run(until: { try sharer.isWhole(moved) })
        try world.run(until: { members[0].checkpoint(moved) })
        try world.run(until: { try !sharer.checkpoints(of: moved).isEmpty })
        sharer.node.work = { bus in
            guard bus.end(of: .input(moved)) < 300 else { return }
            let number = bus.end(of: .input(moved)) + 1
            try bus.append(Node.record(.input(moved), number), to: .input(moved))
        }
        try sharer.move(moved, to: members[1], in: world)
        try world.run(until: {
            try members[0].lost == [moved] && sharer.bus?.end(of: .input(moved)) == 300
                && sharer.isWhole(moved)
        })
        #expect(members[1].restored == [moved])
        #expect(members[1].begun.isEmpty)
        #expect(members[1].lost.isEmpty)
        #expect(members[0].bus?.holdings == [])
        #expect(
            (members.map(\.node) + [sharer.node]).allSatisfy {
                !$0.notices.contains(where: \.isAlarm)
            })
    }

    @Test(arguments: Carrier.allCases)
    func `comes back to whoever lost it, from the newest checkpoint`(carrier: Carrier) throws {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let members = try ["a", "b"].map { try Member(world, $0, of: sharer) }
        for round in 0..<4 {
            let member = members[round % 2]
            sharer.give(Self.all[0], to: [member])
            try sharer.node.append(25, to: .input(Self.all[0]))
            try world.run(until: { try sharer.isWhole(Self.all[0]) })
            try world.run(until: { member.checkpoint(Self.all[0]) })
            try world.run(until: { try sharer.checkpoints(of: Self.all[0]).count == round + 1 })
        }
        #expect(members.map(\.begun) == [[Self.all[0]], []])
        #expect(members.map(\.restored.count) == [1, 2])
        #expect(members.allSatisfy { $0.node.notices.filter(\.isAlarm).isEmpty })
    }

    @Test(arguments: Carrier.allCases)
    func `goes on with another member when its owner is killed`(carrier: Carrier) throws {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let members = try ["a", "b"].map { try Member(world, $0, of: sharer) }
        sharer.give(Self.all, to: [members[0]])
        for partition in Self.all { try sharer.node.append(40, to: .input(partition)) }
        try world.run(until: { try sharer.isWhole() })
        try world.run(until: { members[0].checkpoint(Self.all[0]) })
        try world.run(until: { members[0].verdicts == [.kept] })
        members[0].node.kill()
        for partition in Self.all { try sharer.node.append(40, to: .input(partition)) }
        sharer.give(Self.all, to: [members[1]])
        try world.run(until: { try sharer.isWhole() })
        #expect(members[1].restored == [Self.all[0]])
        #expect(Set(members[1].begun) == Set(Self.all.dropFirst()))
        // Somebody new under the same roof has another id.
        let before = sharer.joined
        try members[0].node.restart()
        try world.run(until: { sharer.joined.count == 3 })
        #expect(!before.contains(try #require(members[0].bus?.member)))
    }

    @Test(arguments: Carrier.allCases)
    func `has two owners at once without harm, one of them halted for long`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let members = try ["a", "b"].map { try Member(world, $0, of: sharer) }
        sharer.give(Self.all, to: members)
        for _ in 0..<10 {
            for partition in Self.all { try sharer.node.append(5, to: .input(partition)) }
            try world.round()
        }
        try world.run(until: { try sharer.isWhole() })
        // The first one stands still in the middle of its work, and is taken for dead.
        members[0].node.fate = { way, frame in way == .offer ? [] : [frame] }
        for partition in Self.all { try sharer.node.append(5, to: .input(partition)) }
        try world.round()
        members[0].node.isHalted = true
        sharer.give(Self.all, to: [members[1]])
        for _ in 0..<20 {
            for partition in Self.all { try sharer.node.append(5, to: .input(partition)) }
            try world.round()
        }
        try world.run(for: .seconds(2))
        try world.run(until: { try sharer.isWhole() })
        // It goes on as if nothing had been, until it hears that it has nothing any more.
        members[0].node.isHalted = false
        members[0].node.fate = { [$1] }
        try world.run(until: { members[0].bus?.holdings == [] })
        #expect(members[0].lost == Self.all)
        for partition in Self.all { try sharer.node.append(5, to: .input(partition)) }
        try world.run(until: { try sharer.isWhole() })
        let nodes = members.map(\.node) + [sharer.node]
        #expect(nodes.allSatisfy { $0.notices.filter(\.isAlarm).isEmpty })
    }

    @Test(arguments: Carrier.allCases)
    func `stays where it is while its keeper is away, and when it comes back`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let member = try Member(world, "member", of: sharer)
        sharer.give(Self.all, to: [member])
        try world.run(until: { member.begun.count == 4 })
        // What the keeper has when it goes is not all heard yet.
        sharer.node.fate = { way, frame in way == .publication && frame.isBatch ? [] : [frame] }
        for partition in Self.all { try sharer.node.append(10, to: .input(partition)) }
        try world.round()
        sharer.node.fate = { [$1] }
        sharer.node.kill()
        try world.run(for: .seconds(2))
        #expect(member.bus?.holdings.map(\.partition) == Self.all)
        try sharer.node.restart()
        for partition in Self.all { try sharer.node.append(10, to: .input(partition)) }
        try world.run(until: { try sharer.isWhole() })
        #expect(member.begun.count == 4)
        #expect(member.restored.isEmpty)
        #expect(member.lost.isEmpty)
        #expect(member.node.notices.filter(\.isAlarm).isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func `is free as soon as its owner says that it leaves`(carrier: Carrier) throws {
        let world = try World(carrier)
        let sharer = try Sharer(world)
        let member = try Member(world, "member", of: sharer)
        sharer.give(Self.all, to: [member])
        try world.run(until: { member.begun.count == 4 })
        let id = try #require(member.bus?.member)
        #expect(member.bus?.leave() == true)
        #expect(member.bus?.leave() == false)
        try world.run(until: { sharer.left == [id] })
        let last = sharer.holdings[id]
        try world.run(for: .seconds(2))
        #expect(sharer.holdings[id] == last, "nothing is renewed any more")
        #expect(sharer.left == [id])
        // Nobody else is left by leaving.
        #expect(sharer.bus?.leave() == false)
    }
}

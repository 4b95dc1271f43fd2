import Directory
import Model
import NotifierCore
import Testing

@Suite struct `Changes for live streams` {
    private static let anna = PersonID(ID128(high: 1, low: 1))
    private static let ben = PersonID(ID128(high: 1, low: 2))
    private static let family = CircleID(ID128(high: 3, low: 1))
    private static let work = CircleID(ID128(high: 3, low: 2))

    private static func circle(_ id: CircleID, _ people: [PersonID]) -> EventBody {
        .circleChanged(
            Circle(
                id: id, name: "C",
                members: people.map {
                    Membership(person: $0, role: .member, joined: .zero, trackerID: "A1")
                }))
    }

    /// A directory, and what is remembered of its records.
    private struct World {
        var directory = Replica()
        var changes = LiveChanges()
        var sequence: UInt64 = 0

        mutating func apply(_ body: EventBody) {
            sequence += 1
            let mark = LiveMark(
                sequence: sequence, check: 7, time: Timestamp(seconds: Int64(sequence)))
            let visible = VisibleChange.changes(by: body, in: directory)
            directory.apply(body)
            _ = changes.apply(visible, at: mark)
        }

        func events(_ person: PersonID, after sequence: UInt64, _ item: LiveItem? = nil)
            -> [String]
        {
            changes.events(
                for: person, after: LivePoint(sequence: sequence, item: item), in: directory
            ).map { "\($0.mark.sequence) \($0.isGone ? "gone " : "")\($0.item)" }
        }
    }

    private var world: World {
        var world = World()
        world.apply(.personChanged(Person(id: Self.anna, name: "Anna")))
        world.apply(.personChanged(Person(id: Self.ben, name: "Ben")))
        world.apply(Self.circle(Self.family, [Self.anna, Self.ben]))
        world.apply(Self.circle(Self.work, [Self.anna]))
        return world
    }

    @Test func `of requests for consent reach the person and a ward's guardians`() {
        var world = world
        world.apply(
            .personChanged(
                Person(
                    id: Self.ben, name: "Ben", guardians: [Self.anna],
                    wardUntil: Timestamp(seconds: 9))))
        world.apply(.consentsChanged(ConsentsChange(person: Self.ben)))
        #expect(world.events(Self.ben, after: 5) == ["6 consents:\(Self.ben)"])
        #expect(world.events(Self.anna, after: 5) == ["6 consents:\(Self.ben)"])
        world.apply(.consentsChanged(ConsentsChange(person: Self.anna)))
        #expect(world.events(Self.ben, after: 6) == [])
        #expect(world.events(Self.anna, after: 6) == ["7 consents:\(Self.anna)"])
        // After the takeover the former guardian learns nothing of older changes, either.
        world.apply(.personChanged(Person(id: Self.ben, name: "Ben")))
        #expect(world.events(Self.anna, after: 5) == ["7 consents:\(Self.anna)"])
        world.changes.prune(through: 7)
        #expect(world.events(Self.ben, after: 7) == ["8 \(Self.ben)"])
        let item = LiveItem.consents(Self.ben)
        #expect(LiveItem(item.description) == item)
    }

    @Test func `come in the order of their records`() {
        let all = world.events(Self.anna, after: 0)
        #expect(all == ["1 \(Self.anna)", "3 \(Self.family)", "4 \(Self.work)"])
        #expect(world.events(Self.anna, after: 3) == ["4 \(Self.work)"])
        #expect(world.events(Self.ben, after: 0) == ["2 \(Self.ben)", "3 \(Self.family)"])
        #expect(world.events(Self.ben, after: 3) == [])
    }

    @Test func `of one record continue within it`() {
        var world = world
        world.apply(.personChanged(Person(id: Self.anna, name: "Anne")))
        let all = ["5 \(Self.anna)", "5 \(Self.family)", "5 \(Self.work)"]
        #expect(world.events(Self.anna, after: 4) == all)
        #expect(world.events(Self.anna, after: 5, .person(Self.anna)) == Array(all[1...]))
        #expect(world.events(Self.anna, after: 5, .circle(Self.family)) == Array(all[2...]))
        #expect(world.events(Self.anna, after: 5, .circle(Self.work)) == [])
        #expect(world.events(Self.anna, after: 5) == [])
    }

    @Test func `replace each other`() {
        var world = world
        world.apply(Self.circle(Self.work, [Self.anna, Self.ben]))
        world.apply(.circleChanged(Circle(id: Self.work, name: "D", members: [])))
        #expect(world.events(Self.ben, after: 4) == ["6 gone \(Self.work)"])
        world.apply(Self.circle(Self.work, [Self.ben]))
        #expect(world.events(Self.ben, after: 4) == ["7 \(Self.work)"])
        #expect(world.events(Self.anna, after: 4) == ["6 gone \(Self.work)"])
    }

    @Test func `up to a record can be forgotten`() {
        var world = world
        world.apply(.circleRemoved(CircleRemoval(circle: Self.work)))
        world.changes.prune(through: 4)
        #expect(world.changes.floor == 4)
        #expect(world.events(Self.anna, after: 4) == ["5 gone \(Self.work)"])
        world.changes.prune(through: 5)
        #expect(world.events(Self.anna, after: 0) == [])
        world.changes.prune(through: 2)
        #expect(world.changes.floor == 5)
    }

    @Test func `are equal after loading their rows`() {
        var world = World()
        var loaded = LiveChanges()
        let bodies: [EventBody] = [
            .personChanged(Person(id: Self.anna, name: "Anna")),
            Self.circle(Self.family, [Self.anna]), Self.circle(Self.work, [Self.anna]),
            .circleRemoved(CircleRemoval(circle: Self.work)),
        ]
        for (index, body) in bodies.enumerated() {
            let mark = LiveMark(
                sequence: UInt64(index + 1), check: 7, time: Timestamp(seconds: 1))
            let visible = VisibleChange.changes(by: body, in: world.directory)
            world.directory.apply(body)
            for row in world.changes.apply(visible, at: mark) { loaded.load(row) }
        }
        let start = LivePoint(sequence: 0)
        let events = loaded.events(for: Self.anna, after: start, in: world.directory)
        #expect(events.count == 3)
        #expect(
            events == world.changes.events(for: Self.anna, after: start, in: world.directory))
    }

    @Test func `have items with a text`() {
        for item in [
            LiveItem.person(Self.anna), .circle(Self.family),
            .credential(CredentialID(ID128(high: 5, low: 5))),
        ] {
            #expect(LiveItem(item.description) == item)
        }
        #expect(LiveItem("x") == nil)
        #expect(LiveItem("") == nil)
    }

    @Test func `lie before and after points`() {
        let first = LivePoint(sequence: 3, item: .person(Self.anna))
        let second = LivePoint(sequence: 3, item: .circle(Self.family))
        let whole = LivePoint(sequence: 3)
        #expect(first < second && second < whole && !(whole < second) && !(whole < whole))
        #expect(LivePoint(sequence: 2) < first && whole < LivePoint(sequence: 4, item: nil))
    }
}

import Directory
import Model
import Testing

@testable import NotifierCore

/// Two equal worlds: in one Aisha ends her emergency with the PIN, in the other with the duress
/// PIN.
@Suite struct `An emergency under duress` {
    private static let duress = EmergencyID(ID128(high: 9, low: 99))

    private func signal() -> EmergencySignal {
        var signal = Town.signal(99, countdown: .zero)
        signal.underDuress = Town.emergency(1)
        return signal
    }

    private func cancel(_ world: World, endsOpen: Bool) -> EmergencyCancel {
        EmergencyCancel(
            id: EventID(ID128(high: 66, low: 1)), person: Town.aisha.id,
            emergency: Town.emergency(1), received: world.now, endsOpen: endsOpen ? true : nil)
    }

    /// Opened, and ended by Aisha after 20 s.
    private func world(underDuress: Bool, _ people: [Person] = []) -> World {
        var world = World()
        for person in people { world.change(.personChanged(person)) }
        world.receive(.sosRaised(Town.signal()))
        world.receive(.emergencyOpened(Town.change()))
        world.pass(.seconds(20))
        world.clear()
        if underDuress { world.receive(.sosRaised(signal())) }
        world.receive(.sosCancelled(cancel(world, endsOpen: true)))
        world.pass(.seconds(10))
        return world
    }

    private let own = Set(["+60111000001", "aisha@example.org"])

    /// What Aisha reads of her messages, without tokens.
    private func messages(_ world: World) -> [String] {
        world.notifications.filter {
            ($0.person == Town.aisha.id || $0.recipient == Town.aisha.id)
                && $0.emergency.flatMap(world.emergency)?.isVisible(to: Town.aisha.id) != false
        }.map { row in
            let text = (row.shown ?? row.rendered).short
            return "\(row.created) \(row.id) \(row.reason) \(row.state) \(row.address) \(text)"
        }.sorted()
    }

    private func entries(_ world: World) -> [TimelineRecord] {
        world.timeline.filter { $0.isCovert != true }
    }

    @Test func `leaves no trace for its person`() {
        let truly = world(underDuress: false)
        let covert = world(underDuress: true)
        #expect(messages(truly) == messages(covert))
        #expect(entries(truly) == entries(covert))
        #expect(truly.sent.filter { own.contains($0.address) }.isEmpty)
        #expect(covert.sent.filter { own.contains($0.address) }.isEmpty)
        #expect(
            truly.emergency(Town.emergency(1)) == covert.emergency(Town.emergency(1)))
    }

    @Test func `is open for others, who are asked not to call`() throws {
        var world = world(underDuress: true)
        let emergency = try #require(world.emergency(Self.duress))
        #expect(emergency.state == .open && emergency.underDuress == Town.emergency(1))
        #expect(emergency.reference == world.emergency(Town.emergency(1))?.reference)
        #expect(Set(world.addresses).isSuperset(of: ["+60111000002", "budi@example.org"]))
        #expect(world.sent.allSatisfy { $0.text.contains("DO NOT CALL") })
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        #expect(world.emergency(Self.duress)?.state == .acknowledged, "by the id that they know")
        world.handle(.resolve(Town.command(2, by: .person(Town.citra.id))))
        #expect(world.answers[2] == .denied(.roleTooLow), "Budi is the guardian")
        world.clear()
        world.handle(.resolve(Town.command(3, by: .person(Town.budi.id))))
        #expect(world.emergency(Self.duress)?.state == .resolved)
        world.pass(.seconds(86_400))
        #expect(world.sent.allSatisfy { !own.contains($0.address) }, "no question, no stand-down")
    }

    @Test func `cannot be seen or ended by its person`() {
        var world = world(underDuress: true)
        var command = Town.command(1, by: .person(Town.aisha.id))
        command.emergency = Self.duress
        world.handle(.confirmEnd(command))
        #expect(world.answers[1] == .unknown)
        command.request = 2
        world.handle(.resolve(command))
        #expect(world.answers[2] == .unknown)
        #expect(world.emergency(Self.duress)?.state == .open)
    }

    /// Budi has Aisha's number, too: what goes there is that of a true end.
    @Test func `sends nothing about it to an address that is also the person's`() {
        var budi = Town.budi
        budi.contacts[0].address = Town.aisha.contacts[0].address
        let truly = world(underDuress: false, [budi])
        let covert = world(underDuress: true, [budi])
        func texts(_ world: World) -> [String] {
            world.sent.filter { own.contains($0.address) }.map(\.text)
        }
        #expect(!texts(truly).isEmpty)
        #expect(texts(truly) == texts(covert))
        #expect(!covert.sent.contains { own.contains($0.address) && $0.text.contains("DURESS") })
    }

    @Test func `a further call reads like a first one, and tells others not to call`() {
        func call(_ world: inout World) {
            world.clear()
            world.receive(.sosRaised(Town.signal(2, at: world.now)))
            world.receive(.emergencyOpened(Town.change(2, raised: world.now)))
            world.pass(.seconds(5))
        }
        var truly = world(underDuress: false)
        var covert = world(underDuress: true)
        call(&truly)
        call(&covert)
        #expect(messages(truly) == messages(covert))
        #expect(entries(truly) == entries(covert))
        #expect(covert.sent.contains { $0.text.contains("DO NOT CALL") })
        #expect(!truly.sent.contains { $0.text.contains("DO NOT CALL") })
    }

    @Test(arguments: ["text", "timeline", "address"])
    func `a planted leak is found`(surface: String) {
        let truly = world(underDuress: false)
        let covert = world(underDuress: true)
        switch surface {
        case "text":
            let leaked = covert.notifications.filter { $0.person == Town.aisha.id }.count
            #expect(leaked != messages(truly).count, "rows of the second emergency differ")
        case "timeline": #expect(covert.timeline != entries(truly))
        default:
            #expect(
                covert.sent.map(\.text) != truly.sent.map(\.text), "recipients get other texts")
        }
    }

    @Test func `survives a restart, and its snapshot says that it is one`() {
        var world = world(underDuress: true)
        world.restart()
        world.clear()
        world.handle(.ingestReplaced(nil))
        let snapshots = world.published.compactMap { body -> EmergencySnapshot? in
            guard case .emergencySnapshot(let snapshot) = body else { return nil }
            return snapshot.emergency == Self.duress ? snapshot : nil
        }
        #expect(snapshots.first?.signals.first?.underDuress == Town.emergency(1))
    }

    @Test(arguments: [
        ("SAFE 4711", "SAFE ····"), ("4711", "····"), ("in 12 min", "in 12 min"),
        ("call 601234567890", "call 601234567890"), ("a12345678b", "a····b"),
    ])
    func `a PIN in a text is not stored`(text: String, shown: String) {
        #expect(Replies.withoutPINs(text) == shown)
    }
}

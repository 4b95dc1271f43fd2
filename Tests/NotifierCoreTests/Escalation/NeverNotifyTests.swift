import Directory
import Model
import Testing

@testable import NotifierCore

/// Nobody on a never-notify list is notified, and nobody else can notice.
@Suite struct `People on a never-notify list` {
    /// Two equal worlds; in the second, Aisha's list excludes somebody.
    private func worlds(
        people: [Person] = [], circles: [CircleID] = []
    ) -> (open: World, hiding: World) {
        let open = World()
        var hiding = World()
        hiding.change(
            .neverNotifyChanged(
                NeverNotifyList(person: Town.aisha.id, people: people.map(\.id), circles: circles)))
        return (open, hiding)
    }

    private func both(
        _ worlds: inout (open: World, hiding: World), _ body: (inout World) -> Void
    ) {
        body(&worlds.open)
        body(&worlds.hiding)
    }

    /// Timelines as others read them.
    private func shown(_ world: World) -> [TimelineRecord] {
        world.timeline.map { record in
            var shown = record
            for index in shown.decisions.indices { shown.decisions[index].isWithheld = nil }
            return shown
        }
    }

    private func notified(_ world: World) -> Set<String> { Set(world.addresses) }

    private let budis = Set(["+60111000002", "budi@example.org"])

    @Test func `get nothing from the first call to the end, and timelines are the same`() {
        var pair = worlds(people: [Town.budi])
        both(&pair) { world in
            world.receive(.sosRaised(Town.signal()))
            world.receive(.emergencyOpened(Town.change()))
            world.pass(.seconds(130))
            world.receive(.emergencyJoined(Town.change(signal: 2)))
            world.handle(.acknowledge(Town.command(1, by: .person(Town.citra.id))))
            world.pass(.seconds(60))
            world.receive(.emergencyJoined(Town.change(signal: 3, reopened: true)))
            world.handle(.acknowledge(Town.command(2, by: .person(Town.citra.id))))
            world.handle(.resolve(Town.command(3, by: .person(Town.citra.id))))
        }
        #expect(notified(pair.open).isSuperset(of: budis))
        #expect(notified(pair.hiding).isDisjoint(with: budis))
        #expect(notified(pair.hiding) == notified(pair.open).subtracting(budis))
        #expect(shown(pair.hiding) == shown(pair.open), "same entries, decisions and times")
        #expect(!pair.hiding.emergencies[Town.emergency(1)]!.recipients.contains(Town.budi.id))
    }

    @Test func `cannot acknowledge, resolve or read`() {
        var pair = worlds(people: [Town.budi])
        both(&pair) { world in
            world.receive(.emergencyOpened(Town.change()))
            world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
            world.handle(.resolve(Town.command(2, by: .person(Town.budi.id))))
        }
        guard case .status? = pair.open.answers[1] else {
            Issue.record("Budi may acknowledge without the list")
            return
        }
        #expect(pair.hiding.answers[1] == .unknown && pair.hiding.answers[2] == .unknown)
    }

    @Test func `are waited for like others, so that the next tier reveals nothing`() {
        var pair = worlds(people: [Town.budi])
        both(&pair) { $0.receive(.emergencyOpened(Town.change())) }
        #expect(pair.hiding.sent.isEmpty, "Budi is the only guardian")
        both(&pair) { $0.pass(.seconds(119)) }
        #expect(pair.hiding.sent.isEmpty)
        both(&pair) { $0.pass(.seconds(2)) }
        #expect(pair.hiding.addresses.contains("+60111000003"), "Citra, the admin")
        #expect(shown(pair.hiding).map(\.at) == shown(pair.open).map(\.at))
    }

    @Test func `are not notified by the fallback without evaluators`() {
        var pair = worlds(people: [Town.budi, Town.citra])
        both(&pair) { world in
            world.receive(.sosRaised(Town.signal()))
            world.pass(.seconds(900))
        }
        #expect(
            notified(pair.hiding).isSubset(of: [
                "+60111000004", "+60111000001", "aisha@example.org",
            ]))
        #expect(shown(pair.hiding).map(\.kind) == shown(pair.open).map(\.kind))
    }

    @Test func `are not notified about zones, contact and phones`() {
        var pair = worlds(people: [Town.budi])
        both(&pair) { world in
            world.receive(.zoneEntered(Town.crossing()))
            world.receive(
                .deviceImpaired(
                    ReportingImpairment(
                        person: Town.aisha.id, device: DeviceID(.zero),
                        impairments: [.locationPermission], at: world.now)))
        }
        #expect(notified(pair.open).isSuperset(of: ["+60111000002", "+60111000003"]))
        #expect(notified(pair.hiding).isDisjoint(with: budis))
        #expect(notified(pair.hiding).contains("+60111000003"))
        #expect(shown(pair.hiding) == shown(pair.open))
    }

    @Test func `get no message that was queued before the list changed`() {
        var world = World()
        world.gateway = { _ in nil }
        world.receive(.emergencyOpened(Town.change()))
        #expect(notified(world) == budis)
        let first = world.sent
        for message in first {
            world.handle(
                .attempted(
                    AttemptResult(
                        notification: message.notification, number: message.attempt,
                        outcome: .later, answer: "busy")))
        }
        world.clear()
        world.change(
            .neverNotifyChanged(
                NeverNotifyList(person: Town.aisha.id, people: [Town.budi.id])))
        world.pass(.seconds(600))
        #expect(notified(world).isDisjoint(with: budis))
        #expect(!world.sent.isEmpty, "the others are notified")
    }

    @Test func `of an excluded circle learn nothing, members of another one do`() {
        var pair = worlds(circles: [Town.familyID])
        both(&pair) { world in
            world.change(
                .circleChanged(
                    Circle(
                        id: Town.teamID, name: "Team",
                        members: [
                            Town.member(Town.aisha, .member, "AI"),
                            Town.member(Town.dewi, .guardian, "DE"),
                        ])))
            world.receive(.emergencyOpened(Town.change()))
            world.pass(.seconds(600))
        }
        #expect(notified(pair.hiding).isDisjoint(with: budis.union(["+60111000003"])))
        #expect(pair.hiding.addresses.contains("+60111000004"), "Dewi is in the team, too")
        #expect(shown(pair.hiding) == shown(pair.open))
    }

    @Test func `if nobody is left, the person learns at once that nobody was reached`() {
        var pair = worlds(people: [Town.budi, Town.citra, Town.dewi])
        both(&pair) { $0.receive(.emergencyOpened(Town.change())) }
        #expect(
            pair.hiding.sent.allSatisfy {
                $0.address == "+60111000001" || $0.address == "aisha@example.org"
            })
        #expect(
            !pair.hiding.sent.isEmpty
                && pair.hiding.notifications.contains { $0.reason == .ownNobodyReached })
        #expect(!pair.open.notifications.contains { $0.reason == .ownNobodyReached })
        #expect(pair.hiding.warnings == pair.open.warnings, "logs reveal nothing")
        #expect(shown(pair.hiding) == shown(pair.open))
    }

    @Test func `cannot be found out by a text to their number`() {
        var world = World(hasReplies: true)
        world.receive(.emergencyOpened(Town.change()))
        world.change(
            .neverNotifyChanged(
                NeverNotifyList(person: Town.aisha.id, people: [Town.budi.id])))
        world.clear()
        let code = world.code(at: "+60111000002")
        var peaceful = World(hasReplies: true)
        for text in ["OK", "OK \(code)", "NO \(code) not me", "where are you"] {
            let reply = Input.reply(
                Reply(
                    id: ID128(high: 66, low: UInt64(text.count)), sender: "+60111000002",
                    text: text, trace: ""))
            world.handle(reply)
            peaceful.handle(reply)
        }
        #expect(world.sent.map(\.text) == peaceful.sent.map(\.text))
        #expect(world.timeline.isEmpty)
        #expect(world.emergencies[Town.emergency(1)]?.state == .open)
    }
}

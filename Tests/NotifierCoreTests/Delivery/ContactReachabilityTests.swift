import Model
import NotifierCore
import Testing

@Suite struct `Unreachable contact points` {
    private let budi = "+60111000002"
    private let citra = "+60111000003"

    private func change(_ world: World) -> [ReachabilityChange] {
        world.published.compactMap {
            if case .reachabilityChanged(let news) = $0 { news } else { nil }
        }
    }

    private func problems(_ world: World) -> [ContactProblem?] {
        change(world).flatMap(\.contacts).map(\.problem)
    }

    private func refusing(
        _ addresses: Set<String>, isOptOut: Bool = false
    ) -> (OutgoingMessage) -> AttemptResult? {
        { delivery in
            let isRefused = addresses.contains(delivery.address)
            return AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: isRefused ? .rejected : .accepted, isOptOut: isRefused && isOptOut)
        }
    }

    /// Budi, the guardian, has one number and no mail address.
    private func worldWithOneNumber() -> World {
        var world = World()
        var person = Town.budi
        person.contacts.removeAll { $0.channel != .sms }
        world.change(.personChanged(person))
        return world
    }

    private func sms(_ world: World, to address: String) throws -> Notification {
        try #require(world.notifications.first { $0.address == address })
    }

    @Test func `are published once refused, and no more once accepted`() throws {
        var world = worldWithOneNumber()
        world.gateway = refusing([budi])
        world.receive(.emergencyOpened(Town.change()))
        #expect(problems(world) == [.dead])
        #expect(world.numbers[budi]?.dead == world.now)
        world.clear()
        world.restart()
        #expect(problems(world) == [.dead], "all of it at each start")
        #expect(change(world).first?.gateways?.map(\.name) == ["sms", "mail"])
        world.clear()
        world.gateway = refusing([])
        world.pass(.seconds(400))
        #expect(problems(world) == [nil])
        #expect(world.numbers[budi]?.dead == nil)
    }

    @Test func `are tried, but their tier is not waited for`() {
        var world = worldWithOneNumber()
        world.gateway = refusing([budi])
        world.receive(.emergencyOpened(Town.change()))
        world.receive(.emergencyResolved(Town.change(1, .resolved)))
        world.clear()
        world.receive(.emergencyOpened(Town.change(2)))
        #expect(world.addresses.contains(budi))
        #expect(world.addresses.contains(citra), "the next tier at once")
        #expect(!world.addresses.contains("+60111000004"))
        let tiers = world.published.compactMap {
            if case .escalationTierStarted(let news) = $0 { news.tier } else { nil }
        }
        #expect(tiers == [0, 1])
    }

    @Test func `are those who said STOP, to Jaga or to the gateway`() {
        var world = worldWithOneNumber()
        world.handle(.setOptOut(request: 1, number: budi, isOptedOut: true))
        #expect(problems(world) == [.optedOut])
        world.clear()
        world.receive(.emergencyOpened(Town.change()))
        #expect(Set(world.addresses) == [budi, citra], "notified without a wait")
        world.handle(.setOptOut(request: 2, number: budi, isOptedOut: false))
        #expect(problems(world) == [nil])
        world.clear()
        world.gateway = refusing([citra], isOptOut: true)
        world.pass(.seconds(121))
        world.receive(.emergencyJoined(Town.change(signal: 3)))
        #expect(problems(world) == [.optedOut] && world.numbers[citra]?.dead == nil)
    }

    @Test func `of everybody are said to the operator and the person at once`() {
        var world = worldWithOneNumber()
        var family = Town.family
        family.members.removeAll { ![Town.aisha.id, Town.budi.id].contains($0.person) }
        world.change(.circleChanged(family))
        world.handle(.setOptOut(request: 1, number: budi, isOptedOut: true))
        world.clear()
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.warnings.contains(.nobodyReachable(Town.emergency(1))))
        #expect(world.sent.contains { $0.text.contains("Nobody reached yet") })
        #expect(world.addresses.count { $0 == budi } == 1, "STOP does not concern emergencies")
        let reached = world.published.compactMap { body -> NotificationState? in
            if case .emergencySnapshot(let status) = body { status.reached } else { nil }
        }
        #expect(reached.isEmpty, "accepted for such a number reaches nobody")
        world.clear()
        world.pass(.seconds(301))
        #expect(world.addresses.count { $0 == budi } == 1, "again each five minutes")
    }

    @Test func `are those to which two messages in a row were not delivered`() throws {
        var world = worldWithOneNumber()
        world.receive(.emergencyOpened(Town.change()))
        let first = try sms(world, to: budi)
        for _ in 0..<2 {
            world.handle(.receipt(Receipt(notification: first.id, kind: .failed)))
        }
        #expect(problems(world).isEmpty, "the same twice is one")
        #expect(world.notification(first.id)?.state == .rejected)
        world.receive(.emergencyResolved(Town.change(1, .resolved)))
        world.receive(.emergencyOpened(Town.change(2)))
        let second = try #require(
            world.notifications.first {
                $0.address == budi && $0.emergency == Town.emergency(2)
            })
        world.handle(.receipt(Receipt(notification: second.id, kind: .failed)))
        #expect(problems(world) == [.dead])
        world.handle(.receipt(Receipt(notification: second.id, kind: .delivered)))
        #expect(problems(world) == [.dead, nil])
        #expect(world.notification(second.id)?.state == .delivered, "delivered wins over refused")
    }

    @Test func `give way to another number of the person`() {
        var world = World()
        var person = Town.budi
        person.contacts.append(
            ContactPoint(
                id: ContactID(ID128(high: 9, low: 9)), channel: .sms, address: "+60111000099",
                rank: 9, verified: .zero))
        world.change(.personChanged(person))
        world.gateway = refusing([budi])
        world.receive(.emergencyOpened(Town.change()))
        world.receive(.emergencyResolved(Town.change(1, .resolved)))
        world.clear()
        world.receive(.emergencyOpened(Town.change(2)))
        #expect(world.addresses.contains("+60111000099") && !world.addresses.contains(budi))
    }

    @Test func `are all of them where only the sink is left, which is notified as such`() {
        var world = World(gateways: [
            Gateway(name: "sink", channels: [.sms, .email], kind: .defaultSink)
        ])
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt, outcome: .sink)
        }
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.notifications.allSatisfy { $0.state == .sink })
        #expect(world.published.contains { $0.kind == .escalationExhausted })
        #expect(world.timeline.filter { $0.kind == .tier }.allSatisfy { $0.isSinkOnly == true })
        let states = world.published.compactMap {
            if case .notificationChanged(let news) = $0 { news.state } else { nil }
        }
        #expect(states.contains(.sink) && !states.contains(.accepted))
    }

    @Test func `are no fault of a gateway, which is published when it goes down and comes back`() {
        var world = World(gateways: [Gateway(name: "sms", channels: [.sms])])
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: .unreachable)
        }
        world.receive(.emergencyOpened(Town.change()))
        world.pass(.seconds(10))
        let first = change(world).compactMap(\.gateways)
        #expect(first.count == 1 && first[0][0].failing != nil)
        world.pass(.seconds(120))
        let repeated = change(world).compactMap(\.gateways).count
        #expect((2...4).contains(repeated), "again while it fails, at most once a minute")
        world.gateway = refusing([])
        world.pass(.seconds(60))
        #expect(change(world).compactMap(\.gateways).last?[0].failing == nil)
    }
}

import Directory
import Model
import Testing

@Suite struct `A reachable helper` {
    private static let anna = PersonID(ID128(high: 0, low: 1))
    private static let ben = PersonID(ID128(high: 0, low: 2))
    private static let now = Timestamp("2026-11-20T12:00:00Z")!
    private static let number = contact(.sms, "+15550100")
    private static let mail = contact(.email, "ben@example.org")

    private static func contact(_ channel: Channel, _ address: String) -> ContactPoint {
        ContactPoint(id: ContactID(.zero), channel: channel, address: address, verified: .zero)
    }

    private func replica(
        joined: Timestamp? = .zero, contacts: [ContactPoint] = [Self.number]
    ) -> Replica {
        var replica = Replica()
        let anna = Person(id: Self.anna, name: "Anna", contacts: [Self.contact(.sms, "+15550199")])
        replica.apply(.personChanged(anna))
        replica.apply(.personChanged(Person(id: Self.ben, name: "Ben", contacts: contacts)))
        let members = [
            Membership(person: Self.anna, role: .member, joined: .zero, trackerID: "an"),
            Membership(person: Self.ben, role: .guardian, joined: joined, trackerID: "be"),
        ]
        replica.apply(
            .circleChanged(Circle(id: CircleID(.zero), name: "Family", members: members)))
        return replica
    }

    private func gateway(
        _ kind: GatewayState.Kind = .external, _ channels: [Channel] = [.sms],
        failing: Timestamp? = nil
    ) -> GatewayState {
        GatewayState(name: "one", kind: kind, channels: channels, failing: failing)
    }

    private func obstacle(
        _ reachability: Reachability, _ replica: Replica
    ) -> UnreachableReason? {
        reachability.obstacle(toHelpersOf: Self.anna, in: replica, at: Self.now)
    }

    @Test func `is another member of a circle with a contact point that a gateway serves`() {
        #expect(obstacle(Reachability(gateways: [gateway()]), replica()) == nil)
        #expect(obstacle(Reachability(), replica()) == nil, "gateways not known yet")
        #expect(
            obstacle(
                Reachability(gateways: [gateway()]), replica(contacts: [Self.mail, Self.number]))
                == nil)
    }

    @Test func `does not exist without another member with a contact point`() {
        let all = Reachability(gateways: [gateway()])
        #expect(obstacle(all, Replica()) == .nobodyElse)
        #expect(obstacle(all, replica(joined: nil)) == .nobodyElse)
        #expect(obstacle(all, replica(contacts: [])) == .noContactPoint)
    }

    @Test func `does not exist on a channel without a working gateway`() {
        let push = replica(contacts: [Self.contact(.push, "https://push.example.org/1")])
        #expect(obstacle(Reachability(), push) == .noGateway)
        #expect(obstacle(Reachability(gateways: [gateway()]), push) == .noGateway)
        let mail = replica(contacts: [Self.mail])
        #expect(obstacle(Reachability(gateways: [gateway()]), mail) == .noGateway)
        #expect(obstacle(Reachability(gateways: []), replica()) == .noGateway)
    }

    @Test func `is reachable by the built-in sink only if the operator chose it`() {
        #expect(obstacle(Reachability(gateways: [gateway(.defaultSink)]), replica()) == .sinkOnly)
        let chosen = Reachability(gateways: [gateway(.chosenSink)])
        #expect(obstacle(chosen, replica()) == nil)
        #expect(chosen.isChosenSink("one") && !chosen.isChosenSink("two"))
    }

    @Test func `has another number than the person's own`() throws {
        let all = Reachability(gateways: [gateway(.external, [.sms, .email])])
        var shared = replica()
        var anna = try #require(shared.person(Self.anna))
        anna.contacts = [Self.number]
        shared.apply(.personChanged(anna))
        #expect(obstacle(all, shared) == .ownContact)
        var both = replica(contacts: [Self.number, Self.mail])
        both.apply(.personChanged(anna))
        #expect(obstacle(all, both) == nil, "a mail address of their own")
    }

    @Test func `does not exist for 10 min after a gateway failed`() {
        let down = Reachability(gateways: [gateway(failing: Self.now - .seconds(599))])
        #expect(obstacle(down, replica()) == .gatewayDown)
        #expect(down.obstacle(to: Self.number, at: nil) == nil, "messages still try it")
        let silent = Reachability(gateways: [gateway(failing: Self.now - .seconds(601))])
        #expect(obstacle(silent, replica()) == nil)
        let second = Reachability(gateways: [gateway(failing: Self.now), gateway()])
        #expect(obstacle(second, replica()) == nil)
    }

    @Test(arguments: [
        (ContactProblem.optedOut, UnreachableReason.optedOut), (.dead, .dead),
    ])
    func `has no contact point that is opted out or dead`(
        problem: ContactProblem, reason: UnreachableReason
    ) {
        var all = Reachability(gateways: [gateway(.external, [.sms, .email])])
        all.apply(
            ReachabilityChange(contacts: [
                ContactPointState(contact: Self.number.key, problem: problem)
            ]))
        #expect(obstacle(all, replica()) == reason)
        #expect(obstacle(all, replica(contacts: [Self.number, Self.mail])) == nil)
        all.apply(
            ReachabilityChange(contacts: [
                ContactPointState(contact: Self.number.key, problem: nil)
            ]))
        #expect(obstacle(all, replica()) == nil)
        #expect(all.gateways?.count == 1, "unchanged gateways are not published")
    }

    @Test func `has a verified contact point`() {
        let all = Reachability(gateways: [gateway(.external, [.sms, .email])])
        var number = Self.number
        number.verified = nil
        #expect(obstacle(all, replica(contacts: [number])) == .unverified)
        #expect(obstacle(all, replica(contacts: [number, Self.mail])) == nil)
        #expect(all.obstacle(to: number, unverified: true, at: Self.now) == nil, "a last resort")
        let ben = Person(id: Self.ben, name: "Ben", contacts: [number])
        #expect(all.obstacle(to: ben, unverified: true, at: Self.now) == nil)
        #expect(obstacle(Reachability(gateways: []), replica(contacts: [number])) == .noGateway)
    }
}

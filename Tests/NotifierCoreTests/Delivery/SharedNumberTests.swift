import Directory
import Model
import Testing

@testable import NotifierCore

/// Two people with the same number.
struct SharedNumberTests {
    /// Citra, in the first tier with Budi, has Budi's number and no mail address.
    private func world(_ more: [ContactPoint] = []) -> World {
        var world = World()
        var citra = Town.citra
        citra.contacts = [
            ContactPoint(
                id: ContactID(ID128(high: 3, low: 7)), channel: .sms, address: "+60111000002",
                rank: 0, verified: .zero)
        ]
        citra.contacts += more
        world.change(.personChanged(citra))
        var family = Town.family
        family.escalation = [EscalationTier(roles: [.guardian, .admin])]
        world.change(.circleChanged(family))
        return world
    }

    private func count(_ world: World, _ address: String) -> Int {
        world.sent.count { $0.address == address }
    }

    @Test func `an alarm is sent once and counts for both`() throws {
        var world = world()
        world.receive(.emergencyOpened(Town.change()))
        #expect(count(world, "+60111000002") == 1)
        let notified = try #require(world.emergency(Town.emergency(1))).recipients
        #expect(notified == [Town.budi.id, Town.citra.id])
        let tier = try #require(world.timeline.first { $0.kind == .tier })
        #expect(tier.decisions.map(\.recipient) == [Town.budi.id, Town.citra.id])
        #expect(tier.decisions.map(\.reason) == [.tier, .sharedAddress])
        #expect(tier.decisions.allSatisfy { $0.reason.sendsMessage })
        let recipients = world.published.compactMap { body -> PersonID? in
            guard case .notificationChanged(let news) = body, news.state == .accepted,
                news.channel == .sms
            else { return nil }
            return news.recipient
        }
        #expect(Set(recipients) == [Town.budi.id, Town.citra.id])
        world.clear()
        world.pass(.seconds(120))
        #expect(count(world, "+60111000002") == 1, "each further round is one message, too")
        world.handle(.acknowledge(Town.command(1, by: .person(Town.citra.id))))
        #expect(world.emergency(Town.emergency(1))?.firstAcknowledgement?.by == Town.citra.id)
    }

    @Test func `an OK acknowledges for the one who is still in the circle`() {
        var world = world()
        world.receive(.emergencyOpened(Town.change()))
        let reference = world.code(at: "+60111000002")
        var family = Town.family.without(Town.budi.id)
        family.escalation = [EscalationTier(roles: [.guardian, .admin])]
        world.change(.circleChanged(family))
        world.handle(
            .reply(
                Reply(
                    id: ID128(high: 5, low: 1), sender: "+60111000002", text: "OK \(reference)",
                    trace: "")))
        #expect(world.emergency(Town.emergency(1))?.firstAcknowledgement?.by == Town.citra.id)
    }

    @Test func `after a rejection each of them is notified on their next contact point`() {
        let other = ContactPoint(
            id: ContactID(ID128(high: 3, low: 8)), channel: .sms, address: "+60111000033", rank: 1,
            verified: .zero)
        var world = world([other])
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.address == "+60111000002" ? .rejected : .accepted, answer: "no")
        }
        world.receive(.emergencyOpened(Town.change()))
        #expect(count(world, "+60111000002") == 1 && count(world, "+60111000033") == 1)
        #expect(count(world, "budi@example.org") >= 1)
    }

    @Test func `a tier whose number was just texted is not waited for`() {
        var world = World()
        var citra = Town.citra
        citra.contacts[0].address = "+60111000002"
        world.change(.personChanged(citra))
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        world.pass(.seconds(121))
        #expect(world.addresses == ["+60111000004"], "the tier after Citra's, at once")
        #expect(world.emergency(Town.emergency(1))?.recipients.contains(Town.citra.id) == true)
        let tiers = world.timeline.filter { $0.kind == .tier }
        #expect(tiers.map(\.tier) == [1, 2])
        #expect(tiers.first?.decisions.map(\.reason) == [.sharedAddress])
        world.clear()
        world.pass(.seconds(120))
        #expect(count(world, "+60111000002") == 1)
        #expect(world.sent.contains { $0.text.contains("NO ANSWER YET") })
    }

    @Test func `if it ended for one of two, the number only gets that it is still open`() {
        var world = World()
        var eko = Town.eko
        eko.contacts[0].address = "+60111000002"
        world.change(.personChanged(eko))
        world.change(
            .circleChanged(
                Circle(
                    id: Town.teamID, name: "Team",
                    members: [
                        Town.member(Town.aisha, .member, "AI"),
                        Town.member(Town.eko, .guardian, "EK"),
                    ])))
        world.receive(.emergencyOpened(Town.change()))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.clear()
        world.handle(.resolve(Town.command(2, by: .person(Town.budi.id))))
        let texts = world.sent.filter { $0.address == "+60111000002" }.map(\.text)
        #expect(!texts.contains { $0.contains("is over") }, "\(texts)")
        #expect(texts.count { $0.contains("It is still open for you") } == 1)
        #expect(
            world.sent.contains { $0.address == "budi@example.org" && $0.text.contains("is over") })
    }
}

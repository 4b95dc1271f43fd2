import Directory
import Model
import NotifierCore
import Testing

/// What verified and unverified contact points get.
struct VerifiedContactTests {
    /// A person whose contact points with these addresses are not verified.
    private func unverified(_ person: Person, _ addresses: String...) -> Person {
        var person = person
        person.contacts = person.contacts.map { contact in
            var contact = contact
            if addresses.contains(contact.address) { contact.verified = nil }
            return contact
        }
        return person
    }

    private let budi = Town.budi
    private let number = "+60111000002"
    private let mail = "budi@example.org"

    @Test func `a zone notification goes to verified contact points only`() {
        var world = World()
        world.change(.personChanged(unverified(budi, number)))
        world.receive(.zoneEntered(Town.crossing()))
        #expect(Set(world.addresses) == [mail, "+60111000003"])
    }

    @Test func `without a verified one the reason is recorded`() throws {
        var world = World()
        world.change(.personChanged(unverified(budi, number, mail)))
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.addresses == ["+60111000003"])
        let decisions = try #require(world.timeline.last?.decisions)
        #expect(decisions.contains(NotifyDecision(recipient: budi.id, reason: .notVerified)))
    }

    @Test func `a rejected zone notification does not move to an unverified contact point`() {
        var world = World()
        world.change(.personChanged(unverified(budi, mail)))
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: .rejected)
        }
        world.receive(.zoneEntered(Town.crossing()))
        #expect(!world.addresses.contains(mail))
    }

    @Test func `an emergency goes to both, to the verified one first`() {
        var world = World()
        world.change(.personChanged(unverified(budi, number)))
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.sent.filter { $0.channel == .sms }.map(\.address) == [number])
        #expect(Set(world.addresses) == [mail, number])
        var contacts = unverified(budi, number).contacts
        contacts = ContactSelector.all(
            of: Person(id: budi.id, name: "", contacts: contacts), on: Channel.allCases)
        #expect(contacts.map(\.address) == [mail, number], "although the number ranks first")
    }

    @Test func `on one channel the verified one is preferred`() {
        var person = unverified(budi, number)
        person.contacts.append(
            ContactPoint(
                id: ContactID(ID128(high: 2, low: 9)), channel: .sms, address: "+60111000029",
                rank: 9, verified: .zero))
        var world = World()
        world.change(.personChanged(person))
        world.receive(.emergencyOpened(Town.change()))
        #expect(Set(world.addresses) == [mail, "+60111000029"])
    }

    @Test func `people with a verified contact point come first in their tier`() {
        var family = Town.family
        family.escalation = [EscalationTier(roles: [.guardian, .admin], channels: [.sms])]
        var world = World()
        world.change(.circleChanged(family))
        world.change(.personChanged(unverified(budi, number)))
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.addresses == ["+60111000003", number])
        let people = world.timeline.last?.decisions.map(\.recipient)
        #expect(people == people?.sorted())
    }

    @Test func `a tier with unverified contact points only is waited for`() {
        var world = World()
        world.change(.personChanged(unverified(budi, number, mail)))
        world.receive(.emergencyOpened(Town.change()))
        #expect(Set(world.addresses) == [number, mail])
        world.clear()
        world.pass(.seconds(119))
        #expect(world.sent.isEmpty)
        world.pass(.seconds(1))
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `a tier with neither is skipped at once`() {
        var nobody = budi
        nobody.contacts = []
        var world = World()
        world.change(.personChanged(nobody))
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.addresses == ["+60111000003"])
    }
}

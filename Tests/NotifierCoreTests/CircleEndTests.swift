import Directory
import Model
import Testing

@testable import NotifierCore

/// Somebody else ends an emergency of a person who is in two circles: the family, which Budi
/// guards, and the team, which Eko guards.
struct CircleEndTests {
    private static func team(_ others: Membership...) -> EventBody {
        .circleChanged(
            Circle(
                id: Town.teamID, name: "Team",
                members: [Town.member(Town.aisha, .member, "AI")] + others))
    }

    private func opened(
        hasReplies: Bool = false, _ team: EventBody = team(Town.member(Town.eko, .guardian, "EK"))
    ) -> World {
        var world = World(hasReplies: hasReplies)
        world.change(team)
        world.tell(.emergencyOpened(Town.news()))
        world.clear()
        return world
    }

    private func acknowledge(_ world: inout World, _ request: UInt64, by person: Person) {
        world.handle(.acknowledge(Town.command(request, by: .person(person.id))))
    }

    private func resolve(_ world: inout World, _ request: UInt64, by person: Person) {
        world.handle(.resolve(Town.command(request, by: .person(person.id))))
    }

    private func state(_ world: World) -> EmergencyState? {
        world.emergency(Town.emergency(1))?.state
    }

    private func resolutions(_ world: World) -> [EmergencyAnswer] {
        world.published.compactMap {
            if case .resolutionGiven(let answer) = $0 { answer } else { nil }
        }
    }

    private func standings(_ world: World) -> [LadderStanding] {
        world.published.compactMap {
            if case .ladderStanding(let standing) = $0 { standing } else { nil }
        }
    }

    private func texts(_ world: World, to person: Person) -> [String] {
        let addresses = person.contacts.map(\.address)
        return world.sent.filter { addresses.contains($0.address) }.map(\.text)
    }

    @Test func `a guardian who acknowledges and resolves ends it in their own circle only`() {
        var world = opened()
        acknowledge(&world, 1, by: Town.budi)
        world.pass(.milliseconds(80))
        world.clear()
        resolve(&world, 2, by: Town.budi)
        #expect(state(world) == .open, "nobody of the team has it")
        #expect(resolutions(world).isEmpty)
        #expect(standings(world).last?.endedCircles == [Town.familyID])
        #expect(standings(world).last?.state == .open)
        #expect(texts(world, to: Town.budi).contains { $0.contains("is over") })
        let eko = texts(world, to: Town.eko)
        #expect(eko.contains { $0.contains("Budi ended the emergency of Aisha for Family") })
        guard case .standing(let standing)? = world.answers[2] else {
            Issue.record("it is answered")
            return
        }
        #expect(standing.state == .resolved && standing.isYours)
        world.clear()
        world.pass(.seconds(400))
        #expect(!texts(world, to: Town.eko).isEmpty, "the team's escalation goes on")
        #expect(texts(world, to: Town.budi).isEmpty && texts(world, to: Town.citra).isEmpty)
    }

    @Test func `the person is asked at once on every channel`() {
        var world = opened(hasReplies: true)
        acknowledge(&world, 1, by: Town.budi)
        world.clear()
        resolve(&world, 2, by: Town.budi)
        let asked = world.sent.filter { $0.text.contains("Budi ended your emergency") }
        #expect(asked.map(\.address).sorted() == ["+60111000001", "aisha@example.org"])
        #expect(asked.allSatisfy { $0.text.contains("for Family. Right?") })
        let reference = world.emergency(Town.emergency(1))?.reference ?? ""
        #expect(asked.contains { $0.text.contains("reply OK \(reference)") })
    }

    @Test func `who ended it in their circle cannot stop the others by acknowledging again`() {
        var world = opened()
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        for request in [3, 4] as [UInt64] {
            acknowledge(&world, request, by: Town.budi)
            #expect(state(world) == .open)
        }
        resolve(&world, 5, by: Town.citra)
        #expect(state(world) == .open)
        guard case .standing(let standing)? = world.answers[5] else {
            Issue.record("it is answered")
            return
        }
        #expect(standing.state == .resolved && standing.by == Town.budi.id && !standing.isYours)
    }

    @Test func `a responder of the other circle keeps it`() {
        var world = opened()
        acknowledge(&world, 1, by: Town.eko)
        world.clear()
        resolve(&world, 2, by: Town.budi)
        #expect(state(world) == .acknowledged)
        let eko = texts(world, to: Town.eko)
        #expect(eko.contains { $0.contains("Budi ended the emergency of Aisha for Family") })
        #expect(!eko.contains { $0.contains("SOS") })
        resolve(&world, 3, by: Town.eko)
        #expect(state(world) == .resolved)
        #expect(resolutions(world).map(\.by) == [Town.eko.id])
    }

    @Test func `it ends for all when a responder of each circle resolves`() {
        var world = opened()
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        resolve(&world, 3, by: Town.eko)
        #expect(world.answers[3] == .denied(.notAcknowledged), "somebody has to respond first")
        acknowledge(&world, 4, by: Town.eko)
        world.clear()
        resolve(&world, 5, by: Town.eko)
        #expect(state(world) == .resolved)
        #expect(resolutions(world).map(\.by) == [Town.eko.id])
        #expect(texts(world, to: Town.budi).isEmpty, "they have heard of the end before")
        world.clear()
        world.pass(.seconds(900))
        #expect(world.sent.isEmpty)
    }

    @Test func `who shares all circles with the person ends it for all`() {
        var world = opened(
            hasReplies: false,
            Self.team(
                Town.member(Town.eko, .guardian, "EK"), Town.member(Town.budi, .member, "BU")))
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        #expect(state(world) == .resolved)
        #expect(texts(world, to: Town.aisha).contains { $0.contains("Budi ended your emergency") })
    }

    @Test func `a circle with nobody else in it holds nothing open`() {
        var world = opened(
            hasReplies: false,
            Self.team(
                Membership(
                    person: Town.eko.id, role: .guardian, joined: nil, trackerID: "EK")))
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        #expect(state(world) == .resolved)
    }

    @Test func `the person confirms it, and it ends for all`() {
        var world = opened()
        world.handle(.confirmEnd(Town.command(1, by: .person(Town.aisha.id))))
        #expect(world.answers[1] == .notEnded)
        acknowledge(&world, 2, by: Town.budi)
        resolve(&world, 3, by: Town.budi)
        for (request, person) in [(4, Town.budi), (5, Town.eko)] as [(UInt64, Person)] {
            world.handle(.confirmEnd(Town.command(request, by: .person(person.id))))
            #expect(world.answers[request] == .denied(.personOnly))
        }
        world.handle(.confirmEnd(Town.command(6, by: .person(PersonID(.zero)))))
        #expect(world.answers[6] == .unknown)
        #expect(state(world) == .open)
        world.clear()
        world.handle(
            .confirmEnd(Town.command(7, by: .device(DeviceID(.zero), of: Town.aisha.id))))
        #expect(state(world) == .resolved)
        #expect(resolutions(world).map(\.by) == [Town.aisha.id])
        #expect(texts(world, to: Town.eko).contains { $0.contains("is over") })
        #expect(texts(world, to: Town.budi).isEmpty)
    }

    @Test(arguments: [true, false])
    func `the person confirms it by SMS`(withReference: Bool) {
        var world = opened(hasReplies: true)
        let reference = world.emergency(Town.emergency(1))?.reference ?? ""
        func reply(_ text: String, from number: String, _ id: UInt64) {
            world.handle(
                .reply(
                    Reply(
                        id: ID128(high: 5, low: id), sender: number, text: text, trace: "")))
        }
        reply("OK", from: "+60111000001", 1)
        #expect(state(world) == .open, "nobody asked")
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        reply("OK \(reference)", from: "+60111000009", 2)
        reply("OK \(reference)", from: "+60111000002", 3)
        #expect(state(world) == .open, "that is not the person's number")
        reply(withReference ? "OK \(reference)" : "ok", from: "+60111000001", 4)
        #expect(state(world) == .resolved)
        #expect(resolutions(world).map(\.by) == [Town.aisha.id])
    }

    @Test func `a further call goes to all circles again`() {
        var world = opened()
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        world.clear()
        world.tell(.emergencyJoined(Town.news(1, .open, signal: 2)))
        #expect(texts(world, to: Town.budi).contains { $0.contains("PRESSED AGAIN") })
        #expect(texts(world, to: Town.eko).contains { $0.contains("PRESSED AGAIN") })
        #expect(standings(world).last?.endedCircles == [])
        acknowledge(&world, 3, by: Town.budi)
        #expect(state(world) == .acknowledged)
    }

    @Test func `it is so without evaluators, after a restart and under another name`() {
        var world = World()
        world.change(Self.team(Town.member(Town.eko, .guardian, "EK")))
        world.tell(.sosRaised(Town.signal(countdown: .zero)))
        world.pass(.seconds(4))
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        world.restart()
        #expect(state(world) == .open)
        world.clear()
        world.pass(.seconds(300))
        #expect(!texts(world, to: Town.eko).isEmpty && texts(world, to: Town.budi).isEmpty)
        // An evaluator comes back and calls it by another of its signals.
        world.tell(.emergencyOpened(Town.news(2, .open, signal: 1)))
        let renamed = world.emergency(Town.emergency(2))
        #expect(renamed?.endedCircles == [Town.familyID])
        world.clear()
        world.pass(.seconds(300))
        #expect(texts(world, to: Town.budi).isEmpty)
    }

    @Test func `the timelines say where it ended, and each shows its own people`() {
        var world = opened()
        acknowledge(&world, 1, by: Town.budi)
        world.clear()
        resolve(&world, 2, by: Town.budi)
        let family = world.timeline.filter { $0.circle == Town.familyID }
        let team = world.timeline.filter { $0.circle == Town.teamID }
        #expect(family.map(\.kind) == [.resolved])
        #expect(team.map(\.kind).contains(.resolvedElsewhere))
        let named = Set(team.flatMap(\.decisions).map(\.recipient))
        #expect(named.isSubset(of: [Town.eko.id, Town.aisha.id]))
    }

    @Test func `the operator ends it for all`() {
        var world = opened()
        world.handle(.resolve(Town.command(1, by: .operator)))
        #expect(state(world) == .resolved)
    }
}

/// One number that two people share.
struct SharedNumberTests {
    /// Citra, who is told first beside Budi, has Budi's number; she has no mail address.
    private func world(_ more: [ContactPoint] = []) -> World {
        var world = World()
        var citra = Town.citra
        citra.contacts = [
            ContactPoint(
                id: ContactID(ID128(high: 3, low: 7)), channel: .sms, address: "+60111000002",
                rank: 0)
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

    @Test func `it gets an alarm once, and both persons count as notified`() throws {
        var world = world()
        world.tell(.emergencyOpened(Town.news()))
        #expect(count(world, "+60111000002") == 1)
        let told = try #require(world.emergency(Town.emergency(1))).told
        #expect(told == [Town.budi.id, Town.citra.id])
        let tier = try #require(world.timeline.first { $0.kind == .tier })
        #expect(tier.decisions.map(\.recipient) == [Town.budi.id, Town.citra.id])
        #expect(tier.decisions.map(\.reason) == [.tier, .sharedAddress])
        #expect(tier.decisions.allSatisfy { $0.reason.isTold })
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
        #expect(world.emergency(Town.emergency(1))?.taken?.by == Town.citra.id)
    }

    @Test func `an OK from it acknowledges for somebody who is still in the circle`() {
        var world = world()
        world.tell(.emergencyOpened(Town.news()))
        let reference = world.emergency(Town.emergency(1))?.reference ?? ""
        var family = Town.family.without(Town.budi.id)
        family.escalation = [EscalationTier(roles: [.guardian, .admin])]
        world.change(.circleChanged(family))
        world.handle(
            .reply(
                Reply(
                    id: ID128(high: 5, low: 1), sender: "+60111000002", text: "OK \(reference)",
                    trace: "")))
        #expect(world.emergency(Town.emergency(1))?.taken?.by == Town.citra.id)
    }

    @Test func `where it is refused each of them is notified on their next contact point`() {
        let other = ContactPoint(
            id: ContactID(ID128(high: 3, low: 8)), channel: .sms, address: "+60111000033", rank: 1)
        var world = world([other])
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.address == "+60111000002" ? .refused : .accepted, answer: "no")
        }
        world.tell(.emergencyOpened(Town.news()))
        #expect(count(world, "+60111000002") == 1 && count(world, "+60111000033") == 1)
        #expect(count(world, "budi@example.org") >= 1)
    }
}

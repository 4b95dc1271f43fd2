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
        #expect(asked.allSatisfy { !$0.text.contains("OK") }, "the reference is no secret")
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
    func `no SMS confirms it, as everybody notified has the reference`(withReference: Bool) {
        var world = opened(hasReplies: true)
        let reference = world.emergency(Town.emergency(1))?.reference ?? ""
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        world.clear()
        let text = withReference ? "OK \(reference)" : "ok"
        world.handle(
            .reply(
                Reply(
                    id: ID128(high: 5, low: 1), sender: "+60111000001", text: text, trace: "")))
        #expect(state(world) == .open)
        #expect(resolutions(world).isEmpty)
        #expect(
            texts(world, to: Town.aisha) == [
                "Jaga: An SMS does not end your emergency. Confirm in Jaga that it is over."
                    + " Ref \(reference)."
            ])
        world.clear()
        world.pass(.seconds(400))
        #expect(!texts(world, to: Town.eko).isEmpty, "the team's escalation goes on")
    }

    @Test(arguments: [
        (
            Language.english,
            "Jaga: Budi ended your emergency for Family. Right? If so, confirm it in Jaga."
                + " Until then your other circles go on."
        ),
        (
            .malay,
            "Jaga: Budi menamatkan kecemasan anda untuk Family. Betul? Jika betul, sahkan dalam"
                + " Jaga. Sehingga itu kumpulan anda yang lain diteruskan."
        ),
        (
            .indonesian,
            "Jaga: Budi mengakhiri darurat Anda untuk Family. Benar? Jika benar, pastikan di Jaga."
                + " Sampai saat itu lingkaran Anda yang lain tetap siaga."
        ),
    ])
    func `the question to the person in three languages`(language: Language, text: String) {
        let reader = Reader(
            language: language, who: "Aisha", reference: "4711", now: World.start,
            hasReplies: true)
        let words = Composer(reader).words(for: .ownEnded(by: "Budi", circles: "Family"), on: .sms)
        #expect(words.text == text)
        let mail = Composer(reader).words(for: .ownEnded(by: "Budi", circles: nil), on: .email)
        #expect(mail.text.split(separator: "\n").first?.hasSuffix("?") == true)
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

import Directory
import Model
import Testing

@testable import NotifierCore

/// Somebody else ends an emergency of a person in two circles: the family, guarded by Budi, and the
/// team, guarded by Eko.
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
        world.receive(.emergencyOpened(Town.change()))
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
            if case .resolutionCommitted(let answer) = $0 { answer } else { nil }
        }
    }

    private func snapshots(_ world: World) -> [EmergencySnapshot] {
        world.published.compactMap {
            if case .emergencySnapshot(let status) = $0 { status } else { nil }
        }
    }

    private func texts(_ world: World, to person: Person) -> [String] {
        let addresses = person.contacts.map(\.address)
        return world.sent.filter { addresses.contains($0.address) }.map(\.text)
    }

    @Test func `a guardian's resolution ends it in their own circle only`() {
        var world = opened()
        acknowledge(&world, 1, by: Town.budi)
        world.pass(.milliseconds(80))
        world.clear()
        resolve(&world, 2, by: Town.budi)
        #expect(state(world) == .open, "nobody of the team has it")
        #expect(resolutions(world).isEmpty)
        #expect(snapshots(world).last?.endedCircles == [Town.familyID])
        #expect(snapshots(world).last?.state == .open)
        #expect(texts(world, to: Town.budi).contains { $0.contains("is over") })
        let eko = texts(world, to: Town.eko)
        #expect(eko.contains { $0.contains("Budi ended Aisha's emergency for Family") })
        guard case .status(let status)? = world.answers[2] else {
            Issue.record("it is answered")
            return
        }
        #expect(status.state == .resolved && status.isYours)
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
        #expect(asked.allSatisfy { $0.text.contains("for Family. Are you safe?") })
        #expect(asked.allSatisfy { !$0.text.contains("OK") }, "the reference is no secret")
    }

    @Test
    func `a second acknowledgement after one's own resolution does not stop the other circles`() {
        var world = opened()
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        for request in [3, 4] as [UInt64] {
            acknowledge(&world, request, by: Town.budi)
            #expect(state(world) == .open)
        }
        resolve(&world, 5, by: Town.citra)
        #expect(state(world) == .open)
        guard case .status(let status)? = world.answers[5] else {
            Issue.record("it is answered")
            return
        }
        #expect(status.state == .resolved && status.by == Town.budi.id && !status.isYours)
    }

    @Test func `a responder of the other circle stays responder`() {
        var world = opened()
        acknowledge(&world, 1, by: Town.eko)
        world.clear()
        resolve(&world, 2, by: Town.budi)
        #expect(state(world) == .acknowledged)
        let eko = texts(world, to: Town.eko)
        #expect(eko.contains { $0.contains("Budi ended Aisha's emergency for Family") })
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

    @Test func `a resolver who shares all circles with the person ends it for all`() {
        var world = opened(
            hasReplies: false,
            Self.team(
                Town.member(Town.eko, .guardian, "EK"), Town.member(Town.budi, .member, "BU")))
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        #expect(state(world) == .resolved)
        #expect(texts(world, to: Town.aisha).contains { $0.contains("Budi ended your emergency") })
    }

    @Test func `a circle without other members keeps nothing open`() {
        var world = opened(
            hasReplies: false,
            Self.team(
                Membership(
                    person: Town.eko.id, role: .guardian, joined: nil, trackerID: "EK")))
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        #expect(state(world) == .resolved)
    }

    @Test func `the person's confirmation ends it for all`() {
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
    func `no SMS confirms it, because all recipients have the reference`(withReference: Bool) {
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
                "Jaga: An SMS cannot end your emergency. Confirm in Jaga that it is over."
                    + " Ref \(reference)."
            ])
        world.clear()
        world.pass(.seconds(400))
        #expect(!texts(world, to: Town.eko).isEmpty, "the team's escalation goes on")
    }

    @Test(arguments: [
        (
            Language.english,
            "Jaga: Budi ended your emergency for Family. Are you safe? If so, confirm it in"
                + " Jaga. We alert your other circles until then."
        ),
        (
            .malay,
            "Jaga: Budi menamatkan kecemasan anda untuk Family. Anda selamat? Jika ya, sahkan"
                + " dalam Jaga. Sehingga itu kami maklumkan kumpulan anda yang lain."
        ),
        (
            .indonesian,
            "Jaga: Budi mengakhiri darurat Anda untuk Family. Anda aman? Jika ya, "
                + "konfirmasi di Jaga."
                + " Sampai saat itu grup Anda yang lain tetap siaga."
        ),
    ])
    func `the question to the person in three languages`(language: Language, text: String) {
        let reader = Reader(
            language: language, who: "Aisha", reference: "4711", now: World.start,
            hasReplies: true)
        let rendered = Composer(reader).render(.ownEnded(by: "Budi", circles: "Family"), on: .sms)
        #expect(rendered.text == text)
        let mail = Composer(reader).render(.ownEnded(by: "Budi", circles: nil), on: .email)
        #expect(mail.text.split(separator: "\n").first?.hasSuffix("?") == true)
    }

    @Test func `a further call notifies all circles again`() {
        var world = opened()
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        world.clear()
        world.receive(.emergencyJoined(Town.change(1, .open, signal: 2)))
        #expect(texts(world, to: Town.budi).contains { $0.contains("PRESSED AGAIN") })
        #expect(texts(world, to: Town.eko).contains { $0.contains("PRESSED AGAIN") })
        #expect(snapshots(world).last?.endedCircles == [])
        acknowledge(&world, 3, by: Town.budi)
        #expect(state(world) == .acknowledged)
    }

    @Test func `it works without evaluators, after a restart and under another id`() {
        var world = World()
        world.change(Self.team(Town.member(Town.eko, .guardian, "EK")))
        world.receive(.sosRaised(Town.signal(countdown: .zero)))
        world.pass(.seconds(4))
        acknowledge(&world, 1, by: Town.budi)
        resolve(&world, 2, by: Town.budi)
        world.restart()
        #expect(state(world) == .open)
        world.clear()
        world.pass(.seconds(300))
        #expect(!texts(world, to: Town.eko).isEmpty && texts(world, to: Town.budi).isEmpty)
        // An evaluator returns and names it by another signal.
        world.receive(.emergencyOpened(Town.change(2, .open, signal: 1)))
        let renamed = world.emergency(Town.emergency(2))
        #expect(renamed?.endedCircles == [Town.familyID])
        world.clear()
        world.pass(.seconds(300))
        #expect(texts(world, to: Town.budi).isEmpty)
    }

    @Test func `timelines show where it ended, each with decisions about its own members`() {
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

import Directory
import Model
import Testing

@testable import NotifierCore

/// Somebody else ends an emergency of a person in two circles: the family, guarded by Budi, and the
/// team, guarded by Eko.
struct CircleEndTests {
    private func snapshots(_ world: World) -> [EmergencySnapshot] {
        world.published.compactMap {
            if case .emergencySnapshot(let status) = $0 { status } else { nil }
        }
    }

    @Test func `a guardian's resolution ends it in their own circle only`() {
        var world = World.inTwoCircles()
        world.acknowledge(1, by: Town.budi)
        world.pass(.milliseconds(80))
        world.clear()
        world.resolve(2, by: Town.budi)
        #expect(world.emergency?.state == .open, "nobody of the team has it")
        #expect(world.resolutions.isEmpty)
        #expect(snapshots(world).last?.endedCircles == [Town.familyID])
        #expect(snapshots(world).last?.state == .open)
        #expect(world.texts(to: Town.budi).contains { $0.contains("is over") })
        let eko = world.texts(to: Town.eko)
        #expect(eko.contains { $0.contains("Budi ended Aisha's emergency for Family") })
        guard case .status(let status)? = world.answers[2] else {
            Issue.record("it is answered")
            return
        }
        #expect(status.state == .resolved && status.isYours)
        world.clear()
        world.pass(.seconds(400))
        #expect(!world.texts(to: Town.eko).isEmpty, "the team's escalation goes on")
        #expect(world.texts(to: Town.budi).isEmpty && world.texts(to: Town.citra).isEmpty)
    }

    @Test func `the person is asked at once on every channel`() {
        var world = World.inTwoCircles(hasReplies: true)
        world.acknowledge(1, by: Town.budi)
        world.clear()
        world.resolve(2, by: Town.budi)
        let asked = world.sent.filter { $0.text.contains("Budi ended your emergency") }
        #expect(asked.map(\.address).sorted() == ["+60111000001", "aisha@example.org"])
        #expect(asked.allSatisfy { $0.text.contains("for Family. Are you safe?") })
        #expect(asked.allSatisfy { !$0.text.contains("OK") }, "the reference is no secret")
    }

    @Test
    func `a second acknowledgement after one's own resolution does not stop the other circles`() {
        var world = World.inTwoCircles()
        world.acknowledge(1, by: Town.budi)
        world.resolve(2, by: Town.budi)
        for request in [3, 4] as [UInt64] {
            world.acknowledge(request, by: Town.budi)
            #expect(world.emergency?.state == .open)
        }
        world.resolve(5, by: Town.citra)
        #expect(world.emergency?.state == .open)
        guard case .status(let status)? = world.answers[5] else {
            Issue.record("it is answered")
            return
        }
        #expect(status.state == .resolved && status.by == Town.budi.id && !status.isYours)
    }

    @Test func `a responder of the other circle stays responder`() {
        var world = World.inTwoCircles()
        world.acknowledge(1, by: Town.eko)
        world.clear()
        world.resolve(2, by: Town.budi)
        #expect(world.emergency?.state == .acknowledged)
        let eko = world.texts(to: Town.eko)
        #expect(eko.contains { $0.contains("Budi ended Aisha's emergency for Family") })
        #expect(!eko.contains { $0.contains("SOS") })
        world.resolve(3, by: Town.eko)
        #expect(world.emergency?.state == .resolved)
        #expect(world.resolutions.map(\.by) == [Town.eko.id])
    }

    @Test func `it ends for all when a responder of each circle resolves`() {
        var world = World.inTwoCircles()
        world.acknowledge(1, by: Town.budi)
        world.resolve(2, by: Town.budi)
        world.resolve(3, by: Town.eko)
        #expect(world.answers[3] == .denied(.notAcknowledged), "somebody has to respond first")
        world.acknowledge(4, by: Town.eko)
        world.clear()
        world.resolve(5, by: Town.eko)
        #expect(world.emergency?.state == .resolved)
        #expect(world.resolutions.map(\.by) == [Town.eko.id])
        #expect(world.texts(to: Town.budi).isEmpty, "they were notified of the end before")
        world.clear()
        world.pass(.seconds(900))
        #expect(world.sent.isEmpty)
    }

    @Test func `a resolver who shares all circles with the person ends it for all`() {
        var world = World.inTwoCircles(
            Town.team(
                Town.member(Town.eko, .guardian, "EK"), Town.member(Town.budi, .member, "BU")))
        world.acknowledge(1, by: Town.budi)
        world.resolve(2, by: Town.budi)
        #expect(world.emergency?.state == .resolved)
        #expect(world.texts(to: Town.aisha).contains { $0.contains("Budi ended your emergency") })
    }

    @Test func `a circle without other members keeps nothing open`() {
        var world = World.inTwoCircles(
            Town.team(
                Membership(
                    person: Town.eko.id, role: .guardian, joined: nil, trackerID: "EK")))
        world.acknowledge(1, by: Town.budi)
        world.resolve(2, by: Town.budi)
        #expect(world.emergency?.state == .resolved)
    }

    @Test func `the person's confirmation ends it for all`() {
        var world = World.inTwoCircles()
        world.handle(.confirmEnd(Town.command(1, by: .person(Town.aisha.id))))
        #expect(world.answers[1] == .notEnded)
        world.acknowledge(2, by: Town.budi)
        world.resolve(3, by: Town.budi)
        for (request, person) in [(4, Town.budi), (5, Town.eko)] as [(UInt64, Person)] {
            world.handle(.confirmEnd(Town.command(request, by: .person(person.id))))
            #expect(world.answers[request] == .denied(.personOnly))
        }
        world.handle(.confirmEnd(Town.command(6, by: .person(PersonID(.zero)))))
        #expect(world.answers[6] == .unknown)
        #expect(world.emergency?.state == .open)
        world.clear()
        world.handle(
            .confirmEnd(Town.command(7, by: .device(DeviceID(.zero), of: Town.aisha.id))))
        #expect(world.emergency?.state == .resolved)
        #expect(world.resolutions.map(\.by) == [Town.aisha.id])
        #expect(world.texts(to: Town.eko).contains { $0.contains("is over") })
        #expect(world.texts(to: Town.budi).isEmpty)
    }

    @Test(arguments: [true, false])
    func `no SMS confirms it, because all recipients have the reference`(withReference: Bool) {
        var world = World.inTwoCircles(hasReplies: true)
        world.acknowledge(1, by: Town.budi)
        world.resolve(2, by: Town.budi)
        let reference = world.code(at: "+60111000001")
        world.clear()
        let text = withReference ? "OK \(reference)" : "ok"
        world.handle(
            .reply(
                Reply(
                    id: ID128(high: 5, low: 1), sender: "+60111000001", text: text, trace: "")))
        #expect(world.emergency?.state == .open)
        #expect(world.resolutions.isEmpty)
        #expect(
            world.texts(to: Town.aisha) == [
                "Jaga: An SMS cannot end your emergency. Confirm in Jaga that it is over."
                    + " Ref \(reference)."
            ])
        world.clear()
        world.pass(.seconds(400))
        #expect(!world.texts(to: Town.eko).isEmpty, "the team's escalation goes on")
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
        var world = World.inTwoCircles()
        world.acknowledge(1, by: Town.budi)
        world.resolve(2, by: Town.budi)
        world.clear()
        world.receive(.emergencyJoined(Town.change(1, .open, signal: 2)))
        #expect(world.texts(to: Town.budi).contains { $0.contains("PRESSED AGAIN") })
        #expect(world.texts(to: Town.eko).contains { $0.contains("PRESSED AGAIN") })
        #expect(snapshots(world).last?.endedCircles == [])
        world.acknowledge(3, by: Town.budi)
        #expect(world.emergency?.state == .acknowledged)
    }

    @Test func `it works without evaluators, after a restart and under another id`() {
        var world = World()
        world.change(Town.team(Town.member(Town.eko, .guardian, "EK")))
        world.receive(.sosRaised(Town.signal(countdown: .zero)))
        world.pass(.seconds(4))
        world.acknowledge(1, by: Town.budi)
        world.resolve(2, by: Town.budi)
        world.restart()
        #expect(world.emergency?.state == .open)
        world.clear()
        world.pass(.seconds(300))
        #expect(!world.texts(to: Town.eko).isEmpty && world.texts(to: Town.budi).isEmpty)
        // An evaluator returns and names it by another signal.
        world.receive(.emergencyOpened(Town.change(2, .open, signal: 1)))
        let renamed = world.emergency(Town.emergency(2))
        #expect(renamed?.endedCircles == [Town.familyID])
        world.clear()
        world.pass(.seconds(300))
        #expect(world.texts(to: Town.budi).isEmpty)
    }

    @Test func `timelines show where it ended, each with decisions about its own members`() {
        var world = World.inTwoCircles()
        world.acknowledge(1, by: Town.budi)
        world.clear()
        world.resolve(2, by: Town.budi)
        let family = world.timeline.filter { $0.circle == Town.familyID }
        let team = world.timeline.filter { $0.circle == Town.teamID }
        #expect(family.map(\.kind) == [.resolved])
        #expect(team.map(\.kind).contains(.resolvedElsewhere))
        let named = Set(team.flatMap(\.decisions).map(\.recipient))
        #expect(named.isSubset(of: [Town.eko.id, Town.aisha.id]))
    }

    @Test func `the operator ends it for all`() {
        var world = World.inTwoCircles()
        world.handle(.resolve(Town.command(1, by: .operator)))
        #expect(world.emergency?.state == .resolved)
    }
}

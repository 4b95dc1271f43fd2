import Directory
import Model
import NotifierCore
import Testing

struct ZoneMessageTests {
    private static let number = "+60129999999"

    private func message(
        _ number: UInt64, to address: String = Self.number, _ mode: ZoneMessage.Mode = .automatic,
        line: String = "", owner: ZoneOwner = .circle(Town.familyID), isConfirmed: Bool = true,
        own: String = "", displayName: String = ""
    ) -> ZoneMessage {
        ZoneMessage(
            id: MessageID(ID128(high: 12, low: number)), owner: owner, senderName: own,
            recipientName: displayName, number: address, line: line, mode: mode,
            confirmed: isConfirmed ? .zero : nil)
    }

    /// School has the first half of the messages, Kiosk all.
    private func world(_ messages: [ZoneMessage]) -> World {
        var world = World()
        for message in messages { world.change(.messageChanged(message)) }
        var school = Town.school
        school.messages = messages.prefix((messages.count + 1) / 2).map(\.id)
        var kiosk = Town.kiosk
        kiosk.messages = messages.map(\.id)
        for zone in [school, kiosk] { world.change(.zoneChanged(zone)) }
        world.clear()
        return world
    }

    private func due(_ world: World, _ messages: [ZoneMessage]) -> EventBody {
        .messagesDue(
            DueMessages(
                person: Town.aisha.id, zones: [Town.school.id, Town.kiosk.id],
                zoneNames: ["School", "Kiosk"], transitions: [.enter, .enter],
                messages: messages.map(\.id),
                fix: Town.fix(at: world.now)))
    }

    private func texts(_ messages: [ZoneMessage], _ prepare: (inout World) -> Void = { _ in })
        -> World
    {
        var world = world(messages)
        prepare(&world)
        world.receive(due(world, messages))
        return world
    }

    @Test func `messages of zones that fire together are one text per number`() {
        let world = texts([
            message(1, line: "Please fetch me", own: "your daughter", displayName: "Mum"),
            message(2, line: "Bring water"),
            message(3, to: "+60128888888", displayName: "Uncle"),
        ])
        #expect(world.addresses == ["+60128888888", Self.number])
        #expect(
            world.sent.last?.text
                == "Mum, your daughter: School, Kiosk, 02:20 UTC."
                + " https://osm.org/?mlat=3.13900&mlon=101.68690 Please fetch me. Bring water."
                + " within 12 m, 02:20 UTC. From Aisha via Jaga, STOP to end.")
        #expect(world.texts.map(\.state) == [.sent, .sent])
        #expect(
            world.sent.allSatisfy { $0.text.contains("Aisha") && $0.text.contains("STOP") })
        #expect(world.sent.allSatisfy { !$0.isSafety })
    }

    @Test func `the same event again sends nothing again`() {
        let messages = [message(1)]
        var world = world(messages)
        let event = Event(
            id: EventID(ID128(high: 5, low: 1)), time: world.now, body: due(world, messages))
        world.handle(.event(event))
        #expect(world.sent.count == 1 && world.texts.count == 1)
        #expect(world.texts.first?.notification == world.notifications.first?.id)
    }

    @Test func `a draft waits for its person, and is sent once`() throws {
        var world = texts([message(1, .draft)])
        #expect(world.sent.isEmpty)
        let text = try #require(world.texts.first)
        #expect(text.state == .draft && text.reason == .draft)
        let aisha = Principal.person(Town.aisha.id)
        world.handle(.send(SendCommand(request: 1, principal: aisha, text: text)))
        #expect(world.addresses == [Self.number])
        guard case .text(let sent)? = world.answers[1] else {
            Issue.record("the tap is answered with the text")
            return
        }
        #expect(sent.state == .sent && sent.notification != nil)
        world.handle(.send(SendCommand(request: 2, principal: aisha, text: world.texts[0])))
        #expect(world.sent.count == 1)
        guard case .text(sent)? = world.answers[2] else {
            Issue.record("a second tap is answered as the first")
            return
        }
    }

    @Test func `automatic texts and drafts to one number stay separate`() {
        let world = texts([message(1, line: "A"), message(2, .draft, line: "B")])
        #expect(world.sent.count == 1)
        #expect(world.sent[0].text.contains("A.") && !world.sent[0].text.contains("B."))
        #expect(Set(world.texts.map(\.state)) == [.sent, .draft])
    }

    @Test func `only the person may send a draft, within a day`() throws {
        var world = texts([message(1, .draft)])
        let text = try #require(world.texts.first)
        for (request, other) in [
            (1 as UInt64, Principal.person(Town.budi.id)), (2, .operator),
        ] {
            world.handle(.send(SendCommand(request: request, principal: other, text: text)))
            guard case .denied? = world.answers[request] else {
                Issue.record("\(other) may not send it")
                return
            }
        }
        world.pass(Limits.draftAgeMax)
        let aisha = Principal.person(Town.aisha.id)
        world.handle(.send(SendCommand(request: 3, principal: aisha, text: text)))
        #expect(world.answers[3] == .expired)
        #expect(world.sent.isEmpty)
    }

    @Test func `a number that has not agreed gets nothing, and the reason is recorded`() throws {
        let world = texts([message(1, isConfirmed: false)])
        #expect(world.sent.isEmpty)
        #expect(world.texts.map(\.reason) == [.notConfirmed])
        let both = texts([message(1, line: "A", isConfirmed: false), message(2, line: "B")])
        #expect(both.sent.count == 1 && !both.sent[0].text.contains("A."))
        var unconfirmed = texts([message(1, .draft)])
        let text = try #require(unconfirmed.texts.first)
        unconfirmed.change(.messageChanged(message(1, .draft, isConfirmed: false)))
        unconfirmed.handle(
            .send(SendCommand(request: 1, principal: .person(Town.aisha.id), text: text)))
        #expect(unconfirmed.sent.isEmpty && unconfirmed.texts.map(\.reason) == [.notConfirmed])
    }

    @Test func `ten texts a day per number from all senders, also after a restart`() {
        let messages = [message(1)]
        var world = world(messages)
        for _ in 0..<12 {
            world.receive(due(world, messages))
            world.pass(.seconds(60))
            world.restart()
        }
        #expect(world.sent.count == 10)
        #expect(world.texts.count { $0.reason == .tooMany } == 2)
        world.pass(.seconds(24 * 3600 - 11 * 60))
        world.receive(due(world, messages))
        #expect(world.sent.count == 11)
    }

    @Test func `STOP blocks a number until it is cleared, and is kept`() throws {
        let messages = [message(1), message(2, .draft)]
        var world = world(messages)
        world.handle(.setOptOut(request: 1, number: Self.number, isOptedOut: true))
        world.pass(.seconds(3 * 24 * 3600))
        world.restart()
        world.receive(due(world, messages))
        #expect(world.sent.isEmpty)
        #expect(world.texts.map(\.reason) == [.stopped, .stopped])
        world.handle(.setOptOut(request: 2, number: Self.number, isOptedOut: false))
        world.receive(due(world, messages))
        #expect(world.sent.count == 1)
        let text = try #require(world.texts.first { $0.state == .draft })
        world.handle(.setOptOut(request: 3, number: Self.number, isOptedOut: true))
        world.handle(
            .send(SendCommand(request: 4, principal: .person(Town.aisha.id), text: text)))
        #expect(world.sent.count == 1)
    }

    @Test func `numbers without state are removed`() {
        var world = texts([message(1)])
        #expect(world.numbers.count == 1)
        world.pass(.seconds(24 * 3600 + 120))
        #expect(world.numbers.isEmpty)
    }

    @Test(arguments: [
        (Sharing.off, NotifyReason.sharingOff),
        (.pausedUntil(World.start + .seconds(60)), .sharingPaused),
    ])
    func `a circle's messages pause with sharing, own messages do not`(
        sharing: Sharing, reason: NotifyReason
    ) {
        func pause(_ world: inout World) {
            var family = Town.family
            family.members[0].sharing = sharing
            world.change(.circleChanged(family))
        }
        let theirs = texts([message(1)], pause)
        #expect(theirs.sent.isEmpty && theirs.texts.map(\.reason) == [reason])
        #expect(theirs.timeline.allSatisfy { !$0.isShared })
        let own = texts([message(1, owner: .person(Town.aisha.id))], pause)
        #expect(own.sent.count == 1 && own.timeline.isEmpty)
        let others = texts([message(1, owner: .person(Town.budi.id))])
        #expect(others.sent.isEmpty && others.texts.map(\.reason) == [.notOfCircle])
    }

    @Test func `precision zone sends neither positions nor names of small zones`() {
        func coarse(_ world: inout World) {
            var family = Town.family
            family.members[0].precision = .zone
            world.change(.circleChanged(family))
        }
        let large = texts([message(1)], coarse)
        #expect(large.sent.count == 1)
        #expect(large.sent[0].text.contains("School") && !large.sent[0].text.contains("Kiosk"))
        #expect(!large.sent[0].text.contains("osm.org"))
        let messages = [message(1), message(2)]
        let small = texts(messages) { world in
            coarse(&world)
            var school = Town.school
            school.messages = []
            world.change(.zoneChanged(school))
        }
        #expect(small.sent.isEmpty && small.texts.map(\.reason) == [.zoneTooSmall])
    }

    @Test func `late texts, and texts without an SMS gateway, are not sent`() {
        let messages = [message(1)]
        var world = world(messages)
        let event = Event(
            id: EventID(ID128(high: 5, low: 1)), time: world.now, body: due(world, messages))
        world.now = world.now + .seconds(16 * 60)
        world.handle(.event(event))
        #expect(world.sent.isEmpty && world.texts.map(\.reason) == [.tooOld])
        var mute = World(gateways: [Gateway(name: "mail", channels: [.email])])
        mute.change(.messageChanged(message(1)))
        mute.receive(due(mute, messages))
        #expect(mute.texts.map(\.reason) == [.unreachable])
        #expect(mute.sent.isEmpty)
    }

    @Test func `the circle's timeline shows the outcome`() {
        let sent = texts([message(1)])
        #expect(sent.timeline.last?.kind == .message)
        #expect(
            sent.timeline.last?.decisions == [
                NotifyDecision(recipient: Town.aisha.id, reason: .zoneMessage)
            ])
        #expect(texts([message(1, .draft)]).timeline.last?.decisions[0].reason == .draft)
    }

    @Test func `a text says what happened, entered zones first`() {
        var world = world([message(1)])
        world.receive(
            .messagesDue(
                DueMessages(
                    person: Town.aisha.id, zones: [Town.school.id, Town.kiosk.id],
                    zoneNames: ["School", "Kiosk"], transitions: [.exit, .enter],
                    messages: [message(1).id], fix: Town.fix(at: world.now))))
        #expect(world.sent.first?.text.hasPrefix("Aisha: Kiosk, left School, 02:20 UTC") == true)
        #expect(world.texts.first?.zoneNames == ["School", "Kiosk"])
    }

    @Test(arguments: Language.allCases)
    func `recipient, zones and position are in the first segment, whatever the names`(
        language: Language
    ) {
        let long = String(repeating: "Very Long Name ", count: 10)
        let place = Place(Town.fix(at: World.start))
        for name in ["Aisha", long, "李明"] {
            let said = MessageContent(
                to: name, own: name,
                zones: Array(repeating: MessageZone(name: name, .absent), count: 9),
                lines: Array(repeating: long + long, count: 9), at: World.start, place: place)
            let reader = Reader(language: language, who: name, now: World.start)
            let text = Composer(reader).render(.message(said), on: .sms).text
            let measure = SMSText(text)
            let link = "https://osm.org/?mlat=3.13900&mlon=101.68690"
            guard let end = text.firstRange(of: link)?.upperBound else {
                Issue.record("the place is in every text")
                return
            }
            let units = SMSText.units(String(text[..<end]), in: measure.encoding)
            #expect(units <= measure.encoding.partMax || name == "李明")
            #expect(text.contains("STOP"))
        }
    }
}

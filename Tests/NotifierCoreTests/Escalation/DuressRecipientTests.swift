import Directory
import Model
import Testing

@testable import NotifierCore

/// What recipients can do about an emergency that its person ended with a duress PIN.
@Suite struct `Recipients of an emergency under duress` {
    private static let budi = "+60111000002"
    private static let citra = "+60111000003"
    private static let aisha = "+60111000001"

    // MARK: Pages

    @Test func `the page offers no call and says not to call or text`() throws {
        let (world, before) = DuressWorld.world()
        for token in [
            DuressWorld.token(before, at: Self.budi), DuressWorld.token(world.sent, at: Self.budi),
        ] {
            let page = try #require(world.page(token), "links from before lead there, too")
            #expect(page.emergency == DuressWorld.duress)
            #expect(page.isUnderDuress && page.phone == nil)
            #expect(page.who == "Aisha" && page.canAcknowledge)
        }
        let (truly, older) = DuressWorld.world(underDuress: false)
        #expect(truly.page(DuressWorld.token(older, at: Self.budi)) == nil)
    }

    @Test func `only guardians get the button to end it`() throws {
        var (world, _) = DuressWorld.world()
        let budi = DuressWorld.token(world.sent, at: Self.budi)
        let citra = DuressWorld.token(world.sent, at: Self.citra)
        world.acknowledge(1, by: Town.citra)
        #expect(try #require(world.page(citra)).canResolve == false, "an admin")
        #expect(try #require(world.page(budi)).canResolve)
        let alone = Circle(
            id: Town.familyID, name: "Family",
            members: [
                Town.member(Town.aisha, .member, "AI"), Town.member(Town.citra, .admin, "CI"),
                Town.member(Town.dewi, .member, "DE"),
            ])
        world.change(.circleChanged(alone))
        #expect(try #require(world.page(citra)).canResolve, "no guardian is left")
    }

    @Test func `the page of a further call forbids calling, too`() throws {
        var (world, _) = DuressWorld.world()
        world.clear()
        world.receive(.emergencyOpened(Town.change(2, raised: world.now)))
        let token = DuressWorld.token(world.sent, at: Self.budi)
        let page = try #require(world.page(token))
        #expect(page.emergency == Town.emergency(2))
        #expect(page.isUnderDuress && page.phone == nil)
        world.acknowledge(1, by: Town.budi)
        world.handle(.resolve(Town.command(2, by: .person(Town.citra.id), emergency: 2)))
        #expect(world.answers[2] == .denied(.roleTooLow))
    }

    // MARK: Links and codes from before

    @Test func `a code from before acknowledges what goes on`() {
        for isBySMS in [true, false] {
            var (world, _) = DuressWorld.world()
            let code = world.code(at: Self.budi)
            if isBySMS {
                world.write("OK \(code)", from: Self.budi)
            } else {
                world.handle(
                    .acknowledgeByReference(
                        ReferenceCommand(
                            request: 1, code: code, principal: .person(Town.budi.id))))
            }
            #expect(world.covert?.firstAcknowledgement?.by == Town.budi.id, "SMS \(isBySMS)")
        }
    }

    @Test func `links and codes at an address that is also the person's lead nowhere`() {
        var budi = Town.budi
        budi.contacts[0].address = Self.aisha
        func answers(underDuress: Bool) -> [String] {
            var (world, before) = DuressWorld.world(
                underDuress: underDuress, [.personChanged(budi)])
            let token = DuressWorld.token(before, at: Self.aisha)
            #expect(token != nil && world.page(token) == nil)
            let code = world.code(at: Self.aisha)
            #expect(code != "none")
            world.clear()
            world.write("OK \(code)", from: Self.aisha)
            world.write("OK", from: Self.aisha)
            world.write("OK 1234", from: Self.aisha)
            #expect(world.covert?.firstAcknowledgement == nil)
            return world.sent.filter { $0.address == Self.aisha }.map(\.text)
        }
        #expect(answers(underDuress: true) == answers(underDuress: false))
    }

    @Test func `nothing of it is there for the person, by link, code or id`() {
        var (world, before) = DuressWorld.world()
        for message in before + world.sent { #expect(!DuressWorld.own.contains(message.address)) }
        for (request, code) in [world.code(at: Self.budi), world.code(at: Self.budi, 99)]
            .enumerated()
        {
            world.handle(
                .acknowledgeByReference(
                    ReferenceCommand(
                        request: UInt64(request), code: code, principal: .person(Town.aisha.id))))
            #expect(world.answers[UInt64(request)] == .unknown)
        }
        #expect(world.covert?.state == .open)
    }

    // MARK: Who is notified

    @Test func `chosen recipients of a watch stay the only ones`() {
        var first = Town.change(trigger: .watchExpired)
        first.recipients = [Town.dewi.id]
        var (world, _) = DuressWorld.world(first: first)
        world.pass(.seconds(900))
        #expect(world.covert?.onlyRecipients == [Town.dewi.id])
        #expect(!world.sent.isEmpty && Set(world.addresses) == ["+60111000004"])
    }

    @Test func `note and caller of the first one are carried over`() {
        var first = Town.change(trigger: .guardian)
        first.note = "on the bus"
        first.raisedBy = Town.budi.id
        let (world, _) = DuressWorld.world(first: first)
        #expect(world.covert?.note == "on the bus" && world.covert?.raisedBy == Town.budi.id)
        #expect(world.sent.contains { $0.text.contains("on the bus") })
    }

    // MARK: Leaving

    @Test(arguments: [false, true])
    func `it goes on in a circle that the person is made to leave`(isRestarted: Bool) throws {
        var (world, _) = DuressWorld.world()
        world.change(.circleChanged(Town.family.without(Town.aisha.id)))
        if isRestarted { world.restart() }
        world.clear()
        world.pass(.seconds(1200))
        #expect(world.addresses.contains("+60111000004"), "the next tier, then all")
        #expect(world.sent.allSatisfy { $0.text.contains("DO NOT CALL") })
        #expect(world.sent.allSatisfy { !DuressWorld.own.contains($0.address) })
        #expect(world.timeline.allSatisfy { $0.isCovert == true })
        let page = try #require(world.page(DuressWorld.token(world.sent, at: Self.budi)))
        guard case .at = page.whereabouts else {
            Issue.record("they called themselves")
            return
        }
        #expect(page.recipients.contains("Citra"))
        world.acknowledge(1, by: Town.budi)
        #expect(world.covert?.state == .acknowledged)
        world.resolve(2, by: Town.budi)
        #expect(world.covert?.state == .resolved)
        world.clear()
        world.receive(.emergencyOpened(Town.change(2, raised: world.now)))
        #expect(world.sent.filter { $0.address == Self.budi }.isEmpty, "they left, after all")
    }

    @Test func `the person who left reads of it as little as after a true end`() {
        func shown(underDuress: Bool) -> [TimelineRecord] {
            var (world, _) = DuressWorld.world(underDuress: underDuress)
            world.change(.circleChanged(Town.family.without(Town.aisha.id)))
            world.pass(.seconds(1200))
            return world.timeline.filter { $0.isCovert != true }
        }
        #expect(shown(underDuress: true) == shown(underDuress: false))
    }

    @Test func `a pause hides no position from its recipients`() throws {
        var first = Town.change(trigger: .fall)
        first.signal = first.emergency
        var (world, _) = DuressWorld.world(first: first)
        var family = Town.family
        family.members[0].sharing = .off
        world.change(.circleChanged(family))
        let page = try #require(world.page(DuressWorld.token(world.sent, at: Self.budi)))
        guard case .at = page.whereabouts else {
            Issue.record("shared when it opened")
            return
        }
    }

    // MARK: Further calls

    @Test func `a further call and it are one for recipients`() {
        for number in [2, 99] as [UInt64] {
            var (world, _) = DuressWorld.world()
            world.receive(.emergencyOpened(Town.change(2, raised: world.now)))
            func command(_ request: UInt64) -> Command {
                Town.command(request, by: .person(Town.budi.id), emergency: number)
            }
            world.clear()
            world.handle(.acknowledge(command(1)))
            for id in [2, 99] as [UInt64] {
                #expect(world.emergency(Town.emergency(id))?.state == .acknowledged)
            }
            for person in [Town.citra, Town.dewi] {
                #expect(world.texts(to: person).count <= 1, "one message says it")
            }
            #expect(world.texts(to: Town.citra).count == 1)
            world.handle(.resolve(command(2)))
            for id in [2, 99] as [UInt64] {
                #expect(world.emergency(Town.emergency(id))?.state == .resolved)
            }
        }
    }

    @Test func `a further call that its person ends goes on for others`() throws {
        var (world, _) = DuressWorld.world()
        world.clear()
        world.receive(.emergencyOpened(Town.change(2, raised: world.now)))
        let token = DuressWorld.token(world.sent, at: Self.budi)
        DuressWorld.end(2, underDuress: false, &world)
        #expect(world.emergency(Town.emergency(2))?.state == .cancelled)
        #expect(try #require(world.page(token)).emergency == DuressWorld.duress)
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id), emergency: 2)))
        #expect(world.covert?.state == .acknowledged)
    }

    // MARK: PINs in texts

    @Test func `a PIN in an SOS by SMS is not stored, shown or sent`() {
        var world = World(hasReplies: true)
        world.write("SOS 4711 please", from: Self.aisha)
        world.pass(.seconds(10))
        #expect(!world.sent.isEmpty && world.sent.allSatisfy { !$0.text.contains("4711") })
        #expect(!"\(world.effects)".contains("4711"))
        #expect(world.sent.contains { $0.text.contains("please") })
    }
}

/// The person confirms the end of their emergency, which somebody else ended in one circle.
@Suite struct `Confirming an end` {
    private func world() -> World {
        var world = World(hasReplies: true, publicURL: DuressWorld.base)
        world.change(DuressWorld.pins)
        world.change(Town.bothInTeam)
        world.receive(.emergencyOpened(Town.change()))
        world.acknowledge(1, by: Town.budi)
        world.resolve(2, by: Town.budi)
        world.clear()
        return world
    }

    private func confirm(_ world: inout World, _ request: UInt64, pin: String?) {
        var command = Town.command(request, by: .person(Town.aisha.id))
        command.pin = pin
        world.handle(.confirmEnd(command))
    }

    private func signals(_ world: World) -> [EmergencySignal] {
        world.published.compactMap {
            if case .signalReceived(let signal) = $0 { signal } else { nil }
        }
    }

    @Test func `asks for the PIN`() {
        var world = world()
        confirm(&world, 1, pin: nil)
        #expect(world.answers[1] == .pinNeeded)
        for request in 2...6 as ClosedRange<UInt64> {
            confirm(&world, request, pin: "1111")
            #expect(world.answers[request] == .wrongPIN)
        }
        confirm(&world, 7, pin: DuressWorld.pin)
        #expect(world.answers[7] == .tooManyPINs(seconds: 5))
        #expect(world.emergency?.state == .open && world.resolutions.isEmpty)
        world.pass(.seconds(5))
        confirm(&world, 8, pin: DuressWorld.pin)
        #expect(world.emergency?.state == .resolved && signals(world).isEmpty)
    }

    @Test func `without a PIN set needs none`() {
        var world = World.inTwoCircles()
        world.acknowledge(1, by: Town.budi)
        world.resolve(2, by: Town.budi)
        confirm(&world, 3, pin: nil)
        #expect(world.emergency?.state == .resolved)
    }

    @Test func `with the duress PIN looks true and goes on for all circles`() throws {
        var truly = world()
        var covert = world()
        confirm(&truly, 1, pin: DuressWorld.pin)
        confirm(&covert, 1, pin: DuressWorld.duressPIN)
        #expect(truly.answers[1] == covert.answers[1])
        #expect(truly.emergency == covert.emergency)
        #expect(truly.timeline == covert.timeline.filter { $0.isCovert != true })
        let signal = try #require(signals(covert).first)
        #expect(signal.underDuress == Town.emergency(1) && signal.countdownEnds == covert.now)
        let emergency = try #require(covert.emergency(signal.id))
        #expect(emergency.state == .open)
        #expect(covert.texts(to: Town.budi).contains { $0.contains("DO NOT CALL") })
        #expect(covert.texts(to: Town.eko).contains { $0.contains("DO NOT CALL") })
        #expect(!covert.sent.contains { $0.text.contains("is over") }, "it goes on for others")
        #expect(covert.texts(to: Town.aisha) == truly.texts(to: Town.aisha))
        covert.receive(.sosRaised(signal))
        #expect(covert.emergencies.count == 2, "ingest passes the same signal on")
    }
}

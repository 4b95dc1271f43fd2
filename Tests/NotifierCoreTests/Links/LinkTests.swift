import Directory
import Hashing
import Model
import NotifierCore
import Testing

/// Personal links in messages, hand back, and codes of members.
struct LinkTests {
    private static let base = "https://jaga.example"
    private static let budi = "+60111000002"
    private static let citra = "+60111000003"

    private func opened() -> World {
        var world = World(hasReplies: true, publicURL: Self.base)
        world.receive(.emergencyOpened(Town.change()))
        return world
    }

    private func tokens(_ world: World, at address: String) -> [LinkToken] {
        world.sent.filter { $0.address == address }.compactMap { token(in: $0.text) }
    }

    private func token(in text: String) -> LinkToken? {
        guard let start = text.firstRange(of: Self.base + "/e/") else { return nil }
        return LinkToken(String(text[start.upperBound...].prefix(22)))
    }

    private func isValid(_ token: LinkToken, _ world: World) -> Bool {
        let target = world.notifier.target(of: token.hash, world.directory)
        let page = world.notifier.page(of: token.hash, world.directory, at: world.now)
        #expect((target == nil) == (page == nil))
        return target != nil
    }

    // MARK: Links

    @Test func `every message to a recipient has their own link, to the person none`() throws {
        var world = opened()
        world.pass(.seconds(130))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.pass(Limits.acknowledgementTimeout + .seconds(1))
        let budi = Set(tokens(world, at: Self.budi))
        let citra = Set(tokens(world, at: Self.citra))
        #expect(budi.count == 1 && citra.count == 1 && budi.isDisjoint(with: citra))
        #expect(tokens(world, at: "budi@example.org").allSatisfy(budi.contains))
        for message in world.sent {
            let isOwn = message.address == "+60111000001" || message.address == "aisha@example.org"
            #expect(message.text.contains("/e/") != isOwn, "\(message.text)")
        }
        let asked = world.sent.last { $0.text.contains("Are you still helping") }
        #expect(asked?.text.contains("Confirm or hand back: \(Self.base)/e/") == true)
        world.handle(.resolve(Town.command(2, by: .person(Town.budi.id))))
        #expect(world.sent.last?.text.contains("/e/") == false, "an ended link is not sent")
    }

    @Test func `nothing that is stored contains a token`() throws {
        let world = opened()
        let token = try #require(tokens(world, at: Self.budi).first)
        for message in world.notifications {
            #expect(!"\(message.rendered)".contains(token.text))
        }
        #expect(
            !"\(world.effects.filter { if case .send = $0 { false } else { true } })"
                .contains(token.text))
        let link = try #require(world.notifier.links.of(Town.emergency(1)).first)
        #expect(link.hash == token.hash && link.recipient == Town.budi.id)
    }

    @Test func `the link fits the first segment, and two segments are enough`() {
        for language in Language.allCases {
            let reader = Reader(
                language: language, who: "Nur Aisyah binti Abdullah", reference: "4711",
                now: World.start, offsetSeconds: 8 * 3600, hasReplies: true,
                link: Self.base + "/e/" + String(repeating: "A", count: 22))
            let alarm = Alarm(
                trigger: .panic, raised: World.start, place: Place(Town.fix(at: World.start)),
                battery: 34)
            let text = Composer(reader).render(.alarm(alarm, .first), on: .sms).text
            let measure = SMSText(text)
            #expect(measure.encoding == .gsm7 && measure.segments <= 2, "\(text)")
            let end = text.firstRange(of: reader.link)?.upperBound ?? text.endIndex
            #expect(text.distance(from: text.startIndex, to: end) <= 153, "\(text)")
            #expect(text.components(of: "4711") == 1, "\(text)")
        }
    }

    @Test func `a name that looks like a link gets no token`() throws {
        var world = World(publicURL: Self.base)
        var aisha = Town.aisha
        aisha.name = "x.io/e/" + String(repeating: "*", count: 22)
        world.change(.personChanged(aisha))
        world.receive(.emergencyOpened(Town.change()))
        let token = try #require(tokens(world, at: Self.budi).first)
        let text = try #require(world.sent.first { $0.address == Self.budi }).text
        #expect(text.components(of: token.text) == 1)
    }

    @Test func `it is valid while the emergency is active for its recipient`() throws {
        var world = opened()
        let token = try #require(tokens(world, at: Self.budi).first)
        #expect(isValid(token, world))
        #expect(!isValid(LinkToken(random: [UInt8](repeating: 1, count: 16)), world))
        world.restart()
        #expect(isValid(token, world), "after a restart, too")
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        #expect(isValid(token, world))
        let acknowledged = world
        world.change(
            .neverNotifyChanged(NeverNotifyList(person: Town.aisha.id, people: [Town.budi.id])))
        #expect(!isValid(token, world), "on the never-notify list")
        world = acknowledged
        world.change(.circleChanged(Town.family.without(Town.budi.id)))
        #expect(!isValid(token, world), "not in the circle any more")
        world = acknowledged
        world.receive(.emergencyResolved(Town.change(1, .resolved, by: Town.citra.id)))
        #expect(!isValid(token, world), "over")
        world.pass(Limits.endedEmergencyKept + .seconds(120))
        #expect(!isValid(token, world))
        #expect(world.notifier.links.of(Town.emergency(1)).isEmpty, "not in memory any more")
    }

    @Test func `it follows an emergency that continues under another id`() throws {
        var world = World(publicURL: Self.base)
        world.receive(.sosRaised(Town.signal(2, countdown: .zero)))
        world.pass(.seconds(3))
        let token = try #require(tokens(world, at: Self.budi).first)
        world.receive(.emergencyOpened(Town.change(1)))
        world.receive(.emergencyJoined(Town.change(1, signal: 2)))
        #expect(isValid(token, world))
        world.restart()
        #expect(isValid(token, world))
        #expect(
            world.notifier.target(of: token.hash, world.directory)?.emergency.id
                == Town.emergency(1))
    }

    @Test func `looks are counted and stored`() throws {
        var world = opened()
        let token = try #require(tokens(world, at: Self.budi).first)
        world.handle(.look(token.hash))
        world.pass(.seconds(30))
        world.handle(.look(token.hash))
        world.restart()
        let link = try #require(world.notifier.links[token.hash])
        #expect(link.looks == 2 && link.firstLook == World.start)
        #expect(link.lastLook == World.start + .seconds(30))
        world.handle(.look(LinkHash(bytes: [])))
    }

    // MARK: Page

    @Test func `the page says who, since when, where and who responds`() throws {
        var world = opened()
        world.pass(.seconds(130))
        let token = try #require(tokens(world, at: Self.budi).first)
        func page() throws -> ResponderPage {
            try #require(world.notifier.page(of: token.hash, world.directory, at: world.now))
        }
        var shown = try page()
        #expect(shown.who == "Aisha" && shown.trigger == "panic button")
        #expect(shown.battery == 34 && shown.phone == "+60111000001")
        #expect(shown.recipients == ["Citra"] && shown.responders.isEmpty)
        guard case .at(let spot) = shown.whereabouts else {
            Issue.record("no position")
            return
        }
        #expect(spot.coordinates == "3.13900, 101.68690" && spot.age == "2 min ago")
        #expect(spot.certainty.hasPrefix("within 12 m"))
        #expect(shown.canAcknowledge && !shown.canWithdraw && !shown.canResolve)
        world.handle(.acknowledge(Town.command(1, by: .person(Town.citra.id))))
        shown = try page()
        #expect(shown.responders.map(\.name) == ["Citra"])
        #expect(shown.responders.map(\.isReader) == [false])
        #expect(!shown.canAcknowledge && !shown.canWithdraw && shown.canResolve)
        world.handle(.withdraw(Town.command(2, by: .person(Town.citra.id))))
        world.handle(.acknowledge(Town.command(3, by: .person(Town.budi.id))))
        shown = try page()
        #expect(!shown.canAcknowledge && shown.canWithdraw && shown.canResolve)
    }

    @Test func `it shows no position to whom the person does not share with`() throws {
        var world = World(publicURL: Self.base)
        var family = Town.family
        family.members[0].sharing = .off
        world.change(.circleChanged(family))
        world.receive(.emergencyOpened(Town.change(trigger: .watchExpired)))
        let token = try #require(tokens(world, at: Self.budi).first)
        let page = try #require(
            world.notifier.page(of: token.hash, world.directory, at: world.now))
        #expect(page.whereabouts == .notShared && page.trail.isEmpty)
    }

    // MARK: Hand back

    @Test func `who hands back frees the others at once, and is asked nothing any more`() {
        var world = opened()
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.pass(.seconds(60))
        world.clear()
        world.handle(.withdraw(Town.command(2, by: .person(Town.budi.id))))
        guard case .status(let status) = world.answers[2] else {
            Issue.record("no status")
            return
        }
        #expect(status.state == .open && !status.isYours)
        #expect(world.sent.contains { $0.address == Self.budi && $0.text.contains("SOS") })
        #expect(world.timeline.map(\.kind).contains(.withdrawn))
        let isOpen = world.published.contains {
            if case .emergencySnapshot(let snapshot) = $0 { snapshot.state == .open } else { false }
        }
        #expect(isOpen, "other services learn of it")
        world.clear()
        world.pass(.seconds(121))
        #expect(world.addresses.contains(Self.citra), "the next tier follows")
        world.pass(Limits.acknowledgementTimeout)
        #expect(!world.sent.contains { $0.text.contains("Are you still helping") })
    }

    @Test func `only the responder can hand back`() {
        var world = opened()
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.clear()
        for (request, person) in [(2 as UInt64, Town.citra), (3, Town.dewi), (4, Town.aisha)] {
            world.handle(.withdraw(Town.command(request, by: .person(person.id))))
        }
        #expect(world.sent.isEmpty)
        #expect(world.emergency(Town.emergency(1))?.firstAcknowledgement?.by == Town.budi.id)
        world.handle(.withdraw(Town.command(5, by: .person(Town.budi.id), emergency: 7)))
        #expect(world.answers[5] == .unknown)
    }

    @Test func `of three at once the first wins, and the others learn who it was`() {
        var world = opened()
        world.pass(.seconds(260))
        let three = [Town.citra, Town.budi, Town.dewi]
        for (index, person) in three.enumerated() {
            world.handle(.acknowledge(Town.command(UInt64(index), by: .person(person.id))))
        }
        let answers = (0..<3).compactMap { index -> EmergencyStatus? in
            if case .status(let status) = world.answers[UInt64(index)] { status } else { nil }
        }
        #expect(answers.map(\.by) == [Town.citra.id, Town.citra.id, Town.citra.id])
        #expect(answers.map(\.isYours) == [true, false, false])
        let committed = world.published.filter {
            if case .acknowledgementCommitted = $0 { true } else { false }
        }
        #expect(committed.count == 1)
    }

    // MARK: Codes of members

    private func send(
        _ world: inout World, _ request: UInt64, _ code: String, by person: Person
    ) -> Answer? {
        world.handle(
            .acknowledgeByReference(
                ReferenceCommand(request: request, code: code, principal: .person(person.id))))
        return world.answers[request]
    }

    @Test func `a member acknowledges with their own code`() {
        var world = opened()
        world.pass(.seconds(130))
        #expect(send(&world, 1, world.code(at: Self.citra), by: Town.budi) == .unknown)
        guard case .status(let status) = send(&world, 2, world.code(at: Self.budi), by: Town.budi)
        else {
            Issue.record("not acknowledged")
            return
        }
        #expect(status.isYours && status.state == .acknowledged)
    }

    @Test func `wrong, foreign and ended codes are answered alike, five an hour`() {
        var world = opened()
        world.pass(.seconds(130))
        let (own, foreign) = (world.code(at: Self.budi), world.code(at: Self.citra))
        world.receive(.emergencyResolved(Town.change(1, .resolved, by: Town.citra.id)))
        for (request, code) in ["", "9999999", foreign, own, "0"].enumerated() {
            #expect(send(&world, UInt64(request), code, by: Town.budi) == .unknown)
        }
        world.receive(.emergencyOpened(Town.change(2)))
        let next = world.code(at: Self.budi, 2)
        guard case .tooMany(let wait) = send(&world, 6, next, by: Town.budi) else {
            Issue.record("not limited")
            return
        }
        #expect(wait <= Limits.wrongCodeWindow && wait > .zero)
        #expect(world.emergency(Town.emergency(2))?.state == .open)
        world.pass(wait)
        guard case .status = send(&world, 7, next, by: Town.budi) else {
            Issue.record("still limited")
            return
        }
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}

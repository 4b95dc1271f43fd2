import Hashing
import Model
import NotifierCore
import Testing

struct ReplyTests {
    private static let budi = "+60111000002"
    private static let stranger = "+60129999999"

    /// Aisha's emergency is open, and Budi was told of it by SMS.
    private func opened() -> World {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.clear()
        return world
    }

    private func write(_ world: inout World, _ text: String, from sender: String = Self.budi) {
        let id = Hash.id(.text(text), .text(sender), .number(world.now.microseconds))
        world.handle(.reply(Reply(id: id, sender: sender, text: text, trace: "t")))
    }

    private func reference(_ world: World) throws -> String {
        try #require(world.emergency(Town.emergency(1))).reference
    }

    private func answers(_ world: World) -> [String] {
        world.sent.filter { delivery in
            world.notifications.contains {
                $0.id == delivery.notification && $0.reason == .replyAnswer
            }
        }.map(\.text)
    }

    private func given(_ world: World) -> [EmergencyAnswer] {
        world.published.compactMap {
            if case .acknowledgementGiven(let answer) = $0 { answer } else { nil }
        }
    }

    @Test(arguments: ["OK %", "ok %", " Ok  %.", "OK%", "\"OK %\"", "okay %!"])
    func `OK and the reference takes the emergency`(form: String) throws {
        var world = opened()
        write(&world, form.replacing("%", with: try reference(world)))
        #expect(given(world).map(\.by) == [Town.budi.id])
        #expect(world.emergency(Town.emergency(1))?.state == .acknowledged)
        #expect(
            answers(world) == [
                "Jaga: You have taken the alarm of Aisha. The others are told. Ref "
                    + (try reference(world)) + "."
            ])
    }

    @Test func `whoever was not told takes nothing and hears nothing`() throws {
        var world = opened()
        for sender in [Self.stranger, "+60111000004", "+60111000001"] {
            write(&world, "OK \(try reference(world))", from: sender)
        }
        #expect(given(world).isEmpty)
        #expect(answers(world).isEmpty)
        #expect(world.emergency(Town.emergency(1))?.state == .open)
    }

    @Test func `a wrong reference, or none, is told the right one`() throws {
        var world = opened()
        write(&world, "OK")
        #expect(given(world).isEmpty)
        let right = try reference(world)
        #expect(answers(world).first?.contains("reply OK \(right)") == true)
        world.pass(.seconds(61))
        world.clear()
        write(&world, "OK 9999999")
        #expect(answers(world).count == 1)
    }

    @Test func `who comes second hears whose it is, and who comes late how it ended`() throws {
        var world = opened()
        world.pass(.seconds(130))
        write(&world, "OK \(try reference(world))", from: "+60111000003")
        world.clear()
        write(&world, "OK \(try reference(world))")
        #expect(given(world).isEmpty)
        #expect(answers(world).first?.contains("Citra has taken the alarm of Aisha") == true)
        world.tell(.emergencyResolved(Town.news(1, .resolved, by: Town.citra.id)))
        world.pass(.seconds(61))
        world.clear()
        write(&world, "OK \(try reference(world))")
        #expect(answers(world).first?.contains("Alarm of Aisha is over") == true)
    }

    @Test func `a number that was told hours ago still counts, also after a restart`() throws {
        var world = opened()
        world.pass(.seconds(3 * 3600))
        world.restart()
        world.clear()
        write(&world, "OK \(try reference(world))")
        #expect(given(world).map(\.by) == [Town.budi.id])
    }

    @Test func `STOP and START are kept for the number, and answered once a minute`() {
        var world = World()
        write(&world, "stop", from: Self.stranger)
        write(&world, "STOP please", from: Self.stranger)
        #expect(world.numbers[Self.stranger]?.stopped == world.now)
        #expect(world.addresses == [Self.stranger])
        write(&world, "START", from: Self.stranger)
        #expect(world.numbers[Self.stranger]?.stopped == nil)
        #expect(world.sent.count == 1, "within the minute nothing more is said")
        world.pass(.seconds(60))
        write(&world, "Stop", from: Self.stranger)
        #expect(world.sent.count == 2)
        world.restart()
        #expect(world.numbers[Self.stranger]?.stopped == world.now)
        write(&world, "START", from: Self.stranger)
        #expect(world.sent.count == 2, "the minute goes on over a restart")
    }

    @Test func `a guardian who said STOP hears of emergencies, but of zones by mail alone`() {
        var world = World()
        write(&world, "STOP")
        world.clear()
        world.tell(.zoneEntered(Town.crossing()))
        #expect(Set(world.addresses) == ["budi@example.org", "+60111000003"])
        world.clear()
        world.tell(.emergencyOpened(Town.news()))
        #expect(world.addresses.contains(Self.budi))
        // Citra has a number and nothing else.
        write(&world, "STOP", from: "+60111000003")
        world.clear()
        world.tell(.zoneExited(Town.crossing(inside: false)))
        #expect(world.addresses == ["budi@example.org"])
        let decisions = world.timeline.first?.decisions ?? []
        #expect(decisions.contains { $0.recipient == Town.citra.id && $0.reason == .stopped })
    }

    @Test func `a number is forgotten a day after its answer`() {
        var world = World()
        write(&world, "STOP", from: Self.stranger)
        write(&world, "START", from: Self.stranger)
        #expect(world.numbers[Self.stranger] != nil)
        world.pass(.seconds(25 * 3600))
        #expect(world.numbers[Self.stranger] == nil)
    }

    @Test func `SOS of a registered number is a call for help of its person`() throws {
        var world = World()
        write(&world, "SOS at the river", from: "+60111000001")
        let signals = world.published.compactMap { body -> EmergencySignal? in
            if case .signalGiven(let signal) = body { signal } else { nil }
        }
        let signal = try #require(signals.first)
        #expect(signals.count == 1)
        #expect(signal.person == Town.aisha.id && signal.trigger == .sms)
        #expect(signal.note == "at the river" && signal.countdownEnds == signal.received)
        #expect(answers(world).first?.contains("Your SOS has arrived") == true)
        world.clear()
        // Neither ingest nor an evaluator answers: the ladder is opened here.
        world.pass(.seconds(5))
        #expect(world.addresses.contains(Self.budi))
        #expect(world.sent.first { $0.address == Self.budi }?.text.contains("at the river") == true)
        // Ingest comes back and tells of the same call: nobody hears twice.
        world.clear()
        world.tell(.sosRaised(signal))
        world.pass(.seconds(5))
        #expect(world.sent.isEmpty)
    }

    @Test func `SOS of a number that nobody has is passed over`() {
        var world = World()
        write(&world, "SOS", from: Self.stranger)
        #expect(world.published.isEmpty && world.sent.isEmpty)
    }

    @Test func `SOS of a number that two have is one for both`() {
        var world = World()
        var citra = Town.citra
        citra.contacts[0].address = "+60111000001"
        world.change(.personChanged(citra))
        write(&world, "sos", from: "+60111000001")
        let people = world.published.compactMap { body -> PersonID? in
            if case .signalGiven(let signal) = body { signal.person } else { nil }
        }
        #expect(people == [Town.aisha.id, Town.citra.id])
    }

    @Test func `other words of who was told, or is in danger, stand in the timeline`() {
        var world = opened()
        write(&world, "I am on my way\nwith Ali")
        write(&world, "I am in the blue car", from: "+60111000001")
        write(&world, "who is this", from: Self.stranger)
        let replies = world.timeline.filter { $0.kind == .reply }
        #expect(replies.map(\.by) == [Town.budi.id, Town.aisha.id])
        #expect(replies.first?.words == "I am on my way with Ali")
        #expect(world.sent.isEmpty)
        world.tell(.emergencyResolved(Town.news(1, .resolved, by: Town.budi.id)))
        world.clear()
        write(&world, "thanks")
        #expect(world.timeline.isEmpty)
    }

    @Test(arguments: Language.allCases)
    func `answers fit one SMS in every language`(language: Language) {
        let reader = Reader(
            language: language, who: String(repeating: "Nasruddin ", count: 10),
            reference: "4711", now: World.start)
        let sayings: [Saying] = [
            .yours, .referenceNeeded("4711"), .helpComes, .stopped, .started,
        ]
        for saying in sayings {
            let measure = SMSText(Composer(reader).words(for: saying, on: .sms).text)
            #expect(measure.segments == 1 && measure.encoding == .gsm7)
        }
    }

    @Test func `an alarm says how to answer where answers arrive`() {
        func text(_ hasReplies: Bool, on channel: Channel) -> String {
            let reader = Reader(
                language: .english, who: "Aisha", reference: "4711", now: World.start,
                hasReplies: hasReplies)
            let alarm = Alarm(trigger: .sms, raised: World.start)
            return Composer(reader).words(for: .alarm(alarm, .first), on: channel).text
        }
        #expect(text(true, on: .sms).hasSuffix("Take it in Jaga, ref 4711. Or reply OK 4711."))
        #expect(!text(false, on: .sms).contains("reply"))
        #expect(!text(true, on: .email).contains("reply"))
    }
}

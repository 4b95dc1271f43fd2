import Hashing
import Model
import NotifierCore
import Testing

struct ReplyTests {
    private static let budi = "+60111000002"
    private static let stranger = "+60129999999"

    /// Aisha's emergency is open, and Budi was notified by SMS.
    private func opened() -> World {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        return world
    }

    private func write(_ world: inout World, _ text: String, from sender: String = Self.budi) {
        let id = Hash.id(.text(text), .text(sender), .number(world.now.microseconds))
        world.handle(.reply(Reply(id: id, sender: sender, text: text, trace: "t")))
    }

    private func reference(_ world: World, at number: String = Self.budi) throws -> String {
        let code = world.code(at: number)
        try #require(code != "none")
        return code
    }

    private func answers(_ world: World) -> [String] {
        world.sent.filter { delivery in
            world.notifications.contains {
                $0.id == delivery.notification && $0.reason == .replyAnswer
            }
        }.map(\.text)
    }

    private func acknowledged(_ world: World) -> [EmergencyAnswer] {
        world.published.compactMap {
            if case .acknowledgementCommitted(let answer) = $0 { answer } else { nil }
        }
    }

    @Test(arguments: ["OK %", "ok %", " Ok  %.", "OK%", "\"OK %\"", "okay %!"])
    func `OK and the reference acknowledges the emergency`(form: String) throws {
        var world = opened()
        write(&world, form.replacing("%", with: try reference(world)))
        #expect(acknowledged(world).map(\.by) == [Town.budi.id])
        #expect(world.emergency(Town.emergency(1))?.state == .acknowledged)
        #expect(
            answers(world) == [
                "Jaga: You are responding to Aisha's emergency. We tell the others."
                    + " Not you? Reply NO \(try reference(world))."
            ])
    }

    @Test func `numbers that were not notified change nothing and get no answer`() throws {
        var world = opened()
        for sender in [Self.stranger, "+60111000004", "+60111000001"] {
            write(&world, "OK \(try reference(world))", from: sender)
        }
        #expect(acknowledged(world).isEmpty)
        #expect(answers(world).isEmpty)
        #expect(world.emergency(Town.emergency(1))?.state == .open)
    }

    @Test func `a wrong or missing reference is answered with the right one`() throws {
        var world = opened()
        write(&world, "OK")
        #expect(acknowledged(world).isEmpty)
        let right = try reference(world)
        #expect(answers(world).first?.contains("reply OK \(right)") == true)
        world.pass(.seconds(61))
        world.clear()
        write(&world, "OK 9999999")
        #expect(answers(world).count == 1)
    }

    @Test func `the second responder learns the first, and a late one how it ended`() throws {
        let citra = "+60111000003"
        var world = opened()
        world.pass(.seconds(130))
        write(&world, "OK \(try reference(world, at: citra))", from: citra)
        world.clear()
        write(&world, "OK \(try reference(world))")
        #expect(acknowledged(world).isEmpty)
        #expect(answers(world).first?.contains("Citra is responding to Aisha's emergency") == true)
        world.receive(.emergencyResolved(Town.change(1, .resolved, by: Town.citra.id)))
        world.pass(.seconds(61))
        world.clear()
        write(&world, "OK \(try reference(world))")
        #expect(answers(world).first?.contains("Aisha's emergency is over") == true)
    }

    @Test func `a number notified hours ago still counts, also after a restart`() throws {
        var world = opened()
        world.pass(.seconds(3 * 3600))
        world.restart()
        world.clear()
        write(&world, "OK \(try reference(world))")
        #expect(acknowledged(world).map(\.by) == [Town.budi.id])
    }

    @Test func `a code counts only from the number that it was sent to`() throws {
        var world = opened()
        world.pass(.seconds(130))
        let citra = "+60111000003"
        #expect(try reference(world) != reference(world, at: citra))
        write(&world, "OK \(try reference(world))", from: citra)
        #expect(acknowledged(world).isEmpty)
        write(&world, "OK \(try reference(world, at: citra))", from: citra)
        #expect(acknowledged(world).map(\.by) == [Town.citra.id])
    }

    @Test func `five wrong codes an hour count, then none of that number`() throws {
        var world = opened()
        let right = try reference(world)
        let wrong = right == "1000" ? "1001" : "1000"
        for _ in 0..<5 {
            write(&world, "OK \(wrong)")
            world.pass(.seconds(61))
        }
        world.clear()
        write(&world, "OK \(right)")
        #expect(acknowledged(world).isEmpty)
        #expect(answers(world).first?.contains("Too many wrong codes") == true)
        world.restart()
        world.pass(.seconds(61))
        write(&world, "NO \(right)")
        write(&world, "OK \(right)")
        #expect(acknowledged(world).isEmpty, "also after a restart")
        world.pass(.seconds(3600))
        write(&world, "OK \(right)")
        #expect(acknowledged(world).map(\.by) == [Town.budi.id])
    }

    @Test func `the confirmation is sent whatever was answered before`() throws {
        var world = opened()
        write(&world, "OK")
        world.clear()
        write(&world, "OK \(try reference(world))")
        #expect(answers(world).count == 1)
        write(&world, "OK \(try reference(world))")
        #expect(answers(world).count == 1, "a repetition is not confirmed again")
    }

    @Test(arguments: ["NO %", "no, %!", "Bukan saya %", "tidak %"])
    func `NO and the reference resumes the escalation`(form: String) throws {
        var world = opened()
        let code = try reference(world)
        write(&world, "OK \(code)")
        world.pass(.seconds(10))
        world.clear()
        write(&world, form.replacing("%", with: code))
        #expect(world.emergency(Town.emergency(1))?.state == .open)
        #expect(world.emergency(Town.emergency(1))?.firstAcknowledgement == nil)
        #expect(answers(world).first?.contains("handed Aisha's emergency back") == true)
        #expect(world.timeline.contains { $0.kind == .withdrawn && $0.by == Town.budi.id })
        let alarms = world.sent.filter { $0.text.contains("NO ANSWER YET") }
        #expect(!alarms.isEmpty, "the first tier is alerted again")
        write(&world, "no answer at her door")
        #expect(world.timeline.contains { $0.kind == .reply && $0.by == Town.budi.id })
    }

    @Test func `STOP and START are stored per number, and answered once a minute`() {
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

    @Test func `a guardian who replied STOP gets emergencies by SMS, and zones by mail only`() {
        var world = World()
        write(&world, "STOP")
        world.clear()
        world.receive(.zoneEntered(Town.crossing()))
        #expect(Set(world.addresses) == ["budi@example.org", "+60111000003"])
        world.clear()
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.addresses.contains(Self.budi))
        // Citra has only a number.
        write(&world, "STOP", from: "+60111000003")
        world.clear()
        world.receive(.zoneExited(Town.crossing(inside: false)))
        #expect(world.addresses == ["budi@example.org"])
        let decisions = world.timeline.first?.decisions ?? []
        #expect(decisions.contains { $0.recipient == Town.citra.id && $0.reason == .stopped })
    }

    @Test func `the state of a number is removed a day after its answer`() {
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
            if case .signalReceived(let signal) = body { signal } else { nil }
        }
        let signal = try #require(signals.first)
        #expect(signals.count == 1)
        #expect(signal.person == Town.aisha.id && signal.trigger == .sms)
        #expect(signal.note == "at the river" && signal.countdownEnds == signal.received)
        #expect(answers(world).first?.contains("SOS received") == true)
        world.clear()
        // Neither ingest nor an evaluator answers, so the fallback opens the escalation.
        world.pass(.seconds(5))
        #expect(world.addresses.contains(Self.budi))
        #expect(world.sent.first { $0.address == Self.budi }?.text.contains("at the river") == true)
        // Ingest returns and publishes the same call: nobody is notified twice.
        world.clear()
        world.receive(.sosRaised(signal))
        world.pass(.seconds(5))
        #expect(world.sent.isEmpty)
    }

    @Test func `SOS of an unknown number is ignored`() {
        var world = World()
        write(&world, "SOS", from: Self.stranger)
        #expect(world.published.isEmpty && world.sent.isEmpty)
    }

    @Test func `SOS of a number of two people is an emergency for both`() {
        var world = World()
        var citra = Town.citra
        citra.contacts[0].address = "+60111000001"
        world.change(.personChanged(citra))
        write(&world, "sos", from: "+60111000001")
        let people = world.published.compactMap { body -> PersonID? in
            if case .signalReceived(let signal) = body { signal.person } else { nil }
        }
        #expect(people == [Town.aisha.id, Town.citra.id])
    }

    @Test func `other texts of recipients or the person in danger are in the timeline`() {
        var world = opened()
        write(&world, "I am on my way\nwith Ali")
        write(&world, "I am in the blue car", from: "+60111000001")
        write(&world, "who is this", from: Self.stranger)
        let replies = world.timeline.filter { $0.kind == .reply }
        #expect(replies.map(\.by) == [Town.budi.id, Town.aisha.id])
        #expect(replies.first?.text == "I am on my way with Ali")
        // Who is known gets the list of words once; it says nothing about the emergency.
        #expect(world.sent.allSatisfy { $0.text.hasPrefix("Jaga: Words: ") })
        #expect(!world.sent.contains { $0.address == Self.stranger })
        world.receive(.emergencyResolved(Town.change(1, .resolved, by: Town.budi.id)))
        world.clear()
        write(&world, "thanks")
        #expect(world.timeline.isEmpty)
    }

    @Test(arguments: Language.allCases)
    func `answers fit one SMS in every language`(language: Language) {
        let reader = Reader(
            language: language, who: String(repeating: "Nasruddin ", count: 10),
            reference: "4711", now: World.start)
        let contents: [NoticeContent] = [
            .youRespond, .handedBack, .tooManyCodes, .referenceNeeded("4711"), .sosReceived,
            .stopped, .started,
        ]
        for content in contents {
            let measure = SMSText(Composer(reader).render(content, on: .sms).text)
            #expect(measure.segments == 1 && measure.encoding == .gsm7)
        }
    }

    @Test func `an alarm says how to reply if replies are received`() {
        func text(_ hasReplies: Bool, on channel: Channel) -> String {
            let reader = Reader(
                language: .english, who: "Aisha", reference: "4711", now: World.start,
                hasReplies: hasReplies)
            let alarm = Alarm(trigger: .sms, raised: World.start)
            return Composer(reader).render(.alarm(alarm, .first), on: channel).text
        }
        #expect(text(true, on: .sms).hasSuffix("Respond in Jaga, ref 4711. Or reply OK 4711."))
        #expect(!text(false, on: .sms).contains("reply"))
        #expect(!text(true, on: .email).contains("reply"))
    }
}

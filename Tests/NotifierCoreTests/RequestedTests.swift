import Model
import NotifierCore
import Testing

struct RequestedTests {
    private static let number = "+60129999999"
    private static let code = "004711"

    private func ask(
        _ world: inout World, _ event: UInt64 = 1, to number: String = Self.number,
        from sender: String = "Aisha", locale: String = "en"
    ) {
        world.handle(
            .requested(
                RequestedMessage(
                    channel: .sms, address: number, sender: sender, locale: locale,
                    code: Self.code),
                by: EventID(ID128(high: 40, low: event)), expires: World.start + .seconds(1800),
                trace: "t"))
    }

    @Test func `a code goes to its number once, in words of one SMS, and is then forgotten`() throws
    {
        var world = World()
        ask(&world)
        ask(&world)
        #expect(world.addresses == [Self.number])
        #expect(
            world.sent.first?.text
                == "Jaga: Aisha wants to send you messages. To agree, tell them your code 004711."
                + " Else do nothing, or reply STOP.")
        world.restart()
        ask(&world)
        #expect(world.sent.count == 1)
        let row = try #require(world.notifications.first)
        #expect(row.state == .accepted)
        #expect(!"\(row)".contains(Self.code))
        let published = world.published.filter { $0.kind != .reachabilityChanged }
        #expect(published.isEmpty, "no other service hears of it")
    }

    @Test(arguments: [
        ("Aisha binti Ali", "Aisha"), ("Jean-Luc", "Jean-Luc"), ("李雷", "李雷"), ("Zoë", "Zoë"),
        ("You won $900: evil.example/x", "You"), ("http://evil.example", "Somebody"),
        ("evil.example win now", "Somebody"), ("+60123456789", "Somebody"), ("4711", "Somebody"),
        ("WINWINWINWINWINWINWIN", "Somebody"), ("'-", "Somebody"), ("", "Somebody"),
        ("Bank:", "Somebody"),
    ]) func `a code carries no free text of its sender`(name: String, shown: String) throws {
        var world = World()
        ask(&world, from: name)
        let text = try #require(world.sent.first?.text)
        #expect(text.hasPrefix("Jaga: \(shown) wants to send you messages. To agree"))
        for part in ["evil", "http", "900", "4711 ", "+60", "won"] { #expect(!text.contains(part)) }
    }

    @Test(arguments: ["en", "ms", "id"])
    func `a long name never makes a code two SMS`(locale: String) throws {
        var world = World()
        let name = String(repeating: "Wan Mohd Nasruddin ", count: 10)
        ask(&world, from: name, locale: locale)
        let measure = SMSText(try #require(world.sent.first?.text))
        #expect(measure.segments == 1)
        #expect(measure.encoding == .gsm7)
    }

    @Test func `a code in doubt is not sent again, one that surely did not leave is`() {
        var world = World()
        world.gateway = { _ in nil }
        ask(&world)
        world.restart()
        world.pass(.seconds(3600))
        #expect(world.sent.count == 1)
        #expect(world.notifications.first?.state == .unknown)
        #expect(world.notifications.first?.words.short == "")

        var other = World()
        var answers = [AttemptOutcome.accepted, .later]
        other.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: answers.removeLast())
        }
        ask(&other)
        #expect(other.notifications.first?.words.short.contains(Self.code) == true)
        other.pass(.seconds(60))
        #expect(other.sent.map(\.text).allSatisfy { $0.contains(Self.code) })
        #expect(other.sent.count == 2)
    }

    @Test func `a number that said STOP gets no code, nor one that had ten texts`() {
        var world = World()
        world.handle(.stop(request: 1, number: Self.number, stopped: true))
        ask(&world)
        for event in UInt64(2)...20 { ask(&world, event, to: "+60128888888") }
        #expect(world.addresses == Array(repeating: "+60128888888", count: 10))
        #expect(world.warnings.first == .requestWithheld(.stopped))
        #expect(world.warnings.last == .requestWithheld(.tooMany))
    }

    @Test func `a code that nobody could enter any more is not sent`() {
        var world = World()
        world.now = World.start + .seconds(1800)
        ask(&world)
        #expect(world.sent.isEmpty)
        #expect(world.warnings == [.requestWithheld(.tooOld)])
    }

    @Test func `zones go by mail with their file, which is then forgotten`() throws {
        var world = World()
        world.handle(
            .requested(
                RequestedMessage(
                    channel: .email, address: "mum@example.org", sender: "Aisha", locale: "ms",
                    file: .init(name: "School.pad", text: "AlertZoneStart\n")),
                by: EventID(ID128(high: 40, low: 1)), expires: World.start + .seconds(1800),
                trace: ""))
        let mail = try #require(world.sent.first)
        #expect(mail.address == "mum@example.org")
        #expect(mail.subject == "Jaga: Aisha menghantar zon kepada anda dalam fail School.pad")
        #expect(mail.file?.text == "AlertZoneStart\n")
        #expect(world.notifications.first?.file == nil)
    }
}

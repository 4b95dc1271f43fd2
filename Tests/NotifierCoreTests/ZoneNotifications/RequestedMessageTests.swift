import Model
import NotifierCore
import Testing

struct RequestedMessageTests {
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
                    content: .consentCode(Self.code)),
                by: EventID(ID128(high: 40, low: event)), expires: World.start + .seconds(1800),
                trace: "t"))
    }

    @Test func `a code goes to its number once, in one SMS, and is then erased`() throws {
        var world = World()
        ask(&world)
        ask(&world)
        #expect(world.addresses == [Self.number])
        #expect(
            world.sent.first?.text
                == "Jaga: Aisha wants to send you messages. To agree, tell them your code 004711."
                + " If not, do nothing or reply STOP.")
        world.restart()
        ask(&world)
        #expect(world.sent.count == 1)
        let row = try #require(world.notifications.first)
        #expect(row.state == .accepted)
        #expect(!"\(row)".contains(Self.code))
        let published = world.published.filter { $0.kind != .reachabilityChanged }
        #expect(published.isEmpty, "no other service learns of it")
    }

    @Test(arguments: [
        ("Aisha binti Ali", "Aisha"), ("Jean-Luc", "Jean-Luc"), ("李雷", "李雷"), ("Zoë", "Zoë"),
        ("You won $900: evil.example/x", "You"), ("http://evil.example", "Someone"),
        ("evil.example win now", "Someone"), ("+60123456789", "Someone"), ("4711", "Someone"),
        ("WINWINWINWINWINWINWIN", "Someone"), ("'-", "Someone"), ("", "Someone"),
        ("Bank:", "Someone"),
    ]) func `a code carries no free text of its sender`(name: String, shown: String) throws {
        var world = World()
        ask(&world, from: name)
        let text = try #require(world.sent.first?.text)
        #expect(text.hasPrefix("Jaga: \(shown) wants to send you messages. To agree"))
        for part in ["evil", "http", "900", "4711 ", "+60", "won"] { #expect(!text.contains(part)) }
    }

    private func tell(
        _ world: inout World, _ notice: MembershipNotice, locale: String = "en"
    ) {
        world.handle(
            .requested(
                RequestedMessage(
                    channel: .sms, address: Self.number, sender: "Aisha evil.example",
                    locale: locale, content: .membership(notice)),
                by: EventID(ID128(high: 41, low: 1)), expires: World.start + .seconds(1800),
                trace: "t"))
    }

    @Test(arguments: [
        ("en", "Jaga: Aisha invites you to share positions. Read who would see you: "),
        ("ms", "Jaga: Aisha menjemput anda berkongsi kedudukan. Baca siapa akan melihat anda: "),
        ("id", "Jaga: Aisha mengundang Anda berbagi posisi. Baca siapa yang akan melihat Anda: "),
    ])
    func `an invitation has the link and no text of the sender, and is erased`(
        locale: String, start: String
    ) throws {
        var world = World()
        let link = "https://jaga.example/app/#invitation=TOKEN"
        tell(&world, .invitation(link: link), locale: locale)
        let text = try #require(world.sent.first?.text)
        #expect(text.hasPrefix(start + link), "\(text)")
        #expect(!text.contains("evil"))
        #expect(!"\(world.notifications)".contains("TOKEN"))
    }

    @Test func `a request for consent and a ward's date are sent`() throws {
        var world = World()
        tell(&world, .consent(link: "https://jaga.example/app/#consents"))
        let question = try #require(world.sent.last?.text)
        #expect(question.contains("Aisha asks whether others may see more of you"))
        #expect(question.contains("#consents"))
        var other = World()
        tell(&other, .takeOver(ward: "Fitri Tan", World.start))
        let date = String(World.start.description.prefix(10))
        #expect(
            other.sent.last?.text.contains("Fitri takes over the account on \(date)") == true)
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

    @Test func `a code is not resent after an unknown outcome, but after a certain failure`() {
        var world = World()
        world.gateway = { _ in nil }
        ask(&world)
        world.restart()
        world.pass(.seconds(3600))
        #expect(world.sent.count == 1)
        #expect(world.notifications.first?.state == .unknown)
        #expect(world.notifications.first?.rendered.short == "")

        var other = World()
        var answers = [AttemptOutcome.accepted, .later]
        other.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: answers.removeLast())
        }
        ask(&other)
        #expect(other.notifications.first?.rendered.short.contains(Self.code) == true)
        other.pass(.seconds(60))
        #expect(other.sent.map(\.text).allSatisfy { $0.contains(Self.code) })
        #expect(other.sent.count == 2)
    }

    @Test func `a number that replied STOP, or had ten texts, gets no code`() {
        var world = World()
        world.handle(.setOptOut(request: 1, number: Self.number, isOptedOut: true))
        ask(&world)
        for event in UInt64(2)...20 { ask(&world, event, to: "+60128888888") }
        #expect(world.addresses == Array(repeating: "+60128888888", count: 10))
        #expect(world.warnings.first == .requestSuppressed(.stopped))
        #expect(world.warnings.last == .requestSuppressed(.tooMany))
    }

    @Test func `an expired code is not sent`() {
        var world = World()
        world.now = World.start + .seconds(1800)
        ask(&world)
        #expect(world.sent.isEmpty)
        #expect(world.warnings == [.requestSuppressed(.tooOld)])
    }

    @Test func `zones are mailed with their file, which is then erased`() throws {
        var world = World()
        world.handle(
            .requested(
                RequestedMessage(
                    channel: .email, address: "mum@example.org", sender: "Aisha", locale: "ms",
                    content: .zones(.init(name: "School.pad", text: "AlertZoneStart\n"))),
                by: EventID(ID128(high: 40, low: 1)), expires: World.start + .seconds(1800),
                trace: ""))
        let mail = try #require(world.sent.first)
        #expect(mail.address == "mum@example.org")
        #expect(mail.subject == "Jaga: Aisha menghantar zon kepada anda dalam fail School.pad")
        #expect(mail.file?.text == "AlertZoneStart\n")
        #expect(world.notifications.first?.file == nil)
    }

    // MARK: Accounts

    private func send(
        _ world: inout World, _ message: AccountMessage, to number: String = Self.number,
        event: UInt64 = 1, locale: String = "en", site: String = "Hillside School"
    ) {
        world.handle(
            .requested(
                RequestedMessage(
                    channel: .sms, address: number, sender: site, locale: locale,
                    content: .account(message)),
                by: EventID(ID128(high: 41, low: event)), expires: World.start + .seconds(600),
                trace: "t"))
    }

    @Test func `a sign-in code comes first, with the site's name, and is then erased`() throws {
        var world = World()
        send(&world, .signInCode("004711"))
        #expect(
            world.sent.map(\.text) == [
                "004711 is your code to sign in to Hillside School. It is valid for 10 min."
                    + " Give it to nobody, we never ask for it."
            ])
        let row = try #require(world.notifications.first)
        #expect(row.severity == .account && row.reason == .accountCode)
        #expect(!"\(row)".contains("004711"))
    }

    @Test(arguments: ["en", "ms", "id"])
    func `messages about accounts fit one SMS, and codes are their first word`(
        locale: String
    ) {
        let all: [AccountMessage] = [
            .signInCode("004711"), .contactCode("004711"), .contactReminder, .contactTest,
            .contactRemoved, .newSession,
        ]
        for (index, message) in all.enumerated() {
            var world = World()
            send(
                &world, message, event: UInt64(index), locale: locale,
                site: "Sekolah Kebangsaan Bukit Damansara Kuala Lumpur")
            let text = world.sent.first?.text ?? ""
            let measure = SMSText(text)
            #expect(measure.segments == 1 && measure.encoding == .gsm7, "\(text)")
            #expect(text.hasPrefix("004711 ") == message.isCode, "\(text)")
        }
    }

    @Test func `after STOP a person still gets codes and warnings, and no question or test`() {
        var world = World()
        world.handle(.setOptOut(request: 1, number: Self.number, isOptedOut: true))
        let sent: [AccountMessage] = [.signInCode("1"), .contactRemoved, .newSession]
        let suppressed: [AccountMessage] = [.contactCode("2"), .contactReminder, .contactTest]
        for (index, message) in (sent + suppressed).enumerated() {
            send(&world, message, event: UInt64(index))
        }
        #expect(world.sent.count == sent.count)
        #expect(
            world.warnings
                == Array(repeating: .requestSuppressed(.stopped), count: suppressed.count))
    }

    @Test func `a code is retried until it expires`() {
        var world = World()
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt, outcome: .later)
        }
        send(&world, .signInCode("1"))
        world.pass(.seconds(599))
        let count = world.sent.count
        #expect(count > 3)
        world.pass(.seconds(900))
        #expect(world.sent.count == count)
        #expect(world.notifications.map(\.state) == [.expired])
    }

    @Test func `a decoy is nothing`() {
        var world = World()
        world.handle(
            .requested(
                RequestedMessage(
                    channel: .sms, address: Self.number, sender: "", locale: "en",
                    content: .decoy),
                by: EventID(ID128(high: 41, low: 1)), expires: World.start + .seconds(600),
                trace: ""))
        #expect(world.sent.isEmpty && world.warnings.isEmpty && world.notifications.isEmpty)
    }

    @Test func `codes do not wait behind zone notifications, nor for the operator`() {
        var world = World()
        world.gateway = { _ in nil }
        for number in UInt64(1)...30 { ask(&world, number, to: "+6012888\(1000 + number)") }
        #expect(world.sent.count == 6)
        send(&world, .signInCode("004711"))
        #expect(world.sent.last?.text.hasPrefix("004711") == true)
        var other = World()
        other.sleep(.seconds(300))
        send(&other, .signInCode("004711"))
        #expect(other.sent.count == 1)
    }
}

import Directory
import Hashing
import Model
import NotifierCore
import Testing

/// Aisha has PIN 4711 and duress PIN 0815 where a test says so.
@Suite struct `A question about one's own safety` {
    private static let aisha = "+60111000001"
    private static let site = "https://jaga.example"

    private func world(hasPIN: Bool = false) -> World {
        var world = World(hasReplies: true, publicURL: Self.site)
        guard hasPIN else { return world }
        let salt = [UInt8](repeating: 7, count: PINHash.saltBytes)
        let hashes = ["4711", "0815", "unused", "none"].map {
            Hex.encode(PINHash.of($0, person: Town.aisha.id, salt: salt))
        }
        world.change(
            .pinChanged(
                PersonPIN(person: Town.aisha.id, salt: Hex.encode(salt), hashes: hashes)))
        return world
    }

    private func checkIn(_ state: CheckInState = .asked, late: Bool = false) -> EventBody {
        .checkInChanged(
            CheckIn(
                id: CheckInID(ID128(high: 6, low: 1)), person: Town.aisha.id,
                schedule: CheckInScheduleID(.zero), name: "Evening", due: World.start,
                expires: World.start + .seconds(420), late: late, state: state))
    }

    private func watch(_ state: WatchState, version: Int64) -> EventBody {
        .watchChanged(
            Watch(
                id: WatchID(.zero), person: Town.aisha.id, started: World.start,
                deadline: World.start + .seconds(300), state: state, version: version))
    }

    private func write(_ world: inout World, _ text: String, from sender: String = Self.aisha) {
        let id = Hash.id(.text(text), .text(sender), .number(world.now.microseconds))
        world.handle(.reply(Reply(id: id, sender: sender, text: text, trace: "t")))
    }

    private func answers(_ world: World) -> [SafetyAnswer] {
        world.published.compactMap {
            if case .safetyAnswerReceived(let answer) = $0 { answer } else { nil }
        }
    }

    private func contacts(_ world: World) -> Int {
        world.published.count { if case .checkInReceived = $0 { true } else { false } }
    }

    private func texts(_ world: World, to reason: NotifyReason) -> [String] {
        world.sent.filter { world.notification($0.notification)?.reason == reason }.map(\.text)
    }

    /// The link in the last text.
    private func link(_ world: World) throws -> LinkHash {
        let text = try #require(world.sent.last { $0.text.contains(Self.site) }).text
        let start = try #require(text.firstRange(of: Self.site + "/q/")).upperBound
        let token = String(text[start...].prefix { !$0.isWhitespace && $0 != "." })
        return try #require(LinkToken(token)).hash
    }

    private func press(
        _ world: inout World, _ action: QuestionCommand.Action, request: UInt64 = 1
    ) throws -> QuestionOutcome? {
        world.handle(
            .answerQuestion(
                QuestionCommand(
                    request: request, id: ID128(high: 5, low: request), link: try link(world),
                    action: action, trace: "t")))
        return world.pageAnswers[request]
    }

    // MARK: Check-ins

    @Test func `of a check-in goes to every channel, twice, with a link and the reply`() {
        var world = world()
        world.receive(checkIn())
        let first = texts(world, to: .checkInDue)
        #expect(first.count == 2)
        #expect(first.allSatisfy { $0.contains("check-in Evening was due") })
        #expect(first.allSatisfy { $0.contains(Self.site + "/q/") && !$0.contains("*") })
        #expect(first.contains { $0.contains("Or reply OK") })
        world.receive(checkIn(.reminded))
        #expect(texts(world, to: .checkInDue).count == 4)
        // Streams may be read again.
        world.receive(checkIn(.reminded))
        #expect(texts(world, to: .checkInDue).count == 4)
    }

    @Test(arguments: ["OK", "ok!", "SAFE", "Selamat", "AMAN"])
    func `of a check-in is answered by SMS, without a PIN if none is set`(text: String) {
        var world = world()
        world.receive(checkIn())
        write(&world, text)
        #expect(answers(world).map(\.outcome) == [.safe] && contacts(world) == 1)
        #expect(answers(world).map(\.coversWatch) == [false])
    }

    @Test func `of a check-in needs the PIN if one is set`() {
        var world = world(hasPIN: true)
        world.receive(checkIn())
        #expect(texts(world, to: .checkInDue).contains { $0.contains("SAFE and your PIN") })
        for (text, answer) in [
            ("OK", "PIN is needed"), ("SAFE", "PIN is needed"), ("SAFE 1111", "Wrong PIN"),
        ] {
            write(&world, text)
            #expect(texts(world, to: .replyAnswer).last?.contains(answer) == true, "\(text)")
            world.pass(.seconds(1))
        }
        #expect(answers(world).isEmpty && contacts(world) == 0)
        write(&world, "safe 4711")
        #expect(answers(world).map(\.outcome) == [.safe] && contacts(world) == 1)
        #expect(texts(world, to: .replyAnswer).last?.contains("you are safe") == true)
        let stored = world.notifications.map { "\($0)" } + world.timeline.map { "\($0)" }
        #expect(!stored.contains { $0.contains("4711") || $0.contains("1111") })
    }

    @Test func `is closed on other channels once it is answered on one`() {
        var world = world()
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.channel == .email ? .later : .accepted)
        }
        world.receive(checkIn())
        #expect(world.sent.count == 2)
        world.clear()
        world.receive(checkIn(.answered))
        world.pass(.seconds(400))
        #expect(world.sent.isEmpty)
        #expect(world.notifications.filter { $0.state == .expired }.map(\.channel) == [.email])
    }

    @Test func `says on its page that it was answered, for a day, also after a restart`() throws {
        var world = world()
        world.receive(checkIn())
        let link = try link(world)
        func state(_ world: World) -> OwnQuestion.State? {
            world.notifier.questionPage(of: link, world.directory, at: world.now)?.state
        }
        #expect(state(world) == .open)
        world.receive(checkIn(.answered))
        world.restart()
        #expect(state(world) == .answered)
        #expect(try press(&world, .safe(pin: nil)) == .closed)
        world.pass(.seconds(25 * 3600))
        #expect(state(world) == nil)
    }

    // MARK: Watches

    @Test func `of a watch is answered by link: extended by anybody, ended with the PIN`() throws {
        var world = world(hasPIN: true)
        world.receive(watch(.active, version: 1))
        world.receive(watch(.reminded, version: 2))
        #expect(texts(world, to: .watchReminder).contains { $0.contains("Extend or end: ") })
        #expect(try press(&world, .extend(minutes: 30), request: 1) == .extended)
        let commands = world.published.compactMap { body -> Int64? in
            if case .watchCommandReceived(let command) = body { command.seconds } else { nil }
        }
        #expect(commands == [1800])
        #expect(try press(&world, .safe(pin: nil), request: 2) == .pinNeeded)
        #expect(try press(&world, .safe(pin: "1111"), request: 3) == .wrongPIN)
        #expect(answers(world).isEmpty)
        #expect(try press(&world, .safe(pin: "4711"), request: 4) == .safe)
        #expect(answers(world).map(\.outcome) == [.safe])
        #expect(answers(world).map(\.coversWatch) == [true])
        world.receive(watch(.ended, version: 3))
        #expect(try press(&world, .extend(minutes: 30), request: 5) == .closed)
    }

    @Test func `of a watch is ended neither by link nor by SMS without a PIN`() throws {
        var world = world()
        world.receive(watch(.active, version: 1))
        world.receive(watch(.reminded, version: 2))
        #expect(try press(&world, .safe(pin: nil)) == .inApp)
        #expect(try press(&world, .safe(pin: "4711"), request: 2) == .inApp)
        write(&world, "SAFE 4711")
        #expect(answers(world).isEmpty && contacts(world) == 0)
        #expect(texts(world, to: .replyAnswer).last?.contains("End it in Jaga") == true)
    }

    @Test func `of a check-in leaves the watch alone, unless that was asked about, too`() {
        var world = world(hasPIN: true)
        world.receive(watch(.active, version: 1))
        world.receive(checkIn())
        write(&world, "SAFE 4711")
        #expect(answers(world).map(\.coversWatch) == [false])
        world.receive(checkIn(.answered))
        world.pass(.seconds(1))
        // An answered check-in is none: SAFE ends the watch, reminded or not.
        write(&world, "SAFE 4711")
        #expect(answers(world).map(\.coversWatch) == [false, true])
        world.receive(watch(.reminded, version: 2))
        world.pass(.seconds(1))
        write(&world, "SAFE 4711")
        #expect(answers(world).map(\.coversWatch) == [false, true, true])
    }

    // MARK: PINs

    @Test func `has the same answers for the duress PIN, by SMS and by link`() throws {
        func shown(_ pin: String, byLink: Bool) throws -> (texts: [String], [SafetyAnswer]) {
            var world = world(hasPIN: true)
            world.receive(watch(.active, version: 1))
            world.receive(watch(.reminded, version: 2))
            if byLink {
                #expect(try press(&world, .safe(pin: pin)) == .safe)
            } else {
                write(&world, "SAFE \(pin)")
            }
            world.receive(watch(.ended, version: 3))
            return (world.sent.map(\.text), answers(world))
        }
        for byLink in [false, true] {
            let (truly, safe) = try shown("4711", byLink: byLink)
            let (underDuress, duress) = try shown("0815", byLink: byLink)
            #expect(truly == underDuress)
            #expect(safe.map(\.outcome) == [.safe] && duress.map(\.outcome) == [.underDuress])
        }
    }

    @Test func `reports the fifth wrong PIN, and accepts the right one soon after`() throws {
        var world = world(hasPIN: true)
        world.receive(watch(.active, version: 1))
        world.receive(watch(.reminded, version: 2))
        for number: UInt64 in 1...5 {
            #expect(try press(&world, .safe(pin: "000\(number)"), request: number) == .wrongPIN)
        }
        #expect(answers(world).map(\.outcome) == [.wrongPINs])
        #expect(try press(&world, .safe(pin: "4711"), request: 6) == .wrongPIN)
        world.pass(.seconds(6))
        #expect(try press(&world, .safe(pin: "4711"), request: 7) == .safe)
    }

    @Test func `is not answered from an unverified, foreign or shared number`() {
        var world = world(hasPIN: true)
        world.receive(watch(.reminded, version: 2))
        write(&world, "SAFE 4711", from: "+60129999999")
        write(&world, "SAFE 4711", from: "+60111000002")
        var person = Town.aisha
        person.contacts[0].verified = nil
        world.change(.personChanged(person))
        write(&world, "SAFE 4711")
        #expect(answers(world).isEmpty)
    }

    // MARK: Timers

    @Test func `is none for a timer, which notifies its owner once that the time is up`() {
        var world = world()
        let timer = PersonTimer(
            person: Town.aisha.id, text: "Pizza", started: World.start,
            due: World.start + .seconds(60))
        world.receive(.timerExpired(timer))
        world.receive(.timerExpired(timer))
        let texts = texts(world, to: .timerExpired)
        #expect(!texts.isEmpty && texts.allSatisfy { $0.contains("Time is up! Pizza") })
        #expect(Set(world.sent.map(\.address)).count == world.sent.count)
        let own = Set(Town.aisha.contacts.map(\.address))
        #expect(Set(world.sent.map(\.address)).isSubset(of: own))
    }
}

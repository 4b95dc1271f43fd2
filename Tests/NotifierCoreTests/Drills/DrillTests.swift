import Directory
import Hashing
import Model
import Testing

@testable import NotifierCore

/// Drills of Town's family as timelines. Budi is guardian, Citra admin, Dewi member.
struct DrillTests {
    private var world: World

    init() {
        world = World(hasReplies: true, publicURL: "https://jaga.example")
        world.change(.circleChanged(DrillTests.family(agreed: [Town.budi, Town.citra, Town.dewi])))
    }

    private static func family(agreed: [Person]) -> Circle {
        var family = Town.family
        for index in family.members.indices {
            family.members[index].joinsDrills = agreed.contains {
                $0.id == family.members[index].person
            }
        }
        return family
    }

    private static let id = DrillID(ID128(high: 60, low: 1))

    private func command(
        _ action: DrillCommand.Action, _ request: UInt64 = 1, by person: Person = Town.citra
    ) -> Input {
        .drill(
            DrillCommand(
                request: request, circle: Town.familyID, principal: .person(person.id), action,
                trace: "t"))
    }

    private mutating func start(_ person: Person = Town.citra) {
        world.handle(command(.start(DrillTests.id), by: person))
    }

    private func answer(_ request: UInt64 = 1) -> DrillAnswer? {
        if case .drill(let answer) = world.answers[request] { answer } else { nil }
    }

    private func drill() throws -> Drill { try #require(world.drills.last) }

    private func participant(_ person: Person) throws -> DrillParticipant? {
        try drill().participants.first { $0.person == person.id }
    }

    // MARK: Tiers

    @Test mutating func `notifies the tiers in the times of an emergency, marked TEST`() throws {
        start()
        #expect(world.addresses == ["+60111000002", "budi@example.org"], "guardians first")
        for message in world.sent {
            #expect(message.text.hasPrefix("TEST Jaga: this is a drill of Family"))
            #expect(!message.isSafety, "no lane of emergencies")
            #expect(message.text.contains("https://jaga.example/e/"))
        }
        world.pass(.seconds(119))
        #expect(world.sent.count == 2)
        world.pass(.seconds(2))
        #expect(world.addresses.dropFirst(2) == ["+60111000004"], "no other admin, then members")
        world.pass(.seconds(240))
        let drill = try drill()
        #expect(drill.state == .finished)
        #expect(Set(drill.participants.map(\.person)) == [Town.budi.id, Town.dewi.id])
        #expect(drill.notAsked == [Town.aisha.id])
        #expect(!world.addresses.contains("+60111000003"), "not the starter")
    }

    @Test mutating func `publishes nothing that other services take for an emergency`() {
        start()
        world.pass(.seconds(600))
        for body in world.published {
            switch body {
            case .deadlineScheduled(let deadline), .deadlineCancelled(let deadline):
                #expect(deadline.kind == .drill && deadline.emergency == nil)
            default: Issue.record("published \(body.kind.type)")
            }
            #expect(!body.carriesEmergency)
        }
        #expect(world.timeline.isEmpty && world.emergencies.isEmpty)
    }

    @Test mutating func `without the timer and over a restart the next tier comes`() throws {
        world.isTimerAlive = false
        start()
        world.pass(.seconds(60))
        world.restart()
        world.pass(.seconds(400))
        #expect(try drill().state == .finished)
        #expect(try participant(Town.dewi) != nil)
    }

    @Test mutating func `who cannot be reached stands in the report with the reason`() throws {
        var dewi = Town.dewi
        dewi.contacts[0].verified = nil
        world.change(.personChanged(dewi))
        start()
        world.pass(.seconds(600))
        #expect(try participant(Town.dewi)?.reason == .notVerified)
        #expect(!world.addresses.contains("+60111000004"))
    }

    @Test mutating func `a number that replied STOP gets no drill`() throws {
        world.handle(.setOptOut(request: 9, number: "+60111000004", isOptedOut: true))
        start()
        world.pass(.seconds(600))
        #expect(try participant(Town.dewi)?.reason == .stopped)
        #expect(!world.addresses.contains("+60111000004"))
    }

    // MARK: Answers

    @Test mutating func `an SMS with the code is timed, and stops nothing`() throws {
        start()
        world.pass(.seconds(40))
        let code = try #require(
            world.notifications.first { $0.address == "+60111000002" }?.reference)
        let reply = Reply(
            id: ID128(high: 5, low: 1), sender: "+60111000002", text: "ok \(code)", trace: "t")
        world.handle(.reply(reply))
        let budi = try #require(try participant(Town.budi))
        #expect(budi.way == .sms && budi.answered.map { $0 - budi.notified } == .seconds(40))
        #expect(world.sent.last?.text == "Jaga: Thank you, your answer to the drill is recorded.")
        world.pass(.seconds(300))
        #expect(world.addresses.contains("+60111000004"), "everybody is tested")
    }

    @Test mutating func `the code counts only from a number of its recipient`() throws {
        start()
        let code = try #require(
            world.notifications.first { $0.address == "+60111000002" }?.reference)
        let reply = Reply(
            id: ID128(high: 5, low: 1), sender: "+60111000004", text: "OK \(code)", trace: "t")
        world.handle(.reply(reply))
        #expect(try participant(Town.budi)?.answered == nil)
    }

    @Test mutating func `the link answers, once`() throws {
        start()
        let text = try #require(world.sent.first).text
        let end = try #require(text.range(of: "/e/")).upperBound
        let token = try #require(LinkToken(String(text[end...].prefix(22))))
        #expect(world.notifier.drills.target(of: token.hash)?.person == Town.budi.id)
        world.pass(.seconds(7))
        world.handle(command(.answer(token.hash), by: Town.budi))
        world.pass(.seconds(7))
        world.handle(command(.answer(token.hash), by: Town.budi))
        let budi = try #require(try participant(Town.budi))
        #expect(budi.way == .page && budi.answered.map { $0 - budi.notified } == .seconds(7))
    }

    @Test mutating func `receipts and failures of each channel stand in the report`() throws {
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.channel == .email ? .rejected : .accepted, answer: "said so")
        }
        start()
        let sms = try #require(world.notifications.first { $0.address == "+60111000002" })
        world.pass(.seconds(3))
        world.handle(.receipt(Receipt(notification: sms.id, kind: .delivered)))
        let messages = try #require(try participant(Town.budi)).messages
        let delivered = try #require(messages.first { $0.channel == .sms })
        #expect(delivered.state == .delivered)
        #expect(delivered.delivered.map { $0 - World.start } == .seconds(3))
        #expect(messages.first { $0.channel == .email }?.state == .rejected)
        #expect(world.notifier.delivery.lastProof("+60111000002") != nil, "a drill proves")
    }

    // MARK: Emergencies

    @Test mutating func `is refused during an emergency of a member, with the reason`() {
        world.receive(.emergencyOpened(Town.change()))
        start()
        #expect(answer() == .refused(.emergency))
        #expect(!world.sent.contains { $0.text.hasPrefix("TEST") })
    }

    @Test mutating func `an emergency ends it at once, and nothing more is sent`() throws {
        start()
        world.pass(.seconds(30))
        world.receive(.emergencyOpened(Town.change()))
        let drill = try drill()
        #expect(drill.state == .stopped && drill.ended == world.now)
        let before = world.sent.filter { $0.text.hasPrefix("TEST") }.count
        world.pass(.seconds(600))
        #expect(world.sent.filter { $0.text.hasPrefix("TEST") }.count == before)
        #expect(world.sent.contains { $0.text.hasPrefix("SOS Aisha") })
    }

    @Test mutating func `who must not know of the emergency reads that somebody stopped it`()
        throws
    {
        world.change(
            .neverNotifyChanged(
                NeverNotifyList(person: Town.aisha.id, people: [Town.citra.id])))
        start()
        world.receive(.emergencyOpened(Town.change()))
        let drill = try drill()
        #expect(drill.state == .stopped)
        let circle = try #require(world.directory.circle(Town.familyID))
        #expect(drill.shown(to: Town.budi.id, in: circle, world.directory).stop != nil)
        #expect(drill.shown(to: Town.citra.id, in: circle, world.directory).stop == nil)
    }

    @Test mutating func `its own duress is no reason for a refusal, and none that is shown`()
        throws
    {
        var signal = Town.signal(2, countdown: .zero)
        signal.underDuress = Town.emergency(1)
        var family = DrillTests.family(agreed: [Town.budi, Town.dewi])
        family.members[0].role = .admin
        world.change(.circleChanged(family))
        world.receive(.sosRaised(signal))
        start(Town.aisha)
        guard case .drill(let started) = answer() else {
            Issue.record("it is answered as if there were no emergency")
            return
        }
        #expect(
            started.stop == nil
                || started.shown(
                    to: Town.aisha.id, in: family, world.directory
                ).stop == nil)
    }

    // MARK: Refusals and rights

    @Test mutating func `needs the right, somebody who agreed, and a pause`() {
        start(Town.dewi)
        #expect(answer() == .denied(.roleTooLow))
        start(Town.eko)
        #expect(answer() == .unknown)
        world.change(.circleChanged(DrillTests.family(agreed: [])))
        start()
        #expect(answer() == .refused(.nobodyAgreed))
        world.change(.circleChanged(DrillTests.family(agreed: [Town.budi])))
        start()
        world.handle(command(.start(DrillID(ID128(high: 60, low: 2))), 2))
        #expect(answer(2) == .refused(.running))
        world.pass(.seconds(600))
        world.handle(command(.start(DrillID(ID128(high: 60, low: 2))), 3))
        #expect(answer(3) == .refused(.tooSoon))
        world.pass(.seconds(1800))
        world.handle(command(.start(DrillID(ID128(high: 60, low: 2))), 4))
        guard case .drill = answer(4) else {
            Issue.record("the next one starts")
            return
        }
    }

    @Test mutating func `is stopped by an admin`() throws {
        start()
        world.handle(command(.stop(DrillTests.id), 2))
        world.pass(.seconds(600))
        #expect(try drill().state == .stopped)
        #expect(!world.addresses.contains("+60111000004"))
    }

    @Test mutating func `never-notify lists do not show in its report`() throws {
        start()
        world.pass(.seconds(600))
        let without = try drill().participants.map(\.reason)
        var other = DrillTests()
        other.world.change(
            .neverNotifyChanged(
                NeverNotifyList(person: Town.citra.id, people: [Town.budi.id, Town.dewi.id])))
        other.start()
        other.world.pass(.seconds(600))
        #expect(try other.drill().participants.map(\.reason) == without)
        #expect(other.world.addresses == world.addresses)
    }

    // MARK: Schedules

    @Test mutating func `starts each month at the time of the person who scheduled it`() throws {
        // 10:20 in Kuala Lumpur; without its offsets UTC.
        world.handle(command(.schedule(day: 21, minute: 600), 5))
        guard case .schedule(let schedule) = answer(5) else {
            Issue.record("not scheduled")
            return
        }
        #expect(schedule.next == Timestamp("2026-11-21T10:00:00Z"))
        world.restart()
        world.pass(.seconds(2 * 86_400))
        #expect(try drill().isScheduled && drill().state == .finished)
        #expect(try drill().started == Timestamp("2026-11-21T10:00:00Z"))
        #expect(
            world.drillSchedules[Town.familyID]?.next == Timestamp("2026-12-21T10:00:00Z"))
        world.handle(command(.unschedule, 6))
        world.pass(.seconds(40 * 86_400))
        #expect(world.drills.count == 1)
    }

    @Test mutating func `a drill that would start late waits for the next month`() throws {
        world.handle(command(.schedule(day: 21, minute: 600), 5))
        world.isTimerAlive = false
        world.now = Timestamp("2026-11-21T20:00:00Z")!
        world.restart()
        world.pass(.seconds(60))
        #expect(world.drills.isEmpty)
        let schedule = try #require(world.drillSchedules[Town.familyID])
        #expect(schedule.skipped == Timestamp("2026-11-21T10:00:00Z"))
        #expect(schedule.next == Timestamp("2026-12-21T10:00:00Z"))
    }

    @Test func `next times cross months, years and clock changes`() {
        let december = Timestamp("2026-12-28T23:00:00Z")!
        #expect(
            DrillSchedule.next(day: 28, minute: 60, after: december) { _ in 0 }
                == Timestamp("2027-01-28T01:00:00Z"))
        // Summer time begins between now and then.
        let change = Timestamp("2026-03-29T01:00:00Z")!
        #expect(
            DrillSchedule.next(
                day: 1, minute: 600, after: Timestamp("2026-03-20T00:00:00Z")!
            ) { $0 < change ? 3600 : 7200 } == Timestamp("2026-04-01T08:00:00Z"))
    }

    @Test mutating func `a schedule whose person lost the right starts nothing and is removed`() {
        world.handle(command(.schedule(day: 21, minute: 600), 5))
        var family = DrillTests.family(agreed: [Town.budi])
        family.members[2].role = .member
        world.change(.circleChanged(family))
        world.pass(.seconds(2 * 86_400))
        #expect(world.drills.isEmpty && world.drillSchedules.isEmpty)
    }
}

import Model
import NotifierCore
import Testing

@Suite struct `Routine messages about a person` {
    private let budi = "+60111000002"
    private let citra = "+60111000003"

    /// Outcome of every attempt.
    private func answering(
        _ outcome: AttemptOutcome, retryAfter: Duration? = nil
    ) -> (OutgoingMessage) -> AttemptResult? {
        { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt, outcome: outcome,
                retryAfter: retryAfter)
        }
    }

    /// Alternating entries and exits, an entry first, with a fix each.
    private func cross(_ world: inout World, _ count: Int, every pause: Duration = .zero) {
        for index in 0..<count {
            let isInside = index.isMultiple(of: 2)
            let crossing = Town.crossing(inside: isInside, at: world.now)
            world.receive(isInside ? .zoneEntered(crossing) : .zoneExited(crossing))
            world.pass(pause)
        }
    }

    /// Messages to an address, in the order in which the gateway accepted them.
    private func texts(_ address: String, in world: World) -> [String] {
        world.sent.filter { delivery in
            delivery.address == address
                && world.attempts.contains {
                    $0.notification == delivery.notification && $0.number == delivery.attempt
                        && $0.outcome == .accepted
                }
        }.map { $0.text.contains("entered") ? "in" : $0.text.contains("left") ? "out" : "?" }
    }

    @Test(arguments: [AttemptOutcome.later, .unreachable, .misconfigured], [0, 3, 40])
    func `are delivered once and in order after a gateway failure`(
        outcome: AttemptOutcome, pause: Int
    ) {
        var world = World()
        world.gateway = answering(outcome)
        cross(&world, 5, every: .seconds(pause))
        world.gateway = answering(.accepted)
        world.pass(.seconds(240))
        for address in [budi, citra, "budi@example.org"] {
            #expect(texts(address, in: world) == ["in", "out", "in", "out", "in"])
        }
    }

    @Test func `are sent to a recipient one at a time`() throws {
        var world = World()
        world.gateway = { _ in nil }
        cross(&world, 3)
        #expect(world.addresses.sorted() == [budi, citra, "budi@example.org"])
        let first = try #require(world.sent.first { $0.address == citra })
        world.handle(
            .attempted(
                AttemptResult(
                    notification: first.notification, number: 1, outcome: .accepted)))
        #expect(world.addresses.filter { $0 == citra }.count == 2)
        #expect(world.addresses.filter { $0 == budi }.count == 1, "the other one waits still")
    }

    @Test func `wait for no other recipient and no other gateway`() {
        var world = World()
        let citra = citra
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.address == citra ? .later : .accepted)
        }
        cross(&world, 4)
        #expect(texts(budi, in: world) == ["in", "out", "in", "out"])
        var other = Town.crossing()
        other.person = Town.dewi.id
        world.gateway = answering(.accepted)
        world.receive(.zoneEntered(other))
        #expect(texts(citra, in: world) == ["in"], "of somebody else: another line")
        world.pass(.seconds(60))
        #expect(texts(citra, in: world) == ["in", "in", "out", "in", "out"])
    }

    @Test func `delay no call for help, and those do not wait for each other`() {
        var world = World()
        world.gateway = { _ in nil }
        cross(&world, 3)
        world.clear()
        world.receive(.emergencyOpened(Town.change()))
        world.receive(.emergencyCancelled(Town.change(1, .cancelled)))
        #expect(world.sent.allSatisfy { $0.isSafety })
        #expect(world.addresses.filter { $0 == budi }.count == 2, "two at once")
    }

    @Test(arguments: [false, true])
    func `keep their order over a restart`(isInFlight: Bool) {
        var world = World()
        world.gateway = isInFlight ? { _ in nil } : answering(.later)
        cross(&world, 5)
        world.gateway = answering(.accepted)
        world.restart()
        cross(&world, 2)
        world.pass(.seconds(120))
        let lost = isInFlight ? 1 : 0
        let all = ["in", "out", "in", "out", "in", "in", "out"]
        #expect(texts(budi, in: world) == Array(all.dropFirst(lost)))
        #expect(texts(citra, in: world) == Array(all.dropFirst(lost)))
    }

    @Test func `are counted once after a restart`() {
        var world = World()
        world.gateway = { _ in nil }
        cross(&world, 5)
        func waiting() -> Int {
            world.notifier.delivery.waitingForRetry
                + world.notifier.delivery.load.filter { $0.kind == .routine }.reduce(0) {
                    $0 + $1.waiting
                }
        }
        #expect(waiting() == 12, "behind three that are on their way")
        world.restart(isStarted: false)
        #expect(waiting() == 12)
    }

    @Test func `continue after one with an unknown outcome`() {
        var world = World()
        world.gateway = answering(.unknown)
        cross(&world, 1)
        world.gateway = answering(.accepted)
        cross(&world, 2)
        world.pass(.seconds(120))
        #expect(texts(citra, in: world) == ["in", "out"])
        world.gateway = { _ in nil }
        cross(&world, 2)
        world.gateway = answering(.accepted)
        world.pass(Limits.attemptTimeout)
        #expect(texts(citra, in: world) == ["in", "out", "out"])
    }

    @Test func `fall over to the next number in order`() {
        var world = World()
        var person = Town.citra
        person.contacts.append(
            ContactPoint(
                id: ContactID(ID128(high: 3, low: 7)), channel: .sms, address: "+60111000033",
                rank: 5, verified: .zero))
        world.change(.personChanged(person))
        world.gateway = { _ in nil }
        cross(&world, 3)
        let citra = citra
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.address == citra ? .rejected : .accepted)
        }
        for first in world.sent where first.address == citra {
            world.handle(
                .attempted(
                    AttemptResult(
                        notification: first.notification, number: 1, outcome: .rejected)))
        }
        #expect(texts("+60111000033", in: world) == ["in", "out", "in"])
    }

    @Test func `are retried when there is a newer one, unless the gateway asked to wait`() {
        for (asked, isTried) in [(nil, true), (40, false), (90, false)] as [(Int?, Bool)] {
            var world = World()
            world.gateway = answering(.later, retryAfter: asked.map { .seconds($0) })
            cross(&world, 1)
            world.gateway = answering(.accepted)
            world.receive(.zoneExited(Town.crossing(inside: false)))
            #expect(texts(citra, in: world) == (isTried ? ["in", "out"] : []))
            world.pass(.seconds(asked ?? 0))
            #expect(texts(citra, in: world) == ["in", "out"])
        }
    }

    @Test func `make room when they are too old, and record why they were not sent`() {
        var world = World()
        world.gateway = answering(.later, retryAfter: .seconds(3600))
        cross(&world, 1)
        world.gateway = answering(.accepted)
        world.receive(.zoneExited(Town.crossing(inside: false)))
        #expect(texts(citra, in: world) == ["out"])
        let states = world.notifications.filter { $0.address == citra }.map(\.state)
        #expect(Set(states) == [.expired, .accepted])
    }

    @Test func `are not sent after STOP`() {
        var world = World()
        world.gateway = answering(.later)
        cross(&world, 3)
        let stop = Reply(id: ID128(high: 8, low: 8), sender: citra, text: "STOP", trace: "")
        world.handle(.reply(stop))
        world.gateway = answering(.accepted)
        world.pass(.seconds(240))
        #expect(texts(citra, in: world) == ["?"], "the answer to STOP alone")
        #expect(texts(budi, in: world) == ["in", "out", "in"])
        let mine = world.notifications.filter { $0.address == citra && $0.person != nil }
        #expect(mine.allSatisfy { $0.state == .expired && $0.answer == "the number replied STOP" })
    }

    @Test(arguments: [true, false])
    func `do not block others while held for the operator, and are released in order`(
        isReleased: Bool
    ) {
        var world = World()
        world.gateway = answering(.later)
        cross(&world, 3)
        world.gateway = answering(.accepted)
        world.sleep(.seconds(300))
        world.pass(.seconds(30))
        #expect(texts(citra, in: world).isEmpty)
        cross(&world, 2)
        #expect(texts(citra, in: world) == ["in", "out"])
        let held = world.notifier.heldSummaries.map(\.item)
        #expect(held.count == 9)
        if isReleased { world.handle(.release(held)) }
        world.pass(.seconds(600))
        // Without a decision of the operator they get too old.
        let late = isReleased ? ["in", "out", "in"] : []
        for address in [citra, budi] {
            #expect(texts(address, in: world) == ["in", "out"] + late)
        }
        let untold = world.notifications.filter { $0.state != .accepted }
        #expect(untold.count == (isReleased ? 0 : 9))
        #expect(untold.allSatisfy { $0.state == .expired && $0.answer == "too old" })
    }
}

import Model
import NotifierCore
import Testing

@Suite struct `News of a person` {
    private let budi = "+60111000002"
    private let citra = "+60111000003"

    /// Every attempt ends so.
    private func answering(
        _ outcome: AttemptOutcome, retryAfter: Duration? = nil
    ) -> (Delivery) -> AttemptResult? {
        { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt, outcome: outcome,
                retryAfter: retryAfter)
        }
    }

    /// In and out in turn, the first one in; a fix each.
    private func cross(_ world: inout World, _ count: Int, every pause: Duration = .zero) {
        for index in 0..<count {
            let isInside = index.isMultiple(of: 2)
            let crossing = Town.crossing(inside: isInside, at: world.now)
            world.tell(isInside ? .zoneEntered(crossing) : .zoneExited(crossing))
            world.pass(pause)
        }
    }

    /// What an address was told in the end, in the order in which the gateway took it.
    private func told(_ address: String, in world: World) -> [String] {
        world.sent.filter { delivery in
            delivery.address == address
                && world.attempts.contains {
                    $0.notification == delivery.notification && $0.number == delivery.attempt
                        && $0.outcome == .accepted
                }
        }.map { $0.text.contains("entered") ? "in" : $0.text.contains("left") ? "out" : "?" }
    }

    @Test(arguments: [AttemptOutcome.later, .unreachable, .misconfigured], [0, 3, 40])
    func `is told in its order after the gateway's trouble, each once`(
        outcome: AttemptOutcome, pause: Int
    ) {
        var world = World()
        world.gateway = answering(outcome)
        cross(&world, 5, every: .seconds(pause))
        world.gateway = answering(.accepted)
        world.pass(.seconds(240))
        for address in [budi, citra, "budi@example.org"] {
            #expect(told(address, in: world) == ["in", "out", "in", "out", "in"])
        }
    }

    @Test func `is on its way to one recipient one at a time`() throws {
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

    @Test func `waits for that of nobody else, and for nobody else's gateway`() {
        var world = World()
        let citra = citra
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.address == citra ? .later : .accepted)
        }
        cross(&world, 4)
        #expect(told(budi, in: world) == ["in", "out", "in", "out"])
        var other = Town.crossing()
        other.person = Town.dewi.id
        world.gateway = answering(.accepted)
        world.tell(.zoneEntered(other))
        #expect(told(citra, in: world) == ["in"], "of somebody else: another line")
        world.pass(.seconds(60))
        #expect(told(citra, in: world) == ["in", "in", "out", "in", "out"])
    }

    @Test func `holds up no call for help, and those do not wait for each other`() {
        var world = World()
        world.gateway = { _ in nil }
        cross(&world, 3)
        world.clear()
        world.tell(.emergencyOpened(Town.news()))
        world.tell(.emergencyCancelled(Town.news(1, .cancelled)))
        #expect(world.sent.allSatisfy { $0.isSafety })
        #expect(world.addresses.filter { $0 == budi }.count == 2, "two at once")
    }

    @Test(arguments: [false, true])
    func `keeps its order when the process begins again`(isInFlight: Bool) {
        var world = World()
        world.gateway = isInFlight ? { _ in nil } : answering(.later)
        cross(&world, 5)
        world.gateway = answering(.accepted)
        world.restart()
        cross(&world, 2)
        world.pass(.seconds(120))
        let lost = isInFlight ? 1 : 0
        let all = ["in", "out", "in", "out", "in", "in", "out"]
        #expect(told(budi, in: world) == Array(all.dropFirst(lost)))
        #expect(told(citra, in: world) == Array(all.dropFirst(lost)))
    }

    @Test func `that waits in a line is counted once when the process begins again`() {
        var world = World()
        world.gateway = { _ in nil }
        cross(&world, 5)
        func waiting() -> Int {
            world.notifier.waitingForRetry
                + world.notifier.load.filter { !$0.isSafety }.reduce(0) { $0 + $1.waiting }
        }
        #expect(waiting() == 12, "behind three that are on their way")
        world.restart(isStarted: false)
        #expect(waiting() == 12)
    }

    @Test func `goes on after one of which nobody knows whether it arrived`() {
        var world = World()
        world.gateway = answering(.unknown)
        cross(&world, 1)
        world.gateway = answering(.accepted)
        cross(&world, 2)
        world.pass(.seconds(120))
        #expect(told(citra, in: world) == ["in", "out"])
        world.gateway = { _ in nil }
        cross(&world, 2)
        world.gateway = answering(.accepted)
        world.pass(Limits.flightMax)
        #expect(told(citra, in: world) == ["in", "out", "out"])
    }

    @Test func `goes to the next number in its order`() {
        var world = World()
        var person = Town.citra
        person.contacts.append(
            ContactPoint(
                id: ContactID(ID128(high: 3, low: 7)), channel: .sms, address: "+60111000033",
                rank: 5))
        world.change(.personChanged(person))
        world.gateway = { _ in nil }
        cross(&world, 3)
        let citra = citra
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.address == citra ? .refused : .accepted)
        }
        for first in world.sent where first.address == citra {
            world.handle(
                .attempted(
                    AttemptResult(
                        notification: first.notification, number: 1, outcome: .refused)))
        }
        #expect(told("+60111000033", in: world) == ["in", "out", "in"])
    }

    @Test func `is tried as soon as there is more, unless the gateway asks for patience`() {
        for (asked, isTried) in [(nil, true), (40, false), (90, false)] as [(Int?, Bool)] {
            var world = World()
            world.gateway = answering(.later, retryAfter: asked.map { .seconds($0) })
            cross(&world, 1)
            world.gateway = answering(.accepted)
            world.tell(.zoneExited(Town.crossing(inside: false)))
            #expect(told(citra, in: world) == (isTried ? ["in", "out"] : []))
            world.pass(.seconds(asked ?? 0))
            #expect(told(citra, in: world) == ["in", "out"])
        }
    }

    @Test func `that is too old makes room for the next, and shows why it was not told`() {
        var world = World()
        world.gateway = answering(.later, retryAfter: .seconds(3600))
        cross(&world, 1)
        world.gateway = answering(.accepted)
        world.tell(.zoneExited(Town.crossing(inside: false)))
        #expect(told(citra, in: world) == ["out"])
        let states = world.notifications.filter { $0.address == citra }.map(\.state)
        #expect(Set(states) == [.expired, .accepted])
    }

    @Test func `that waits is not told any more after STOP`() {
        var world = World()
        world.gateway = answering(.later)
        cross(&world, 3)
        let stop = Reply(id: ID128(high: 8, low: 8), sender: citra, text: "STOP", trace: "")
        world.handle(.reply(stop))
        world.gateway = answering(.accepted)
        world.pass(.seconds(240))
        #expect(told(citra, in: world) == ["?"], "the answer to STOP alone")
        #expect(told(budi, in: world) == ["in", "out", "in"])
        let mine = world.notifications.filter { $0.address == citra && $0.person != nil }
        #expect(mine.allSatisfy { $0.state == .expired && $0.answer == "the number said STOP" })
    }

    @Test(arguments: [true, false])
    func `that waits for the operator holds nothing up, and goes out in its order`(
        isReleased: Bool
    ) {
        var world = World()
        world.gateway = answering(.later)
        cross(&world, 3)
        world.gateway = answering(.accepted)
        world.sleep(.seconds(300))
        world.pass(.seconds(30))
        #expect(told(citra, in: world).isEmpty)
        cross(&world, 2)
        #expect(told(citra, in: world) == ["in", "out"])
        let held = world.notifier.heldItems.map(\.held)
        #expect(held.count == 9)
        if isReleased { world.handle(.release(held)) }
        world.pass(.seconds(600))
        // Without a word of the operator it is too old in the end.
        let late = isReleased ? ["in", "out", "in"] : []
        for address in [citra, budi] {
            #expect(told(address, in: world) == ["in", "out"] + late)
        }
        let untold = world.notifications.filter { $0.state != .accepted }
        #expect(untold.count == (isReleased ? 0 : 9))
        #expect(untold.allSatisfy { $0.state == .expired && $0.answer == "too old" })
    }
}

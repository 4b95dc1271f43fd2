import Directory
import Model
import NotifierCore
import Testing

struct GatewayTests {
    private static let two = [
        Gateway(name: "first", channels: [.sms]), Gateway(name: "second", channels: [.sms]),
    ]

    private func answers(
        _ outcomes: [String: AttemptOutcome]
    ) -> (OutgoingMessage) -> AttemptResult? {
        { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: outcomes[delivery.gateway] ?? .accepted, answer: "code 403")
        }
    }

    @Test func `rejected credentials take a gateway down, and the next is used at once`() {
        var world = World(gateways: Self.two)
        world.gateway = answers(["first": .misconfigured])
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.sent.map(\.gateway) == ["first", "second"])
        #expect(world.notifier.delivery.healthProblems.count == 1)
        #expect(
            world.warnings.contains(.gatewayDown("first", .misconfigured, answer: "code 403")))
        world.clear()
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.sent.map(\.gateway) == ["second", "second"])
    }

    @Test func `a gateway that rejects a number is not asked again for it`() {
        var world = World(gateways: Self.two)
        world.gateway = answers(["first": .unroutable])
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.sent.map(\.gateway) == ["first", "second"])
        #expect(world.notifier.delivery.healthProblems.isEmpty, "other numbers may do")
    }

    @Test func `a number that every gateway rejects counts as rejected`() {
        var world = World(gateways: Self.two)
        world.gateway = answers(["first": .unroutable, "second": .unroutable])
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.notifications.allSatisfy { $0.state == .rejected })
    }

    @Test
    func `while the only gateway is down emergencies keep trying and one routine message probes`() {
        var world = World(gateways: [Gateway(name: "sms", channels: [.sms])])
        world.gateway = answers(["sms": .unreachable])
        world.receive(.zoneEntered(Town.crossing()))
        world.pass(.seconds(1))
        for _ in 0..<20 { world.receive(.zoneEntered(Town.crossing(Town.school, at: world.now))) }
        world.clear()
        world.pass(.seconds(30))
        let news = world.sent.filter { !$0.isSafety }.count
        #expect(news > 0 && news <= 6, "probes, not a crowd")
        world.clear()
        world.receive(.emergencyOpened(Town.change()))
        world.pass(.seconds(30))
        #expect(world.sent.filter(\.isSafety).count >= 3)
        world.gateway = answers([:])
        world.pass(.seconds(120))
        #expect(world.notifier.delivery.healthProblems.isEmpty)
        #expect(world.warnings.contains(.gatewayUp("sms")))
        let waiting = world.notifications.filter { $0.state != .accepted }
        #expect(waiting.isEmpty, "everything left afterwards")
    }

    @Test func `an emergency falls over when a gateway asks it to wait`() {
        var world = World(
            gateways: [
                Gateway(name: "first", channels: [.sms]), Gateway(name: "next", channels: [.sms]),
            ])
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.gateway == "first" ? .later : .accepted,
                retryAfter: delivery.gateway == "first" ? .seconds(3600) : nil)
        }
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.sent.map(\.gateway) == ["first", "next"])
    }

    /// - Parameter waits: wait in seconds that each gateway asks for; others accept
    private func patience(_ waits: [String: Int64]) -> (OutgoingMessage) -> AttemptResult? {
        { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: waits[delivery.gateway] == nil ? .accepted : .later,
                retryAfter: waits[delivery.gateway].map { .seconds($0) })
        }
    }

    @Test func `a routine message falls over when a gateway asks it to wait, too`() {
        var world = World(gateways: Self.two)
        world.gateway = patience(["first": 3600])
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.sent.map(\.gateway).sorted() == ["first", "first", "second", "second"])
        #expect(world.notifications.allSatisfy { $0.state == .accepted })
    }

    @Test(arguments: [0, 30])
    func `a routine message goes to the gateway whose wait ends first`(shorter: Int64) {
        var world = World(gateways: Self.two)
        world.gateway = patience(["first": shorter, "second": 300])
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.sent.count == 4, "each gateway once for each message")
        world.clear()
        world.gateway = patience([:])
        world.pass(.seconds(60))
        #expect(world.sent.map(\.gateway) == ["first", "first"])
    }

    @Test func `if all gateways ask to wait, an emergency waits a minute at most`() {
        var world = World(
            gateways: [
                Gateway(name: "first", channels: [.sms]), Gateway(name: "next", channels: [.sms]),
            ])
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt, outcome: .later,
                retryAfter: .seconds(3600))
        }
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.sent.map(\.gateway) == ["first", "next"])
        world.pass(.seconds(59))
        #expect(world.sent.count == 2)
        world.pass(.seconds(1))
        #expect(world.sent.count == 3)
    }

    @Test func `three missing answers take a gateway down`() {
        var world = World(gateways: [Gateway(name: "sms", channels: [.sms])])
        world.gateway = answers(["sms": .unknown])
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.notifier.delivery.healthProblems.isEmpty)
        world.receive(.zoneEntered(Town.crossing()))
        #expect(!world.notifier.delivery.healthProblems.isEmpty)
    }

    @Test func `health survives a restart`() {
        var world = World(gateways: Self.two)
        world.gateway = answers(["first": .misconfigured])
        world.receive(.emergencyOpened(Town.change()))
        world.restart()
        #expect(world.notifier.delivery.healthProblems.count == 1)
    }

    @Test func `a test has one attempt and returns the gateway's answer`() {
        var world = World(gateways: Self.two)
        world.gateway = answers(["second": .later])
        world.handle(
            .test(
                GatewayTest(
                    request: 7, gateway: "second", to: "+60111000009", id: .zero, trace: "")))
        let result = TestResult(
            notification: NotificationID(.zero), outcome: .later, answer: "code 403")
        #expect(world.answers[7] == .tested(result))
        world.pass(.seconds(3600))
        #expect(world.sent.count == 1)
    }

    @Test func `a test of an unknown gateway is rejected`() {
        var world = World(gateways: Self.two)
        world.handle(.test(GatewayTest(request: 1, gateway: "x", to: "+6", id: .zero, trace: "")))
        world.handle(
            .test(GatewayTest(request: 2, gateway: "first", to: "a@b.c", id: .zero, trace: "")))
        #expect(world.answers[1] == .unknownGateway)
        #expect(world.answers[2] == .wrongAddress)
    }

    @Test func `a gateway that is down is probed only after its back-off`() {
        var world = World(gateways: [Gateway(name: "sms", channels: [.sms])])
        world.gateway = answers(["sms": .misconfigured])
        world.receive(.zoneEntered(Town.crossing()))
        let first = world.sent.count
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.sent.count == first, "nothing more is wasted on it")
    }
}

struct ReceiptTests {
    private func sent() -> (World, OutgoingMessage) {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        let sms = world.sent.first { $0.channel == .sms }!
        return (world, sms)
    }

    private func state(_ world: World, _ delivery: OutgoingMessage) -> NotificationState? {
        world.notification(delivery.notification)?.state
    }

    @Test func `states never move back, whatever the order of receipts`() {
        for kinds in [
            [ReceiptKind.accepted, .delivered], [.delivered, .accepted],
            [.buffered, .delivered, .buffered], [.delivered, .failed], [.failed, .delivered],
        ] {
            var (world, sms) = sent()
            for kind in kinds {
                world.handle(.receipt(Receipt(notification: sms.notification, kind: kind)))
            }
            #expect(state(world, sms) == .delivered)
        }
    }

    @Test func `a failure after acceptance uses the next contact point, once`() {
        var (world, sms) = sent()
        var budi = Town.budi
        budi.contacts.append(
            ContactPoint(
                id: ContactID(ID128(high: 2, low: 7)), channel: .sms, address: "+60111000022",
                rank: 9, verified: .zero))
        world.change(.personChanged(budi))
        world.clear()
        for _ in 0..<3 {
            world.handle(.receipt(Receipt(notification: sms.notification, kind: .failed)))
        }
        #expect(state(world, sms) == .rejected)
        #expect(world.addresses == ["+60111000022"])
    }

    @Test func `a failure hours later does not repeat a message that was mailed`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        let sms = world.sent.first { $0.address == "+60111000002" }
        let notified = world.notification(sms?.notification ?? NotificationID(.zero))
        world.pass(.seconds(3 * 3600))
        world.clear()
        world.handle(
            .receipt(
                Receipt(
                    notification: notified?.id ?? NotificationID(.zero), stored: notified,
                    kind: .failed)))
        #expect(notified?.addresses?.count == 2)
        #expect(world.sent.isEmpty)
    }

    @Test func `a receipt for another number changes nothing`() {
        var (world, sms) = sent()
        world.handle(
            .receipt(
                Receipt(
                    notification: sms.notification, kind: .delivered, address: "+60999999999")))
        #expect(state(world, sms) == .accepted)
        #expect(world.warnings.contains(.receiptForAnother(sms.notification)))
        world.handle(
            .receipt(
                Receipt(
                    notification: sms.notification, kind: .delivered, address: " 60111000002")))
        #expect(state(world, sms) == .delivered)
    }

    @Test func `a receipt before the attempt's own result settles it`() {
        var world = World()
        world.gateway = { _ in nil }
        world.receive(.emergencyOpened(Town.change()))
        let sms = world.sent.first { $0.channel == .sms }!
        world.handle(.receipt(Receipt(notification: sms.notification, kind: .delivered)))
        #expect(state(world, sms) == .delivered)
        world.handle(
            .attempted(
                AttemptResult(
                    notification: sms.notification, number: 1, outcome: .unknown)))
        #expect(state(world, sms) == .delivered)
        world.clear()
        world.pass(.seconds(60))
        #expect(!world.sent.contains { $0.notification == sms.notification }, "not sent again")
    }

    @Test func `after an unknown outcome a receipt settles the message`() {
        var world = World()
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt, outcome: .unknown)
        }
        world.receive(.zoneEntered(Town.crossing()))
        let sms = world.sent.first { $0.channel == .sms }!
        world.handle(.receipt(Receipt(notification: sms.notification, kind: .accepted)))
        #expect(state(world, sms) == .accepted)
    }

    @Test
    func
        `a receipt for a message that is only in the store is applied and not kept in memory`()
    {
        var world = World()
        world.receive(.zoneEntered(Town.crossing()))
        let sms = world.sent.first { $0.channel == .sms }!
        let stored = world.notification(sms.notification)
        world.pass(.seconds(7200))
        #expect(!world.notifier.delivery.isInMemory(sms.notification))
        world.handle(
            .receipt(
                Receipt(notification: sms.notification, stored: stored, kind: .delivered)))
        #expect(state(world, sms) == .delivered)
        #expect(!world.notifier.delivery.isInMemory(sms.notification))
    }
}

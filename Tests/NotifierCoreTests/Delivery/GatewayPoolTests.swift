import Directory
import Model
import Testing

@testable import NotifierCore

struct GatewayPoolTests {
    private let message = Notification(
        id: NotificationID(.zero), reason: .tier, severity: .routine, scope: EventID(.zero),
        channel: .sms, address: "+60111000001",
        rendered: RenderedMessage(short: "", subject: "", long: ""), reference: "", token: "",
        created: World.start, expires: .distantFuture, trace: "")

    private func fail(_ pool: inout GatewayPool, _ gateway: String) -> Warning? {
        var turn = Directory.Turn<Effect>(now: World.start, directory: Replica())
        var sent = message
        sent.gateway = gateway
        let result = AttemptResult(
            notification: message.id, number: 1, outcome: .misconfigured, answer: "401")
        return pool.record(sent, result, jitter: 0, &turn)
    }

    @Test func `the first gateway that is up is chosen`() {
        var pool = GatewayPool(
            [Gateway(name: "a", channels: [.sms]), Gateway(name: "b", channels: [.sms])], [])
        #expect(pool.choose(for: message, at: World.start) == .use("a"))
        #expect(fail(&pool, "a") == .gatewayDown("a", .misconfigured, answer: ""))
        #expect(fail(&pool, "a") == nil, "it is down already")
        #expect(pool.choose(for: message, at: World.start) == .use("b"))
        _ = fail(&pool, "b")
        guard case .wait = pool.choose(for: message, at: World.start) else {
            Issue.record("a routine message waits")
            return
        }
        var alarm = message
        alarm.severity = .safety
        #expect(pool.choose(for: alarm, at: World.start) == .use("a"))
    }

    @Test func `a message without a gateway says why`() {
        let pool = GatewayPool([Gateway(name: "a", channels: [.sms])], [])
        var rejected = message
        rejected.rejectingGateways = ["a"]
        #expect(pool.choose(for: rejected, at: World.start) == .exhausted)
        rejected.channel = .email
        #expect(pool.choose(for: rejected, at: World.start) == GatewayChoice.none)
    }
}

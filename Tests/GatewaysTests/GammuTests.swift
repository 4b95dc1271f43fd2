import TestSupport
import Testing
import Web

@testable import Gateways

@Suite(.enabled(if: GammuKit.isInstalled, "gammu-smsd is not installed: scripts/setup --tests"))
struct `Through gammu-smsd` {
    private func harness(
        _ gammu: GammuKit, password: String = GammuKit.password
    ) throws -> GatewayHarness {
        try GatewayHarness { base in
            try driver(
                "gammu-smsd", url: gammu.url, user: GammuKit.user, password: password,
                callbackBase: base)
        }
    }

    @Test func `a text is sent once and unchanged, and its receipt arrives`() async throws {
        let gammu = try GammuKit()
        try await gammu.start()
        let harness = try harness(gammu)
        let plain = "Ada left 'Home' @ 10:20 \\ {x} & \"y\""
        let first = try harness.send(message(plain))
        #expect(first.verdict == .accepted)
        #expect(first.messageID == "1")
        #expect(try harness.send(message(plain)) == first, "the id identifies the repeated message")
        harness.run(until: { !harness.receipts.isEmpty })
        let receipt = GatewayReceipt(.accepted, address: "+15550000001", detail: "SendingOK")
        #expect(harness.receipts == [receipt])
        #expect(harness.callbackPaths == ["/v1/receipts/tok-1"])
        var wide = message(to: "+15550000002", "Ж 中 😀", isGSM: false)
        wide.id = "ntf_2"
        #expect(try harness.send(wide).verdict == .accepted)
        harness.run(until: { harness.receipts.count == 2 })
        #expect(try await gammu.sent() == ["+15550000001 \(plain)", "+15550000002 Ж 中 😀"])
        await gammu.stop()
    }

    @Test func `failures have distinct outcomes`() async throws {
        let gammu = try GammuKit()
        try await gammu.start()
        let stranger = try harness(gammu, password: "wrong")
        #expect(try stranger.send(message()) == GatewayAnswer(.misconfigured, "401 login"))
        let harness = try harness(gammu)
        #expect(try harness.send(message("")).verdict == .misconfigured)
        await gammu.stop()
        #expect(try harness.send(message()).verdict == .unreachable)
    }

    @Test func `incoming texts are repeated until they are confirmed`() async throws {
        let gammu = try GammuKit()
        let harness = try harness(gammu)
        gammu.replyAddress = harness.driver.replyAddress(token: "tok-2")
        try await gammu.start()
        try await gammu.receive("OK 4711", from: "+15550000001")
        harness.run(until: { !harness.replies.isEmpty })
        // The script repeats a text until the server has confirmed it; the id identifies
        // repetitions.
        let reply = GatewayReply(sender: "+15550000001", text: "OK 4711", id: "1")
        let isConfirmed = await eventually {
            harness.turn()
            return (try? await gammu.untold())?.isEmpty == true
        }
        #expect(isConfirmed)
        #expect(Set(harness.replies) == [reply])
        await gammu.stop()
    }
}

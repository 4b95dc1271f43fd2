import TestSupport
import Testing
import Web

@testable import Gateways

@Suite(.enabled(if: GammuKit.isInstalled, "gammu-smsd is not installed: scripts/setup --tests"))
struct `Through gammu-smsd` {
    private func courier(
        _ gammu: GammuKit, password: String = GammuKit.password
    ) throws -> Courier {
        try Courier { base in
            try driver(
                "gammu-smsd", url: gammu.url, user: GammuKit.user, password: password,
                callbackBase: base)
        }
    }

    @Test func `a text is sent once as it was written, and its receipt comes back`() async throws {
        let gammu = try GammuKit()
        try await gammu.start()
        let courier = try courier(gammu)
        let plain = "Ada left 'Home' @ 10:20 \\ {x} & \"y\""
        let first = try courier.send(message(plain))
        #expect(first.verdict == .accepted)
        #expect(first.messageID == "1")
        #expect(try courier.send(message(plain)) == first, "the same message, as its id tells")
        courier.run(until: { !courier.receipts.isEmpty })
        let receipt = GatewayReceipt(.accepted, address: "+15550000001", words: "SendingOK")
        #expect(courier.receipts == [receipt])
        #expect(courier.callbackPaths == ["/v1/receipts/tok-1"])
        var wide = message(to: "+15550000002", "Ж 中 😀", isGSM: false)
        wide.id = "ntf_2"
        #expect(try courier.send(wide).verdict == .accepted)
        courier.run(until: { courier.receipts.count == 2 })
        #expect(try await gammu.sent() == ["+15550000001 \(plain)", "+15550000002 Ж 中 😀"])
        await gammu.stop()
    }

    @Test func `what is wrong is told apart`() async throws {
        let gammu = try GammuKit()
        try await gammu.start()
        let stranger = try courier(gammu, password: "wrong")
        #expect(try stranger.send(message()) == GatewayAnswer(.misconfigured, "401 login"))
        let courier = try courier(gammu)
        #expect(try courier.send(message("")).verdict == .misconfigured)
        await gammu.stop()
        #expect(try courier.send(message()).verdict == .unreachable)
    }

    @Test func `texts that come in are told of until they are heard`() async throws {
        let gammu = try GammuKit()
        let courier = try courier(gammu)
        gammu.replyAddress = courier.driver.replyAddress(token: "tok-2")
        try await gammu.start()
        try await gammu.receive("OK 4711", from: "+15550000001")
        courier.run(until: { !courier.replies.isEmpty })
        // Told again where the answer came late or could not be noted; by its id it is known.
        let reply = GatewayReply(sender: "+15550000001", text: "OK 4711", id: "1")
        let isHeard = await eventually {
            courier.turn()
            return (try? await gammu.untold())?.isEmpty == true
        }
        #expect(isHeard)
        #expect(Set(courier.replies) == [reply])
        await gammu.stop()
    }
}

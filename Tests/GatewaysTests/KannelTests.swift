import Model
import TestSupport
import Testing
import Web

@testable import Gateways

@Suite(.enabled(if: KannelKit.isInstalled, "Kannel is not installed: scripts/setup --tests"))
struct `Through Kannel` {
    private func harness(
        _ kannel: KannelKit, password: String = KannelKit.password, sender: String = "",
        timeoutMilliseconds: Int = 10_000
    ) throws -> GatewayHarness {
        try GatewayHarness { base in
            try driver(
                "kannel", url: kannel.url, user: KannelKit.user, password: password,
                sender: sender, callbackBase: base, timeoutMilliseconds: timeoutMilliseconds)
        }
    }

    @Test func `a text arrives unchanged, and its receipts arrive`() async throws {
        let kannel = try KannelKit()
        try await kannel.start()
        let harness = try harness(kannel, sender: "Jaga")
        let plain = "Ada left «Home» @ 10:20 {x} €5 ñ".replacing("«", with: "<")
            .replacing("»", with: ">")
        #expect(try harness.send(message(plain)).verdict == .accepted)
        harness.run(until: { harness.receipts.count == 2 })
        #expect(Set(harness.receipts.map(\.kind)) == [.accepted, .delivered])
        #expect(Set(harness.receipts.map(\.address)) == ["+15550000001"])
        #expect(harness.callbackPaths == ["/v1/receipts/tok-1"])
        let wide = "Ж 中文 😀 é"
        #expect(try harness.send(message(wide, isGSM: false)).verdict == .accepted)
        harness.run(until: { kannel.messages.count == 2 })
        #expect(
            kannel.messages == [
                .init(sender: "Jaga", recipient: "+15550000001", isUCS2: false, text: plain),
                .init(sender: "Jaga", recipient: "+15550000001", isUCS2: true, text: wide),
            ])
        await kannel.stop()
    }

    @Test func `a long text needs as many parts as were counted`() async throws {
        let kannel = try KannelKit()
        try await kannel.start()
        let harness = try harness(kannel)
        let long = String(repeating: "0123456789", count: 31)
        _ = try harness.send(message(to: "+15550000002", long, segments: 3))
        let wide = String(repeating: "Ж", count: 135)
        _ = try harness.send(message(to: "+15550000003", wide, isGSM: false, segments: 3))
        harness.run(until: { kannel.messages.count == 6 })
        for (number, text, isUCS2) in [("+15550000002", long, false), ("+15550000003", wide, true)]
        {
            let parts = kannel.messages.filter { $0.recipient == number }
            #expect(parts.map(\.text).joined() == text)
            #expect(parts.map(\.isUCS2) == [isUCS2, isUCS2, isUCS2])
        }
        await kannel.stop()
    }

    @Test func `every outcome is distinct`() async throws {
        let kannel = try KannelKit()
        try await kannel.start()
        let harness = try harness(kannel)
        #expect(
            try harness.send(message(to: "+15559990000"))
                == GatewayAnswer(.unroutable, "403 Not routable. Do not try again."))
        #expect(
            try harness.send(message(to: "+15551000001"))
                == GatewayAnswer(.accepted, "202 3: Queued for later delivery"))
        #expect(try harness.send(message(to: "Ada")).verdict == .rejected)
        let stranger = try self.harness(kannel, password: "wrong")
        #expect(
            try stranger.send(message())
                == GatewayAnswer(.misconfigured, "403 Authorization failed for sendsms"))
        await kannel.stop()
        #expect(try harness.send(message()).verdict == .unreachable)
    }

    @Test(arguments: [
        ("01", [ReceiptKind.accepted, .delivered]), ("02", [.accepted, .failed]),
        ("03", [.accepted, .buffered, .delivered]), ("11", [.failed]),
    ])
    func `the operator's delivery reports arrive`(
        outcome: String, kinds: [ReceiptKind]
    ) async throws {
        let kannel = try KannelKit()
        try await kannel.start()
        let harness = try harness(kannel)
        #expect(try harness.send(message(to: "+15552000" + outcome)).verdict == .accepted)
        harness.run(until: { harness.receipts.count == kinds.count })
        #expect(harness.receipts.map(\.kind).sorted(by: <) == kinds.sorted(by: <))
        await kannel.stop()
    }

    @Test func `a message without an answer may still arrive`() async throws {
        let kannel = try KannelKit()
        try await kannel.start()
        kannel.freeze()
        let harness = try harness(kannel, timeoutMilliseconds: 500)
        #expect(try harness.send(message("late")).verdict == .unknown)
        #expect(kannel.messages.isEmpty)
        kannel.thaw()
        harness.run(until: { kannel.messages.map(\.text) == ["late"] })
        harness.run(until: { harness.receipts.contains { $0.kind == .delivered } })
        await kannel.stop()
    }
}

extension ReceiptKind {
    fileprivate static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }
}

@Suite struct `Through the Twilio stand-in` {
    @Test func `a message is sent, and its callbacks arrive`() async throws {
        let twilio = try TwilioStub()
        try await twilio.start()
        let harness = try GatewayHarness { base in
            try driver(
                "twilio", url: twilio.url, user: TwilioStub.user, password: TwilioStub.password,
                sender: "+15550009999", callbackBase: base)
        }
        let answer = try harness.send(message("hé & 😀"))
        #expect(answer.verdict == .accepted)
        #expect(answer.messageID == "SM00000000000000000000000000000001")
        harness.run(until: { harness.receipts.count == 2 })
        #expect(harness.receipts.map(\.kind) == [.accepted, .delivered])
        #expect(harness.receipts.map(\.address) == ["+15550000001", "+15550000001"])
        #expect(twilio.messages.count == 1)
        #expect(twilio.messages[0].contains(#""Body": "h\u00e9 & \ud83d\ude00""#))

        let stopped = try harness.send(message(to: "+15550000010"))
        #expect(stopped.verdict == .rejected)
        #expect(stopped.isOptOut)
        #expect(try harness.send(message(to: "+15550000011")).verdict == .rejected)
        let busy = try harness.send(message(to: "+15550000029"))
        #expect(busy.verdict == .later)
        #expect(busy.retryAfter == .seconds(2))
        #expect(try harness.send(message(to: "+15550000050")).verdict == .unknown)
        await twilio.stop()
    }
}

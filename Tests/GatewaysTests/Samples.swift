import Model
import Web

@testable import Gateways

/// A message with defaults for everything that the test does not vary.
func message(
    to address: String = "+15550000001", _ text: String = "hello", subject: String = "",
    isGSM: Bool = true, segments: Int = 1, thread: String? = nil, isUrgent: Bool = false
) -> GatewayMessage {
    let now = Timestamp("2026-11-20T10:20:00Z")!
    return GatewayMessage(
        id: "ntf_1", address: address, subject: subject, text: text, thread: thread,
        receiptToken: "tok-1", isGSM: isGSM, segments: segments, isUrgent: isUrgent, now: now,
        expires: now + .seconds(900))
}

/// A gateway of a shipped kind.
func gateway(_ shipped: String) throws -> HTTPGateway {
    gateway(try GatewaySettings.description(of: shipped))
}

func gateway(describedBy text: String) throws -> HTTPGateway {
    gateway(try GatewayFile.parse(text, file: "test"))
}

private func gateway(_ description: GatewayDescription) -> HTTPGateway {
    HTTPGateway(
        description: description,
        account: HTTPGateway.Account(
            url: "https://sms.example.test/send", login: Login(user: "AC1", password: "p&w"),
            account: nil, sender: "40404", authoritiesFile: nil,
            callbackBase: "http://127.0.0.1:8105", timeoutMilliseconds: 1000))
}

func answered(_ status: Int, _ body: String = "", _ headers: Headers = [:]) -> TransferOutcome {
    .answered(TransferAnswer(status: status, headers: headers, body: Array(body.utf8)))
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

import Testing
import Web

@testable import Gateways

@Suite struct `A gateway's answer to a test` {
    private let file = """
        NAME=own
        URL={url}
        RULE=accepted 2xx
        RULE=rejected 4xx error.code=7,8 "Bad Number"
        """

    private func shown(_ outcome: TransferOutcome) throws -> MaskedAnswer {
        let driver = GatewayDriver(
            name: "own", channels: [.sms], kind: .http(try gateway(describedBy: file)))
        return driver.maskedAnswer(outcome, to: message())
    }

    @Test func `is shown in full, with the rule that matched`() throws {
        let body = "{\r\n\t\"error\": {\"code\": 7},\r\n \"says\": \"bad number +15550000001\"\r\n}"
        let answer = try shown(answered(422, body, ["Content-Type": "application/json"]))
        #expect(
            answer.text == """
                HTTP status 422
                Content-Type: application/json

                {
                 "error": {"code": 7},
                 "says": "bad number +15550000001"
                }
                """)
        #expect(answer.rule == "RULE=rejected 4xx error.code=7,8 \"bad number\"")
    }

    @Test func `that no rule matches is shown all the same`() throws {
        let answer = try shown(answered(503, "come back"))
        #expect(answer == MaskedAnswer(text: "HTTP status 503\n\ncome back", rule: nil))
        let failure = TransferFailure(fate: .notSent, message: "Connection refused")
        #expect(try shown(.failed(failure)).text == "Connection refused")
    }

    @Test func `has no secrets and no control characters`() throws {
        let echo = "pass p&w or p%26w by QUMxOnAmdw== for tok-1 \u{1b}[2J\u{7f}\u{9b}1m"
        let text = try shown(answered(401, echo)).text
        #expect(text.hasSuffix("pass MASKED or MASKED by MASKED for MASKED ·[2J··1m"))
    }

    @Test func `that is too long is truncated`() throws {
        let text = try shown(answered(200, String(repeating: "x", count: 9000))).text
        #expect(text.utf8.count < 4200)
        #expect(text.hasSuffix("xxx\n(truncated)"))
    }
}

import Model
import Parsing
import TestSupport
import Testing
import Web

@testable import NotifierDaemon

/// Gateways are external: no number in their requests may stop the process.
@Suite struct `A receipt or a reply with an extreme number` {
    private static let numbers = [
        "9223372036854775807", "-9223372036854775808", "1e308", "", "00",
        String(repeating: "9", count: 400),
    ]
    /// Names of the fields of all gateways.
    private static let names = [
        "type", "status", "id", "time", "from", "to", "text", "coding", "hex", "charset", "parts",
        "From", "To", "Body", "MessageSid", "MessageStatus", "ErrorCode", "NumSegments", "binary",
        "content", "msisdn", "messageId", "err-code", "scts", "message-timestamp", "dlvrd",
        "level", "message_status", "priority", "validity", "origin-connector", "timestamp", "udh",
    ]

    @Test(arguments: ["kannel", "twilio", "jasmin", "vonage", "gammu-smsd"])
    func `stops no notifier`(gateway: String) throws {
        var settings = ["JAGA_SMS_GATEWAY": gateway, "JAGA_SMS_REPLIES": "on"]
        if gateway != "twilio" { settings["JAGA_SMS_URL"] = "http://127.0.0.1:9/send" }
        let host = try TestHost(settings)
        try host.receive(TestHost.opened())
        let transfer = try #require(host.transfers.first)
        let item = try host.get("/v1/gateways").json["items"]?.array?.first {
            $0["replies"]?.string != nil
        }
        var paths = [try Self.receiptPath(transfer, host)]
        if let address = item?["replies"]?.string {
            paths.append(String(address.dropFirst("http://127.0.0.1:8105".count)))
        }
        var asked = 0
        for path in paths {
            for name in Self.names {
                for number in Self.numbers {
                    var fields = [
                        "from": "+60111000002", "From": "+60111000002", "msisdn": "60111000002",
                        "text": "OK", "Body": "OK", "content": "OK", "id": "\(asked)",
                        "MessageSid": "\(asked)", "messageId": "\(asked)", "status": "8",
                        "MessageStatus": "delivered", "type": "8",
                    ]
                    fields[name] = number
                    let text = fields.sorted { $0.key < $1.key }
                        .map { "\($0)=\(Percent.encode($1))" }.joined(separator: "&")
                    let form = [("Content-Type", "application/x-www-form-urlencoded")]
                    let request =
                        asked % 2 == 0
                        ? try host.send(.get, path, as: nil, query: text)
                        : try host.send(.post, path, text, as: nil, headers: form)
                    asked += 1
                    let status = try #require(host.answers[request]?.status)
                    #expect(status < 500, "\(path) \(text)")
                }
            }
        }
        #expect(try host.get("/v1/notifications").status == 200)
    }

    /// Callback path of the message; of any message if it has none.
    private static func receiptPath(_ transfer: Transfer, _ host: TestHost) throws -> String {
        guard case .http(let call) = transfer.call else { throw TestFailure("no call") }
        let texts =
            call.headers.fields.map(\.value) + [
                call.url, String(decoding: call.body, as: UTF8.self),
            ]
        for text in texts.map({ Percent.decode($0) }) {
            if let match = text.firstMatch(of: /\/v1\/receipts\/[A-Za-z0-9_-]+/) {
                return String(match.output)
            }
        }
        throw TestFailure("no address for receipts in \(texts)")
    }
}

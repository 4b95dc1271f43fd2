import Glibc
import Parsing

/// Waits until a gateway reports what became of a test message.
struct GatewayReceipt {
    /// Between two looks, seconds.
    private static let pauseSeconds: UInt32 = 1

    let api: API
    let notification: String

    /// Follows the message to its end and says each change.
    ///
    /// - Returns: the exit status: 0 only if it was delivered
    func wait(seconds: Int) throws -> Int32 {
        var state = ""
        for second in 0...max(0, seconds) {
            if second > 0 { sleep(Self.pauseSeconds) }
            let message = try api.get("/v1/notifications/\(notification)")
            if message.cell("state") != state {
                state = message.cell("state")
                Console.say("after \(second) s: \(GatewayReceipt.line(of: message))")
            }
            if let status = GatewayReceipt.exitStatus(of: state) { return status }
        }
        Console.say(
            "no report of delivery in \(seconds) s: look at the phone, and whether the gateway "
                + "reaches JAGA_SMS_CALLBACK_URL")
        return 1
    }

    /// The exit status of a message that has come to its end; nil while a report may still come.
    static func exitStatus(of state: String) -> Int32? {
        switch state {
        case "delivered": 0
        case "refused", "expired", "sink": 1
        default: nil
        }
    }

    private static func line(of message: JSON) -> String {
        let answer = message.cell("answer")
        let state = message.cell("state")
        return answer.isEmpty ? state : "\(state), \(answer)"
    }
}

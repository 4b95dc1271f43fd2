import Glibc
import Parsing

/// Waits for a gateway's delivery report of a test message.
struct GatewayReceipt {
    /// Polling interval, seconds.
    private static let pauseSeconds: UInt32 = 1

    let api: API
    let notification: String

    /// Polls the message until it reaches a final state, and prints each change.
    ///
    /// - Returns: the exit status; 0 only if the message was delivered
    func wait(seconds: Int) throws -> Int32 {
        var state = ""
        for second in 0...max(0, seconds) {
            if second > 0 { sleep(Self.pauseSeconds) }
            let message = try api.get("/v1/notifications/\(notification)")
            if message.cell("state") != state {
                state = message.cell("state")
                Console.print("after \(second) s: \(GatewayReceipt.line(of: message))")
            }
            if let status = GatewayReceipt.exitStatus(of: state) { return status }
        }
        Console.print(
            "no delivery report in \(seconds) s: check the phone, and that the gateway "
                + "can reach JAGA_SMS_CALLBACK_URL")
        return 1
    }

    /// The exit status for a final state; nil if a report may still arrive.
    static func exitStatus(of state: String) -> Int32? {
        switch state {
        case "delivered": 0
        case "rejected", "expired", "sink": 1
        default: nil
        }
    }

    private static func line(of message: JSON) -> String {
        let answer = message.cell("answer")
        let state = message.cell("state")
        return answer.isEmpty ? state : "\(state), \(answer)"
    }
}

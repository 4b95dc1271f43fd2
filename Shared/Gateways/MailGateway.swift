import Model
import Web

/// A mail server that relays messages, by SMTP with TLS.
struct MailGateway: Sendable {
    var url: String
    var sender: MailAddress
    var login: Login?
    var authoritiesFile: String?
    var timeoutMilliseconds = 30_000

    /// The transfer that submits a message, or nil if the address is not a mail address.
    func call(for message: GatewayMessage) -> MailCall? {
        guard let recipient = MailAddress(message.address) else { return nil }
        let mail = MailMessage(from: sender, to: recipient, message: message)
        return MailCall(
            url: url, sender: sender.address, recipient: recipient.address, message: mail.bytes,
            login: login, authoritiesFile: authoritiesFile)
    }

    static func read(_ outcome: TransferOutcome) -> GatewayAnswer {
        switch outcome {
        case .answered(let answer):
            let text = String(decoding: answer.body, as: UTF8.self)
            return GatewayAnswer(.accepted, "\(answer.status) \(redactedLine(text))")
        case .failed(let failure):
            if let reply = failure.reply {
                return GatewayAnswer(
                    verdict(on: reply),
                    "\(reply.code) \(redactedLine(reply.text)) (\(reply.stage.rawValue))")
            }
            return GatewayAnswer(
                failure.fate == .unknown ? .unknown : .unreachable, failure.message)
        }
    }

    /// Derives the outcome from the stage of the dialogue. A rejected text or a policy rejection
    /// (5.7.x of RFC 3463) does not prove that the address is bad.
    private static func verdict(on reply: TransferFailure.Reply) -> AttemptOutcome {
        if reply.code < 500 { return .later }
        switch reply.stage {
        case .connect, .hello, .authentication, .sender: return .misconfigured
        case .recipient: return reply.text.hasPrefix("5.7.") ? .unroutable : .rejected
        case .message: return .unroutable
        }
    }
}

import Model
import Web

/// A mail server that takes messages for everybody, by SMTP with TLS.
struct MailGateway: Sendable {
    var url: String
    var sender: MailAddress
    var login: Login?
    var authoritiesFile: String?
    var timeoutMilliseconds = 30_000

    /// The call that hands the message over; nil when its address is no mail address.
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
            return GatewayAnswer(.accepted, "\(answer.status) \(presentable(text))")
        case .failed(let failure):
            if let reply = failure.reply {
                return GatewayAnswer(
                    verdict(on: reply),
                    "\(reply.code) \(presentable(reply.text)) (\(reply.stage.rawValue))")
            }
            return GatewayAnswer(
                failure.fate == .unknown ? .unknown : .unreachable, failure.message)
        }
    }

    /// Whose fault a refusal is, shows where in the dialogue it came. A refused text or a policy
    /// (5.7.x of RFC 3463) says nothing against the address, and nothing against other messages.
    private static func verdict(on reply: TransferFailure.Reply) -> AttemptOutcome {
        if reply.code < 500 { return .later }
        switch reply.stage {
        case .connect, .hello, .authentication, .sender: return .misconfigured
        case .recipient: return reply.text.hasPrefix("5.7.") ? .unroutable : .refused
        case .message: return .unroutable
        }
    }
}

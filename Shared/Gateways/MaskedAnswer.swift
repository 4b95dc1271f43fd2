import Hashing
import Parsing
import Web

/// A gateway's answer to a test message, masked for display.
public struct MaskedAnswer: Hashable, Sendable {
    /// The answer, cut after ``GatewayDriver/displayedBytesMax`` bytes, with `MASKED` for secrets.
    public var text: String
    /// The rule that matched, or nil if none matched or the gateway has no rules.
    public var rule: String?
}

extension GatewayDriver {
    /// Maximum bytes of an answer that are displayed.
    static let displayedBytesMax = 4096

    /// The answer to a message with all secrets masked.
    ///
    /// - Parameter message: the message that was sent
    public func maskedAnswer(_ outcome: TransferOutcome, to message: GatewayMessage) -> MaskedAnswer
    {
        switch kind {
        case .http(let gateway): gateway.maskedAnswer(outcome, to: message)
        case .mail(let gateway):
            MaskedAnswer(
                text: masking(gateway.login.secrets, in: MailGateway.transcript(of: outcome)))
        case .sink: MaskedAnswer(text: "")
        }
    }
}

extension HTTPGateway {
    fileprivate func maskedAnswer(_ outcome: TransferOutcome, to message: GatewayMessage)
        -> MaskedAnswer
    {
        switch outcome {
        case .failed(let failure): return MaskedAnswer(text: failure.message)
        case .answered(let answer):
            let decoded = DecodedAnswer(answer)
            var lines = ["HTTP status \(answer.status)"]
            for name in ["Content-Type", "Retry-After"] {
                if let value = answer.headers[name] {
                    lines.append("\(name): \(withoutControls(value))")
                }
            }
            var body = String(
                decoding: answer.body.prefix(GatewayDriver.displayedBytesMax), as: UTF8.self)
            if answer.body.count > GatewayDriver.displayedBytesMax || answer.isCut {
                body += "\n(truncated)"
            }
            if !body.isEmpty { lines += ["", withoutControls(body)] }
            let secrets = account.login.secrets + [message.receiptToken] + addressSecrets
            return MaskedAnswer(
                text: masking(secrets, in: lines.joined(separator: "\n")),
                rule: description.rules.first { $0.matches(decoded) }?.line)
        }
    }

    /// Values in the query of the gateway's address, which may contain an API key.
    private var addressSecrets: [String] {
        guard let query = account.url.firstIndex(of: "?") else { return [] }
        return account.url[query...].dropFirst().split(separator: "&").compactMap {
            $0.split(separator: "=", maxSplits: 1).dropFirst().first.map(String.init)
        }
    }
}

extension MailGateway {
    fileprivate static func transcript(of outcome: TransferOutcome) -> String {
        switch outcome {
        case .answered(let answer):
            return withoutControls(
                "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        case .failed(let failure):
            guard let reply = failure.reply else { return failure.message }
            return withoutControls("\(reply.code) \(reply.text)\n(at \(reply.stage.rawValue))")
        }
    }
}

extension Login? {
    /// The password in every form in which an answer may echo it.
    fileprivate var secrets: [String] {
        guard let self else { return [] }
        return [
            self.password, Percent.encode(self.password),
            Base64.encode(Array("\(self.user):\(self.password)".utf8)),
        ]
    }
}

private func masking(_ secrets: [String], in text: String) -> String {
    secrets.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
        .reduce(text) { $0.replacing($1, with: GatewayDriver.masked) }
}

/// Replaces control characters, which a terminal would execute.
private func withoutControls(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where scalar != "\r" {
        let isControl = scalar.value < 32 || (127..<160).contains(scalar.value)
        out.append(scalar == "\n" ? scalar : scalar == "\t" ? " " : isControl ? "·" : scalar)
    }
    return String(out)
}

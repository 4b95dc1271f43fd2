import Hashing
import Parsing
import Web

/// What a gateway said to a test, for people to read.
public struct ShownAnswer: Hashable, Sendable {
    /// The whole answer, as long as it is not too long, with `MASKED` for secrets.
    public var text: String
    /// The line of the gateway's file by which it was read; nil where none fitted, or where no file
    /// says how answers are read.
    public var rule: String?
}

extension GatewayDriver {
    /// So many bytes of an answer are shown.
    static let shownBytesMax = 4096

    /// - Parameter message: what was sent
    public func shown(_ outcome: TransferOutcome, to message: GatewayMessage) -> ShownAnswer {
        switch kind {
        case .http(let gateway): gateway.shown(outcome, to: message)
        case .mail(let gateway):
            ShownAnswer(text: masking(gateway.login.secrets, in: MailGateway.said(outcome)))
        case .sink: ShownAnswer(text: "")
        }
    }
}

extension HTTPGateway {
    fileprivate func shown(_ outcome: TransferOutcome, to message: GatewayMessage) -> ShownAnswer {
        switch outcome {
        case .failed(let failure): return ShownAnswer(text: failure.message)
        case .answered(let answer):
            let read = ReadAnswer(answer)
            var lines = ["HTTP status \(answer.status)"]
            for name in ["Content-Type", "Retry-After"] {
                if let value = answer.headers[name] { lines.append("\(name): \(legible(value))") }
            }
            var body = String(
                decoding: answer.body.prefix(GatewayDriver.shownBytesMax), as: UTF8.self)
            if answer.body.count > GatewayDriver.shownBytesMax || answer.isCut {
                body += "\n(and more)"
            }
            if !body.isEmpty { lines += ["", legible(body)] }
            let secrets = account.login.secrets + [message.receiptToken] + secretsOfAddress
            return ShownAnswer(
                text: masking(secrets, in: lines.joined(separator: "\n")),
                rule: description.rules.first { $0.fits(read) }?.line)
        }
    }

    /// Values of the query in the gateway's address: a key may be among them.
    private var secretsOfAddress: [String] {
        guard let query = account.url.firstIndex(of: "?") else { return [] }
        return account.url[query...].dropFirst().split(separator: "&").compactMap {
            $0.split(separator: "=", maxSplits: 1).dropFirst().first.map(String.init)
        }
    }
}

extension MailGateway {
    fileprivate static func said(_ outcome: TransferOutcome) -> String {
        switch outcome {
        case .answered(let answer):
            return legible("\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        case .failed(let failure):
            guard let reply = failure.reply else { return failure.message }
            return legible("\(reply.code) \(reply.text)\n(at \(reply.stage.rawValue))")
        }
    }
}

extension Login? {
    /// The password in the forms in which it may come back.
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

/// Lines without what a terminal would obey.
private func legible(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where scalar != "\r" {
        let isObeyed = scalar.value < 32 || (127..<160).contains(scalar.value)
        out.append(scalar == "\n" ? scalar : scalar == "\t" ? " " : isObeyed ? "·" : scalar)
    }
    return String(out)
}

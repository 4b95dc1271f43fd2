import Model

/// How far a mail came, and what its server said.
///
/// The final dot is the point that matters: before it the server has taken nothing, after it only
/// its answer tells.
struct MailDialogue {
    private(set) var stage = TransferFailure.MailStage.connect
    /// The last reply that is complete.
    private(set) var code = 0
    private(set) var text = ""
    /// The message was handed over completely, so that the final dot may have left.
    private(set) var isMessageComplete = false
    private(set) var hasFinalReply = false
    private var lines: [String] = []

    /// The server's last word was a refusal.
    var isRefused: Bool { code >= 400 }
    /// The refusal ends the connection.
    var isLeaving: Bool { isRefused && !isMessageComplete }

    /// - Parameter word: the first four characters of what is sent.
    mutating func sawCommand(_ word: String) {
        switch word {
        case "EHLO", "HELO", "STAR": stage = .hello
        case "AUTH": stage = .authentication
        case "MAIL": stage = .sender
        case "RCPT": stage = .recipient
        case "DATA": stage = .message
        default: break
        }
    }

    mutating func sawMessageEnd() { isMessageComplete = true }

    /// One line of a reply: `250-SIZE 200` or, as the last one, `250 ok`.
    mutating func takeReply(_ line: String) {
        // What follows is the answer to QUIT.
        if isLeaving || hasFinalReply { return }
        let line = trimmed(line)
        guard let number = OutsideNumber.integer(line.prefix(3), in: 0...999), line.utf8.count >= 3
        else { return }
        lines.append(trimmed(String(line.dropFirst(4))))
        guard line.dropFirst(3).first != "-" else { return }
        code = number
        text = String(lines.joined(separator: " ").prefix(TransferLimits.replyCharacters))
        lines = []
        if isMessageComplete { hasFinalReply = true }
    }

    /// - Parameters:
    ///   - failure: what the library says when the transfer failed, else nil
    func outcome(_ failure: String?) -> TransferOutcome {
        if hasFinalReply, (200..<300).contains(code) {
            return .answered(TransferAnswer(status: code, body: Array(text.utf8)))
        }
        if isRefused {
            let reply = TransferFailure.Reply(code: code, text: text, stage: stage)
            return .failed(
                TransferFailure(
                    fate: .refused, reply: reply,
                    message: "the mail server answered \(code) at \(stage.rawValue)"))
        }
        return .failed(
            TransferFailure(
                fate: isMessageComplete ? .unknown : .notSent,
                message: failure ?? "the mail server did not answer the message"))
    }
}

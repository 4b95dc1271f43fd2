import Model

/// Progress of a mail transfer, with the server's last reply.
///
/// The final dot decides: before it the server has not accepted the message; after it only the
/// server's reply tells whether it has.
struct MailDialogue {
    private(set) var stage = TransferFailure.MailStage.connect
    /// Code of the last complete reply.
    private(set) var code = 0
    private(set) var text = ""
    /// Whether the whole message was passed to libcurl, so that the final dot may have been sent.
    private(set) var isMessageComplete = false
    private(set) var hasFinalReply = false
    private var lines: [String] = []

    /// Whether the last reply was a rejection.
    var isRefused: Bool { code >= 400 }
    /// Whether the rejection ends the connection.
    var isLeaving: Bool { isRefused && !isMessageComplete }

    /// Updates the stage when a command is sent.
    ///
    /// - Parameter word: the first four characters of the command
    mutating func recordCommand(_ word: String) {
        switch word {
        case "EHLO", "HELO", "STAR": stage = .hello
        case "AUTH": stage = .authentication
        case "MAIL": stage = .sender
        case "RCPT": stage = .recipient
        case "DATA": stage = .message
        default: break
        }
    }

    mutating func recordMessageEnd() { isMessageComplete = true }

    /// Parses one line of a reply: `250-SIZE 200` or, as the last one, `250 ok`.
    mutating func receiveReply(_ line: String) {
        // What follows is the reply to QUIT.
        if isLeaving || hasFinalReply { return }
        let line = trimmed(line)
        guard let number = UntrustedNumber.integer(line.prefix(3), in: 0...999),
            line.utf8.count >= 3
        else { return }
        lines.append(trimmed(String(line.dropFirst(4))))
        guard line.dropFirst(3).first != "-" else { return }
        code = number
        text = String(lines.joined(separator: " ").prefix(TransferLimits.replyCharacters))
        lines = []
        if isMessageComplete { hasFinalReply = true }
    }

    /// The outcome of the transfer.
    ///
    /// - Parameter failure: the library's message if the transfer failed, else nil
    func outcome(_ failure: String?) -> TransferOutcome {
        if hasFinalReply, (200..<300).contains(code) {
            return .answered(TransferAnswer(status: code, body: Array(text.utf8)))
        }
        if isRefused {
            let reply = TransferFailure.Reply(code: code, text: text, stage: stage)
            return .failed(
                TransferFailure(
                    fate: .rejected, reply: reply,
                    message: "the mail server replied \(code) at stage \(stage.rawValue)"))
        }
        return .failed(
            TransferFailure(
                fate: isMessageComplete ? .unknown : .notSent,
                message: failure ?? "the mail server did not reply to the message"))
    }
}

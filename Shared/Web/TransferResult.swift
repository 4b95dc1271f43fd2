import Model

/// Result of a ``Transfer``.
public struct TransferResult: Sendable {
    /// Token of the transfer.
    public var token: UInt64
    public var outcome: TransferOutcome
    /// Duration without the wait in the lane.
    public var elapsed: Duration

    public init(token: UInt64, outcome: TransferOutcome, elapsed: Duration) {
        self.token = token
        self.outcome = outcome
        self.elapsed = elapsed
    }
}

/// Outcome of a transfer.
public enum TransferOutcome: Hashable, Sendable {
    /// HTTP: any status. Mail: the server accepted the message, status 250.
    case answered(TransferAnswer)
    case failed(TransferFailure)
}

/// Response of the other side.
public struct TransferAnswer: Hashable, Sendable {
    public var status: Int
    public var headers: Headers
    /// Mail: the text of the last reply.
    public var body: [UInt8]
    /// Whether the body is incomplete: longer than the call allows, or aborted.
    public var isCut: Bool

    public init(status: Int, headers: Headers = Headers(), body: [UInt8], isCut: Bool = false) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isCut = isCut
    }
}

/// Why there is no response, and whether the transfer may be repeated.
public struct TransferFailure: Hashable, Sendable {
    /// What the other side may have done.
    public enum Fate: String, Sendable {
        /// It did not accept the transfer, so a repetition cannot duplicate it.
        case notSent
        /// A mail server rejected it; `reply` has the text.
        case rejected
        /// It may have accepted the transfer: no response arrived after the request or the final
        /// dot.
        case unknown
    }

    /// Stage of a mail transfer.
    public enum MailStage: String, Sendable {
        case connect, hello, authentication, sender, recipient, message
    }

    /// Reply of a mail server.
    public struct Reply: Hashable, Sendable {
        /// 4xx or 5xx.
        public var code: Int
        /// With the enhanced status code, if any: `5.1.1 no such user`.
        public var text: String
        public var stage: MailStage

        public init(code: Int, text: String, stage: MailStage) {
            self.code = code
            self.text = text
            self.stage = stage
        }
    }

    public var fate: Fate
    public var reply: Reply?
    /// Human-readable message without addresses or secrets.
    public var message: String

    public init(fate: Fate, reply: Reply? = nil, message: String) {
        self.fate = fate
        self.reply = reply
        self.message = message
    }
}

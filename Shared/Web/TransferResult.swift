import Model

/// What became of a ``Transfer``.
public struct TransferResult: Sendable {
    /// The transfer's.
    public var token: UInt64
    public var outcome: TransferOutcome
    /// From start to end, waiting in the lane excluded.
    public var elapsed: Duration

    public init(token: UInt64, outcome: TransferOutcome, elapsed: Duration) {
        self.token = token
        self.outcome = outcome
        self.elapsed = elapsed
    }
}

/// How a transfer ended.
public enum TransferOutcome: Hashable, Sendable {
    /// HTTP: any status. Mail: the server took the message, status 250.
    case answered(TransferAnswer)
    case failed(TransferFailure)
}

/// What the other side said.
public struct TransferAnswer: Hashable, Sendable {
    public var status: Int
    public var headers: Headers
    /// Mail: the text of the last reply.
    public var body: [UInt8]
    /// The body is not whole: longer than the call allows, or broken off.
    public var isCut: Bool

    public init(status: Int, headers: Headers = Headers(), body: [UInt8], isCut: Bool = false) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isCut = isCut
    }
}

/// Why there is no answer, and what that means for sending again.
public struct TransferFailure: Hashable, Sendable {
    /// What the other side may have done.
    public enum Fate: String, Sendable {
        /// Surely not taken: sending again cannot double it.
        case notSent
        /// A mail server said no; `reply` has its words.
        case refused
        /// It may have been taken: no answer came after the request, or after the final dot.
        case unknown
    }

    /// How far a mail came.
    public enum MailStage: String, Sendable {
        case connect, hello, authentication, sender, recipient, message
    }

    /// A mail server's reply.
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
    /// For people, without addresses or secrets.
    public var message: String

    public init(fate: Fate, reply: Reply? = nil, message: String) {
        self.fate = fate
        self.reply = reply
        self.message = message
    }
}

import Model

/// What a gateway is to hand on: one message for one recipient.
public struct GatewayMessage: Hashable, Sendable {
    /// The notification's, the same for every attempt: a receiver may fold duplicates by it.
    public var id: String
    /// E.164 phone number or mail address.
    public var address: String
    /// Of a mail.
    public var subject: String
    public var text: String
    /// What comes with a mail; nil = nothing.
    public var file: RequestedMessage.File?
    /// Names what the message belongs to, such as an emergency's id; mails of one thread are shown
    /// together. Nil where it stands alone.
    public var thread: String?
    /// Unguessable; the gateway's callback brings it back.
    public var receiptToken: String
    /// Whether GSM 03.38 has every character of the text.
    public var isGSM: Bool
    /// SMS that the text takes.
    public var segments: Int
    /// Marked as important where the channel knows that.
    public var isUrgent: Bool
    /// When it is sent.
    public var now: Timestamp
    /// Not worth delivering from then on.
    public var expires: Timestamp

    public init(
        id: String, address: String, subject: String = "", text: String,
        file: RequestedMessage.File? = nil, thread: String? = nil,
        receiptToken: String, isGSM: Bool = true, segments: Int = 1, isUrgent: Bool = false,
        now: Timestamp, expires: Timestamp
    ) {
        self.id = id
        self.address = address
        self.subject = subject
        self.text = text
        self.file = file
        self.thread = thread
        self.receiptToken = receiptToken
        self.isGSM = isGSM
        self.segments = segments
        self.isUrgent = isUrgent
        self.now = now
        self.expires = expires
    }
}

import Model

/// A message for one recipient, ready to be sent through a gateway.
public struct GatewayMessage: Hashable, Sendable {
    /// Id of the notification. All attempts share it, so receivers can use it to drop duplicates.
    public var id: String
    /// E.164 phone number or mail address.
    public var address: String
    /// Subject of a mail; unused by other channels.
    public var subject: String
    public var text: String
    /// Attachment of a mail, or nil.
    public var file: RequestedMessage.File?
    /// Id of what the message belongs to, such as an emergency. Mail clients group mails by it. Nil
    /// if the message stands alone.
    public var thread: String?
    /// Unguessable token that the gateway's callback returns.
    public var receiptToken: String
    /// Whether GSM 03.38 can encode every character of the text.
    public var isGSM: Bool
    /// Number of SMS segments that the text needs.
    public var segments: Int
    /// Marks the message as important on channels that support it.
    public var isUrgent: Bool
    /// Time of the attempt.
    public var now: Timestamp
    /// Time after which the message must not be delivered.
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

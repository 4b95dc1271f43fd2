import Model

public enum DraftTag: IdentifierKind { public static let prefix = "prp" }
/// BLAKE2b-128 of (event, number, mode).
public typealias DraftID = Identifier<DraftTag>

/// One text to one number, after zones fired: a draft, or what happened to it.
public struct ZoneText: Hashable, Sendable, Codable {
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// Waits for the person to send it.
        case draft = "proposed"
        case sent
        /// Not sent; see the reason.
        case suppressed
    }

    public var id: DraftID
    public var person: PersonID
    /// E.164.
    public var number: String
    /// How the text addresses the recipient; empty = by no name.
    public var recipientName: String
    /// The merged zone messages, ascending.
    public var messages: [MessageID]
    public var zoneNames: [String]
    public var text: String
    public var state: State
    public var reason: NotifyReason
    public var created: Timestamp
    /// Do not send after this time.
    public var expires: Timestamp
    /// The message it was sent as.
    public var notification: NotificationID?
}

/// State of a phone number or mail address: recent texts, opt-out and deliverability.
public struct NumberState: Hashable, Sendable, Codable {
    /// E.164, or a mail address.
    public var number: String
    /// Times of texts of the last day.
    public var sent: [Timestamp] = []
    /// When it replied STOP; nil = it did not.
    public var stopped: Timestamp?
    /// When a text from it was last answered; nil = not recently.
    public var answered: Timestamp?
    /// Since when its gateway rejects it because the owner opted out there; nil = it does not.
    public var optedOut: Timestamp?
    /// Since when messages to it fail; nil = it is deliverable as far as known.
    public var dead: Timestamp?
    /// Consecutive failed deliveries; nil = none.
    public var failures: Int?

    public init(number: String) { self.number = number }

    mutating func prune(before limit: Timestamp) {
        sent.removeAll { $0 <= limit }
        if let last = answered, last <= limit { answered = nil }
    }

    /// Whether nothing needs to be kept.
    var isDefault: Bool {
        sent.isEmpty && stopped == nil && answered == nil && optedOut == nil && dead == nil
            && failures == nil
    }
}

/// A person's command to send a draft.
public struct SendCommand: Sendable {
    /// Id of the HTTP request, for the answer.
    public var request: UInt64
    public var principal: Principal
    /// The stored draft.
    public var text: ZoneText
    public var trace: String

    public init(request: UInt64, principal: Principal, text: ZoneText, trace: String = "") {
        self.request = request
        self.principal = principal
        self.text = text
        self.trace = trace
    }
}

import Model

public enum ProposalTag: IdentifierKind { public static let prefix = "prp" }
/// BLAKE2b-128 of (event, number, mode).
public typealias ProposalID = Identifier<ProposalTag>

/// One text to one number because zones fired: a proposal, or what became of it.
public struct ZoneText: Hashable, Sendable, Codable {
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// Waits for the person's tap.
        case proposed
        case sent
        /// Not sent, for the reason beside it.
        case withheld
    }

    public var id: ProposalID
    public var person: PersonID
    /// E.164.
    public var number: String
    /// What the receiver is called in it; empty = nothing.
    public var toMoniker: String
    /// Those that it merges; ascending.
    public var messages: [MessageID]
    public var zoneNames: [String]
    public var text: String
    public var state: State
    public var reason: NotifyReason
    public var created: Timestamp
    /// Not worth sending from then on.
    public var expires: Timestamp
    /// The message that it became.
    public var notification: NotificationID?
}

/// What is known of a number or mail address beside the directory: texts to it if it is outside of
/// all circles, its opt-out, and whether messages reach it.
public struct NumberState: Hashable, Sendable, Codable {
    /// E.164, or a mail address.
    public var number: String
    /// When texts were sent to it, the last day's.
    public var sent: [Timestamp] = []
    /// When it said STOP; nil = it did not.
    public var stopped: Timestamp?
    /// When a text of it was last answered; nil = not lately.
    public var answered: Timestamp?
    /// Since when its gateway refuses it because its owner opted out there; nil = it does not.
    public var optedOut: Timestamp?
    /// Since when messages cannot be delivered to it; nil = they can, as far as is known.
    public var dead: Timestamp?
    /// Messages in a row that failed by receipt; nil = none since the last that arrived.
    public var failures: Int?

    public init(number: String) { self.number = number }

    mutating func forget(before limit: Timestamp) {
        sent.removeAll { $0 <= limit }
        if let last = answered, last <= limit { answered = nil }
    }

    /// Nothing that has to be remembered.
    var isBlank: Bool {
        sent.isEmpty && stopped == nil && answered == nil && optedOut == nil && dead == nil
            && failures == nil
    }
}

/// A person wants a proposed text sent.
public struct SendCommand: Sendable {
    /// Names the request until it is answered.
    public var request: UInt64
    public var principal: Principal
    /// The row as stored.
    public var text: ZoneText
    public var trace: String

    public init(request: UInt64, principal: Principal, text: ZoneText, trace: String = "") {
        self.request = request
        self.principal = principal
        self.text = text
        self.trace = trace
    }
}

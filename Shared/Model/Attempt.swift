/// Outcome of an attempt to send a message through a gateway, as read from its response.
///
/// An unknown outcome differs from a rejection: the message may still arrive.
public enum AttemptOutcome: String, Sendable, Codable, CaseIterable {
    /// The gateway accepted the message.
    case accepted
    /// Temporary failure or rate limit. The message was not accepted.
    case later
    /// The address is permanently invalid.
    case rejected
    /// This gateway cannot deliver to this address or this text; another one may.
    case unroutable
    /// Credentials, sender or account are wrong or blocked: no message can be sent.
    case misconfigured
    /// The gateway could not be reached. The message was not sent.
    case unreachable
    /// The gateway may have accepted the message or not.
    case unknown
    /// The built-in sink stored it: nothing left this machine.
    case sink

    /// Outcomes that a gateway's response can have.
    public static let ofGateways = allCases.filter { $0 != .sink }
}

/// Delivery status of a message in a gateway's callback.
public enum ReceiptKind: String, Sendable, Codable, CaseIterable {
    /// It was delivered to the recipient.
    case delivered
    /// It will never be delivered.
    case failed
    /// The next carrier accepted it.
    case accepted
    /// A carrier holds it for a later attempt.
    case buffered
}

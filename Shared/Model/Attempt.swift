/// What an attempt to hand a message to a gateway came to, as read from the gateway's answer.
///
/// Accepted, surely not, and unknown are kept apart: a message whose fate is unknown may arrive.
public enum AttemptOutcome: String, Sendable, Codable, CaseIterable {
    /// The gateway has taken the message over.
    case accepted
    /// Not now: too much, a temporary failure. Surely not taken.
    case later
    /// This address will never do.
    case refused
    /// This gateway has no way to this address or for this text; another one may.
    case unroutable
    /// The fault is ours or the gateway's: credentials, sender, blocked. No message gets through.
    case misconfigured
    /// Nobody was there: surely not sent.
    case unreachable
    /// It may have been taken or not.
    case unknown
    /// The built-in sink kept it: nothing left this machine.
    case sink

    /// What the answer of a gateway can mean.
    public static let ofGateways = allCases.filter { $0 != .sink }
}

/// What a gateway's callback says of a message.
public enum ReceiptKind: String, Sendable, Codable, CaseIterable {
    /// It is with the recipient.
    case delivered
    /// It will never be.
    case failed
    /// The next one on the way has it.
    case accepted
    /// It waits on the way.
    case buffered
}

import Directory
import Model

/// State of a phone number or mail address: recent texts, opt-out and deliverability.
package struct NumberState: Hashable, Sendable, Codable {
    /// E.164, or a mail address.
    package var number: String
    /// Times of texts of the last day.
    package var sent: [Timestamp] = []
    /// When it replied STOP; nil = it did not.
    package var stopped: Timestamp?
    /// When a text from it was last answered; nil = not recently.
    package var answered: Timestamp?
    /// Since when its gateway rejects it because the owner opted out there; nil = it does not.
    package var optedOut: Timestamp?
    /// Since when messages to it fail; nil = it is deliverable as far as known.
    package var dead: Timestamp?
    /// Consecutive failed deliveries; nil = none.
    package var failures: Int?

    /// Times of wrong codes from it; nil = none.
    package var wrongCodes: [Timestamp]?
    /// The day (UTC) of the last message that a gateway confirmed as delivered; nil = none.
    package var proven: Timestamp?
    /// When a text from it was last answered with the list of words; nil = not recently.
    package var explained: Timestamp?

    package init(number: String) { self.number = number }

    mutating func prune(before limit: Timestamp) {
        sent.removeAll { $0 <= limit }
        if let last = answered, last <= limit { answered = nil }
        if let last = explained, last <= limit { explained = nil }
        if let day = proven, limit - day > Limits.proofKept { proven = nil }
        wrongCodes?.removeAll { $0 <= limit }
        if wrongCodes?.isEmpty == true { wrongCodes = nil }
    }

    /// Forgets wrong codes that do not count any more.
    mutating func pruneWrongCodes(at now: Timestamp) {
        wrongCodes?.removeAll { now - $0 >= Limits.wrongCodeWindow }
        if wrongCodes?.isEmpty == true { wrongCodes = nil }
    }

    mutating func recordWrongCode(at now: Timestamp) {
        wrongCodes = Array(((wrongCodes ?? []) + [now]).suffix(Limits.wrongCodesMax))
    }

    /// Whether nothing needs to be kept.
    var isDefault: Bool {
        sent.isEmpty && stopped == nil && answered == nil && optedOut == nil && dead == nil
            && failures == nil && wrongCodes == nil && proven == nil && explained == nil
    }

    var key: ContactPointKey {
        ContactPointKey(of: Channel(address: number) ?? .sms, number)
    }

    /// Why the address counts as unreachable; nil = it is reachable.
    var problem: ContactProblem? {
        if stopped != nil || optedOut != nil { return .optedOut }
        return dead == nil ? nil : .dead
    }
}

import Model

/// A confirmation code that was sent to a number and not entered yet. Only its digest is stored.
public struct PendingCode: Hashable, Sendable, Codable {
    /// The message that the code confirms.
    public var message: MessageID
    /// E.164. The code is void once the message has another number.
    public var number: String
    /// Keyed digest of the code, see ``CodeDigest``.
    public var digest: CodeDigest
    public var expires: Timestamp
    /// Wrong attempts left before the code is void.
    public var triesLeft: Int
}

/// Digest of a code: 64 hexadecimal digits of a hash over message and code. The key is in no store.
/// The daemon computes it, so that no code reaches the core.
public struct CodeDigest: Hashable, Sendable, Codable {
    public var text: String

    public init(_ text: String) { self.text = text }
}

/// Record that a code or zones were sent, for rate limits. Kept for a day.
public struct CodeRequest: Hashable, Sendable, Codable {
    /// E.164, or a mail address if zones were sent.
    public var number: String
    /// Nil = the operator.
    public var by: PersonID?
    public var at: Timestamp
}

/// Recipient of a code or of zones, and the name of the sender.
public struct CodeOrder: Hashable, Sendable {
    /// E.164, or a mail address for zones.
    public var number: String
    /// Name of the person, circle or set on whose behalf it is sent.
    public var sender: String
    /// BCP 47.
    public var locale: String
    public var expires: Timestamp
}

/// A change to the stored codes, or a message to send.
public enum CodeChange: Hashable, Sendable {
    case save(PendingCode)
    /// The code was entered, or is void.
    case remove(MessageID)
    case requested(CodeRequest)
    /// Sends the code that came with the command.
    case send(CodeOrder)
    /// Mails the zones that came with the command.
    case mail(CodeOrder)
}

/// Pending confirmation codes, and the requests of the last day that count against rate limits.
public struct Codes: Sendable {
    private(set) var pending: [MessageID: PendingCode] = [:]
    private var requests: [CodeRequest] = []

    public init(pending: [PendingCode] = [], requests: [CodeRequest] = []) {
        self.pending = Dictionary(pending.map { ($0.message, $0) }) { $1 }
        self.requests = requests.sorted { $0.at < $1.at }
    }

    /// When the pending code of a message expires; nil if no code can be entered.
    public func expiry(of message: ZoneMessage, at now: Timestamp) -> Timestamp? {
        guard let code = pending[message.id], code.number == message.number, code.triesLeft > 0,
            now < code.expires
        else { return nil }
        return code.expires
    }

    /// When the next code may be sent to a number on behalf of a person; nil = now.
    func nextRequest(of number: String, by person: PersonID?, at now: Timestamp) -> Timestamp? {
        let requests = requests.filter { !$0.isMail }
        return Codes.next(
            [
                (requests.filter { $0.number == number }, Limits.codesPerNumberMax),
                (requests.filter { person != nil && $0.by == person }, Limits.codesPerPersonMax),
            ], at: now)
    }

    /// When zones may be mailed to an address on behalf of a person; nil = now.
    func nextMail(to address: String, by person: PersonID?, at now: Timestamp) -> Timestamp? {
        let requests = requests.filter(\.isMail)
        return Codes.next(
            [
                (requests.filter { $0.number == address }, Limits.mailsPerAddressMax),
                (requests.filter { person != nil && $0.by == person }, Limits.mailsPerPersonMax),
            ], at: now)
    }

    /// The time at which every list is below its limit within the window; nil = now.
    private static func next(
        _ limited: [(requests: [CodeRequest], limit: Int)], at now: Timestamp
    ) -> Timestamp? {
        limited.compactMap { requests, limit -> Timestamp? in
            let recent = requests.filter { now - $0.at < Limits.codeWindow }.suffix(limit)
            return recent.count == limit ? recent.first.map { $0.at + Limits.codeWindow } : nil
        }.max()
    }

    mutating func apply(_ change: CodeChange) {
        switch change {
        case .save(let code): pending[code.message] = code
        case .remove(let message): pending[message] = nil
        case .requested(let request): requests.append(request)
        case .send, .mail: break
        }
    }

    /// Removes expired codes and requests. The daemon deletes their rows.
    mutating func removeExpired(at now: Timestamp) {
        let end = now - Limits.codeWindow
        requests.removeAll { $0.at <= end }
        pending = pending.filter { $0.value.expires > end }
    }
}

extension CodeRequest {
    fileprivate var isMail: Bool { number.contains("@") }
}

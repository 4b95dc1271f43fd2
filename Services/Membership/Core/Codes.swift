import Model

/// A code that waits to be entered. The code itself is nowhere: it is with whoever has the number.
public struct PendingCode: Hashable, Sendable, Codable {
    /// For whose number it is.
    public var message: MessageID
    /// E.164: where it went. Another number makes it worthless.
    public var number: String
    /// What is kept of the code, see ``CodeDigest``.
    public var digest: CodeDigest
    public var expires: Timestamp
    /// Wrong ones that are still answered.
    public var triesLeft: Int
}

/// What is kept of a code: 64 hexadecimal digits of a hash over message and code, with a key that
/// is in no store. Made by the daemon, so that no code ever reaches the core.
public struct CodeDigest: Hashable, Sendable, Codable {
    public var text: String

    public init(_ text: String) { self.text = text }
}

/// Somebody had a code or zones sent. Kept for a day.
public struct CodeAsk: Hashable, Sendable, Codable {
    /// E.164; of zones a mail address.
    public var number: String
    /// Nil = the operator.
    public var by: PersonID?
    public var at: Timestamp
}

/// To whom a code, or zones, are to be sent, and in whose name.
public struct CodeOrder: Hashable, Sendable {
    /// E.164; of zones a mail address.
    public var number: String
    /// Who wants to send something there.
    public var sender: String
    /// BCP 47.
    public var locale: String
    public var expires: Timestamp
}

/// A change of what is known of codes.
public enum CodeChange: Hashable, Sendable {
    case keep(PendingCode)
    /// Entered, or worth nothing any more.
    case forget(MessageID)
    case asked(CodeAsk)
    /// Have the code sent that the command brought along.
    case send(CodeOrder)
    /// Have the zones mailed that the command brought along.
    case mail(CodeOrder)
}

/// Codes that wait to be entered, and who had some sent within the last day.
public struct Codes: Sendable {
    private(set) var pending: [MessageID: PendingCode] = [:]
    private var asks: [CodeAsk] = []

    public init(pending: [PendingCode] = [], asks: [CodeAsk] = []) {
        self.pending = Dictionary(pending.map { ($0.message, $0) }) { $1 }
        self.asks = asks.sorted { $0.at < $1.at }
    }

    /// Until when a code for this message may be entered; nil when none may.
    public func expiry(of message: ZoneMessage, at now: Timestamp) -> Timestamp? {
        guard let code = pending[message.id], code.number == message.number, code.triesLeft > 0,
            now < code.expires
        else { return nil }
        return code.expires
    }

    /// When another code may be sent to a number on behalf of somebody; nil = now.
    func nextAsk(of number: String, by person: PersonID?, at now: Timestamp) -> Timestamp? {
        let asks = asks.filter { !$0.isMail }
        return Codes.next(
            [
                (asks.filter { $0.number == number }, Limits.codesPerNumberMax),
                (asks.filter { person != nil && $0.by == person }, Limits.codesPerPersonMax),
            ], at: now)
    }

    /// When zones may be mailed to an address on behalf of somebody; nil = now.
    func nextMail(to address: String, by person: PersonID?, at now: Timestamp) -> Timestamp? {
        let asks = asks.filter(\.isMail)
        return Codes.next(
            [
                (asks.filter { $0.number == address }, Limits.mailsPerAddressMax),
                (asks.filter { person != nil && $0.by == person }, Limits.mailsPerPersonMax),
            ], at: now)
    }

    /// When none of these has as many within the window as it may.
    private static func next(
        _ limited: [(asks: [CodeAsk], most: Int)], at now: Timestamp
    ) -> Timestamp? {
        limited.compactMap { asks, most -> Timestamp? in
            let recent = asks.filter { now - $0.at < Limits.codeWindow }.suffix(most)
            return recent.count == most ? recent.first.map { $0.at + Limits.codeWindow } : nil
        }.max()
    }

    mutating func apply(_ change: CodeChange) {
        switch change {
        case .keep(let code): pending[code.message] = code
        case .forget(let message): pending[message] = nil
        case .asked(let ask): asks.append(ask)
        case .send, .mail: break
        }
    }

    /// Drops what time has made worthless; the daemon drops the rows.
    mutating func forget(at now: Timestamp) {
        let end = now - Limits.codeWindow
        asks.removeAll { $0.at <= end }
        pending = pending.filter { $0.value.expires > end }
    }
}

extension CodeAsk {
    fileprivate var isMail: Bool { number.contains("@") }
}

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

/// Somebody had a code sent. Kept for a day.
public struct CodeAsk: Hashable, Sendable, Codable {
    /// E.164.
    public var number: String
    /// Nil = the operator.
    public var by: PersonID?
    public var at: Timestamp
}

/// What is to be sent with a code.
public struct CodeOrder: Hashable, Sendable {
    /// E.164.
    public var number: String
    /// Who wants to send texts there.
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
        let recent = asks.filter { now - $0.at < Limits.codeWindow }
        let ofNumber = recent.filter { $0.number == number }.suffix(Limits.codesPerNumberMax)
        let ofPerson = person.map { person in
            recent.filter { $0.by == person }.suffix(Limits.codesPerPersonMax)
        }
        let waits = [
            ofNumber.count == Limits.codesPerNumberMax ? ofNumber.first : nil,
            ofPerson?.count == Limits.codesPerPersonMax ? ofPerson?.first : nil,
        ].compactMap { $0.map { $0.at + Limits.codeWindow } }
        return waits.max()
    }

    mutating func apply(_ change: CodeChange) {
        switch change {
        case .keep(let code): pending[code.message] = code
        case .forget(let message): pending[message] = nil
        case .asked(let ask): asks.append(ask)
        case .send: break
        }
    }

    /// Drops what time has made worthless; the daemon drops the rows.
    mutating func forget(at now: Timestamp) {
        let end = now - Limits.codeWindow
        asks.removeAll { $0.at <= end }
        pending = pending.filter { $0.value.expires > end }
    }
}

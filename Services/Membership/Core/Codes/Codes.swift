import Model

/// What a code confirms.
public enum CodeSubject: Hashable, Sendable {
    /// The number of a message agrees to its texts.
    case message(MessageID)
    /// A contact point is its person's.
    case contact(ContactID)

    public var id: ID128 {
        switch self {
        case .message(let id): id.raw
        case .contact(let id): id.raw
        }
    }

    /// How long its codes are valid.
    var codeAgeMax: Duration {
        switch self {
        case .message: Limits.codeAgeMax
        case .contact: Limits.accountCodeAgeMax
        }
    }
}

/// A confirmation code that was sent to an address and not entered yet.
public struct PendingCode: Hashable, Sendable {
    public var subject: CodeSubject
    /// E.164 or a mail address. The code is void once the subject has another one.
    public var address: String
    public var code: OneTimeCode
}

extension PendingCode: Codable {
    private enum Key: String, CodingKey {
        case message, contact, number, digest, expires, triesLeft
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        if let contact = try values.decodeIfPresent(ContactID.self, forKey: .contact) {
            subject = .contact(contact)
        } else {
            subject = .message(try values.decode(MessageID.self, forKey: .message))
        }
        address = try values.decode(String.self, forKey: .number)
        code = OneTimeCode(
            try values.decode(CodeDigest.self, forKey: .digest),
            expires: try values.decode(Timestamp.self, forKey: .expires))
        code.triesLeft = try values.decode(Int.self, forKey: .triesLeft)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        switch subject {
        case .message(let id): try values.encode(id, forKey: .message)
        case .contact(let id): try values.encode(id, forKey: .contact)
        }
        try values.encode(address, forKey: .number)
        try values.encode(code.digest, forKey: .digest)
        try values.encode(code.expires, forKey: .expires)
        try values.encode(code.triesLeft, forKey: .triesLeft)
    }
}

/// Record that something was sent to an address, for rate limits. Kept for a day.
public struct CodeRequest: Hashable, Sendable {
    /// What was sent.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A code with which a number agrees to messages.
        case code
        /// A file with zones.
        case zones
        /// A code for the sender's own contact point.
        case contactCode = "contact-code"
        /// A test of the sender's own contact point.
        case contactTest = "contact-test"

        /// How many a day to one address, and on behalf of one person.
        var limits: (perAddress: Int, perPerson: Int) {
            switch self {
            case .code: (Limits.codesPerNumberMax, Limits.codesPerPersonMax)
            case .zones: (Limits.mailsPerAddressMax, Limits.mailsPerPersonMax)
            case .contactCode:
                (Limits.contactCodesPerAddressMax, Limits.contactCodesPerPersonMax)
            case .contactTest:
                (Limits.contactTestsPerAddressMax, Limits.contactTestsPerPersonMax)
            }
        }
    }

    public var kind: Kind
    /// E.164 or a mail address.
    public var number: String
    public var by: Actor
    public var at: Timestamp
}

extension CodeRequest: Codable {
    /// Rows without a kind are codes to numbers and zones to mail addresses.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        number = try values.decode(String.self, forKey: .number)
        by = try values.decode(Actor.self, forKey: .by)
        at = try values.decode(Timestamp.self, forKey: .at)
        kind =
            try values.decodeIfPresent(Kind.self, forKey: .kind)
            ?? (number.contains("@") ? .zones : .code)
    }
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
    case remove(CodeSubject)
    case requested(CodeRequest)
    /// Sends the code that came with the command to a number that is asked to agree.
    case send(CodeOrder)
    /// Mails the zones that came with the command.
    case mail(CodeOrder)
}

/// Pending confirmation codes, and the requests of the last day that count against rate limits.
public struct Codes: Sendable {
    private(set) var pending: [CodeSubject: PendingCode] = [:]
    private var requests: [CodeRequest] = []

    public init(pending: [PendingCode] = [], requests: [CodeRequest] = []) {
        self.pending = Dictionary(pending.map { ($0.subject, $0) }) { $1 }
        self.requests = requests.sorted { $0.at < $1.at }
    }

    /// When the pending code of a message expires; nil if no code can be entered.
    public func expiry(of message: ZoneMessage, at now: Timestamp) -> Timestamp? {
        let subject = CodeSubject.message(message.id)
        guard let pending = pending[subject], pending.address == message.number,
            pending.code.isValid(at: now, for: subject.codeAgeMax)
        else { return nil }
        return pending.code.expires
    }

    /// When the next of a kind may be sent to an address on behalf of somebody; nil = now. The
    /// operator has no limit of their own.
    func next(
        _ kind: CodeRequest.Kind, to address: String, by actor: Actor, at now: Timestamp
    ) -> Timestamp? {
        let requests = requests.filter { $0.kind == kind }
        let limits = kind.limits
        return [
            (requests.filter { $0.number == address }, limits.perAddress),
            (requests.filter { actor != .operator && $0.by == actor }, limits.perPerson),
        ].compactMap { requests, limit -> Timestamp? in
            let recent = requests.filter { now - $0.at < Limits.codeWindow }.suffix(limit)
            return recent.count == limit ? recent.first.map { $0.at + Limits.codeWindow } : nil
        }.max()
    }

    mutating func apply(_ change: CodeChange) {
        switch change {
        case .save(let code): pending[code.subject] = code
        case .remove(let subject): pending[subject] = nil
        case .requested(let request): requests.append(request)
        case .send, .mail: break
        }
    }

    /// Removes expired codes and requests. The daemon deletes their rows.
    mutating func removeExpired(at now: Timestamp) {
        let end = now - Limits.codeWindow
        requests.removeAll { $0.at <= end }
        pending = pending.filter { $0.value.code.expires > end }
    }
}

extension CommandContext {
    /// Enters a code that was sent to the address of a subject.
    ///
    /// - Returns: the verdict if the code is not right; nil if it is
    func enter(
        _ typed: CodeDigest, for subject: CodeSubject, sentTo address: String
    ) -> Verdict? {
        guard var pending = codes.pending[subject], pending.address == address else {
            return .rejected(
                CommandRejection(
                    .conflict, "there is no pending code for this number or address",
                    hint: CommandContext.requestAnother))
        }
        switch pending.code.enter(typed, at: now, for: subject.codeAgeMax) {
        case .right: return nil
        case .wrong(let left):
            let rejection = CommandRejection(
                .invalid, "the code is wrong", field: "code",
                hint: left == 0 ? CommandContext.requestAnother : "\(left) attempts left")
            return .done([], .rejected(rejection), codes: [.save(pending)])
        case .expired:
            return .rejected(
                CommandRejection(
                    .conflict, "the code has expired", hint: CommandContext.requestAnother))
        case .void:
            return .rejected(
                CommandRejection(
                    .conflict, "too many wrong codes were entered",
                    hint: CommandContext.requestAnother))
        }
    }

    private static let requestAnother = "request another code: POST …/code"

    /// The rejection of a request above a limit; nil if it is within all limits.
    func tooOften(_ kind: CodeRequest.Kind, to address: String) -> CommandRejection? {
        let actor = Actor(command.principal)
        guard let next = codes.next(kind, to: address, by: actor, at: now) else { return nil }
        let (what, limits) = (kind.plural, kind.limits)
        return CommandRejection(
            .tooOften(next - now), "the daily limit for \(what) is reached",
            hint: "at most \(limits.perAddress) a day to one number or address and "
                + "\(limits.perPerson) a day for one person")
    }
}

extension CodeRequest.Kind {
    fileprivate var plural: String {
        switch self {
        case .code, .contactCode: "codes"
        case .zones: "mailing zones"
        case .contactTest: "test messages"
        }
    }
}

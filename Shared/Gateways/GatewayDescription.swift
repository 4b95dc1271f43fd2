import Runtime
import Web

/// How one kind of HTTP gateway is spoken to, read from a file of `KEY=value` lines.
///
/// A key may stand several times where that makes sense. `_GSM` and `_UCS2` at the end of a key
/// make its line count only for texts that GSM 03.38 has, or has not.
struct GatewayDescription: Sendable {
    /// What a body is, and so how placeholders in it are escaped.
    enum BodyType: String, CaseIterable {
        case form, json, xml, plain

        var place: Template.Place {
            switch self {
            case .form: .address
            case .json: .json
            case .xml: .xml
            case .plain: .plain
            }
        }

        var contentType: String? {
            switch self {
            case .form: "application/x-www-form-urlencoded"
            case .json: "application/json"
            case .xml: "application/xml"
            case .plain: nil
            }
        }
    }

    /// Which texts a line is for.
    enum Scope: Sendable {
        case all, gsm, ucs2

        func covers(isGSM: Bool) -> Bool { self == .all || isGSM == (self == .gsm) }
    }

    struct Header: Sendable {
        var name: String
        var value: Template
    }

    var name = ""
    var method = Method.post
    var defaultURL: String?
    var isBasicLogin = false
    var urls: [(Scope, Template)] = []
    var headers: [(Scope, Header)] = []
    /// Lines, put together in their order. A form is cut at `&` into pairs, so that one without a
    /// value can be left out.
    var bodies: [(Scope, [Template])] = []
    var bodyType = BodyType.plain
    /// Longest time that the gateway takes for a message's validity.
    var validitySecondsMax: Int64?
    var rules: [Rule] = []
    var idMember: [String] = []
    var wordsMembers: [[String]] = []
    var receiptRules: [ReceiptRule] = []
    var receiptAddressField: String?
    var receiptWords = EncodedText()
    /// What the gateway wants to hear when it has told of a message.
    var receiptAnswer: (type: String, body: String)?
    var reply = ReplyRule()

    /// Whether nothing can be sent without user and password: their places are in what is sent.
    ///
    /// - Parameter hasAccount: whether the account is told apart from the user
    func needsLogin(hasAccount: Bool) -> Bool {
        let templates = urls.map(\.1) + headers.map(\.1.value) + bodies.flatMap(\.1)
        return templates.contains { $0.contains(.user) || $0.contains(.password) }
            || urls.contains { $1.contains(.account) && (isBasicLogin || !hasAccount) }
    }

    func url(isGSM: Bool) -> Template? { urls.first { $0.0.covers(isGSM: isGSM) }?.1 }

    func body(isGSM: Bool) -> [Template] {
        bodies.filter { $0.0.covers(isGSM: isGSM) }.flatMap(\.1)
    }

    func headers(isGSM: Bool) -> [Header] {
        headers.filter { $0.0.covers(isGSM: isGSM) }.map(\.1)
    }
}

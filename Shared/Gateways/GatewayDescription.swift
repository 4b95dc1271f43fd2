import Runtime
import Web

/// Describes the HTTP interface of one kind of gateway, read from a file of `KEY=value` lines.
///
/// Some keys may be repeated. The suffixes `_GSM` and `_UCS2` restrict a line to texts that GSM
/// 03.38 can or cannot encode.
struct GatewayDescription: Sendable {
    /// Content type of the body, which decides how placeholders in it are escaped.
    enum BodyType: String, CaseIterable {
        case form, json, xml, plain

        var templateContext: Template.Context {
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

    /// The texts that a line applies to.
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
    /// Body lines in file order. A form is split at `&`, so that a pair without a value can be
    /// omitted.
    var bodies: [(Scope, [Template])] = []
    var bodyType = BodyType.plain
    /// Maximum validity period that the gateway accepts.
    var validitySecondsMax: Int64?
    var rules: [Rule] = []
    var idMember: [String] = []
    var detailMembers: [[String]] = []
    var receiptRules: [ReceiptRule] = []
    var receiptAddressField: String?
    var receiptDetail = EncodedText()
    /// Response body for a delivery report.
    var receiptResponse: (type: String, body: String)?
    var reply = ReplyRule()

    /// Whether requests cannot be built without user and password.
    ///
    /// - Parameter hasAccount: whether the account is configured separately from the user
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

import Model
import Parsing
import Web

/// A gateway with an HTTP interface: the description of its kind, and the account there.
public struct HTTPGateway: Sendable {
    /// Operator's settings for the gateway.
    struct Account: Sendable {
        /// Base address of the gateway, without a trailing slash.
        var url: String
        var login: Login?
        /// Account name; nil = same as the login's user.
        var account: String?
        var sender = ""
        var authoritiesFile: String?
        /// Base address under which the gateway reaches this server, without a trailing slash.
        var callbackBase: String
        var timeoutMilliseconds = 15_000
    }

    let description: GatewayDescription
    let account: Account

    /// The request that submits a message, or nil if the address is not a phone number.
    func call(for message: GatewayMessage) -> HTTPCall? {
        guard HTTPGateway.isPhoneNumber(message.address),
            let url = description.url(isGSM: message.isGSM)
        else { return nil }
        let values = TemplateValues(
            account: account, message: message,
            callback: account.callbackBase + "/v1/receipts/" + message.receiptToken,
            validitySecondsMax: description.validitySecondsMax)
        var headers = Headers()
        for header in description.headers(isGSM: message.isGSM) {
            guard let value = header.value.rendered(values, .header) else { continue }
            headers.append(header.name, String(decoding: value, as: UTF8.self))
        }
        let body = body(values)
        if !body.isEmpty, headers["Content-Type"] == nil {
            headers["Content-Type"] = description.bodyType.contentType
        }
        return HTTPCall(
            description.method,
            String(decoding: url.rendered(values, .address) ?? [], as: UTF8.self),
            headers: headers, body: body, login: description.isBasicLogin ? account.login : nil,
            authoritiesFile: account.authoritiesFile)
    }

    private func body(_ values: TemplateValues) -> [UInt8] {
        let templates = description.body(isGSM: values.message.isGSM)
        let context = description.bodyType.templateContext
        guard description.bodyType == .form else {
            return templates.flatMap { $0.rendered(values, context) ?? [] }
        }
        let pairs = templates.compactMap { $0.rendered(values, context) }.filter {
            $0.last != UInt8(ascii: "=")
        }
        return Array(pairs.joined(separator: [UInt8(ascii: "&")]))
    }

    /// Whether the text is an optional plus followed by 3 to 15 digits.
    static func isPhoneNumber(_ text: String) -> Bool {
        let digits = text.utf8.drop { $0 == UInt8(ascii: "+") }
        return (3...15).contains(digits.count) && text.utf8.count - digits.count <= 1
            && digits.allSatisfy { (48...57).contains($0) }
    }

    // MARK: - Answers and callbacks

    func read(_ outcome: TransferOutcome) -> GatewayAnswer {
        switch outcome {
        case .answered(let answer): read(answer)
        case .failed(let failure):
            GatewayAnswer(failure.fate == .unknown ? .unknown : .unreachable, failure.message)
        }
    }

    private func read(_ answer: TransferAnswer) -> GatewayAnswer {
        let decoded = DecodedAnswer(answer)
        let rule = description.rules.first { $0.matches(decoded) }
        let isOptOut = rule?.verdict == "opted-out"
        let verdict = isOptOut ? .rejected : AttemptOutcome(rawValue: rule?.verdict ?? "unknown")
        let seconds = answer.headers["Retry-After"].flatMap {
            UntrustedNumber.integer($0, in: 0...UntrustedNumber.most)
        }
        return GatewayAnswer(
            verdict ?? .unknown, (isOptOut ? "opted out: " : "") + detail(of: decoded),
            messageID: description.idMember.isEmpty ? nil : decoded.member(description.idMember),
            retryAfter: seconds.map { .seconds($0) }, isOptOut: isOptOut)
    }

    /// The status and an excerpt of the body.
    private func detail(of answer: DecodedAnswer) -> String {
        let chosen = description.detailMembers.compactMap { answer.member($0) }
        let text = chosen.isEmpty ? answer.text : chosen.joined(separator: " ")
        let detail = redactedLine(text)
        return detail.isEmpty ? String(answer.status) : "\(answer.status) \(detail)"
    }

    func receipt(of request: Request) -> GatewayReceipt? {
        let callback = HTTPGateway.fields(of: request)
        guard let rule = description.receiptRules.first(where: { $0.matches(callback) }) else {
            return nil
        }
        let isOptOut = rule.kind == "opted-out"
        return GatewayReceipt(
            isOptOut ? .failed : ReceiptKind(rawValue: rule.kind) ?? .failed,
            address: description.receiptAddressField.flatMap { callback[$0] },
            detail: redactedLine(description.receiptDetail.text(in: callback) ?? ""),
            isOptOut: isOptOut)
    }

    static func response(_ answer: (type: String, body: String)) -> Response {
        Response(
            status: 200, headers: ["Content-Type": answer.type], body: Array(answer.body.utf8))
    }

    /// The fields of a callback: its query plus form fields or members of a JSON object.
    static func fields(of request: Request) -> Query {
        var fields = request.query
        let type = request.headers["Content-Type"] ?? ""
        if type.hasPrefix("application/x-www-form-urlencoded") {
            fields.items += Query(encoded: String(decoding: request.body, as: UTF8.self)).items
        } else if type.hasPrefix("application/json"),
            let body = try? JSON.parse(request.body, valuesMax: JSON.bodyValuesMax)
        {
            fields.items +=
                body.object?.compactMap { member in
                    member.value.scalarText.map { Query.Item(member.key, $0) }
                } ?? []
        }
        return fields
    }
}

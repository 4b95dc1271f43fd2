import Model
import Parsing
import Runtime
import Web

/// Parses a ``GatewayDescription``.
struct GatewayFile {
    let file: String
    private var line = 0
    private(set) var description = GatewayDescription()
    /// Bodies are split after parsing, because `BODY_TYPE` may follow them.
    private var bodyTexts: [(GatewayDescription.Scope, String, line: Int)] = []

    /// Parses the text of a description file.
    ///
    /// - Parameter file: name of the file, for errors
    /// - Throws: ``GatewayError`` with code `gateway-malformed`
    static func parse(
        _ text: String, file: String
    ) throws(GatewayError) -> GatewayDescription {
        var reader = GatewayFile(file: file)
        for raw in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            reader.line += 1
            try reader.parse(String(raw))
        }
        return try reader.finish()
    }

    private init(file: String) { self.file = file }

    private mutating func parse(_ raw: String) throws(GatewayError) {
        let line = raw.trimmingBlanks()
        if line.isEmpty || line.hasPrefix("#") { return }
        guard let equals = line.firstIndex(of: "=") else {
            throw error("\"=\" is missing", hint: "Write KEY=value, or start a comment with #.")
        }
        var key = String(line[..<equals]).trimmingBlanks()
        let value = String(line[line.index(after: equals)...]).trimmingBlanks()
        var scope = GatewayDescription.Scope.all
        for (suffix, suffixScope) in [("_GSM", GatewayDescription.Scope.gsm), ("_UCS2", .ucs2)]
        where key.hasSuffix(suffix) {
            key.removeLast(suffix.count)
            scope = suffixScope
        }
        if scope != .all, !["URL", "HEADER", "BODY"].contains(key) {
            throw error("\(key) applies to all texts", hint: "Remove the suffix _GSM or _UCS2.")
        }
        try apply(key, value, scope)
    }

    private mutating func apply(
        _ key: String, _ value: String, _ scope: GatewayDescription.Scope
    ) throws(GatewayError) {
        switch key {
        case "NAME":
            if let hidden = PlainText.firstHidden(in: value) {
                throw error(
                    "the name contains the invisible character \(PlainText.name(of: hidden))",
                    hint: "Use visible characters only.")
            }
            description.name = value
        case "DEFAULT_URL": description.defaultURL = value
        case "METHOD":
            description.method = try choice(value, Method.init(rawValue:), "an HTTP method")
        case "LOGIN":
            description.isBasicLogin = try choice(
                value, { ["none": false, "basic": true][$0] }, "none or basic")
        case "URL": description.urls.append((scope, try template(value)))
        case "HEADER": description.headers.append((scope, try header(value)))
        case "BODY": bodyTexts.append((scope, value, line))
        case "BODY_TYPE":
            description.bodyType = try choice(
                value, GatewayDescription.BodyType.init(rawValue:), "form, json, xml or plain")
        case "VALIDITY_SECONDS_MAX":
            description.validitySecondsMax = try choice(
                value,
                { text in
                    UntrustedNumber.integer(text, in: 60...UntrustedNumber.most).map(Int64.init)
                },
                "a number of seconds from 60")
        case "RULE": description.rules.append(try rule(value))
        case "ID": description.idMember = value.split(separator: ".").map(String.init)
        case "DETAIL":
            description.detailMembers = value.split(separator: ",").map {
                $0.split(separator: ".").map(String.init)
            }
        case "RECEIPT": description.receiptRules.append(try receiptRule(value))
        case "RECEIPT_ADDRESS": description.receiptAddressField = value
        case "RECEIPT_DETAIL": description.receiptDetail.textField = value
        case "RECEIPT_DETAIL_HEX": description.receiptDetail.hexField = value
        case "RECEIPT_CODING": description.receiptDetail.codingField = value
        case "RECEIPT_CHARSET": description.receiptDetail.charsets.append(try charset(value))
        case "RECEIPT_ANSWER": description.receiptResponse = try answer(value)
        case "REPLY_FROM": description.reply.senderField = value
        case "REPLY_TEXT": description.reply.text.textField = value
        case "REPLY_TEXT_HEX": description.reply.text.hexField = value
        case "REPLY_CODING": description.reply.text.codingField = value
        case "REPLY_CHARSET": description.reply.text.charsets.append(try charset(value))
        case "REPLY_ID": description.reply.idField = value
        case "REPLY_ANSWER": description.reply.answer = try answer(value)
        default:
            throw error("unknown key \(key)", hint: "Use one of the keys in docs/gateways.md.")
        }
    }

    private func choice<Value>(
        _ text: String, _ read: (String) -> Value?, _ allowed: String
    ) throws(GatewayError) -> Value {
        guard let value = read(text) else {
            throw error("\"\(text)\" is not allowed", hint: "Write \(allowed).")
        }
        return value
    }

    private func template(_ text: String) throws(GatewayError) -> Template {
        let template = Template(text)
        if let problem = template.problem {
            let names = Template.Placeholder.allCases.map { "{\($0.rawValue)}" }
            throw error(problem, hint: "Use one of \(names.joined(separator: " ")).")
        }
        return template
    }

    private func header(_ text: String) throws(GatewayError) -> GatewayDescription.Header {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
            throw error("not a header", hint: "Write HEADER=Name: value.")
        }
        let value = String(text[text.index(after: colon)...]).trimmingBlanks()
        return GatewayDescription.Header(name: String(text[..<colon]), value: try template(value))
    }

    private func rule(_ text: String) throws(GatewayError) -> Rule {
        let verdicts = AttemptOutcome.ofGateways.map(\.rawValue) + ["opted-out"]
        guard let words = Word.all(in: text), let rule = Rule(words, verdicts: verdicts) else {
            throw error(
                "not a rule",
                hint:
                    "Write RULE=verdict status \"text\" member=value, where the verdict is one of "
                    + verdicts.joined(separator: ", ") + ".")
        }
        return rule
    }

    private func receiptRule(_ text: String) throws(GatewayError) -> ReceiptRule {
        guard let words = Word.all(in: text), let rule = ReceiptRule(words) else {
            throw error(
                "not a receipt rule",
                hint: "Write RECEIPT=kind field=value,value, where the kind is one of delivered, "
                    + "failed, accepted, buffered, opted-out.")
        }
        return rule
    }

    private func charset(_ text: String) throws(GatewayError) -> CharsetRule {
        guard let rule = CharsetRule(text) else {
            let names = TextCharset.allCases.map(\.rawValue).joined(separator: ", ")
            throw error(
                "not a charset rule",
                hint: "Write a charset (\(names)) and its data codings.")
        }
        return rule
    }

    private func answer(_ text: String) throws(GatewayError) -> (type: String, body: String) {
        guard let blank = text.firstIndex(of: " "), text[..<blank].contains("/") else {
            throw error(
                "not a content type and body", hint: "Write for example text/xml <Response/>.")
        }
        return (String(text[..<blank]), String(text[text.index(after: blank)...]).trimmingBlanks())
    }

    private mutating func finish() throws(GatewayError) -> GatewayDescription {
        let type = description.bodyType
        for (scope, text, line) in bodyTexts {
            self.line = line
            var templates: [Template] = []
            let parts = type == .form ? text.split(separator: "&").map(String.init) : [text]
            for part in parts { templates.append(try template(part)) }
            let hasBytes = templates.contains { $0.contains(.textUTF16) }
            if hasBytes, type == .json || type == .xml {
                throw error(
                    "{text_utf16} is binary", hint: "Use {text} or {text_hex} in JSON and XML.")
            }
            description.bodies.append((scope, templates))
        }
        line = 0
        guard !description.name.isEmpty else {
            throw error("NAME is missing", hint: "Write NAME= and a name for lists and logs.")
        }
        let isComplete = [true, false].allSatisfy { description.url(isGSM: $0) != nil }
        guard isComplete else {
            throw error("URL is missing", hint: "Write for example URL={url}/send?to={to}.")
        }
        guard description.rules.contains(where: { $0.verdict == "accepted" }) else {
            throw error(
                "no rule has the verdict accepted",
                hint: "Write for example RULE=accepted 2xx.")
        }
        return description
    }

    private func error(_ message: String, hint: String) -> GatewayError {
        let location = line == 0 ? "" : "line \(line): "
        return GatewayError("gateway-malformed", reading: file, location + message, hint: hint)
    }
}

extension String {
    /// The text without blanks at both ends.
    fileprivate func trimmingBlanks() -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}

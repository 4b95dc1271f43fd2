import Model
import Parsing
import Web

/// A text with `{placeholders}` that are replaced and escaped per message.
struct Template: Hashable, Sendable {
    /// Where the rendered text is used, which decides how values are escaped.
    enum Context: Sendable {
        /// Path or query of an address, or a form: everything except letters and digits is escaped.
        case address
        /// A header line: line breaks become blanks.
        case header
        /// Inside the quotes of a JSON string.
        case json
        /// Text or attribute in XML.
        case xml
        /// No escaping.
        case plain
    }

    /// Names that may stand in braces.
    enum Placeholder: String, CaseIterable, Sendable {
        /// The gateway's configured address. Never escaped, because an address begins with it.
        case url
        case user
        case password
        /// The account, or the user if no account is configured.
        case account
        /// The configured sender.
        case from
        /// The recipient as `+60123456789`.
        case to
        /// The recipient without the plus.
        case toDigits = "to_digits"
        case text
        /// The text in UTF-16, big-endian.
        case textUTF16 = "text_utf16"
        /// The text in UTF-16, big-endian, as hexadecimal digits.
        case textHex = "text_hex"
        /// The notification's id.
        case id
        /// Address for the gateway's delivery reports.
        case callback
        /// 0 if GSM 03.38 can encode the text, otherwise 2.
        case coding
        /// Number of SMS segments that the text needs.
        case segments
        case validitySeconds = "validity_seconds"
        case validityMinutes = "validity_minutes"
    }

    private enum Piece: Hashable, Sendable {
        case literal(String)
        case placeholder(Placeholder)
    }

    private var pieces: [Piece] = []
    /// Why the text is not a valid template, or nil.
    private(set) var problem: String?

    /// Parses a text. A brace that does not open a placeholder, as in JSON, stays a brace.
    init(_ text: String) {
        var rest = text[...]
        var literal = ""
        while let brace = rest.firstIndex(of: "{") {
            let inner = rest[rest.index(after: brace)...]
            let name = inner.prefix { $0.isLowercase || $0 == "_" || $0.isNumber }
            guard !name.isEmpty, inner[name.endIndex...].first == "}" else {
                literal += rest[...brace]
                rest = inner
                continue
            }
            guard let placeholder = Placeholder(rawValue: String(name)) else {
                problem = "unknown placeholder {\(name)}"
                return
            }
            literal += rest[..<brace]
            if !literal.isEmpty { pieces.append(.literal(literal)) }
            literal = ""
            pieces.append(.placeholder(placeholder))
            rest = inner[inner.index(after: name.endIndex)...]
        }
        literal += rest
        if !literal.isEmpty { pieces.append(.literal(literal)) }
    }

    func contains(_ placeholder: Placeholder) -> Bool {
        pieces.contains(.placeholder(placeholder))
    }

    /// Renders the template for one message.
    ///
    /// - Returns: nil if the template consists of placeholders only and none has a value, so that a
    ///   header or a form pair can be omitted
    func rendered(_ values: TemplateValues, _ context: Context) -> [UInt8]? {
        var out: [UInt8] = []
        var hasNoValue = !pieces.isEmpty
        for piece in pieces {
            switch piece {
            case .literal(let text):
                out += text.utf8
                hasNoValue = false
            case .placeholder(let placeholder):
                let bytes = values.bytes(of: placeholder)
                if !bytes.isEmpty { hasNoValue = false }
                out += placeholder == .url ? bytes : Template.escaped(bytes, context)
            }
        }
        return hasNoValue ? nil : out
    }

    private static func escaped(_ bytes: [UInt8], _ context: Context) -> [UInt8] {
        switch context {
        case .plain: bytes
        case .address: Array(Percent.encode(bytes).utf8)
        case .header: bytes.map { $0 < 32 || $0 == 127 ? UInt8(ascii: " ") : $0 }
        case .json:
            Array(JSON.string(String(decoding: bytes, as: UTF8.self)).serialized()[1...].dropLast())
        case .xml: bytes.flatMap(xmlEscaped)
        }
    }

    private static func xmlEscaped(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "&"): Array("&amp;".utf8)
        case UInt8(ascii: "<"): Array("&lt;".utf8)
        case UInt8(ascii: ">"): Array("&gt;".utf8)
        case UInt8(ascii: "\""): Array("&quot;".utf8)
        case UInt8(ascii: "'"): Array("&apos;".utf8)
        // XML 1.0 does not allow these characters, even as references.
        case 0..<9, 11, 12, 14..<32: [UInt8(ascii: " ")]
        default: [byte]
        }
    }
}

/// Values for the placeholders of a template.
struct TemplateValues {
    var account: HTTPGateway.Account
    var message: GatewayMessage
    var callback: String
    /// Maximum validity period that the gateway accepts.
    var validitySecondsMax: Int64?

    func bytes(of placeholder: Template.Placeholder) -> [UInt8] {
        switch placeholder {
        case .textUTF16: utf16
        default: Array(text(of: placeholder).utf8)
        }
    }

    private func text(of placeholder: Template.Placeholder) -> String {
        let left: Duration = message.expires - message.now
        // Gateways reject validity periods below what operators support.
        let seconds = min(max(60, left.milliseconds / 1000), validitySecondsMax ?? .max)
        return switch placeholder {
        case .url: account.url
        case .user: account.login?.user ?? ""
        case .password: account.login?.password ?? ""
        case .account: account.account ?? account.login?.user ?? ""
        case .from: account.sender
        case .to: message.address
        case .toDigits: message.address.filter { $0 != "+" }
        case .text: message.text
        case .textUTF16, .textHex: utf16.map(hexadecimal).joined()
        case .id: message.id
        case .callback: callback
        case .coding: message.isGSM ? "0" : "2"
        case .segments: String(message.segments)
        case .validitySeconds: String(seconds)
        case .validityMinutes: String(seconds / 60)
        }
    }

    private var utf16: [UInt8] {
        message.text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    }

    private func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.utf8.count == 1 ? "0" + digits : digits
    }
}

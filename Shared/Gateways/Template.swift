import Model
import Parsing
import Web

/// A text with `{placeholders}`, filled in for one message with the escapes of its place.
struct Template: Hashable, Sendable {
    /// Where the text will stand.
    enum Place: Sendable {
        /// Path and query of an address, or a form: everything but letters and digits is escaped.
        case address
        /// A header line.
        case header
        /// Between the quotes of a JSON string.
        case json
        /// Text or attribute of XML.
        case xml
        /// As it is.
        case plain
    }

    /// What can stand in braces.
    enum Placeholder: String, CaseIterable, Sendable {
        /// The configured address of the gateway. Never escaped: it begins an address.
        case url
        case user
        case password
        /// The account; the user where none is configured.
        case account
        /// The configured sender.
        case from
        /// The recipient, as `+60123456789`.
        case to
        /// The recipient without the plus.
        case toDigits = "to_digits"
        case text
        /// The text in UTF-16, most significant byte first.
        case textUTF16 = "text_utf16"
        /// The same bytes as hexadecimal digits.
        case textHex = "text_hex"
        /// The notification's id.
        case id
        /// Where the gateway tells what became of the message.
        case callback
        /// 0: the text is GSM 03.38; 2: it is not.
        case coding
        /// SMS that the text takes.
        case segments
        case validitySeconds = "validity_seconds"
        case validityMinutes = "validity_minutes"
    }

    private enum Piece: Hashable, Sendable {
        case literal(String)
        case placeholder(Placeholder)
    }

    private var pieces: [Piece] = []
    /// What is wrong with the text as a template; nil when nothing is.
    private(set) var problem: String?

    /// Reads a text. A brace that opens no placeholder, as in JSON, is a brace.
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
                problem = "there is no placeholder {\(name)}"
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

    /// The bytes for one message; nil when the template is nothing but placeholders and none of
    /// them has a value, so that a header or a form's pair can be left out.
    func filled(_ values: TemplateValues, _ place: Place) -> [UInt8]? {
        var out: [UInt8] = []
        var isVoid = !pieces.isEmpty
        for piece in pieces {
            switch piece {
            case .literal(let text):
                out += text.utf8
                isVoid = false
            case .placeholder(let placeholder):
                let bytes = values.bytes(of: placeholder)
                if !bytes.isEmpty { isVoid = false }
                out += placeholder == .url ? bytes : Template.escaped(bytes, place)
            }
        }
        return isVoid ? nil : out
    }

    private static func escaped(_ bytes: [UInt8], _ place: Place) -> [UInt8] {
        switch place {
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
        // Not allowed in XML 1.0, however they are written.
        case 0..<9, 11, 12, 14..<32: [UInt8(ascii: " ")]
        default: [byte]
        }
    }
}

/// What placeholders stand for.
struct TemplateValues {
    var account: HTTPGateway.Account
    var message: GatewayMessage
    var callback: String
    /// The gateway takes no longer time.
    var validitySecondsMax: Int64?

    func bytes(of placeholder: Template.Placeholder) -> [UInt8] {
        switch placeholder {
        case .textUTF16: utf16
        default: Array(text(of: placeholder).utf8)
        }
    }

    private func text(of placeholder: Template.Placeholder) -> String {
        let left: Duration = message.expires - message.now
        // Gateways refuse times that are too short for any operator.
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

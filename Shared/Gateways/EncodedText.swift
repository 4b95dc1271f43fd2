import Hashing
import Model
import Web

/// Locates a message text in a callback and decodes its bytes.
///
/// Most gateways send texts in UTF-8. Some send the raw bytes of the SMS together with its data
/// coding. Such bytes must arrive as hexadecimal digits, because bytes that are not valid UTF-8 do
/// not survive in a form.
struct EncodedText: Sendable {
    /// Name of the field with the text in UTF-8.
    var textField: String?
    /// Name of the field with the text's bytes as hexadecimal digits. Takes precedence over
    /// ``textField``.
    var hexField: String?
    /// Name of the field with the data coding of the bytes in ``hexField``.
    var codingField: String?
    /// Charset rules, in order. A rule without codings matches every coding.
    var charsets: [CharsetRule] = []

    /// Whether a field for the text is configured.
    var isSet: Bool { textField != nil || hexField != nil }

    /// The text of a callback, or nil if it has none or its bytes cannot be decoded.
    func text(in callback: Query) -> String? { part(in: callback)?.text }

    /// The text of a callback, and whether it continues a text that began in another callback.
    ///
    /// Some gateways deliver each part of a long text separately, with its header in the bytes.
    func part(in callback: Query) -> (text: String, isContinuation: Bool)? {
        if let hexField, let digits = callback[hexField], let bytes = Hex.decode(digits) {
            let header = ConcatenationHeader(bytes)
            let coding = codingField.flatMap { callback[$0] }.flatMap(EncodedText.coding)
            let content = Array(bytes.dropFirst(header?.byteCount ?? 0))
            if let text = charset(of: coding)?.decode(content) {
                return (text, (header?.part ?? 1) > 1)
            }
        }
        return textField.flatMap { callback[$0] }.map { ($0, false) }
    }

    private func charset(of coding: Int?) -> TextCharset? {
        let rule = charsets.first { rule in
            rule.codings.isEmpty || coding.map(rule.codings.contains) ?? false
        }
        if let rule { return rule.charset }
        guard codingField != nil else { return .utf8 }
        return TextCharset(dataCoding: coding ?? 0)
    }

    /// Parses a data coding: decimal digits, or the raw byte, as Jasmin sends it.
    private static func coding(_ text: String) -> Int? {
        if let number = UntrustedNumber.integer(text, in: 0...255) { return number }
        guard text.unicodeScalars.count == 1, let scalar = text.unicodeScalars.first,
            scalar.value < 256
        else { return nil }
        return Int(scalar.value)
    }
}

/// Header before one part of a long text (3GPP TS 23.040, 9.2.3.24.1 and 9.2.3.24.8).
struct ConcatenationHeader: Hashable {
    /// Length of the header in bytes, including its length byte.
    var byteCount: Int
    /// Number of this part, starting at 1.
    var part: Int

    /// Returns nil if the bytes do not begin with such a header.
    init?(_ bytes: [UInt8]) {
        guard let length = bytes.first.map(Int.init), length >= 5, bytes.count > length else {
            return nil
        }
        byteCount = length + 1
        part = 0
        var index = 1
        while index + 1 < byteCount {
            let (kind, count) = (bytes[index], Int(bytes[index + 1]))
            guard index + 2 + count <= byteCount else { return nil }
            if (kind == 0 && count == 3) || (kind == 8 && count == 4) {
                let (total, number) = (bytes[index + count], bytes[index + count + 1])
                guard total >= 2, number >= 1, number <= total else { return nil }
                part = Int(number)
            }
            index += 2 + count
        }
        guard index == byteCount, part > 0 else { return nil }
    }
}

/// Maps data codings to a charset; one line of a gateway description.
///
///     REPLY_CHARSET=utf-16 8
///     REPLY_CHARSET=latin-1
struct CharsetRule: Hashable, Sendable {
    var charset: TextCharset
    /// Data codings that the rule matches; empty = every coding that no earlier line names.
    var codings: [Int]

    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard let name = words.first, let charset = TextCharset(rawValue: String(name)) else {
            return nil
        }
        self.charset = charset
        codings = []
        for word in words.dropFirst().flatMap({ $0.split(separator: ",") }) {
            guard let coding = Int(word), (0...255).contains(coding) else { return nil }
            codings.append(coding)
        }
    }
}

/// Character encodings of SMS texts.
enum TextCharset: String, Hashable, Sendable, CaseIterable {
    /// GSM 03.38, one septet per byte.
    case gsm
    case latin1 = "latin-1"
    case utf8 = "utf-8"
    /// UTF-16, big-endian.
    case utf16 = "utf-16"

    /// The charset of an SMPP 3.4 data coding, or nil if the coding does not denote text.
    init?(dataCoding: Int) {
        switch dataCoding {
        case 1, 3: self = .latin1
        // The upper bits hold the class and compression; bits 2 and 3 hold the alphabet.
        case 0...0x3F:
            switch dataCoding >> 2 & 3 {
            case 0: self = .gsm
            case 2: self = .utf16
            default: return nil
            }
        case 0xF0...0xF3: self = .gsm
        default: return nil
        }
    }

    /// Decodes bytes. Returns nil if they are not valid in this charset.
    func decode(_ bytes: [UInt8]) -> String? {
        switch self {
        case .utf8: return String(validating: bytes, as: UTF8.self)
        case .latin1:
            return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case .utf16:
            guard bytes.count.isMultiple(of: 2) else { return nil }
            let units = stride(from: 0, to: bytes.count, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            // An unpaired surrogate at the end of a part must not invalidate the rest.
            return String(decoding: units, as: UTF16.self)
        case .gsm: return TextCharset.gsmText(bytes)
        }
    }

    /// Bytes above 127 do not exist in GSM 03.38. Gateways that send them mean Latin-1.
    private static func gsmText(_ bytes: [UInt8]) -> String? {
        guard bytes.allSatisfy({ $0 < 128 }) else { return latin1.decode(bytes) }
        var text = ""
        var isEscaped = false
        for byte in bytes {
            if byte == 0x1B, !isEscaped {
                isEscaped = true
                continue
            }
            let character = isEscaped ? gsmExtension[byte] : nil
            text.append(character ?? gsmAlphabet[Int(byte)])
            isEscaped = false
        }
        return text
    }

    private static let gsmAlphabet = Array(
        "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u{A0}ÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
            + "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà")

    private static let gsmExtension: [UInt8: Character] = [
        0x14: "^", 0x28: "{", 0x29: "}", 0x2F: "\\", 0x3C: "[", 0x3D: "~", 0x3E: "]", 0x40: "|",
        0x65: "€",
    ]
}

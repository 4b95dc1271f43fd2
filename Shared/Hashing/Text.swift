import CSodium

/// Hexadecimal digits, encoded in lower case.
public enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            var count = 0
            for byte in bytes {
                text[count] = digits[Int(byte >> 4)]
                text[count + 1] = digits[Int(byte & 15)]
                count += 2
            }
            return count
        }
    }

    /// Decodes lower-case and upper-case digits. Nil for an odd count or any other character.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: characters.count, by: 2) {
            guard let high = value(characters[index]), let low = value(characters[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case 48...57: character - 48
        case 97...102: character - 87
        case 65...70: character - 55
        default: nil
        }
    }
}

/// Base64 of RFC 4648, with both alphabets.
public enum Base64 {
    public enum Alphabet: Sendable {
        /// `+ /`, padded with `=`.
        case standard
        /// `- _`, without padding: safe in URLs.
        case url

        fileprivate var variant: Int32 {
            switch self {
            case .standard: sodium_base64_VARIANT_ORIGINAL
            case .url: sodium_base64_VARIANT_URLSAFE_NO_PADDING
            }
        }
    }

    public static func encode(_ bytes: [UInt8], alphabet: Alphabet = .standard) -> String {
        Sodium.prepare()
        let count = sodium_base64_encoded_len(bytes.count, alphabet.variant)
        var text = [CChar](repeating: 0, count: count)
        sodium_bin2base64(&text, count, bytes, bytes.count, alphabet.variant)
        return String(decoding: text.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Decodes the output of ``encode(_:alphabet:)``. Nil for anything else.
    public static func decode(
        _ text: some StringProtocol, alphabet: Alphabet = .standard
    ) -> [UInt8]? {
        Sodium.prepare()
        let characters = text.utf8.map { CChar(bitPattern: $0) }
        var bytes = [UInt8](repeating: 0, count: characters.count / 4 * 3 + 3)
        var count = 0
        let result = sodium_base642bin(
            &bytes, bytes.count, characters, characters.count, nil, &count, nil, alphabet.variant)
        guard result == 0 else { return nil }
        return Array(bytes[..<count])
    }
}

import Model

/// Secret in the path of a link: 128 bits, as 22 characters of base64url.
///
/// Anybody who has it may open the page of the link, so it is in no log and no error, and stores
/// keep only its ``hash``. Its description does not show it.
///
///     let token = LinkToken(random: SecureRandom.bytes(16))
///     row.hash = token.hash            // stored
///     text = "\(base)/e/\(token.text)" // sent
public struct LinkToken: Hashable, Sendable, CustomStringConvertible {
    public static let bytesCount = 16
    public static let charactersCount = 22

    /// The characters of the link.
    public let text: String

    /// - Parameter bytes: 16 random bytes
    public init(random bytes: [UInt8]) {
        invariant(bytes.count == LinkToken.bytesCount, "a link token has 16 bytes")
        text = Base64.encode(bytes, alphabet: .url)
    }

    /// A token that is the same for the same parts and key, for links that later messages repeat.
    ///
    /// - Parameter key: 32 secret bytes
    public init(of parts: HashPart..., key: [UInt8]) {
        let subject = Array("link".utf8) + Hash.id(of: parts).bytes
        let digest = Hash.blake2b256(subject, key: key)
        self.init(random: Array(digest.prefix(LinkToken.bytesCount)))
    }

    /// Reads a token from a path; nil if the text has another form.
    public init?(_ text: String) {
        guard text.utf8.count == LinkToken.charactersCount,
            let bytes = Base64.decode(text, alphabet: .url), bytes.count == LinkToken.bytesCount,
            Base64.encode(bytes, alphabet: .url) == text
        else { return nil }
        self.text = text
    }

    /// What stores keep and lookups compare: without the token nobody can find it.
    public var hash: LinkHash { LinkHash(bytes: Hash.sha256(Array(text.utf8))) }

    public var description: String { "…" }
}

/// SHA-256 of a ``LinkToken``.
public struct LinkHash: Hashable, Sendable, Codable {
    /// 32 bytes.
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) { self.bytes = bytes }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Hex.decode(try container.decode(String.self)), bytes.count == 32 else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not 64 hexadecimal digits")
        }
        self.bytes = bytes
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Hex.encode(bytes))
    }
}

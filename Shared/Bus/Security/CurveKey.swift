import CZeroMQ
import Hashing

/// Public half of a CURVE key: 32 bytes as 40 characters of Z85.
public struct CurvePublicKey: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// Returns nil unless the text is 40 characters of Z85.
    public init?(_ text: String) {
        guard CurveKey.bytes(text) != nil else { return nil }
        self.text = text
    }

    var bytes: [UInt8] { CurveKey.bytes(text) ?? [] }

    /// 16 hexadecimal digits for comparing keys by eye.
    public var fingerprint: String { CurveKey.fingerprint(bytes) }

    public var description: String { text }
}

/// A CURVE key pair.
public struct CurveKeyPair: Sendable, CustomStringConvertible {
    public let publicKey: CurvePublicKey
    /// 40 characters of Z85; secret.
    public let secret: String

    /// Derives the pair of a secret key; nil unless the text is 40 characters of Z85.
    public init?(secret: String) {
        var text = [CChar](repeating: 0, count: CurveKey.characters + 1)
        guard CurveKey.bytes(secret) != nil, zmq_curve_public(&text, secret) == 0,
            let publicKey = CurvePublicKey(CurveKey.text(text))
        else { return nil }
        self.publicKey = publicKey
        self.secret = secret
    }

    /// Generates a key pair.
    ///
    /// - Throws: ``BusError`` `no-curve` if libzmq was built without it
    public static func generate() throws(BusError) -> CurveKeyPair {
        var publicText = [CChar](repeating: 0, count: CurveKey.characters + 1)
        var secretText = publicText
        guard zmq_curve_keypair(&publicText, &secretText) == 0,
            let pair = CurveKeyPair(secret: CurveKey.text(secretText))
        else {
            throw BusError(
                "no-curve", "generate keys", "this libzmq has no CURVE",
                hint: "Install Debian's libzmq5, which has CURVE.")
        }
        return pair
    }

    public var description: String { "key pair \(publicKey.fingerprint)" }
}

/// Z85 and fingerprints.
enum CurveKey {
    static let characters = 40

    /// The 32 bytes of a key; nil if the text is not a key.
    static func bytes(_ text: String) -> [UInt8]? {
        guard text.utf8.count == characters else { return nil }
        var bytes = [UInt8](repeating: 0, count: 32)
        return zmq_z85_decode(&bytes, text) == nil ? nil : bytes
    }

    static func fingerprint(_ bytes: [UInt8]) -> String {
        Hex.encode(Hash.id(.bytes(bytes)).bytes.prefix(8))
    }

    static func text(_ characters: [CChar]) -> String {
        String(
            decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

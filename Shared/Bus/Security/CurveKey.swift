import CZeroMQ
import Hashing

/// The half of a CURVE key that others may know: 32 bytes, as 40 characters of Z85.
public struct CurvePublicKey: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// Nil for anything but 40 characters of Z85.
    public init?(_ text: String) {
        guard CurveKey.bytes(text) != nil else { return nil }
        self.text = text
    }

    var bytes: [UInt8] { CurveKey.bytes(text) ?? [] }

    /// 16 digits to tell keys apart by eye, in logs and over the telephone.
    public var fingerprint: String { CurveKey.fingerprint(bytes) }

    public var description: String { text }
}

/// Both halves of a CURVE key.
public struct CurveKeyPair: Sendable, CustomStringConvertible {
    public let publicKey: CurvePublicKey
    /// 40 characters of Z85; never to be shown.
    public let secret: String

    /// The pair that a secret half belongs to; nil for anything but 40 characters of Z85.
    public init?(secret: String) {
        var text = [CChar](repeating: 0, count: CurveKey.characters + 1)
        guard CurveKey.bytes(secret) != nil, zmq_curve_public(&text, secret) == 0,
            let publicKey = CurvePublicKey(CurveKey.text(text))
        else { return nil }
        self.publicKey = publicKey
        self.secret = secret
    }

    /// A new pair.
    ///
    /// - Throws: ``BusError`` with `no-curve` where libzmq was built without it.
    public static func generate() throws(BusError) -> CurveKeyPair {
        var publicText = [CChar](repeating: 0, count: CurveKey.characters + 1)
        var secretText = publicText
        guard zmq_curve_keypair(&publicText, &secretText) == 0,
            let pair = CurveKeyPair(secret: CurveKey.text(secretText))
        else {
            throw BusError(
                "no-curve", "make keys", "this libzmq has no CURVE",
                hint: "Install Debian's libzmq5, which has.")
        }
        return pair
    }

    public var description: String { "the pair of \(publicKey.fingerprint)" }
}

/// Z85 and fingerprints.
enum CurveKey {
    static let characters = 40

    /// The 32 bytes of a key; nil where it is none.
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

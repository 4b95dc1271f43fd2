import CJose
import Parsing

/// Algorithm of a provider's signatures. Each provider has exactly one, which is set before a token
/// is read: a token cannot choose.
public enum SignatureAlgorithm: String, Hashable, Sendable, CaseIterable, Codable {
    case rs256 = "RS256"
    case es256 = "ES256"
}

/// Public keys of a provider, from its JWKS document (RFC 7517).
///
/// Keys that cannot sign tokens here are skipped, as the RFC asks: other types and curves, keys for
/// encryption, RSA keys below 2,048 bits, points that are not on the curve.
public struct KeySet: Hashable, Sendable {
    struct Key: Hashable, Sendable {
        /// `kid`; nil if the key has none.
        var id: String?
        var algorithm: SignatureAlgorithm
        /// The public members as JSON.
        var json: [UInt8]
    }

    let keys: [Key]

    /// Number of usable keys.
    public var count: Int { keys.count }

    private static let keysMax = 64
    private static let rsaBitsMin = 2048

    /// Parses a JWKS document; nil if it is none.
    public init?(jwks: [UInt8]) {
        guard let json = try? JSON.parse(jwks, valuesMax: 10_000),
            let list = json["keys"]?.array, list.count <= KeySet.keysMax
        else { return nil }
        keys = list.compactMap(KeySet.key)
    }

    private static func key(_ json: JSON) -> Key? {
        guard json["use"].map({ $0.string == "sig" }) ?? true else { return nil }
        let algorithm: SignatureAlgorithm
        let names: [String]
        switch json["kty"]?.string {
        case "RSA": (algorithm, names) = (.rs256, ["kty", "n", "e"])
        case "EC" where json["crv"]?.string == "P-256":
            (algorithm, names) = (.es256, ["kty", "crv", "x", "y"])
        default: return nil
        }
        guard json["alg"].map({ $0.string == algorithm.rawValue }) ?? true else { return nil }
        var members: [JSON.Member] = []
        for name in names {
            guard let text = json[name]?.string else { return nil }
            members.append(JSON.Member(name, .string(text)))
        }
        let key = Key(
            id: json["kid"]?.string, algorithm: algorithm, json: JSON.object(members).serialized())
        let isUsable = key.withHandle { handle in
            algorithm != .rs256 || cjose_jwk_get_keysize(handle, nil) >= KeySet.rsaBitsMin
        }
        return isUsable == true ? key : nil
    }

    /// The key that signed a token.
    ///
    /// - Parameter id: `kid` of the token; nil if it has none, which only a single key allows
    func key(id: String?, _ algorithm: SignatureAlgorithm) -> Key? {
        let matching = keys.filter { $0.algorithm == algorithm }
        guard let id else { return matching.count == 1 ? matching[0] : nil }
        return matching.first { $0.id == id }
    }
}

extension KeySet.Key {
    /// Calls a closure with the library's key; nil if the library does not accept the key.
    func withHandle<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        let handle = json.withUnsafeBytes { bytes in
            cjose_jwk_import(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, nil)
        }
        guard let handle else { return nil }
        defer { _ = cjose_jwk_release(handle) }
        return body(handle)
    }
}

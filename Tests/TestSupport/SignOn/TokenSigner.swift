import CJose
import Glibc
import Parsing
import Runtime

/// Signs tokens with ES256 as an OpenID provider does, with random keys.
public struct TokenSigner: Sendable {
    /// The keys of this process.
    public enum Key: String, CaseIterable, Sendable { case ec, ec2 }

    private static let keyTexts: [Key: String] = Dictionary(
        uniqueKeysWithValues: Key.allCases.map { ($0, random("test-" + $0.rawValue)) })

    private let jwk: JSON

    public init(_ key: Key) throws {
        jwk = try JSON.parse(Array((TokenSigner.keyTexts[key] ?? "").utf8))
    }

    /// A private key as JSON.
    private static func random(_ id: String) -> String {
        let key = cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_256, nil)
        defer { _ = cjose_jwk_release(key) }
        _ = cjose_jwk_set_kid(key, id, id.utf8.count, nil)
        guard let text = cjose_jwk_to_json(key, true, nil) else { return "" }
        defer { free(text) }
        return String(cString: text)
    }

    /// A file of the folder of fixed keys and tokens.
    public static func golden(_ name: String) throws -> JSON {
        let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return try JSON.parse(
            try Files.read("/" + folder + "/SignOnTests/Golden/" + name + ".json"))
    }

    public var id: String { jwk["kid"]?.string ?? "" }

    /// The public key for a JWKS document.
    public var publicKey: JSON {
        .object(
            (jwk.object ?? []).filter {
                ["kty", "kid", "n", "e", "crv", "x", "y"].contains($0.key)
            })
    }

    /// A JWKS document with the public keys of signers, and with others.
    public static func keys(_ signers: TokenSigner..., with others: JSON = .null) -> [UInt8] {
        let keys = signers.map(\.publicKey) + (others.object ?? []).map(\.value)
        return JSON.object([.init("keys", .array(keys))]).serialized()
    }

    /// Signs claims.
    ///
    /// - Parameters:
    ///   - keyID: `kid` of the header; nil = that of the key; empty = none
    ///   - critical: whether the header demands an extension
    public func sign(_ claims: JSON, keyID: String? = nil, critical: Bool = false) -> String {
        let json = jwk.serialized()
        let key = json.withUnsafeBytes {
            cjose_jwk_import($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, nil)
        }
        let header = cjose_header_new(nil)
        defer {
            _ = cjose_jwk_release(key)
            cjose_header_release(header)
        }
        _ = cjose_header_set(header, "alg", "ES256", nil)
        let keyID = keyID ?? id
        if !keyID.isEmpty { _ = cjose_header_set(header, "kid", keyID, nil) }
        if critical { _ = cjose_header_set_raw(header, "crit", "[\"exp\"]", nil) }
        let payload = claims.serialized()
        let jws = cjose_jws_sign(key, header, payload, payload.count, nil)
        defer { cjose_jws_release(jws) }
        var text: UnsafePointer<CChar>?
        guard cjose_jws_export(jws, &text, nil), let text else { return "" }
        return String(cString: text)
    }
}

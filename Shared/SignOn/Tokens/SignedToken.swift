import CJose
import Glibc
import Hashing
import Parsing

/// A compact JWS (RFC 7515), of which nothing is trusted before ``payload(algorithm:keys:)``.
struct SignedToken {
    private let text: String
    private let payload: [UInt8]
    private let signatureBytes: Int

    /// Longest accepted token, bytes.
    static let bytesMax = 16 << 10

    /// - Throws: ``TokenRejection/malformed``
    init(_ text: String) throws(TokenRejection) {
        // A part has exactly one spelling, so a changed token is another token.
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { Base64.decode(Substring($0), alphabet: .url) }
        guard text.utf8.count <= SignedToken.bytesMax, parts.count == 3, parts[0] != nil,
            let payload = parts[1], let signature = parts[2]
        else { throw .malformed }
        self.text = text
        self.payload = payload
        signatureBytes = signature.count
    }

    /// Verifies the signature and returns the payload, a JSON object.
    func payload(algorithm: SignatureAlgorithm, keys: KeySet) throws(TokenRejection) -> JSON {
        let handle = text.utf8CString.withUnsafeBufferPointer { bytes in
            cjose_jws_import(bytes.baseAddress, bytes.count - 1, nil)
        }
        guard let handle else { throw .malformed }
        defer { cjose_jws_release(handle) }
        guard let header = cjose_jws_get_protected(handle) else { throw .malformed }
        guard SignedToken.text("alg", in: header) == algorithm.rawValue else { throw .algorithm }
        if let extensions = cjose_header_get_raw(header, "crit", nil) {
            free(extensions)
            throw .header
        }
        guard let key = keys.key(id: SignedToken.text("kid", in: header), algorithm) else {
            throw .unknownKey
        }
        guard algorithm != .es256 || signatureBytes == 64 else { throw .signature }
        guard key.withHandle({ cjose_jws_verify(handle, $0, nil) }) == true else {
            throw .signature
        }
        guard let json = try? JSON.parse(payload, valuesMax: 10_000), json.object != nil else {
            throw .malformed
        }
        return json
    }

    private static func text(_ name: String, in header: OpaquePointer) -> String? {
        cjose_header_get(header, name, nil).map { String(cString: $0) }
    }
}

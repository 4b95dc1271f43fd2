import Hashing
import Model
import Parsing

/// The site that passkeys belong to (WebAuthn, section 5.1.2).
///
/// Passkeys work on `localhost` and on https with a name. For an IP address, or http elsewhere,
/// browsers have none.
public struct RelyingParty: Hashable, Sendable {
    /// The RP ID: the host name.
    public let id: String
    /// The origin of the pages that use passkeys.
    public let origin: String

    /// - Parameter publicURL: address of the suite; nil if passkeys do not work there
    public init?(publicURL: String) {
        guard let colon = publicURL.firstRange(of: "://") else { return nil }
        let scheme = publicURL[..<colon.lowerBound].lowercased()
        let authority = publicURL[colon.upperBound...].prefix { !"/?#".contains($0) }.lowercased()
        let host = String(authority.prefix { $0 != ":" })
        let isName =
            !host.isEmpty && host.utf8.allSatisfy(RelyingParty.isNameByte)
            && host.utf8.contains { $0 >= UInt8(ascii: "a") }
        guard isName, scheme == "https" || scheme == "http" && host == "localhost" else {
            return nil
        }
        id = host
        let isDefaultPort = authority.hasSuffix(scheme == "https" ? ":443" : ":80")
        origin = scheme + "://" + (isDefaultPort ? host : authority)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// A registration or a sign-in.
    enum Ceremony: String {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    /// Checks what the browser says about the page and the request.
    ///
    /// - Parameter clientData: `clientDataJSON`
    func check(
        _ clientData: [UInt8], _ ceremony: Ceremony, challenge: [UInt8]
    ) throws(PasskeyRejection) {
        guard let json = try? JSON.parse(clientData, valuesMax: 1000), json.object != nil else {
            throw .malformed
        }
        guard json["type"]?.string == ceremony.rawValue else { throw .ceremony }
        guard let text = json["challenge"]?.string,
            Base64.decode(text, alphabet: .url) == challenge
        else { throw .challenge }
        guard json["origin"]?.string == origin, json["crossOrigin"]?.bool != true else {
            throw .origin
        }
    }

    /// Checks RP ID hash and flags of an authenticator's data, and that the library may read the
    /// rest.
    func check(_ data: [UInt8]) throws(PasskeyRejection) {
        guard data.count >= RelyingParty.dataBytesMin else { throw .malformed }
        guard Array(data[..<32]) == Hash.sha256(Array(id.utf8)) else { throw .relyingParty }
        guard data[32] & 1 != 0 else { throw .userPresence }
        guard data[32] & 4 != 0 else { throw .userVerification }
        var rest = data[RelyingParty.dataBytesMin...]
        if data[32] & 0x40 != 0 {
            // AAGUID, then the id of the credential with its length; the key follows.
            guard rest.count >= 18 else { throw .malformed }
            rest.removeFirst(16)
            let idBytes = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
            guard rest.count >= idBytes else { throw .malformed }
            rest.removeFirst(idBytes)
        }
        guard BoundedCBOR.isSequence(rest) else { throw .malformed }
    }

    /// RP ID hash, flags and counter.
    private static let dataBytesMin = 37
    /// Longest accepted data of a browser or an authenticator, bytes.
    static let responseBytesMax = 16 << 10
}

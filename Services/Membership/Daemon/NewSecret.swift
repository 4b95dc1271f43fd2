import Hashing
import MembershipCore
import Model
import Runtime

/// A credential in clear, for the one answer that shows it.
struct NewSecret {
    /// 43 characters of base64url: 256 random bits.
    let token: String
    /// What is kept of it.
    let credential: NewCredential

    /// Makes a new one.
    init() { self.init(token: Base64.encode(SecureRandom.bytes(32), alphabet: .url)) }

    /// One whose text is known already.
    init(token: String) {
        self.token = token
        credential = NewCredential(
            id: CredentialID(SecureRandom.id()), hash: NewSecret.hash(of: token))
    }

    /// 64 lower-case hexadecimal digits of SHA-256 over a token's text.
    static func hash(of token: String) -> String {
        Hex.encode(Hash.sha256(Array(token.utf8)))
    }
}

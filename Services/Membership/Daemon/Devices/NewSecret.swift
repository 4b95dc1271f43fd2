import Hashing
import MembershipCore
import Model
import Runtime

/// A new credential with its secret, which one response shows.
struct NewSecret {
    /// 43 characters of base64url: 256 random bits.
    let token: String
    /// The credential as it is stored.
    let credential: NewCredential

    /// Creates a random secret.
    init() { self.init(token: Base64.encode(SecureRandom.bytes(32), alphabet: .url)) }

    /// Creates a credential from an existing secret.
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

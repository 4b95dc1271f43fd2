import Hashing

/// Secret of a request in clear text. Look it up by its hash.
public enum Credentials: Hashable, Sendable {
    /// `Authorization: Bearer TOKEN`.
    case bearer(String)
    /// `Authorization: Basic`, where the password is the token.
    case basic(user: String, password: String)

    /// Parses the `Authorization` header. Nil if it is missing or invalid.
    public init?(_ headers: Headers) {
        guard let value = headers["Authorization"] else { return nil }
        let blank = UInt8(ascii: " ")
        let words = value.utf8.drop { $0 == blank }
        let end = words.firstIndex(of: blank) ?? words.endIndex
        let scheme = Substring(words[..<end])
        let secret = String(Substring(words[end...].drop { $0 == blank }))
        guard !secret.isEmpty else { return nil }
        if equalIgnoringCase(scheme, "Bearer") {
            self = .bearer(secret)
        } else if equalIgnoringCase(scheme, "Basic"), let pair = BasicPair(secret) {
            self = .basic(user: pair.user, password: pair.password)
        } else {
            return nil
        }
    }

    /// The token, of either form.
    public var token: String {
        switch self {
        case .bearer(let token): token
        case .basic(_, let password): password
        }
    }
}

/// `user:password`, decoded from base64.
private struct BasicPair {
    let user: String
    let password: String

    init?(_ base64: String) {
        guard let bytes = Base64.decode(base64),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let user = String(validating: bytes[..<colon], as: UTF8.self),
            let password = String(validating: bytes[(colon + 1)...], as: UTF8.self)
        else { return nil }
        self.user = user
        self.password = password
    }
}

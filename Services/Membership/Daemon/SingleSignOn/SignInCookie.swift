import Hashing
import Runtime
import Web

/// Cookie that binds a sign-in at a provider to the browser that started it.
///
/// Several sign-ins of a browser share it.
struct SignInCookie {
    let token: String
    private let form: SessionCookie

    private static let name = "__Host-jaga-sign-in"
    private static let localName = "jaga-sign-in-local"

    /// The cookie of a request; nil if it has none, or several.
    init?(of request: Request, form: SessionCookie) {
        let prefix = SignInCookie.name(of: form) + "="
        let values = request.headers.all("Cookie").flatMap { $0.split(separator: ";") }
            .map { $0.drop { $0 == " " } }.filter { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count)) }
        guard Set(values).count == 1, Base64.decode(values[0], alphabet: .url)?.count == 32 else {
            return nil
        }
        token = values[0]
        self.form = form
    }

    /// A new one.
    init(form: SessionCookie) {
        token = Base64.encode(SecureRandom.bytes(32), alphabet: .url)
        self.form = form
    }

    /// What is stored of it.
    var digest: String { Hash.sha256Text(token) }

    /// The `Set-Cookie` header.
    func header(seconds: Int64) -> String {
        let secure =
            switch form {
            case .secure: " Secure;"
            case .local: ""
            }
        // `Lax`, because the provider's page leads back here.
        return "\(SignInCookie.name(of: form))=\(token); Path=/; Max-Age=\(seconds); HttpOnly;"
            + "\(secure) SameSite=Lax"
    }

    private static func name(of form: SessionCookie) -> String {
        switch form {
        case .secure: name
        case .local: localName
        }
    }
}

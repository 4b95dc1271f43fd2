import SignOn

/// Why a sign-in or a logout by a provider was rejected. Nothing was changed.
public enum SignOnRejection: Hashable, Sendable {
    case unknownProvider
    /// The provider cannot be reached, or publishes what cannot be used.
    case unavailable
    /// Too many sign-ins are waiting for their providers.
    case tooMany
    /// The response belongs to no sign-in of this browser: foreign, used, or made up.
    case state
    /// The sign-in took too long.
    case expired
    /// The person or the provider broke it off.
    case cancelled
    /// The response is of another issuer (RFC 9207).
    case issuer
    /// The provider did not accept the code.
    case code
    case token(TokenRejection)
    /// The logout token was used before.
    case replayed
    /// The identity belongs to another person.
    case taken
    /// Nobody has joined this identity, and the provider creates no accounts.
    case noAccount
    /// The provider names no person to create an account for.
    case noName

    /// Short form for logs.
    public var reason: String {
        switch self {
        case .unknownProvider: "unknown-provider"
        case .unavailable: "unavailable"
        case .tooMany: "too-many"
        case .state: "state"
        case .expired: "expired"
        case .cancelled: "cancelled"
        case .issuer: "issuer"
        case .code: "code"
        case .token(let rejection): "token-\(rejection.rawValue)"
        case .replayed: "replayed"
        case .taken: "taken"
        case .noAccount: "no-account"
        case .noName: "no-name"
        }
    }

    public var explanation: String {
        switch self {
        case .unknownProvider: "there is no such provider"
        case .unavailable: "the provider cannot be used at the moment"
        case .tooMany: "too many sign-ins are waiting"
        case .state: "this browser has not started such a sign-in, or has finished it"
        case .expired: "the sign-in took too long"
        case .cancelled: "the sign-in was cancelled at the provider"
        case .issuer: "the response is of another provider"
        case .code: "the provider did not accept its code"
        case .token(let rejection): rejection.explanation
        case .replayed: "the logout token was used before"
        case .taken: "this identity belongs to another account"
        case .noAccount: "no account has joined this identity"
        case .noName: "the provider gives no name"
        }
    }

    /// What the caller can do.
    public var hint: String {
        switch self {
        case .unknownProvider: "read GET /v1/sign-in/providers"
        case .unavailable, .tooMany: "try again later"
        case .state, .expired, .cancelled, .code: "start the sign-in again"
        case .issuer, .token: "start again; if that fails, tell the operator"
        case .replayed: "send a new logout token"
        case .taken: "sign in with this identity, or use another one"
        case .noAccount: "sign in another way and join the identity to your account"
        case .noName: "ask the provider for the scope profile"
        }
    }
}

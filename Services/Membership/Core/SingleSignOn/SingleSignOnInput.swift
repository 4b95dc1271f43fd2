import Model
import Parsing
import SignOn

extension SingleSignOn {
    /// Inputs of ``SingleSignOn``. Secrets, ids and times are made by the daemon.
    public enum Input: Sendable {
        case start(Start)
        case callback(Callback)
        /// The provider's answer to a code.
        case exchanged(RequestID, Exchange)
        /// A document of a provider; nil = it could not be read.
        case read(ProviderDocument, of: String, [UInt8]?)
        /// The provider ends sessions (back-channel logout).
        case logout(RequestID, provider: String, token: String)
        /// A session was opened for ``Effect/openSession(_:_:)``.
        case sessionOpened(CredentialID, SignedIn)
        /// The person ended their session, and goes to a page of this server afterwards.
        case signOut(RequestID, session: CredentialID?, landing: String)
        case personRemoved(PersonID)
        /// Reads documents that are due and removes what has expired.
        case tick
    }

    /// A browser wants to sign in.
    public struct Start: Hashable, Sendable {
        public var request: RequestID
        public var provider: String
        public var purpose: SignInFlow.Purpose
        /// Path of the page to show afterwards.
        public var page: String
        /// Where the provider sends the browser back to.
        public var redirect: String
        public var secrets: Secrets

        public init(
            request: RequestID, provider: String, purpose: SignInFlow.Purpose, page: String,
            redirect: String, secrets: Secrets
        ) {
            self.request = request
            self.provider = provider
            self.purpose = purpose
            self.page = page
            self.redirect = redirect
            self.secrets = secrets
        }
    }

    /// Random texts of a sign-in.
    public struct Secrets: Hashable, Sendable {
        public var state: String
        public var nonce: String
        public var verifier: String
        /// SHA-256 of the browser's cookie, hexadecimal.
        public var browser: String

        public init(state: String, nonce: String, verifier: String, browser: String) {
            self.state = state
            self.nonce = nonce
            self.verifier = verifier
            self.browser = browser
        }
    }

    /// A browser comes back from a provider.
    public struct Callback: Hashable, Sendable {
        public var request: RequestID
        public var provider: String
        public var state: String
        /// Nil if the provider reports an error.
        public var code: String?
        /// `iss`; nil = not sent.
        public var issuer: String?
        /// SHA-256 of the browser's cookie, hexadecimal; nil = it sent none.
        public var browser: String?
        public var redirect: String
        /// Ids for what the sign-in may create.
        public var new: NewAccount

        public init(
            request: RequestID, provider: String, state: String, code: String?, issuer: String?,
            browser: String?, redirect: String, new: NewAccount
        ) {
            self.request = request
            self.provider = provider
            self.state = state
            self.code = code
            self.issuer = issuer
            self.browser = browser
            self.redirect = redirect
            self.new = new
        }
    }

    /// Ids for a new account.
    public struct NewAccount: Hashable, Sendable {
        public var person: PersonID
        /// One for each channel.
        public var contacts: [ContactID]

        public init(person: PersonID, contacts: [ContactID]) {
            self.person = person
            self.contacts = contacts
        }
    }

    /// Who signed in, and their session at the provider.
    public struct SignedIn: Hashable, Sendable {
        public var person: PersonID
        public var provider: String
        public var key: IdentityKey
        /// `sid`; nil = the provider has none.
        public var session: String?
        /// The ID token, by which the provider recognises the session at logout.
        public var hint: String
    }

    /// Answer of a token endpoint.
    public enum Exchange: Hashable, Sendable {
        /// The ID token.
        case token(String)
        /// The provider rejects the code.
        case rejected
        /// No usable answer.
        case failed
    }

    /// Effects of ``SingleSignOn``, in the order in which the daemon performs them.
    public enum Effect: Hashable, Sendable {
        case row(SingleSignOnChange)
        case read(ProviderDocument, of: String, url: String)
        /// Exchanges a code at a token endpoint.
        case exchange(RequestID, provider: String, ExchangeCall)
        /// Changes of the directory.
        case record([EventBody])
        /// Opens a session for the browser of a request, and reports it.
        case openSession(RequestID, SignedIn)
        case endSession(CredentialID, of: PersonID)
        case answer(RequestID, provider: String, Answer)
    }

    /// A request to a token endpoint, without the client's secret.
    public struct ExchangeCall: Hashable, Sendable {
        public var url: String
        public var authentication: ProviderMetadata.ClientAuthentication
        public var client: String
        public var form: Query
    }

    /// The result of a request.
    public enum Answer: Hashable, Sendable {
        /// Sends the browser to the provider.
        case redirect(String)
        /// A session was opened; shows a page.
        case signedIn(page: String)
        /// The identity was joined; shows a page.
        case joined(page: String)
        /// Sessions were ended by the provider.
        case loggedOut(sessions: Int)
        /// The session has ended. The browser can sign out at the provider there; nil = it has no
        /// such page, or the session was not the provider's.
        case signedOut(url: String?)
        case rejected(SignOnRejection)
    }
}

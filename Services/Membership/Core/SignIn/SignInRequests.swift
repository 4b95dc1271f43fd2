import Directory
import Model

/// A number or address that somebody typed to sign in.
public struct SignInContact: Hashable, Sendable {
    public var channel: Channel
    /// As normalised by the channel.
    public var address: String

    public init(_ channel: Channel, _ address: String) {
        self.channel = channel
        self.address = address
    }

    /// Identifies the contact, however it is typed.
    public var key: ContactPointKey { VerifiedContacts.key(channel, address) }
}

/// A request for a code to sign in with.
public struct SignInCodeRequest: Sendable {
    public var request: RequestID
    public var contact: SignInContact
    public var network: NetworkKey
    /// Digest of the new code.
    public var code: CodeDigest

    public init(
        request: RequestID, contact: SignInContact, network: NetworkKey, code: CodeDigest
    ) {
        self.request = request
        self.contact = contact
        self.network = network
        self.code = code
    }
}

/// A request for a session by code.
public struct SessionRequest: Sendable {
    public var request: RequestID
    public var contact: SignInContact
    public var network: NetworkKey
    /// Digest of the typed code.
    public var code: CodeDigest
    /// The chosen one of several people; nil = not chosen.
    public var person: PersonID?
    /// Name of a new account; nil = none.
    public var name: String?
    /// Language of a new account.
    public var locale: String?
    /// The session's credential.
    public var session: NewCredential
    /// Name of the browser, such as "Firefox on Linux"; may be empty.
    public var browser: String
    /// Ids for a new account.
    public var newPerson: PersonID
    public var newContact: ContactID

    public init(
        request: RequestID, contact: SignInContact, network: NetworkKey, code: CodeDigest,
        person: PersonID? = nil, name: String? = nil, locale: String? = nil,
        session: NewCredential, browser: String = "",
        newPerson: PersonID, newContact: ContactID
    ) {
        self.request = request
        self.contact = contact
        self.network = network
        self.code = code
        self.person = person
        self.name = name
        self.locale = locale
        self.session = session
        self.browser = browser
        self.newPerson = newPerson
        self.newContact = newContact
    }
}

/// The decision on a request to sign in.
struct SignInDecision {
    /// What is done for the request.
    enum Outcome {
        case answer(Answer)
        /// A session of the person is opened.
        case opens(Person)
    }

    var outcome: Outcome
    var events: [EventBody] = []
    var changes: [SignInChange] = []
    var notices: [AccountNotice] = []
    /// Whether a code was not sent because of the limit of SMS.
    var isTextLimitReached = false

    init(_ answer: Answer) { outcome = .answer(answer) }

    init(opening person: Person) { outcome = .opens(person) }
}

/// What sign-in knows of accounts.
struct SignInAccounts {
    let directory: Replica
    let contacts: VerifiedContacts

    /// People who sign in with a contact by code.
    func people(with contact: SignInContact) -> [Person] {
        owners(of: contact).filter { directory.rights.allowsCodeSignIn($0.signIn) }
    }

    private func owners(of contact: SignInContact) -> [Person] {
        contacts[contact.channel, contact.address].compactMap(directory.person)
    }

    /// Whether a code is sent to a contact.
    func receivesCode(_ contact: SignInContact, signUp: Bool) -> Bool {
        let owners = owners(of: contact)
        return owners.isEmpty
            ? signUp : owners.contains { directory.rights.allowsCodeSignIn($0.signIn) }
    }

    /// Whether a code for a contact may create an account.
    func allowsSignUp(with contact: SignInContact, _ isAllowed: Bool) -> Bool {
        isAllowed && owners(of: contact).isEmpty
    }

    /// Language of a message to a contact.
    func locale(of contact: SignInContact) -> String {
        people(with: contact).first?.locale ?? "en"
    }
}

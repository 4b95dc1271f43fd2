import Directory
import Hashing
import MembershipCore
import Model
import Parsing
import SignOn
import TestSupport

/// ``SingleSignOn`` with one provider, whose documents and tokens the test makes.
final class ProviderScene {
    static let issuer = "https://id.example.org"
    static let redirect = "https://jaga.example.org/back"

    var sso: SingleSignOn
    var directory = Replica()
    var now = Timestamp(seconds: 1_795_000_000)
    var signer: TokenSigner
    /// The keys that the provider publishes.
    var published: [TokenSigner]
    /// Nil = the provider cannot be reached.
    var metadata: [UInt8]?
    /// Every row by its key, as the store has it.
    private(set) var rows: [String: SingleSignOnChange] = [:]
    private(set) var opened: [PersonID] = []
    private(set) var ended: [CredentialID] = []
    private(set) var documentsRead: [ProviderDocument] = []
    private var answers: [RequestID: SingleSignOn.Answer] = [:]
    private var calls: [RequestID: SingleSignOn.ExchangeCall] = [:]
    private var lastRequest: RequestID = 0
    private var lastID: UInt64 = 0

    init(_ provider: (inout SignInProvider) -> Void = { _ in }) throws {
        var campus = SignInProvider(
            id: "campus", name: "Campus", issuer: ProviderScene.issuer, client: "jaga",
            algorithm: .es256, allowsSignUp: true)
        provider(&campus)
        sso = SingleSignOn(providers: [campus])
        signer = try TokenSigner(.ec)
        published = [signer]
        metadata = ProviderScene.document()
        for (number, name) in [(1, "Anna"), (2, "Ben")] {
            directory.apply(.personChanged(Person(id: person(number), name: name)))
        }
    }

    static func document(_ more: [JSON.Member] = []) -> [UInt8] {
        JSON.object(
            [
                .init("issuer", .string(issuer)),
                .init("authorization_endpoint", .string(issuer + "/authorize")),
                .init("token_endpoint", .string(issuer + "/token")),
                .init("jwks_uri", .string(issuer + "/keys")),
                .init("end_session_endpoint", .string(issuer + "/end")),
            ] + more
        ).serialized()
    }

    // MARK: Inputs

    /// Handles an input and everything that it asks of the provider.
    func handle(_ input: SingleSignOn.Input) {
        var effects: [SingleSignOn.Effect] = []
        sso.handle(input, in: directory, at: now, into: &effects)
        for effect in effects { perform(effect) }
    }

    private func perform(_ effect: SingleSignOn.Effect) {
        switch effect {
        case .row(let change): record(change)
        case .read(let document, let provider, _):
            documentsRead.append(document)
            let bytes: [UInt8]? =
                switch document {
                case .metadata: metadata
                case .keys:
                    JSON.object([.init("keys", .array(published.map(\.publicKey)))]).serialized()
                }
            handle(.read(document, of: provider, bytes))
        case .exchange(let request, _, let call): calls[request] = call
        case .record(let events): for event in events { directory.apply(event) }
        case .openSession(_, let signedIn):
            opened.append(signedIn.person)
            lastID += 1
            handle(.sessionOpened(CredentialID(ID128(high: 9, low: lastID)), signedIn))
        case .endSession(let id, _): ended.append(id)
        case .answer(let request, _, let answer): answers[request] = answer
        }
    }

    private func record(_ change: SingleSignOnChange) {
        switch change {
        case .saveFlow(let flow): rows["flow \(flow.id)"] = change
        case .removeFlow(let id): rows["flow \(id)"] = nil
        case .saveIdentity(let identity): rows["identity \(identity.key)"] = change
        case .removeIdentity(let key): rows["identity \(key)"] = nil
        case .saveSession(let session): rows["session \(session.id)"] = change
        case .removeSession(let id): rows["session \(id)"] = nil
        case .saveToken(let token): rows["token \(token.id)"] = change
        case .removeToken(let id): rows["token \(id)"] = nil
        }
    }

    /// Rebuilds the machine from its rows.
    func restart() { sso = sso.reloaded(rows.values.map { $0 }) }

    // MARK: A sign-in

    /// Answers of requests that the provider has not answered yet are nil.
    func answer(_ request: RequestID) -> SingleSignOn.Answer? { answers[request] }

    func nextRequest() -> RequestID {
        lastRequest += 1
        return lastRequest
    }

    /// Starts a sign-in; its state is `s` and its number.
    @discardableResult
    func start(
        _ number: Int = 1, _ purpose: SignInFlow.Purpose = .signIn, provider: String = "campus"
    ) -> SingleSignOn.Answer? {
        let request = nextRequest()
        handle(
            .start(
                SingleSignOn.Start(
                    request: request, provider: provider, purpose: purpose, page: "/app/",
                    redirect: ProviderScene.redirect,
                    secrets: SingleSignOn.Secrets(
                        state: "s\(number)", nonce: "n\(number)", verifier: "v\(number)",
                        browser: Hash.sha256Text("browser")))))
        return answers[request]
    }

    /// Comes back with a code.
    ///
    /// - Returns: the request, which waits for the token endpoint unless it was rejected
    func comeBack(
        _ number: Int = 1, code: String? = "c", browser: String? = "browser", issuer: String? = nil,
        provider: String = "campus"
    ) -> RequestID {
        let request = nextRequest()
        lastID += 1
        handle(
            .callback(
                SingleSignOn.Callback(
                    request: request, provider: provider, state: "s\(number)", code: code,
                    issuer: issuer, browser: browser.map { Hash.sha256Text($0) },
                    redirect: ProviderScene.redirect,
                    new: SingleSignOn.NewAccount(
                        person: PersonID(ID128(high: 1, low: 100 + lastID)),
                        contacts: [
                            ContactID(ID128(high: 8, low: 2 * lastID)),
                            ContactID(ID128(high: 8, low: 2 * lastID + 1)),
                        ]))))
        return request
    }

    /// The call to the token endpoint that a request waits for.
    func call(_ request: RequestID) -> SingleSignOn.ExchangeCall? { calls[request] }

    /// The whole sign-in.
    @discardableResult
    func signIn(
        _ number: Int = 1, _ purpose: SignInFlow.Purpose = .signIn, _ claims: [(String, JSON)] = []
    ) -> SingleSignOn.Answer? {
        start(number, purpose)
        let request = comeBack(number)
        if answers[request] != nil { return answers[request] }
        handle(.exchanged(request, .token(token(number, claims))))
        return answers[request]
    }

    /// An ID token; a null removes a claim.
    func token(_ number: Int = 1, _ changes: [(String, JSON)] = []) -> String {
        var members: [(String, JSON)] = [
            ("iss", .string(ProviderScene.issuer)), ("sub", "u1"), ("aud", "jaga"),
            ("iat", .integer(now.seconds)), ("exp", .integer(now.seconds + 300)),
            ("nonce", .string("n\(number)")), ("sid", "p1"), ("name", "Dewi"),
        ]
        for (name, value) in changes {
            members.removeAll { $0.0 == name }
            if !value.isNull { members.append((name, value)) }
        }
        return signer.sign(.object(members.map { JSON.Member($0.0, $0.1) }))
    }

    /// A logout token; a null removes a claim.
    func logout(_ changes: [(String, JSON)] = []) -> SingleSignOn.Answer? {
        var members: [(String, JSON)] = [
            ("iss", .string(ProviderScene.issuer)), ("aud", "jaga"), ("jti", "j1"),
            ("iat", .integer(now.seconds)), ("sid", "p1"),
            ("events", ["http://schemas.openid.net/event/backchannel-logout": [:]]),
        ]
        for (name, value) in changes {
            members.removeAll { $0.0 == name }
            if !value.isNull { members.append((name, value)) }
        }
        let request = nextRequest()
        let token = signer.sign(.object(members.map { JSON.Member($0.0, $0.1) }))
        handle(.logout(request, provider: "campus", token: token))
        return answers[request]
    }

    /// The person who signed in last.
    var lastPerson: Person? { opened.last.flatMap(directory.person) }
}

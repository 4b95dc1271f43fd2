import Directory
import Hashing
import Model
import Parsing
import SignOn

/// Signs people in by OpenID providers: authorization code with PKCE.
///
/// A person at a provider is issuer and subject, never an address or a number. Joining an identity
/// to an account needs a session of its person. A sign-in is bound to the browser that started it
/// by a cookie, counts once, and ends after ``Limits/signInFlowAgeMax``. What a provider rejects or
/// sends wrongly changes nothing.
public struct SingleSignOn: Sendable {
    public let providers: [SignInProvider]
    private var states: [String: ProviderState] = [:]
    private var flows: [String: SignInFlow] = [:]
    private var identities: [IdentityKey: Identity] = [:]
    private var sessions: [CredentialID: ProviderSession] = [:]
    private var usedTokens: [String: UsedLogoutToken] = [:]
    /// Requests that wait for a document, by provider.
    private var waiting: [String: [Waiting]] = [:]
    /// When expired rows are removed again: not in every turn.
    private var nextSweep = Timestamp.zero
    /// Sign-ins whose code is being exchanged.
    private var exchanges: [RequestID: Exchanging] = [:]

    private enum Waiting {
        case start(Start)
        case token(RequestID, String)
        case logout(RequestID, String)
    }

    private struct Exchanging {
        var provider: SignInProvider
        var flow: SignInFlow
        var new: NewAccount
    }

    /// - Parameter rows: every row of the store
    public init(providers: [SignInProvider], rows: [SingleSignOnChange] = []) {
        self.providers = providers
        for provider in providers { states[provider.id] = ProviderState() }
        for row in rows { apply(row) }
    }

    /// The same machine with the rows of the store, after a turn was rolled back. Requests that
    /// were waiting are forgotten.
    public func reloaded(_ rows: [SingleSignOnChange]) -> SingleSignOn {
        var machine = SingleSignOn(providers: providers, rows: rows)
        machine.states = states
        for id in machine.states.keys { machine.states[id]?.rollBack() }
        return machine
    }

    /// Requests that will be answered in a later turn.
    public var pendingRequests: Set<RequestID> {
        Set(exchanges.keys).union(
            waiting.values.joined().map { waiting in
                switch waiting {
                case .start(let start): start.request
                case .token(let request, _), .logout(let request, _): request
                }
            })
    }

    /// When the next ``Input/tick`` is due.
    public var nextDeadline: Timestamp? { states.values.map(\.due).min() }

    /// Providers that cannot be used, with the reason.
    public var failures: [(provider: String, reason: String)] {
        providers.compactMap { provider in
            states[provider.id]?.failure.map { (provider.id, $0) }
        }
    }

    /// The identities of a person, ascending.
    public func identities(of person: PersonID) -> [Identity] {
        identities.values.filter { $0.person == person }.sorted { $0.key < $1.key }
    }

    /// Handles one input and appends its effects.
    public mutating func handle(
        _ input: Input, in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        switch input {
        case .start(let start): begin(start, at: now, into: &effects)
        case .callback(let callback): receive(callback, at: now, into: &effects)
        case .exchanged(let request, let exchange):
            complete(request, exchange, in: directory, at: now, into: &effects)
        case .read(let document, let provider, let bytes):
            receive(document, of: provider, bytes, in: directory, at: now, into: &effects)
        case .logout(let request, let provider, let token):
            logOut(request, provider, token, at: now, into: &effects)
        case .sessionOpened(let id, let signedIn):
            save(
                .saveSession(
                    ProviderSession(
                        id: id, person: signedIn.person, provider: signedIn.provider,
                        key: signedIn.key, session: signedIn.session, hint: signedIn.hint)),
                into: &effects)
        case .signOut(let request, let session, let landing):
            signOut(request, session, landing, into: &effects)
        case .personRemoved(let person): forget(person, into: &effects)
        case .tick: tick(in: directory, at: now, into: &effects)
        }
    }

    private func provider(_ id: String) -> SignInProvider? { providers.first { $0.id == id } }

    // MARK: Start

    private mutating func begin(_ start: Start, at now: Timestamp, into effects: inout [Effect]) {
        func reject(_ rejection: SignOnRejection) {
            effects.append(.answer(start.request, provider: start.provider, .rejected(rejection)))
        }
        guard let provider = provider(start.provider) else { return reject(.unknownProvider) }
        guard let metadata = states[provider.id]?.metadata, states[provider.id]?.isReady == true
        else {
            guard read(.metadata, of: provider, at: now, into: &effects) else {
                return reject(.unavailable)
            }
            waiting[provider.id, default: []].append(.start(start))
            return
        }
        guard flows.count < Limits.signInFlowsMax else { return reject(.tooMany) }
        let request = AuthorizationRequest(
            client: provider.client, redirect: start.redirect, scopes: provider.scopes,
            state: start.secrets.state, nonce: start.secrets.nonce,
            verifier: start.secrets.verifier)
        save(
            .saveFlow(
                SignInFlow(
                    id: Hash.sha256Text(start.secrets.state), provider: provider.id,
                    purpose: start.purpose, nonce: start.secrets.nonce,
                    verifier: start.secrets.verifier, browser: start.secrets.browser,
                    page: start.page, expires: now + Limits.signInFlowAgeMax)),
            into: &effects)
        effects.append(
            .answer(
                start.request, provider: provider.id,
                .redirect(request.url(at: metadata.authorizationEndpoint))))
    }

    // MARK: Callback

    private mutating func receive(
        _ callback: Callback, at now: Timestamp, into effects: inout [Effect]
    ) {
        func reject(_ rejection: SignOnRejection) {
            effects.append(
                .answer(callback.request, provider: callback.provider, .rejected(rejection)))
        }
        guard let provider = provider(callback.provider) else { return reject(.unknownProvider) }
        // A response that another browser was made to send leaves the sign-in as it is.
        guard let flow = flows[Hash.sha256Text(callback.state)], flow.provider == provider.id,
            let browser = callback.browser, SingleSignOn.isEqual(browser, flow.browser)
        else { return reject(.state) }
        save(.removeFlow(flow.id), into: &effects)
        guard flow.expires > now else { return reject(.expired) }
        guard let metadata = states[provider.id]?.metadata else { return reject(.unavailable) }
        guard callback.issuer == provider.issuer || callback.issuer == nil && !metadata.namesIssuer
        else { return reject(.issuer) }
        guard let code = callback.code else { return reject(.cancelled) }
        let request = AuthorizationRequest(
            client: provider.client, redirect: callback.redirect, scopes: [], state: "",
            nonce: flow.nonce, verifier: flow.verifier)
        exchanges[callback.request] = Exchanging(
            provider: provider, flow: flow, new: callback.new)
        effects.append(
            .exchange(
                callback.request, provider: provider.id,
                ExchangeCall(
                    url: metadata.tokenEndpoint, authentication: metadata.authentication,
                    client: provider.client, form: request.exchange(of: code, secret: nil))))
    }

    private static func isEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    // MARK: Tokens

    private mutating func complete(
        _ request: RequestID, _ exchange: Exchange, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        guard let exchanging = exchanges[request] else { return }
        switch exchange {
        case .token(let token):
            verify(
                token, for: request, exchanging, mayWait: true, in: directory, at: now,
                into: &effects)
        case .rejected: reject(request, exchanging.provider, .code, into: &effects)
        case .failed: reject(request, exchanging.provider, .unavailable, into: &effects)
        }
    }

    private mutating func verify(
        _ token: String, for request: RequestID, _ exchanging: Exchanging, mayWait: Bool,
        in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        let provider = exchanging.provider
        guard let keys = states[provider.id]?.keys else {
            return reject(request, provider, .unavailable, into: &effects)
        }
        do {
            let verified = try IDToken(
                token, algorithm: provider.algorithm, keys: keys,
                expecting: IDToken.Expectation(
                    issuer: provider.issuer, client: provider.client,
                    nonce: exchanging.flow.nonce), at: now)
            exchanges[request] = nil
            signIn(
                verified, token, for: request, exchanging, in: directory, at: now, into: &effects)
        } catch {
            if error == .unknownKey, mayWait, read(.keys, of: provider, at: now, into: &effects) {
                waiting[provider.id, default: []].append(.token(request, token))
            } else {
                reject(request, provider, .token(error), into: &effects)
            }
        }
    }

    private mutating func reject(
        _ request: RequestID, _ provider: SignInProvider, _ rejection: SignOnRejection,
        into effects: inout [Effect]
    ) {
        exchanges[request] = nil
        effects.append(.answer(request, provider: provider.id, .rejected(rejection)))
    }

    // MARK: People

    private mutating func signIn(
        _ token: IDToken, _ text: String, for request: RequestID, _ exchanging: Exchanging,
        in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        let provider = exchanging.provider
        let key = IdentityKey(issuer: token.issuer, subject: token.subject)
        let profile = ClaimedProfile(token.claims, of: provider)
        let known = identities[key].flatMap { directory.person($0.person) == nil ? nil : $0 }
        let person: Person
        switch (exchanging.flow.purpose, known) {
        case (.join(let id), let known):
            guard known.map({ $0.person == id }) ?? true else {
                return reject(request, provider, .taken, into: &effects)
            }
            guard let found = directory.person(id) else {
                return reject(request, provider, .expired, into: &effects)
            }
            person = found
        case (.signIn, let known?):
            guard let found = directory.person(known.person) else { return }
            person = found
        case (.signIn, nil):
            guard provider.allowsSignUp else {
                return reject(request, provider, .noAccount, into: &effects)
            }
            guard let name = profile.name else {
                return reject(request, provider, .noName, into: &effects)
            }
            person = Person(id: exchanging.new.person, name: name, signIn: .sso)
        }
        var visit = ProviderVisit(
            provider: provider, profile: profile,
            identity: known
                ?? Identity(
                    key: key, person: person.id, joined: now, addresses: [], circles: []),
            directory: directory, now: now, newContacts: exchanging.new.contacts)
        visit.update(person)
        if !visit.events.isEmpty { effects.append(.record(visit.events)) }
        save(.saveIdentity(visit.identity), into: &effects)
        let page = exchanging.flow.page
        guard case .signIn = exchanging.flow.purpose else {
            return effects.append(.answer(request, provider: provider.id, .joined(page: page)))
        }
        let signedIn = SignedIn(
            person: person.id, provider: provider.id, key: key, session: token.session, hint: text)
        effects.append(.openSession(request, signedIn))
        effects.append(.answer(request, provider: provider.id, .signedIn(page: page)))
    }

    // MARK: Logout

    private mutating func logOut(
        _ request: RequestID, _ id: String, _ text: String, mayWait: Bool = true,
        at now: Timestamp, into effects: inout [Effect]
    ) {
        func answer(_ answer: Answer) {
            effects.append(.answer(request, provider: id, answer))
        }
        guard let provider = provider(id) else { return answer(.rejected(.unknownProvider)) }
        guard let keys = states[id]?.keys else {
            guard mayWait, read(.metadata, of: provider, at: now, into: &effects) else {
                return answer(.rejected(.unavailable))
            }
            return waiting[id, default: []].append(.logout(request, text))
        }
        let token: LogoutToken
        do {
            token = try LogoutToken(
                text, algorithm: provider.algorithm, keys: keys, issuer: provider.issuer,
                client: provider.client, at: now)
        } catch {
            if error == .unknownKey, mayWait, read(.keys, of: provider, at: now, into: &effects) {
                waiting[id, default: []].append(.logout(request, text))
            } else {
                answer(.rejected(.token(error)))
            }
            return
        }
        let used = Hash.sha256Text(provider.issuer + "\n" + token.id)
        guard usedTokens[used] == nil else { return answer(.rejected(.replayed)) }
        save(
            .saveToken(UsedLogoutToken(id: used, forgotten: token.forgotten)), into: &effects)
        let ended = sessions.values.filter { session in
            guard session.key.issuer == provider.issuer else { return false }
            return switch token.target {
            case .session(let id): session.session == id
            case .subject(let subject): session.key.subject == subject
            }
        }.sorted { $0.id < $1.id }
        for session in ended {
            save(.removeSession(session.id), into: &effects)
            effects.append(.endSession(session.id, of: session.person))
        }
        answer(.loggedOut(sessions: ended.count))
    }

    /// Names the page where a person signs out at the provider of their session.
    private mutating func signOut(
        _ request: RequestID, _ id: CredentialID?, _ landing: String, into effects: inout [Effect]
    ) {
        guard let session = id.flatMap({ sessions[$0] }) else {
            return effects.append(.answer(request, provider: "", .signedOut(url: nil)))
        }
        save(.removeSession(session.id), into: &effects)
        let url = states[session.provider]?.metadata?.endSessionEndpoint.map { endpoint in
            URLs.adding(
                Query([
                    .init("id_token_hint", session.hint),
                    .init("post_logout_redirect_uri", landing),
                ]), to: endpoint)
        }
        effects.append(.answer(request, provider: session.provider, .signedOut(url: url)))
    }

    // MARK: Documents

    /// Reads a document, or waits for the one that is being read.
    ///
    /// - Returns: false if there is nothing to wait for
    private mutating func read(
        _ document: ProviderDocument, of provider: SignInProvider, at now: Timestamp,
        into effects: inout [Effect]
    ) -> Bool {
        guard var state = states[provider.id] else { return false }
        let next: ProviderDocument?
        let willBeRead: Bool
        switch document {
        case .metadata:
            next = state.refresh(at: now)
            willBeRead = state.reading != nil
        case .keys: (willBeRead, next) = state.refreshKeys(at: now)
        }
        states[provider.id] = state
        if let next { emit(next, of: provider, into: &effects) }
        return willBeRead
    }

    private func emit(
        _ document: ProviderDocument, of provider: SignInProvider, into effects: inout [Effect]
    ) {
        let url =
            switch document {
            case .metadata: ProviderMetadata.discoveryURL(of: provider.issuer)
            case .keys: states[provider.id]?.metadata?.keysEndpoint ?? ""
            }
        effects.append(.read(document, of: provider.id, url: url))
    }

    private mutating func receive(
        _ document: ProviderDocument, of id: String, _ bytes: [UInt8]?, in directory: Replica,
        at now: Timestamp, into effects: inout [Effect]
    ) {
        guard let provider = provider(id), var state = states[id] else { return }
        let next = state.receive(document, bytes, of: provider, at: now)
        states[id] = state
        if let next { return emit(next, of: provider, into: &effects) }
        guard state.reading == nil else { return }
        for waiting in waiting.removeValue(forKey: id) ?? [] {
            switch waiting {
            case .start(let start):
                if state.isReady {
                    begin(start, at: now, into: &effects)
                } else {
                    effects.append(
                        .answer(start.request, provider: id, .rejected(.unavailable)))
                }
            case .token(let request, let token):
                guard let exchanging = exchanges[request] else { continue }
                verify(
                    token, for: request, exchanging, mayWait: false, in: directory, at: now,
                    into: &effects)
            case .logout(let request, let token):
                logOut(request, id, token, mayWait: false, at: now, into: &effects)
            }
        }
    }

    // MARK: Rows

    private mutating func tick(
        in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        for provider in providers {
            if let document = states[provider.id]?.refresh(at: now) {
                emit(document, of: provider, into: &effects)
            }
        }
        guard now >= nextSweep else { return }
        nextSweep = now + .seconds(60)
        for flow in flows.values where flow.expires <= now {
            save(.removeFlow(flow.id), into: &effects)
        }
        for token in usedTokens.values where token.forgotten <= now {
            save(.removeToken(token.id), into: &effects)
        }
    }

    /// Removes rows of sessions that have ended in another way.
    ///
    /// - Parameter isOpen: whether a session of a person is open
    public mutating func removeEnded(
        isOpen: (CredentialID, PersonID) -> Bool, into effects: inout [Effect]
    ) {
        for session in sessions.values.sorted(by: { $0.id < $1.id })
        where !isOpen(session.id, session.person) {
            save(.removeSession(session.id), into: &effects)
        }
    }

    private mutating func forget(_ person: PersonID, into effects: inout [Effect]) {
        for identity in identities(of: person) {
            save(.removeIdentity(identity.key), into: &effects)
        }
        for session in sessions.values.filter({ $0.person == person }) {
            save(.removeSession(session.id), into: &effects)
        }
        for flow in flows.values where flow.purpose == .join(person) {
            save(.removeFlow(flow.id), into: &effects)
        }
    }

    private mutating func save(_ change: SingleSignOnChange, into effects: inout [Effect]) {
        apply(change)
        effects.append(.row(change))
    }

    private mutating func apply(_ change: SingleSignOnChange) {
        switch change {
        case .saveFlow(let flow): flows[flow.id] = flow
        case .removeFlow(let id): flows[id] = nil
        case .saveIdentity(let identity): identities[identity.key] = identity
        case .removeIdentity(let key): identities[key] = nil
        case .saveSession(let session): sessions[session.id] = session
        case .removeSession(let id): sessions[id] = nil
        case .saveToken(let token): usedTokens[token.id] = token
        case .removeToken(let id): usedTokens[id] = nil
        }
    }
}

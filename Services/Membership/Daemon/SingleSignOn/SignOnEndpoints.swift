import API
import Hashing
import Hosting
import MembershipCore
import Model
import Parsing
import Runtime
import Web

/// Connects ``SingleSignOn`` to HTTP, to the providers and to the store.
final class SignOnEndpoints {
    private let host: Host
    private unowned let keeper: any SessionKeeper
    private let tables: SingleSignOnTables
    private let entries: [ProviderFile.Entry]
    private let publicURL: String
    private var machine: SingleSignOn
    /// Requests that are not answered yet, with the cookie that their response sets.
    private var requests: [RequestID: (request: Request, cookie: String?)] = [:]
    /// What transfers are for, by token.
    private var transfers: [UInt64: Purpose] = [:]
    private var lastTransfer: UInt64 = 0
    /// Failures that were logged, so that each is logged once.
    private var loggedFailures: [String: String] = [:]

    private enum Purpose {
        case read(ProviderDocument, of: String)
        case exchange(RequestID, provider: String)
    }

    private static let callMilliseconds = 8000
    private static let documentBytesMax = 256 << 10
    private static let codeBytesMax = 4096
    private static let pageBytesMax = 500

    init(_ host: Host, _ entries: [ProviderFile.Entry], _ keeper: any SessionKeeper) {
        self.host = host
        self.keeper = keeper
        tables = SingleSignOnTables(database: host.database)
        self.entries = entries
        let url = host.configuration.optional("JAGA_PUBLIC_URL") ?? ""
        publicURL = url.hasSuffix("/") ? String(url.dropLast()) : url
        machine = SingleSignOn(providers: entries.map(\.provider))
    }

    // MARK: Turns

    func load() throws {
        machine = machine.reloaded(try tables.load())
        requests = [:]
    }

    var pendingRequests: Set<RequestID> { machine.pendingRequests }

    /// Nil in a dry run, in which nobody is asked.
    var nextDeadline: Timestamp? { host.isDryRun ? nil : machine.nextDeadline }

    func tick() throws {
        guard !host.isDryRun, !entries.isEmpty else { return }
        try perform(.tick)
        logFailures()
    }

    /// Removes rows of sessions that have ended.
    func prune() throws {
        var effects: [SingleSignOn.Effect] = []
        machine.removeEnded(isOpen: { [keeper] in keeper.isOpen($0, of: $1) }, into: &effects)
        try perform(effects)
    }

    func personRemoved(_ person: PersonID) throws { try perform(.personRemoved(person)) }

    /// Handles the end of a transfer of this object.
    func completed(_ result: TransferResult) throws {
        guard let purpose = transfers.removeValue(forKey: result.token) else { return }
        switch purpose {
        case .read(let document, let provider):
            try perform(.read(document, of: provider, Self.document(result.outcome)))
            logFailures()
        case .exchange(let request, let provider):
            try perform(.exchanged(request, exchange(result.outcome, provider)))
        }
    }

    private static func document(_ outcome: TransferOutcome) -> [UInt8]? {
        guard case .answered(let answer) = outcome, answer.status == 200, !answer.isCut else {
            return nil
        }
        return answer.body
    }

    private func exchange(
        _ outcome: TransferOutcome, _ provider: String
    ) -> SingleSignOn.Exchange {
        guard case .answered(let answer) = outcome, !answer.isCut,
            let json = try? JSON.parse(answer.body, valuesMax: 10_000)
        else { return .failed }
        if answer.status == 200 { return json["id_token"]?.string.map { .token($0) } ?? .failed }
        if json["error"]?.string == "invalid_grant" { return .rejected }
        host.log.warning(
            "provider rejected the request for a token",
            [
                "provider": provider, "status": answer.status,
                "hint": "Compare client and secretFile in the file of providers.",
            ])
        return .failed
    }

    private func logFailures() {
        let failures = machine.failures
        for (provider, reason) in failures where loggedFailures[provider] != reason {
            host.log.warning(
                "sign-in provider cannot be used",
                ["provider": provider, "reason": reason, "hint": "Compare docs/sign-in.md."])
        }
        loggedFailures = Dictionary(failures.map { ($0.provider, $0.reason) }) { $1 }
    }

    // MARK: Requests

    /// The providers, for the buttons of a page.
    func list(_ request: Request) {
        let items = entries.map { entry -> JSON in
            [
                "id": .string(entry.provider.id), "name": .string(entry.provider.name),
                "url": .string("/v1/sign-in/providers/\(entry.provider.id)"),
                "signUp": .bool(entry.provider.allowsSignUp),
            ]
        }
        keeper.answer(request.id, .json(["items": .array(items), "next": .null]))
    }

    /// The identities of the caller: what this server keeps of them at providers.
    ///
    /// - Throws: 403 for other people, and for the operator
    func identities(_ request: Request, of person: PersonID) throws {
        guard let credential = host.credential(of: request) else {
            throw Problem.unauthorized("the credentials are missing, invalid or expired")
        }
        guard credential.person == person, keeper.ownDirectory.person(person) != nil else {
            throw Problem.denied("only the person may do this", hint: "not-yours")
        }
        let items = machine.identities(of: person).map { identity -> JSON in
            let provider = entries.first { $0.provider.issuer == identity.key.issuer }?.provider
            return [
                "issuer": .string(identity.key.issuer), "subject": .string(identity.key.subject),
                "provider": provider.map { .string($0.id) } ?? .null,
                "joined": .string(identity.joined.description),
                "addresses": .array(identity.addresses.map { .string($0) }),
                "circles": .array(identity.circles.map { .string($0.description) }),
            ]
        }
        keeper.answer(request.id, .json(["items": .array(items), "next": .null]))
    }

    /// Sends the browser to a provider.
    func start(_ request: Request, provider: String) throws {
        let form = try cookieForm(of: request)
        let cookie = SignInCookie(of: request, form: form) ?? SignInCookie(form: form)
        func random() -> String { Base64.encode(SecureRandom.bytes(32), alphabet: .url) }
        let start = SingleSignOn.Start(
            request: request.id, provider: provider, purpose: try purpose(of: request),
            page: try Self.page(of: request), redirect: redirect(of: provider),
            secrets: SingleSignOn.Secrets(
                state: random(), nonce: random(), verifier: random(), browser: cookie.digest))
        requests[request.id] = (
            request, cookie.header(seconds: Limits.signInFlowAgeMax.components.seconds)
        )
        try perform(.start(start))
    }

    /// A browser comes back from a provider.
    func callback(_ request: Request, provider: String) throws {
        let form = try cookieForm(of: request)
        guard let state = request.query["state"], state.utf8.count <= 200 else {
            throw Problem(.state)
        }
        let code = request.query["error"] == nil ? request.query["code"] : nil
        guard (code?.utf8.count ?? 0) <= Self.codeBytesMax else { throw Problem(.code) }
        requests[request.id] = (request, nil)
        try perform(
            .callback(
                SingleSignOn.Callback(
                    request: request.id, provider: provider, state: state, code: code,
                    issuer: request.query["iss"],
                    browser: SignInCookie(of: request, form: form)?.digest,
                    redirect: redirect(of: provider),
                    new: SingleSignOn.NewAccount(
                        person: PersonID(SecureRandom.id()),
                        contacts: Channel.allCases.map { _ in ContactID(SecureRandom.id()) }))))
    }

    /// A provider ends sessions.
    func logout(_ request: Request, provider: String) throws {
        let form = Query(encoded: String(decoding: request.body, as: UTF8.self))
        guard let token = form["logout_token"] else {
            throw Problem.invalid(
                "logout_token is required", field: "logout_token",
                hint: "send a form with the logout token")
        }
        requests[request.id] = (request, nil)
        try perform(.logout(request.id, provider: provider, token: token))
    }

    /// Ends the session of a request, and names the page where to sign out at its provider.
    func signOut(_ request: Request) throws {
        guard let session = keeper.session(of: request),
            let form = host.sessionCookie(for: request),
            let person = host.credential(of: request)?.person
        else {
            throw Problem.unauthorized("there is no session", hint: "sign in first")
        }
        requests[request.id] = (request, form.removal)
        try keeper.endSession(session, of: person)
        try perform(.signOut(request.id, session: session, landing: publicURL + "/"))
    }

    private func cookieForm(of request: Request) throws(Problem) -> SessionCookie {
        guard let form = host.sessionCookie(for: request) else {
            throw .denied(
                "browsers keep a session only over https",
                hint: "use the https address of this server")
        }
        return form
    }

    private func redirect(of provider: String) -> String {
        "\(publicURL)/v1/sign-in/providers/\(provider)/callback"
    }

    /// Joining needs a session of the person, and a page of this server that asks for it: another
    /// site could otherwise join its own identity to the account of a visitor.
    private func purpose(of request: Request) throws(Problem) -> SignInFlow.Purpose {
        guard let join = request.query["join"] else { return .signIn }
        guard join == "true" else {
            throw .invalid("join must be true", field: "join", hint: "leave it out to sign in")
        }
        guard let credential = host.credential(of: request), credential.kind == .session,
            let person = credential.person
        else { throw .unauthorized("joining needs a session", hint: "sign in first") }
        guard
            request.headers["Authorization"] != nil
                || request.headers["Sec-Fetch-Site"] == "same-origin"
        else {
            throw .denied(
                "cross-site request: it was sent by a page of another site",
                hint: "start from a page of this server")
        }
        return .join(person)
    }

    /// The page to show afterwards: a path of this server.
    private static func page(of request: Request) throws(Problem) -> String {
        guard let page = request.query["return"] else { return "/" }
        let bytes = Array(page.utf8)
        guard bytes.count <= pageBytesMax, bytes.first == UInt8(ascii: "/"),
            bytes.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "\\") }),
            bytes.dropFirst().first != UInt8(ascii: "/")
        else {
            throw .invalid(
                "return must be a path of this server", field: "return", hint: "use /app/")
        }
        return page
    }

    // MARK: Effects

    private func perform(_ input: SingleSignOn.Input) throws {
        var effects: [SingleSignOn.Effect] = []
        machine.handle(input, in: keeper.ownDirectory, at: host.now, into: &effects)
        try perform(effects)
    }

    private func perform(_ effects: [SingleSignOn.Effect]) throws {
        var trace = ""
        for effect in effects {
            switch effect {
            case .row(let change): try tables.record(change)
            case .read(let document, let provider, let url):
                start(
                    HTTPCall(
                        .get, url, headers: ["Accept": "application/json"],
                        authoritiesFile: entry(provider)?.authorities,
                        answerBytesMax: Self.documentBytesMax, isRepeatable: true),
                    for: .read(document, of: provider))
            case .exchange(let request, let provider, let call):
                start(exchangeCall(call, provider), for: .exchange(request, provider: provider))
            case .record(let events): try keeper.apply(events, trace: trace)
            case .openSession(let id, let signedIn):
                guard let request = requests[id]?.request else { break }
                trace = request.trace
                let session = try keeper.openSession(of: signedIn.person, for: request)
                try perform(.sessionOpened(session, signedIn))
            case .endSession(let session, let person): try keeper.endSession(session, of: person)
            case .answer(let id, let provider, let answer): respond(to: id, provider, answer)
            }
        }
    }

    private func entry(_ provider: String) -> ProviderFile.Entry? {
        entries.first { $0.provider.id == provider }
    }

    private func start(_ call: HTTPCall, for purpose: Purpose) {
        lastTransfer += 1
        transfers[lastTransfer] = purpose
        host.start(
            Transfer(
                token: lastTransfer, .http(call), timeoutMilliseconds: Self.callMilliseconds))
    }

    private func exchangeCall(_ call: SingleSignOn.ExchangeCall, _ provider: String) -> HTTPCall {
        let entry = entry(provider)
        let secret = entry?.secret ?? ""
        var form = call.form
        var login: Login?
        switch call.authentication {
        // RFC 6749, section 2.3.1: escaped as in a form.
        case .basic:
            login = Login(user: Percent.encode(call.client), password: Percent.encode(secret))
        case .post:
            form.items += [.init("client_id", call.client), .init("client_secret", secret)]
        }
        return HTTPCall(
            .post, call.url,
            headers: [
                "Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json",
            ],
            body: Array(form.encoded.utf8), login: login, authoritiesFile: entry?.authorities)
    }

    private func respond(to id: RequestID, _ provider: String, _ answer: SingleSignOn.Answer) {
        let cookie = requests.removeValue(forKey: id)?.cookie
        var response: Response
        switch answer {
        case .redirect(let url): response = Response(status: 302, headers: ["Location": url])
        case .signedIn(let page), .joined(let page):
            response = Response(status: 303, headers: ["Location": page])
        case .loggedOut(let sessions):
            host.log.info(
                "provider ended sessions", ["provider": provider, "sessions": sessions])
            response = Response(status: 200)
        case .signedOut(let url):
            response = .json(["providerLogout": url.map { .string($0) } ?? .null])
        case .rejected(let rejection):
            host.log.warning(
                "sign-in rejected", ["provider": provider, "reason": rejection.reason])
            return keeper.answer(id, .problem(Problem(rejection)))
        }
        if let cookie { response.headers["Set-Cookie"] = cookie }
        response.headers["Cache-Control"] = "no-store"
        response.headers["Referrer-Policy"] = "no-referrer"
        keeper.answer(id, response)
    }
}

extension Problem {
    /// The problem document of a rejected sign-in.
    init(_ rejection: SignOnRejection) {
        let (detail, hint) = (rejection.explanation, rejection.hint)
        switch rejection {
        case .unknownProvider: self = .notFound(detail, hint: hint)
        case .unavailable, .tooMany:
            self = .unavailable(detail, retryAfterSeconds: 5)
            self.hint = hint
        case .state, .expired, .cancelled, .issuer, .code, .token, .replayed:
            self = .invalid(detail, hint: hint)
        case .taken: self = .conflict(detail, hint: hint)
        case .noAccount, .noName: self = .denied(detail, hint: hint)
        }
    }
}

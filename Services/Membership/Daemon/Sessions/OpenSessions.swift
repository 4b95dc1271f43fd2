import Directory
import MembershipCore
import Model
import Web

/// Opens, rotates and ends sessions of people in browsers.
final class OpenSessions: SessionKeeper {
    private let runner: CoreRunner
    private let responses: Responses

    init(_ runner: CoreRunner, _ responses: Responses) {
        self.runner = runner
        self.responses = responses
    }

    var ownDirectory: Replica { runner.core.directory }

    /// Opens a session of a person who has just signed in with a request, whose response then sets
    /// its cookie. Answer it with ``answer(_:_:)``.
    ///
    /// - Returns: the id of the session
    /// - Throws: 403 if the sender could not keep the cookie secret; `StoreError`
    @discardableResult
    func openSession(of person: PersonID, for request: Request) throws -> CredentialID {
        let cookie = try cookie(for: request)
        let secret = NewSecret()
        let name = BrowserName.of(request.headers["User-Agent"])
        try runner.submit(
            .openSession(person, secret.credential, name: name), trace: request.trace)
        setCookie(cookie, secret, for: request)
        return secret.credential.id
    }

    func session(of request: Request) -> CredentialID? {
        runner.host.credential(of: request).flatMap {
            runner.core.sessions.session(of: $0.id)?.id
        }
    }

    func isOpen(_ session: CredentialID, of person: PersonID) -> Bool {
        runner.core.sessions.session(session, of: person) != nil
    }

    func endSession(_ id: CredentialID, of person: PersonID) throws {
        try runner.submit(
            .command(Command(request: 0, principal: .person(person), change: .endSession(id))))
    }

    func apply(_ events: [EventBody], trace: String) throws {
        try runner.submit(.decided(events), trace: trace)
    }

    func answer(_ id: RequestID, _ response: Response) { responses.answer(id, response) }

    /// - Throws: 403 if the sender could not keep a cookie secret
    func cookie(for request: Request) throws(Problem) -> SessionCookie {
        guard let cookie = runner.host.sessionCookie(for: request) else {
            throw .denied(
                "browsers keep a session only over https",
                hint: "use the https address of this server")
        }
        return cookie
    }

    /// Gives the session of a request another credential, if its credential is due.
    func rotate(of request: Request, _ credential: Credential) throws {
        guard request.sessionToken != nil,
            runner.core.sessions.isDue(
                credential, in: runner.core.directory, at: runner.host.now),
            let cookie = runner.host.sessionCookie(for: request)
        else { return }
        let secret = NewSecret()
        try runner.submit(
            .rotateSession(credential.id, secret.credential), trace: request.trace)
        setCookie(cookie, secret, for: request)
    }

    /// Lets the response to a request set the cookie of a new credential.
    func setCookie(_ cookie: SessionCookie, _ secret: NewSecret, for request: Request) {
        guard let expires = runner.core.directory.credential(secret.credential.id)?.expires
        else { return }
        let seconds = (expires - runner.host.now).components.seconds
        responses.setCookie(
            cookie.header(token: secret.token, seconds: seconds), for: request.id)
    }
}

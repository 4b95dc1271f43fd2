import Hosting
import MembershipCore
import Model
import Runtime
import Web

/// Requests without credentials but a secret in their body.
struct UnauthenticatedRequests {
    let runner: CoreRunner
    let responses: Responses
    let sessions: OpenSessions
    let changes: ChangeRequests

    func handle(
        _ opening: Route.Opening, _ request: Request, _ parameters: Parameters
    ) throws {
        let now = runner.host.now
        switch opening {
        case .previewInvitation:
            let requests = OpenRequests(core: runner.core, request: request, now: now)
            runner.host.answer(request.id, try requests.preview())
        case .declineInvitation:
            let hash = try OpenRequests(core: runner.core, request: request, now: now).tokenHash()
            try runner.submit(
                .declineInvitation(request.id, tokenHash: hash), trace: request.trace
            ) { respond(to: $0, with: $1) }
        case .activate: try activate(request, try parameters.id("person", PersonID.self))
        case .requestSignInCode:
            let code = ShortCode()
            let input = try reader(request).codeRequest(code)
            try runner.submit(
                .signInCode(input), CoreRunner.Attachments(code: code), trace: request.trace
            ) { respond(to: $0, with: $1) }
        case .openSession:
            let cookie = try sessions.cookie(for: request)
            let secret = NewSecret()
            let input = try reader(request).sessionRequest(secret.credential)
            try runner.submit(.enterSignInCode(input), trace: request.trace) { id, answer in
                if case .session = answer { sessions.setCookie(cookie, secret, for: request) }
                respond(to: id, with: answer)
            }
        }
    }

    private func activate(_ request: Request, _ person: PersonID) throws {
        let (code, terms) = try CredentialBody.readActivation(request)
        // The code works once: a client that lost the response gets it again by its key.
        let key = try IdempotencyStore.Key(request, sealedWith: code)
        if let kept = try responses.stored(key) {
            return runner.host.answer(request.id, kept)
        }
        let secret = NewSecret()
        let change = Change.activate(
            person, code: NewSecret.hash(of: code), secret.credential, terms)
        try changes.perform(
            Command(request: request.id, principal: .person(person), change: change),
            RequestedChange(change, secret: secret), trace: request.trace, key: key)
    }

    private func reader(_ request: Request) -> SignInReader {
        SignInReader(request: request, messageKey: runner.messageKey)
    }

    private func respond(to request: RequestID, with answer: Answer) {
        let core = runner.core
        let view = AnswerView(
            directory: core.directory, codes: core.codes, principal: nil, now: runner.host.now,
            location: nil, secret: nil, circleLists: core.circleLists)
        responses.respond(to: request, with: answer, view)
    }
}

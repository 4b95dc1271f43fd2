import Directory
import Hashing
import Model
import NotifierCore
import Parsing
import Runtime
import Web

/// Requests of people who open the link in a question about their own watch or check-in.
///
/// Like the page of an emergency: a link opens a cover that says nothing, *Show* opens the page.
struct QuestionPages {
    enum Outcome {
        case respond(Response)
        case submit(Input)
    }

    /// Key of page tokens and cookies: 32 secret bytes.
    private let key: [UInt8]
    /// Whether the public URL uses TLS.
    private let isPublicSecure: Bool
    /// Links of commands that the core has not answered yet, by request.
    private var waiting: [UInt64: LinkHash] = [:]

    init(key: [UInt8], publicURL: String?) {
        self.key = key
        isPublicSecure = publicURL?.hasPrefix("https://") ?? false
    }

    // MARK: Requests

    mutating func outcome(
        of request: Request, token: String, _ context: RequestContext
    ) -> Outcome {
        guard let link = LinkToken(token)?.hash,
            let language = context.core.language(ofQuestion: link, context.directory)
        else { return .respond(ResponderPageView.invalidLink) }
        let proof = PageProof(of: link, key: key)
        let isShown = proof.hasCookie(request.headers)
        guard request.method == .post else {
            return .respond(
                isShown ? page(link, proof, context) : cover(language, proof, context))
        }
        guard request.body.count <= Limits.linkFormBytesMax else {
            return .respond(.problem(.tooLarge(limitBytes: Limits.linkFormBytesMax)))
        }
        let form = Query(encoded: String(decoding: request.body, as: UTF8.self))
        let button = form[QuestionPageView.Field.action].flatMap(QuestionPageView.Button.init)
        guard let button,
            proof.isValid(
                form[PageProof.field], for: button == .show ? .show : .act, at: context.now)
        else {
            // A page that was open for too long, or a form that nobody was shown.
            return .respond(
                isShown
                    ? page(link, proof, context, remark: language.page.retry)
                    : cover(language, proof, context))
        }
        let action: QuestionCommand.Action
        switch button {
        case .show:
            let isSecure = isPublicSecure || request.headers["X-Forwarded-Proto"] == "https"
            let cookie = proof.cookieHeader(path: request.path, isSecure: isSecure)
            return .respond(page(link, proof, context, cookie: cookie))
        case .extend(let minutes): action = .extend(minutes: minutes)
        case .safe:
            let pin = form[QuestionPageView.Field.pin].flatMap { $0.isEmpty ? nil : $0 }
            action = .safe(pin: pin)
        }
        waiting[request.id] = link
        return .submit(
            .answerQuestion(
                QuestionCommand(
                    request: request.id, id: SecureRandom.id(), link: link, action: action,
                    trace: request.trace)))
    }

    private func cover(
        _ language: Language, _ proof: PageProof, _ context: RequestContext
    ) -> Response {
        QuestionPageView.cover(language, token: proof.token(for: .show, at: context.now))
            .response()
    }

    private func page(
        _ link: LinkHash, _ proof: PageProof, _ context: RequestContext, remark: String? = nil,
        isDone: Bool = false, cookie: String? = nil
    ) -> Response {
        guard let page = context.core.questionPage(of: link, context.directory, at: context.now)
        else { return ResponderPageView.invalidLink }
        let token = proof.token(for: .act, at: context.now)
        return QuestionPageView.page(page, token: token, remark: remark, isDone: isDone)
            .response(cookie: cookie)
    }

    // MARK: Answers

    /// Renders the answer to a command of a page; nil if the request is not one.
    mutating func response(
        to outcome: QuestionOutcome, of request: UInt64, _ context: RequestContext
    ) -> Response? {
        guard let link = waiting.removeValue(forKey: request),
            let language = context.core.language(ofQuestion: link, context.directory)
        else { return nil }
        let phrases = language.question
        let proof = PageProof(of: link, key: key)
        switch outcome {
        case .extended: return page(link, proof, context, remark: phrases.extended, isDone: true)
        case .safe: return page(link, proof, context, remark: phrases.noted, isDone: true)
        case .pinNeeded: return page(link, proof, context, remark: phrases.pinNeeded)
        case .wrongPIN: return page(link, proof, context, remark: phrases.wrongPIN)
        case .inApp: return page(link, proof, context, remark: phrases.endInApp)
        case .closed: return page(link, proof, context)
        }
    }

    /// Forgets requests of a turn that was rolled back.
    mutating func reset() { waiting.removeAll() }
}

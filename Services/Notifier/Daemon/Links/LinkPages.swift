import Directory
import Hashing
import Model
import NotifierCore
import Parsing
import Web

/// Requests of people without the app: the pages of personal links.
///
/// A link opens a cover that says nothing. *Show* opens the page, which is the look that is
/// recorded, and the buttons of the page send commands to the core. Every link that is not valid
/// has the same answer.
struct LinkPages {
    /// What a request leads to.
    enum Outcome {
        case respond(Response)
        /// - Parameters:
        ///   - look: a link whose page *Show* opened; nil = it was open
        ///   - person: in whose access log the look stands; nil = nobody's
        ///   - viewer: to whom
        case show(Response, look: LinkHash?, person: PersonID?, viewer: PersonID)
        case submit(Input)
    }

    private struct Waiting {
        var link: LinkHash
        var button: ResponderPageView.Button
        var language: Language
        var path: String
    }

    /// Key of page tokens and cookies: 32 secret bytes.
    let key: [UInt8]
    /// Whether the public URL uses TLS.
    private let isPublicSecure: Bool
    /// Commands that the core has not answered yet, by request.
    private var waiting: [UInt64: Waiting] = [:]

    init(key: [UInt8], publicURL: String?) {
        self.key = key
        isPublicSecure = publicURL?.hasPrefix("https://") ?? false
    }

    // MARK: Requests

    mutating func outcome(
        of request: Request, token: String, _ context: RequestContext
    ) throws -> Outcome {
        guard let link = LinkToken(token)?.hash,
            let (emergency, recipient) = context.core.target(of: link, context.directory)
        else { return .respond(ResponderPageView.invalidLink) }
        let proof = PageProof(of: link, key: key)
        let language = context.core.language(of: recipient, context.directory)
        guard request.method == .post else {
            return proof.hasCookie(request.headers)
                ? try show(link, context, request, isLook: false)
                : cover(language, proof, context)
        }
        guard request.body.count <= Limits.linkFormBytesMax else {
            return .respond(.problem(.tooLarge(limitBytes: Limits.linkFormBytesMax)))
        }
        let form = Query(encoded: String(decoding: request.body, as: UTF8.self))
        let button = form[ResponderPageView.Field.action]
            .flatMap(ResponderPageView.Button.init(rawValue:))
        let purpose: PageProof.Purpose = button == .show ? .show : .act
        guard let button,
            proof.isValid(form[PageProof.field], for: purpose, at: context.now)
        else {
            // A page that was open for too long, or a form that nobody was shown.
            return proof.hasCookie(request.headers)
                ? try show(link, context, request, isLook: false, remark: language.page.retry)
                : cover(language, proof, context)
        }
        if button == .show { return try show(link, context, request, isLook: true) }
        let note = form[ResponderPageView.Field.note].map {
            String($0.prefix(Limits.commandNoteCharactersMax))
        }
        let command = Command(
            request: request.id, emergency: emergency.id, principal: .person(recipient),
            note: note.flatMap { $0.isEmpty ? nil : $0 }, trace: request.trace)
        waiting[request.id] = Waiting(
            link: link, button: button, language: language, path: request.path)
        switch button {
        case .acknowledge: return .submit(.acknowledge(command))
        case .withdraw: return .submit(.withdraw(command))
        case .resolve: return .submit(.resolve(command))
        case .show: return try show(link, context, request, isLook: true)
        }
    }

    private func cover(
        _ language: Language, _ proof: PageProof, _ context: RequestContext
    ) -> Outcome {
        let token = proof.token(for: .show, at: context.now)
        return .respond(ResponderPageView.cover(language, token: token).response())
    }

    private func show(
        _ link: LinkHash, _ context: RequestContext, _ request: Request, isLook: Bool,
        remark: String? = nil
    ) throws -> Outcome {
        guard let (emergency, recipient) = context.core.target(of: link, context.directory),
            let page = context.core.page(
                of: link, context.directory, at: context.now,
                stored: try positions(of: emergency, context))
        else { return .respond(ResponderPageView.invalidLink) }
        let proof = PageProof(of: link, key: key)
        let isSecure = isPublicSecure || request.headers["X-Forwarded-Proto"] == "https"
        let cookie = proof.cookieHeader(path: request.path, isSecure: isSecure)
        let response = ResponderPageView.page(
            page, token: proof.token(for: .act, at: context.now), remark: remark
        ).response(cookie: isLook ? cookie : nil)
        return .show(
            response, look: isLook ? link : nil,
            person: emergency.underDuress == nil ? emergency.person : nil, viewer: recipient)
    }

    /// The stored positions of the person in danger, from the trail before the emergency on.
    private func positions(
        of emergency: Emergency, _ context: RequestContext
    ) throws -> [FollowedPositionRow] {
        try context.store.followedPositions(
            of: emergency.person, from: emergency.raised - Limits.trailBefore,
            through: context.now, limit: Limits.trailRowsMax)
    }

    // MARK: Answers

    /// Renders the answer to a command of a page; nil if the request is not one.
    mutating func response(
        to answer: Answer, of request: UInt64, _ context: RequestContext
    ) throws -> Response? {
        guard let waiting = waiting.removeValue(forKey: request) else { return nil }
        let phrases = waiting.language.page
        let rows = try context.core.target(of: waiting.link, context.directory).map {
            try positions(of: $0.emergency, context)
        }
        let page = context.core.page(
            of: waiting.link, context.directory, at: context.now, stored: rows ?? [])
        guard let page else {
            // It is over for the reader. Only who ended it learns more than that.
            guard waiting.button == .resolve, case .status(let status) = answer, status.isYours
            else { return ResponderPageView.invalidLink }
            return ResponderPageView.end(waiting.language)
                .response(cookie: PageProof.cookieRemoval(path: waiting.path))
        }
        let token = PageProof(of: waiting.link, key: key).token(for: .act, at: context.now)
        return ResponderPageView.page(
            page, token: token,
            remark: remark(answer, waiting.button, page, phrases, context.directory)
        ).response()
    }

    private func remark(
        _ answer: Answer, _ button: ResponderPageView.Button, _ page: ResponderPage,
        _ phrases: PagePhrases, _ directory: Replica
    ) -> String {
        guard case .status(let status) = answer else { return phrases.notAllowed }
        switch button {
        case .show: return ""
        case .withdraw: return phrases.handedBack
        case .resolve: return phrases.ended
        case .acknowledge:
            if status.isYours { return phrases.youRespond }
            return phrases.first(
                status.by.flatMap { directory.person($0)?.name } ?? phrases.operatorName)
        }
    }

    /// Forgets requests of a turn that was rolled back.
    mutating func reset() { waiting.removeAll() }
}

import Hashing
import Model
import NotifierCore
import Parsing
import Web

/// The pages of live links.
///
/// A link opens a cover that says nothing. *Show* opens the page, which is the look that is
/// recorded. Every link that is not valid has the same answer.
struct LivePages {
    /// Path of the pages, before the token.
    static let path = "/l/"

    /// What a request leads to.
    enum Outcome {
        case respond(Response)
        /// - Parameter isLook: whether *Show* was pressed; false = the page was open
        case show(Response, LiveLink, isLook: Bool)
    }

    /// Key of page tokens and cookies: 32 secret bytes.
    let key: [UInt8]
    /// Whether the public URL uses TLS.
    let isPublicSecure: Bool

    func outcome(of request: Request, token: String, _ context: RequestContext) throws -> Outcome {
        let hash = LinkToken(token)?.hash
        guard let hash,
            let link = context.core.liveTarget(of: hash, context.directory, at: context.now)
        else { return .respond(LivePageView.invalidLink) }
        let proof = PageProof(of: hash, key: key)
        let maker = context.core.language(of: link.maker, context.directory)
        guard request.method == .post else {
            return proof.hasCookie(request.headers)
                ? try show(link, hash, context, request, isLook: false)
                : cover(maker, proof, context)
        }
        guard request.body.count <= Limits.linkFormBytesMax else {
            return .respond(.problem(.tooLarge(limitBytes: Limits.linkFormBytesMax)))
        }
        let form = Query(encoded: String(decoding: request.body, as: UTF8.self))
        guard proof.isValid(form[PageProof.field], for: .show, at: context.now) else {
            return cover(maker, proof, context)
        }
        return try show(link, hash, context, request, isLook: true)
    }

    private func cover(
        _ language: Language, _ proof: PageProof, _ context: RequestContext
    ) -> Outcome {
        let token = proof.token(for: .show, at: context.now)
        return .respond(LivePageView.cover(language, token: token).response())
    }

    private func show(
        _ link: LiveLink, _ hash: LinkHash, _ context: RequestContext, _ request: Request,
        isLook: Bool
    ) throws -> Outcome {
        let rows = try context.store.shownPositions(
            of: link.person, since: link.since, through: context.now)
        guard
            let page = context.core.livePage(of: link, rows, context.directory, at: context.now)
        else { return .respond(LivePageView.invalidLink) }
        let proof = PageProof(of: hash, key: key)
        let isSecure = isPublicSecure || request.headers["X-Forwarded-Proto"] == "https"
        let cookie = proof.cookieHeader(path: request.path, isSecure: isSecure)
        let response = LivePageView.page(page).response(cookie: isLook ? cookie : nil)
        return .show(response, link, isLook: isLook)
    }
}

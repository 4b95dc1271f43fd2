import Directory
import Hashing
import Model
import NotifierCore
import Web

/// The pages of personal links to drills. They have the path of those to emergencies, so that a
/// drill tests the same way.
///
/// Opening the page answers nothing, because mail scanners open links; its button does.
struct DrillPages {
    /// Key of page tokens: 32 secret bytes.
    let key: [UInt8]
    let context: RequestContext

    /// The answer to a request, and the input that it leads to; nil if the link is not to a drill.
    func outcome(of request: Request, token: String) -> (response: Response, input: Input?)? {
        let core = context.core
        guard let link = LinkToken(token)?.hash, let (drill, person) = core.drills.target(of: link)
        else { return nil }
        let phrases = core.language(of: person, context.directory)
        let proof = PageProof(of: link, key: key)
        let isAnswered = drill.participants.contains { $0.person == person && $0.answered != nil }
        if request.method == .post {
            guard request.body.count <= Limits.linkFormBytesMax else {
                return (.problem(.tooLarge(limitBytes: Limits.linkFormBytesMax)), nil)
            }
            let form = Query(encoded: String(decoding: request.body, as: UTF8.self))
            if proof.isValid(form[PageProof.field], for: .act, at: context.now) {
                let command = DrillCommand(
                    request: request.id, circle: drill.circle, principal: .person(person),
                    .answer(link), trace: request.trace)
                return (thanks(phrases), .drill(command))
            }
        }
        if isAnswered { return (thanks(phrases), nil) }
        let token = proof.token(for: .act, at: context.now)
        return (question(phrases, token: token), nil)
    }

    private func question(_ language: Language, token: String) -> Response {
        let phrases = language.page
        return HTMLPage(
            title: phrases.drill, language: language.rawValue,
            body: """
                <h1>\(phrases.drill)</h1>
                <p class="quiet">\(phrases.drillAdvice)</p>
                <form method="post" action="">
                <input type="hidden" name="\(PageProof.field)" value="\(token)">
                <button class="go" name="\(ResponderPageView.Field.action)" value="answer">\
                \(phrases.drillAnswer)</button>
                </form>
                """
        ).response()
    }

    private func thanks(_ language: Language) -> Response {
        let phrases = language.page
        return HTMLPage(
            title: phrases.drill, language: language.rawValue,
            body: """
                <h1>\(phrases.drill)</h1>
                <p class="note" role="status">\(phrases.drillThanks)</p>
                """
        ).response()
    }
}

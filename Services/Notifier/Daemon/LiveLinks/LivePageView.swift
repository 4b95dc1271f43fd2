import Model
import NotifierCore
import Web

/// HTML of the pages of live links.
enum LivePageView {
    /// The answer to a link that is not valid, the same for all reasons.
    static let invalidLink: Response = {
        let parts = LivePhrases.invalidLink.map { language, title, advice -> HTML in
            "<section lang=\"\(language)\"><h2>\(title)</h2><p>\(advice)</p></section>"
        }
        return HTMLPage(title: "Jaga", language: "en", body: HTML(parts)).response(status: 404)
    }()

    /// The page before *Show*: no name, place or time.
    static func cover(_ language: Language, token: String) -> HTMLPage {
        let phrases = language.live
        return HTMLPage(
            title: phrases.title, language: language.rawValue,
            body: """
                <h1>\(phrases.title)</h1>
                <p class="quiet">\(phrases.showAdvice)</p>
                <form method="post" action="">
                <input type="hidden" name="\(PageProof.field)" value="\(token)">
                <button class="go">\(phrases.show)</button>
                </form>
                """)
    }

    /// The page after *Show*.
    static func page(_ page: LivePage) -> HTMLPage {
        let phrases = page.language.live
        let sketch = page.language.sketch
        var parts: [HTML] = []
        if let trigger = page.trigger {
            parts.append("<h1>\(page.who): \(trigger)</h1>")
        } else {
            parts.append("<h1>\(phrases.where(page.who))</h1>")
        }
        if page.isUnderDuress { parts.append("<p class=\"note\">\(phrases.underDuress)</p>") }
        if let drawing = page.sketch { parts.append(SketchView.svg(drawing, sketch)) }
        var rows: [HTML] = []
        func add(_ name: String, _ value: HTML) {
            rows.append("<dt>\(name)</dt><dd>\(value)</dd>")
        }
        if let spot = page.spot {
            add(phrases.place, SpotView.whole(spot, map: phrases.map, sketch))
        } else {
            add(phrases.place, "\(phrases.noPosition)")
        }
        if let battery = page.battery { add(phrases.battery, "\(Int(battery)) %") }
        if !page.trail.isEmpty { add(phrases.trail, SpotView.list(page.trail, sketch)) }
        add(phrases.until, "\(page.until)")
        parts.append("<dl>\(rows)</dl>")
        parts.append("<p><a class=\"button\" href=\"\">\(phrases.refresh)</a></p>")
        parts.append("<p class=\"quiet\">\(phrases.madeFor(page.recipient))</p>")
        return HTMLPage(
            title: phrases.title, language: page.language.rawValue, body: HTML(parts))
    }
}

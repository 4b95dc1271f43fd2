import Model
import NotifierCore
import Web

/// HTML of the pages of personal links.
enum ResponderPageView {
    /// Fields of the forms.
    enum Field {
        static let action = "do"
        static let note = "note"
    }

    /// What the buttons do.
    enum Button: String {
        case show, acknowledge, withdraw, resolve
    }

    /// The answer to a link that is not valid, the same for all reasons.
    static let invalidLink: Response = {
        let parts = PagePhrases.invalidLink.map { language, title, advice -> HTML in
            "<section lang=\"\(language)\"><h2>\(title)</h2><p>\(advice)</p></section>"
        }
        return HTMLPage(title: "Jaga", language: "en", body: HTML(parts)).response(status: 404)
    }()

    /// The page before *Show*: no name, place or time, since mail scanners and previews read it.
    static func cover(_ language: Language, token: String) -> HTMLPage {
        let phrases = language.page
        return HTMLPage(
            title: phrases.help, language: language.rawValue,
            body: """
                <h1>\(phrases.help)</h1>
                <p class="quiet">\(phrases.showAdvice)</p>
                \(button(.show, phrases.show, token: token, isMain: true))
                """)
    }

    /// The page after *Show*.
    ///
    /// - Parameter remark: what the last button led to; nil = nothing
    static func page(_ page: ResponderPage, token: String, remark: String?) -> HTMLPage {
        let phrases = page.language.page
        var parts: [HTML] = []
        if let remark { parts.append("<p class=\"note\" role=\"status\">\(remark)</p>") }
        parts.append("<h1>\(page.who): \(page.trigger)</h1>")
        if page.isUnderDuress {
            parts.append("<p class=\"note\"><strong>\(phrases.underDuress)</strong></p>")
        }
        parts += buttons(page, phrases, token: token)
        if let sketch = page.sketch { parts.append(SketchView.svg(sketch, page.language.sketch)) }
        parts.append("<dl>\(details(page, phrases))</dl>")
        if page.canResolve { parts.append(endForm(phrases, token: token)) }
        parts.append("<p><a class=\"button\" href=\"\">\(phrases.refresh)</a></p>")
        return HTMLPage(title: phrases.help, language: page.language.rawValue, body: HTML(parts))
    }

    /// The last page of somebody who ended the emergency.
    static func end(_ language: Language) -> HTMLPage {
        HTMLPage(
            title: language.page.help, language: language.rawValue,
            body: "<p class=\"note\" role=\"status\">\(language.page.ended)</p>")
    }

    private static func buttons(
        _ page: ResponderPage, _ phrases: PagePhrases, token: String
    ) -> [HTML] {
        var parts: [HTML] = []
        if page.canAcknowledge {
            parts.append(button(.acknowledge, phrases.respond, token: token, isMain: true))
        }
        if let phone = page.phone {
            parts.append("<a class=\"button\" href=\"tel:\(phone)\">\(phrases.call) \(phone)</a>")
        }
        if page.canWithdraw { parts.append(button(.withdraw, phrases.handBack, token: token)) }
        return parts
    }

    private static func button(
        _ button: Button, _ label: String, token: String, isMain: Bool = false
    ) -> HTML {
        """
        <form method="post" action="">
        <input type="hidden" name="\(PageProof.field)" value="\(token)">
        <button\(isMain ? " class=\"go\"" : "") name="\(Field.action)" value="\(button.rawValue)">\
        \(label)</button>
        </form>
        """
    }

    private static func endForm(_ phrases: PagePhrases, token: String) -> HTML {
        """
        <form method="post" action="">
        <input type="hidden" name="\(PageProof.field)" value="\(token)">
        <label>\(phrases.endNote)
        <textarea name="\(Field.note)" rows="2" \
        maxlength="\(Limits.commandNoteCharactersMax)"></textarea></label>
        <button class="end" name="\(Field.action)" value="\(Button.resolve.rawValue)">\
        \(phrases.end)</button>
        </form>
        """
    }

    private static func details(_ page: ResponderPage, _ phrases: PagePhrases) -> [HTML] {
        func row(_ name: String, _ value: HTML) -> HTML { "<dt>\(name)</dt><dd>\(value)</dd>" }
        var rows = [
            row(phrases.responders, responders(page, phrases)),
            row(phrases.since, "\(page.raised) (\(page.age))"),
            row(phrases.place, place(page.whereabouts, phrases, page.language.sketch)),
        ]
        if let battery = page.battery { rows.append(row(phrases.battery, "\(Int(battery)) %")) }
        if let note = page.note { rows.append(row(phrases.note, "\(note)")) }
        if !page.trail.isEmpty {
            rows.append(row(phrases.trail, SpotView.list(page.trail, page.language.sketch)))
        }
        if !page.recipients.isEmpty {
            rows.append(row(phrases.recipients, "\(page.recipients.joined(separator: ", "))"))
        }
        return rows
    }

    private static func responders(_ page: ResponderPage, _ phrases: PagePhrases) -> HTML {
        guard !page.responders.isEmpty else { return "\(phrases.nobodyResponds)" }
        return HTML(
            page.responders.map { responder in
                let name =
                    responder.isReader ? phrases.you : responder.name ?? phrases.operatorName
                return "<div>\(name), \(responder.since)</div>"
            })
    }

    private static func place(
        _ whereabouts: ResponderPage.Whereabouts, _ phrases: PagePhrases, _ sketch: SketchPhrases
    ) -> HTML {
        switch whereabouts {
        case .unknown: return "\(phrases.noPosition)"
        case .notShared: return "\(phrases.notShared)"
        case .zone(let sentence): return "\(sentence)"
        case .at(let spot): return SpotView.whole(spot, map: phrases.map, sketch)
        }
    }
}

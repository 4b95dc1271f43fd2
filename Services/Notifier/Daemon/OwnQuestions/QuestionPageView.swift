import Model
import NotifierCore
import Web

/// HTML of the pages of questions.
enum QuestionPageView {
    /// Fields of the forms.
    enum Field {
        static let action = "do"
        static let pin = "pin"
    }

    /// What the buttons do.
    enum Button: Equatable {
        case show, safe
        case extend(minutes: Int64)

        init?(_ text: String) {
            switch text {
            case "show": self = .show
            case "safe": self = .safe
            default:
                guard
                    let minutes = QuestionPageView.minutes.first(where: { "extend-\($0)" == text })
                else { return nil }
                self = .extend(minutes: minutes)
            }
        }

        var value: String {
            switch self {
            case .show: "show"
            case .safe: "safe"
            case .extend(let minutes): "extend-\(minutes)"
            }
        }
    }

    /// Extensions that the page offers.
    private static let minutes: [Int64] = [15, 30, 60]

    /// The page before *Show*, since mail scanners and previews read it.
    static func cover(_ language: Language, token: String) -> HTMLPage {
        let phrases = language.question
        return HTMLPage(
            title: phrases.title, language: language.rawValue,
            body: """
                <h1>\(phrases.title)</h1>
                \(button(.show, language.page.show, token: token, isMain: true))
                """)
    }

    /// The page after *Show*.
    ///
    /// - Parameters:
    ///   - remark: what the last button led to; nil = nothing
    ///   - isDone: whether the timer handles the last button now
    static func page(
        _ page: QuestionPage, token: String, remark: String?, isDone: Bool
    ) -> HTMLPage {
        let phrases = page.language.question
        var parts: [HTML] = []
        if let remark { parts.append("<p class=\"note\" role=\"status\">\(remark)</p>") }
        switch page.state {
        case .answered where !isDone: parts.append("<h1>\(phrases.answered)</h1>")
        case .expired where !isDone: parts.append("<h1>\(phrases.expired)</h1>")
        case .answered, .expired: break
        case .open where !isDone: parts += question(page, phrases, token: token)
        case .open:
            parts.append("<p><a class=\"button\" href=\"\">\(page.language.page.refresh)</a></p>")
        }
        return HTMLPage(title: phrases.title, language: page.language.rawValue, body: HTML(parts))
    }

    private static func question(
        _ page: QuestionPage, _ phrases: QuestionPhrases, token: String
    ) -> [HTML] {
        let due = page.isWatch ? phrases.watchEnds(page.due) : phrases.checkInDue(page.due)
        var parts: [HTML] = [
            "<h1>\(phrases.areYouOK)</h1>",
            "<p>\(due) \(phrases.alarmAt(page.alarmAt))</p>",
        ]
        if page.isWatch {
            parts += minutes.map {
                button(.extend(minutes: $0), phrases.extend($0), token: token, isMain: true)
            }
        }
        if page.asksPIN {
            parts.append(pinForm(page.isWatch ? phrases.end : phrases.safe, phrases, token: token))
        } else if page.isWatch {
            parts.append("<p class=\"quiet\">\(phrases.endInApp)</p>")
        } else {
            parts.append(button(.safe, phrases.safe, token: token, isMain: true))
        }
        return parts
    }

    private static func button(
        _ button: Button, _ label: String, token: String, isMain: Bool = false
    ) -> HTML {
        """
        <form method="post" action="">
        <input type="hidden" name="\(PageProof.field)" value="\(token)">
        <button\(isMain ? " class=\"go\"" : "") name="\(Field.action)" value="\(button.value)">\
        \(label)</button>
        </form>
        """
    }

    private static func pinForm(
        _ label: String, _ phrases: QuestionPhrases, token: String
    ) -> HTML {
        """
        <form method="post" action="">
        <input type="hidden" name="\(PageProof.field)" value="\(token)">
        <label>\(phrases.pin)
        <input type="password" name="\(Field.pin)" inputmode="numeric" maxlength="8" \
        autocomplete="off"></label>
        <button class="go" name="\(Field.action)" value="\(Button.safe.value)">\(label)</button>
        </form>
        """
    }
}

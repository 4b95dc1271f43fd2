import Hashing

/// A page without script, for any phone's browser.
///
/// Everything is in one response: no script, font, image or style sheet is fetched. Colours follow
/// the phone's setting, dark or light. Neither caches nor search engines keep the page, and links
/// on it tell nobody its address.
///
///     HTMLPage(title: "Jaga", language: "en", body: "<p>\(text)</p>").response()
public struct HTMLPage: Hashable, Sendable {
    public var title: String
    /// BCP 47.
    public var language: String
    public var body: HTML

    public init(title: String, language: String, body: HTML) {
        self.title = title
        self.language = language
        self.body = body
    }

    /// - Parameter cookie: a `Set-Cookie` header; nil = none
    public func response(status: Int = 200, cookie: String? = nil) -> Response {
        var response = Response(status: status, body: Array(document.text.utf8))
        for (name, value) in HTMLPage.headers { response.headers.append(name, value) }
        if let cookie { response.headers.append("Set-Cookie", cookie) }
        return response
    }

    private var document: HTML {
        """
        <!doctype html>
        <html lang="\(language)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex, nofollow">
        <meta name="referrer" content="no-referrer">
        <meta name="color-scheme" content="light dark">
        <meta name="format-detection" content="telephone=no">
        <title>\(title)</title>
        <style>\(HTML(stringLiteral: HTMLPage.style))</style>
        </head>
        <body>
        <main>
        \(body)
        </main>
        </body>
        </html>

        """
    }

    /// Headers of every page, with error pages.
    static let headers: [(String, String)] = [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Cache-Control", "no-store"),
        ("X-Robots-Tag", "noindex, nofollow, noarchive"),
        ("Referrer-Policy", "no-referrer"),
        ("Content-Security-Policy", policy),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    /// No script, and no style but ours.
    private static let policy: String = {
        let hash = Base64.encode(Hash.sha256(Array(style.utf8)))
        return "default-src 'none'; style-src 'sha256-\(hash)'; form-action 'self'; "
            + "base-uri 'none'; frame-ancestors 'none'"
    }()

    /// Classes: `go` and `end` are the buttons that respond and that end, `note` is a remark in a
    /// frame, `quiet` is less important text. `sketch` and the classes after it are of drawings.
    private static let style = """
        :root{color-scheme:light dark;--b:#fff;--t:#111;--q:#555;--l:#bbb;--g:#0a6b2d;--r:#b3261e}
        @media(prefers-color-scheme:dark){
        :root{--b:#111;--t:#f2f2f2;--q:#aaa;--l:#555;--g:#2e9e57;--r:#ff8a80}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--b);color:var(--t);font:1.125rem/1.45 system-ui,sans-serif}
        main{max-width:34rem;margin:0 auto;padding:1rem}
        h1{font-size:1.5rem;line-height:1.25;margin:.25rem 0 1rem}
        h2{font-size:1.125rem;margin:1.5rem 0 .25rem}
        p,dl,ul{margin:.5rem 0}
        ul{padding-left:1.25rem}
        dt{color:var(--q);font-size:1rem}
        dd{margin:0 0 .75rem}
        a{color:inherit}
        svg{display:block;width:100%;height:auto}
        form{margin:1rem 0}
        label{display:block}
        textarea,input{width:100%;font:inherit;padding:.75rem;border:1px solid var(--l);
        border-radius:.5rem;background:transparent;color:inherit}
        button,.button{display:block;width:100%;min-height:3.5rem;margin:.75rem 0;padding:.75rem;
        font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;
        border:2px solid var(--t);border-radius:.75rem;background:transparent;color:inherit}
        button:focus-visible,a:focus-visible,textarea:focus-visible,input:focus-visible{
        outline:3px solid currentColor;outline-offset:2px}
        .go{background:var(--g);border-color:var(--g);color:#fff}
        .end{border-color:var(--r);color:var(--r)}
        .note{border:2px solid currentColor;border-radius:.75rem;padding:.75rem}
        .quiet{color:var(--q);font-size:1rem}
        summary{cursor:pointer;padding:.5rem 0}
        .sketch{border:1px solid var(--l);border-radius:.75rem;margin:1rem 0}
        .sketch text{font-size:13px;fill:var(--t);paint-order:stroke;stroke:var(--b);
        stroke-width:3px;stroke-linejoin:round}
        .zone{fill:var(--g);fill-opacity:.12;stroke:var(--g);stroke-width:1.5}
        .zone.alert{fill:var(--r);stroke:var(--r)}
        .way{fill:none;stroke:var(--t);stroke-width:2.5;stroke-linejoin:round;opacity:.75}
        .fix{fill:var(--t)}
        .near{fill:#3b82f6;fill-opacity:.18;stroke:#3b82f6}
        .here{fill:#3b82f6;stroke:var(--b);stroke-width:2}
        .doubt{fill:none;stroke:var(--t);stroke-width:1.5;stroke-dasharray:3 2}
        .edge{fill:none;stroke:var(--t);stroke-width:1.5}
        """
}

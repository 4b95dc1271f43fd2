import Model
import NotifierCore
import Parsing
import Store
import Testing
import Web

@testable import NotifierDaemon

/// The pages of personal links, as a browser without script sees them.
@Suite struct LinkPageTests {
    private let host: TestHost

    init() throws {
        host = try TestHost(publicURL: "https://jaga.example")
        var circle = try #require(host.replica.circle(family))
        circle.members.append(
            Membership(person: person(4), role: .guardian, joined: .zero, trackerID: "D1"))
        host.replica.apply(.circleChanged(circle))
        try host.receive(TestHost.opened(), on: .events(.of(person(1))))
    }

    /// The path of a person's link, from the last message to them.
    private func path(_ name: String = "Budi") throws -> String {
        let texts = try host.database.all(
            "SELECT text FROM sink WHERE address = ?1 ORDER BY seq DESC",
            .text("\(name)@example.org")
        ) { $0.text(0) }
        let text = try #require(texts.first)
        let start = try #require(text.firstRange(of: "https://jaga.example")).upperBound
        return String(text[start...].prefix { !$0.isWhitespace })
    }

    private struct Answer {
        var response: Response
        var text: String { String(decoding: response.body, as: UTF8.self) }

        /// The token of the first form.
        var form: String {
            let name = "name=\"page\" value=\""
            guard let start = text.firstRange(of: name) else { return "" }
            return String(text[start.upperBound...].prefix { $0 != "\"" })
        }

        var cookie: String? {
            response.headers["Set-Cookie"]?.split(separator: ";").first.map(String.init)
        }
    }

    private func get(_ path: String, cookie: String? = nil) throws -> Answer {
        let headers = cookie.map { [("Cookie", $0)] } ?? []
        let id = try host.send(.get, path, as: nil, headers: headers)
        return Answer(response: try #require(host.answers[id]))
    }

    private func press(
        _ path: String, _ button: String, form: String, note: String? = nil, cookie: String? = nil
    ) throws -> Answer {
        var query = Query([.init("page", form), .init("do", button)])
        if let note { query.items.append(.init("note", note)) }
        var headers = [("Content-Type", "application/x-www-form-urlencoded")]
        if let cookie { headers.append(("Cookie", cookie)) }
        let id = try host.send(.post, path, query.encoded, as: nil, headers: headers)
        return Answer(response: try #require(host.answers[id]))
    }

    private func show(_ path: String) throws -> Answer {
        try press(path, "show", form: try get(path).form)
    }

    private var looks: [AccessRecord] {
        host.published.compactMap {
            if case .accessRecorded(let record) = $0.body { record } else { nil }
        }
    }

    @Test func `a GET says nothing but that somebody needs help, and is no look`() throws {
        let path = try path()
        host.published = []
        let cover = try get(path)
        #expect(cover.response.status == 200)
        #expect(cover.text.contains("<h1>Somebody needs your help</h1>"))
        #expect(cover.text.contains("<title>Somebody needs your help</title>"))
        for word in [
            "Aisha", "Budi", "Family", "3.139", "101.6", "12:00", "04:00", "panic", "6011",
        ] {
            #expect(!cover.text.contains(word), "\(word)")
        }
        #expect(!cover.text.contains(path.dropFirst(3)), "nor the token")
        #expect(cover.response.headers["Set-Cookie"] == nil)
        #expect(cover.response.headers["Cache-Control"] == "no-store")
        #expect(cover.response.headers["Referrer-Policy"] == "no-referrer")
        #expect(cover.response.headers["X-Robots-Tag"]?.contains("noindex") == true)
        #expect(looks.isEmpty && host.published.isEmpty)
    }

    @Test func `Show shows it, sets a cookie for its path, and is one look`() throws {
        let path = try path()
        host.published = []
        let page = try show(path)
        #expect(page.response.status == 200)
        for word in ["Aisha: panic button", "3.13900, 101.68690", "within 10 m", "Dewi"] {
            #expect(page.text.contains(word), "\(word)")
        }
        #expect(page.text.contains("href=\"tel:+60111000001\""))
        #expect(page.text.contains("I am responding") && !page.text.contains("It is over"))
        let header = try #require(page.response.headers["Set-Cookie"])
        #expect(header.contains("; Path=\(path); ") && header.contains("; Secure; "))
        #expect(looks.map(\.viewer) == [person(2)] && looks.map(\.person) == [person(1)])
        #expect(looks.map(\.kind) == [.emergency])
        let again = try get(path, cookie: page.cookie)
        #expect(again.text.contains("Aisha: panic button"))
        #expect(try !get(path, cookie: "jaga-shown=x").text.contains("Aisha"))
        #expect(looks.count == 1, "one row an hour")
        let link = try #require(host.service.core.links.of(emergency(1)).first)
        #expect(link.recipient == person(2) && link.looks == 1)
        #expect(try !get(try self.path("Dewi"), cookie: page.cookie).text.contains("Aisha"))
    }

    @Test func `a form without the page's token shows and does nothing`() throws {
        let path = try path()
        let cover = try get(path)
        let other = try get(try self.path("Dewi")).form
        for form in ["", "1.x", other] {
            #expect(try !press(path, "show", form: form).text.contains("Aisha"))
        }
        // The token of the cover may only show.
        #expect(try !press(path, "acknowledge", form: cover.form).text.contains("Aisha"))
        let form = try show(path).form
        #expect(try !press(path, "explode", form: form).text.contains("Aisha"))
        host.now = host.now + PageProof.tokenAgeMax
        #expect(try !press(path, "acknowledge", form: form).text.contains("Aisha"))
        #expect(host.service.core.escalation.emergency(emergency(1))?.state == .open)
        #expect(looks.count == 1)
    }

    @Test func `the buttons respond, hand back and end, also without a cookie`() throws {
        let path = try path()
        var page = try show(path)
        page = try press(path, "acknowledge", form: page.form)
        #expect(page.text.contains("You are responding. We tell the others."))
        #expect(page.text.contains("Hand back") && page.text.contains("It is over"))
        page = try press(path, "withdraw", form: page.form)
        #expect(page.text.contains("You handed back."))
        #expect(!page.text.contains("It is over"))
        #expect(host.service.core.escalation.emergency(emergency(1))?.state == .open)
        page = try press(path, "resolve", form: page.form)
        #expect(page.text.contains("You may not do this."), "before anybody acknowledged")
        page = try press(path, "acknowledge", form: page.form)
        host.published = []
        page = try press(path, "resolve", form: page.form, note: "Found & safe")
        #expect(page.response.status == 200 && page.text.contains("It is over. Thank you."))
        #expect(page.response.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
        let notes = host.published.compactMap { event -> String? in
            if case .resolutionCommitted(let answer) = event.body { answer.note } else { nil }
        }
        #expect(notes == ["Found & safe"])
        #expect(try get(path).response.status == 404)
    }

    @Test func `the loser reads who was first, and somebody else's end closes the page`() throws {
        let (budi, dewi) = (try path(), try path("Dewi"))
        let forms = (try show(budi).form, try show(dewi).form)
        _ = try press(dewi, "acknowledge", form: forms.1)
        let late = try press(budi, "acknowledge", form: forms.0)
        #expect(late.text.contains("Dewi was first and is responding."))
        #expect(!late.text.contains("I am responding"))
        _ = try press(dewi, "resolve", form: forms.1)
        #expect(try press(budi, "resolve", form: forms.0).response.status == 404)
    }

    @Test func `guessed, malformed, foreign and ended links have one answer`() throws {
        let valid = try path()
        var circle = try #require(host.replica.circle(family))
        let left = try path("Dewi")
        circle.members.removeAll { $0.person == person(4) }
        host.replica.apply(.circleChanged(circle))
        let other = valid.hasSuffix("A") ? "Q" : "A"
        var links = [left, valid.dropLast() + other, "/e/x", "/e/\(emergency(1))"].map {
            String($0)
        }
        links.append("/e/" + String(repeating: "é", count: 22))
        let form = try get(valid).form
        _ = try host.post("/v1/emergencies/\(emergency(1))/acknowledgement", as: "person-2")
        _ = try host.post("/v1/emergencies/\(emergency(1))/resolution", as: "person-2")
        links.append(valid)
        for link in links {
            #expect(try get(link).response == ResponderPageView.invalidLink, "\(link)")
            #expect(try press(link, "show", form: form).response == ResponderPageView.invalidLink)
        }
        #expect(ResponderPageView.invalidLink.status == 404)
        #expect(ResponderPageView.invalidLink.headers["Cache-Control"] == "no-store")
    }

    @Test func `names and notes are text, not markup`() throws {
        var aisha = try #require(host.replica.person(person(1)))
        aisha.name = "<script>alert(1)</script>\" onload='x"
        host.replica.apply(.personChanged(aisha))
        let page = try show(try path())
        #expect(page.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&#39;x"))
        #expect(!page.text.contains("<script"))
    }

    @Test func `the page is in the reader's language`() throws {
        var budi = try #require(host.replica.person(person(2)))
        for (locale, help, respond) in [
            ("ms", "Seseorang memerlukan bantuan anda", "Saya akan membantu"),
            ("id", "Seseorang membutuhkan bantuan Anda", "Telepon"),
        ] {
            budi.locale = locale
            host.replica.apply(.personChanged(budi))
            #expect(try get(try path()).text.contains(help))
            let page = try show(try path())
            #expect(page.text.contains(respond) && page.text.contains("<html lang=\"\(locale)\">"))
        }
    }

    @Test func `a link works after a restart, and no other answer or event contains it`() throws {
        let path = try path()
        let token = path.dropFirst(3)
        try host.restart()
        let page = try show(path)
        #expect(page.text.contains("Aisha"))
        let message = try NotifierStore(database: host.database)
            .notifications(of: emergency(1), limit: 1).first
        let id = try #require(message).id
        for path in ["/v1/escalations/\(emergency(1))", "/v1/notifications/\(id)"] {
            let (status, json) = try host.get(path)
            #expect(status == 200 && !json.text.contains(token))
        }
        #expect(!"\(host.published)".contains(token))
        #expect(Request(id: 1, method: .get, path: path).pathWithoutSecrets == "/e/…")
    }

    @Test func `a form that is too large is rejected`() throws {
        let path = try path()
        let form = try show(path).form
        let note = String(repeating: "x", count: Limits.linkFormBytesMax)
        #expect(try press(path, "acknowledge", form: form, note: note).response.status == 413)
    }

    @Test func `members acknowledge with their code, and hand back`() throws {
        let messages = try NotifierStore(database: host.database)
            .notifications(of: emergency(1), limit: 10)
        let code = try #require(messages.first { $0.recipient == person(2) }).reference
        let path = "/v1/emergencies/by-reference/\(code)/acknowledgement"
        #expect(try host.post(path, as: "person-3").status == 404)
        #expect(try host.post(path, as: "operator").status == 403)
        #expect(try host.post(path, as: nil).status == 401)
        let (status, json) = try host.post(path, as: "person-2")
        #expect(status == 200 && json["yours"]?.bool == true)
        let id = try host.send(
            .delete, "/v1/emergencies/\(emergency(1))/acknowledgement", as: "person-2")
        #expect(try host.answer(to: id).json["state"]?.string == "open")
        for _ in 0..<4 { _ = try host.post(path, as: "person-3") }
        let last = try host.send(.post, path, as: "person-3")
        #expect(host.answers[last]?.status == 429)
        #expect(host.answers[last]?.headers["Retry-After"] != nil)
    }
}

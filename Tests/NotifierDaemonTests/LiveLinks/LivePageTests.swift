import Hashing
import Model
import NotifierCore
import Parsing
import Store
import Testing
import Web

@testable import NotifierDaemon

/// Live links from the API, and their pages as a browser without script sees them.
@Suite struct LivePageTests {
    private let host: TestHost
    private let path = "/v1/people/\(person(1))/live-links"

    init() throws {
        host = try TestHost(publicURL: "https://jaga.example")
    }

    private func locate(_ seconds: Int64 = 0, north: Int32 = 0, battery: UInt8 = 41) throws {
        var fix = TestHost.fix
        fix.time = noon + .seconds(seconds)
        fix.position.latitudeE7 += north
        try host.receive(
            .sosPosition(
                FollowedPosition(
                    person: person(1), emergency: nil, fixes: [fix], battery: battery)))
    }

    /// Makes a link and returns the path of its page.
    private func make(_ body: String = #"{"recipient":"Aunt Rose"}"#) throws -> String {
        let (status, json) = try host.post(path, body, as: "person-1")
        #expect(status == 201, "\(json.text)")
        let url = try #require(json["url"]?.string)
        #expect(url.hasPrefix("https://jaga.example/l/"))
        return String(url.dropFirst("https://jaga.example".count))
    }

    private struct Answer {
        var response: Response
        var text: String { String(decoding: response.body, as: UTF8.self) }

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
        let id = try host.send(
            .get, path, as: nil, headers: cookie.map { [("Cookie", $0)] } ?? [])
        return Answer(response: try #require(host.answers[id]))
    }

    private func show(_ path: String, form: String? = nil) throws -> Answer {
        let query = Query([.init("page", try form ?? get(path).form)])
        let id = try host.send(
            .post, path, query.encoded, as: nil,
            headers: [("Content-Type", "application/x-www-form-urlencoded")])
        return Answer(response: try #require(host.answers[id]))
    }

    private var looks: [AccessRecord] {
        host.published.compactMap {
            if case .accessRecorded(let record) = $0.body { record } else { nil }
        }
    }

    @Test func `a GET says nothing, and is no look`() throws {
        let page = try make()
        try locate()
        host.published = []
        let cover = try get(page)
        #expect(cover.response.status == 200)
        for word in ["Aisha", "Rose", "3.139", "101.6", "12:00", "04:00", "<svg", "41 %"] {
            #expect(!cover.text.contains(word), "\(word)")
        }
        for (name, value) in [
            ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
            ("X-Robots-Tag", "noindex, nofollow, noarchive"),
        ] { #expect(cover.response.headers[name] == value) }
        #expect(cover.response.headers["Content-Security-Policy"]?.contains("script") == false)
        #expect(!cover.text.contains("<script") && looks.isEmpty)
    }

    @Test func `Show shows position, battery, trail and sketch, and is one look`() throws {
        let page = try make()
        try locate(-5)
        try locate(20, north: 9000)
        try locate(40, north: 18_000, battery: 39)
        host.now = noon + .seconds(100)
        host.published = []
        let shown = try show(page)
        for word in [
            "Where Aisha is", "3.14080, 101.68690", "within 10 m", "(1 min ago)", "39 %", "<svg",
            "Made for Aunt Rose", "3.13990",
        ] { #expect(shown.text.contains(word), "\(word)") }
        #expect(!shown.text.contains("3.13900"), "what was before the link is not shown")
        #expect(!shown.text.contains("tel:") && !shown.text.contains("Family"))
        #expect(looks.map(\.kind) == [.liveLink] && looks.map(\.linkName) == ["Aunt Rose"])
        #expect(looks.map(\.person) == [person(1)])
        #expect(try get(page, cookie: shown.cookie).text.contains("Where Aisha is"))
        #expect(looks.count == 1, "one row an hour")
        let list = try host.get(path, as: "person-1").json["items"]?.array ?? []
        #expect(list.count == 1)
        #expect(list.first?["shown"]?["count"]?.int == 1)
        #expect(list.first?["shown"]?["times"]?.array?.count == 1)
        #expect(list.first?["recipient"]?.string == "Aunt Rose")
    }

    @Test func `a form that nobody was shown shows nothing`() throws {
        let page = try make()
        let other = try make(#"{"recipient":"Ben"}"#)
        let foreign = try get(other).form
        for form in ["", "1.x", foreign] {
            #expect(try !show(page, form: form).text.contains("Aisha"))
        }
        #expect(try show(page).text.contains("Aisha"))
    }

    @Test func `links that are revoked, over, guessed or foreign have one answer`() throws {
        let page = try make(#"{"recipient":"Ben","seconds":600}"#)
        let second = try make(#"{"recipient":"Ben","seconds":60}"#)
        let id = try #require(
            try host.get(path, as: "person-1").json["items"]?.array?.first {
                $0["expires"]?.string?.contains("04:10") == true
            }?["id"]?.string)
        let form = try get(page).form
        let removal = try host.send(.delete, "\(path)/\(id)", as: "person-1")
        #expect(host.answers[removal]?.status == 204)
        host.now = noon + .seconds(61)
        var answers: [Response] = []
        for path in [page, second, "/l/x", "/l/" + String(repeating: "A", count: 22)] {
            answers.append(try get(path).response)
            answers.append(try show(path, form: form).response)
        }
        #expect(Set(answers).count == 1 && answers.first?.status == 404)
        let ends = try host.get(path, as: "person-1").json["items"]?.array?.map {
            $0["end"]?.string
        }
        #expect(Set(ends ?? []) == ["revoked", "expired"])
    }

    @Test func `others neither list, make nor revoke`() throws {
        _ = try make()
        let id = try #require(
            try host.get(path, as: "person-1").json["items"]?.array?.first?["id"]?.string)
        #expect(try host.get(path, as: "person-2").status == 403)
        #expect(try host.get(path, as: "operator").status == 403)
        #expect(try host.post(path, #"{"recipient":"X"}"#, as: "person-2").status == 403)
        let removal = try host.send(.delete, "\(path)/\(id)", as: "person-2")
        #expect(host.answers[removal]?.status == 404)
    }

    @Test(arguments: [
        #"{}"#, #"{"recipient":""}"#, #"{"recipient":7}"#, #"{"recipient":"B","seconds":59}"#,
        #"{"recipient":"B","seconds":86401}"#, #"{"recipient":"B","watch":true,"journey":true}"#,
        #"{"recipient":"B","emergency":"x"}"#, #"{"recipient":"B","zones":[1]}"#,
        #"{"recipient":"B","watch":1}"#, #"{"recipient":"B","seconds":1e300}"#,
    ])
    func `what is wrong is rejected`(body: String) throws {
        #expect(try host.post(path, body, as: "person-1").status == 400)
    }

    @Test func `the store has no token and no form`() throws {
        let page = try make()
        _ = try show(page)
        #expect(!host.storeText().contains(String(page.dropFirst(3))))
    }

    @Test func `a guardian's link for an emergency shows it, and ends with it`() throws {
        try host.receive(TestHost.opened(), on: .events(.of(person(1))))
        try locate(5)
        let (status, json) = try host.post(
            path, #"{"recipient":"Police","emergency":"\#(emergency(1))"}"#, as: "person-2")
        #expect(status == 201, "\(json.text)")
        let page = String(try #require(json["url"]?.string).dropFirst(20))
        #expect(try show(page).text.contains("Aisha: panic button"))
        let own = try host.get(path, as: "person-1").json["items"]?.array ?? []
        #expect(own.first?["maker"]?["name"]?.string == "Budi", "the person sees it")
        #expect(try host.get(path, as: "person-2").json["items"]?.array?.count == 1)
        try host.receive(
            .emergencyResolved(
                EmergencyChange(
                    emergency: emergency(1), person: person(1), state: .resolved, trigger: .panic,
                    signal: emergency(1), raised: noon, countdownEnds: noon)),
            on: .events(.of(person(1))))
        #expect(try get(page).response.status == 404)
    }

    @Test func `a suspect position is marked on the page`() throws {
        let page = try make()
        try locate(5)
        try locate(20, north: 5_000_000)
        host.now = noon + .seconds(30)
        let shown = try show(page)
        #expect(shown.text.contains("doubtful") && shown.text.contains("class=\"doubt\""))
    }
}

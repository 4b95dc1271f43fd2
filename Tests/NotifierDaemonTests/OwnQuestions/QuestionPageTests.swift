import Hashing
import Model
import NotifierCore
import Parsing
import Store
import Testing
import Web

@testable import NotifierDaemon

/// The pages of questions, as a browser without script sees them.
@Suite struct QuestionPageTests {
    private let host: TestHost

    init() throws {
        host = try TestHost(publicURL: "https://jaga.example")
        let salt = [UInt8](repeating: 7, count: PINHash.saltBytes)
        let hashes = ["4711", "0815", "unused", "none"].map {
            Hex.encode(PINHash.of($0, person: person(1), salt: salt))
        }
        host.replica.apply(
            .pinChanged(PersonPIN(person: person(1), salt: Hex.encode(salt), hashes: hashes)))
        for (state, version) in [(WatchState.active, Int64(1)), (.reminded, 2)] {
            try receive(state, version: version)
        }
    }

    private func receive(_ state: WatchState, version: Int64) throws {
        let watch = Watch(
            id: WatchID(ID128(high: 5, low: 5)), person: person(1), started: host.now,
            deadline: host.now + .seconds(300), state: state, version: version)
        let event = Event(
            id: EventID(ID128(high: 77, low: UInt64(version))), time: host.now, trace: "",
            body: .watchChanged(watch))
        try host.receive(event, on: .deadlines)
    }

    private func path() throws -> String {
        let texts = try host.database.all("SELECT text FROM sink ORDER BY seq DESC") { $0.text(0) }
        let text = try #require(texts.first { $0.contains("https://jaga.example/q/") })
        let start = try #require(text.firstRange(of: "https://jaga.example")).upperBound
        return String(text[start...].prefix { !$0.isWhitespace })
    }

    private struct Page {
        var response: Response
        var text: String { String(decoding: response.body, as: UTF8.self) }

        /// The token of the first form.
        var form: String {
            let name = "name=\"page\" value=\""
            guard let start = text.firstRange(of: name) else { return "" }
            return String(text[start.upperBound...].prefix { $0 != "\"" })
        }
    }

    private func get(_ path: String) throws -> Page {
        let id = try host.send(.get, path, as: nil)
        return Page(response: try #require(host.answers[id]))
    }

    private func press(
        _ path: String, _ button: String, form: String, pin: String? = nil
    ) throws -> Page {
        var query = Query([.init("page", form), .init("do", button)])
        if let pin { query.items.append(.init("pin", pin)) }
        let headers = [("Content-Type", "application/x-www-form-urlencoded")]
        let id = try host.send(.post, path, query.encoded, as: nil, headers: headers)
        return Page(response: try #require(host.answers[id]))
    }

    private var answers: [SafetyAnswer] {
        host.published.compactMap {
            if case .safetyAnswerReceived(let answer) = $0.body { answer } else { nil }
        }
    }

    @Test func `a GET says nothing, and Show shows the question`() throws {
        let path = try path()
        let cover = try get(path)
        #expect(cover.response.status == 200)
        for word in ["watch", "Aisha", "OK?", "PIN"] {
            #expect(!cover.text.contains(word), "\(word)")
        }
        #expect(cover.response.headers["Cache-Control"] == "no-store")
        let page = try press(path, "show", form: cover.form)
        for word in ["Are you OK?", "Your watch ends at", "30 minutes more", "Your PIN"] {
            #expect(page.text.contains(word), "\(word)")
        }
        #expect(page.response.headers["Set-Cookie"]?.contains("Path=\(path);") == true)
        #expect(!page.text.contains("<script"))
    }

    @Test func `its buttons extend, and end with the PIN; the duress PIN has the same page`() throws
    {
        let path = try path()
        func shown() throws -> Page { try press(path, "show", form: try get(path).form) }
        let extended = try press(path, "extend-30", form: try shown().form)
        #expect(extended.text.contains("We extend your watch."))
        let wrong = try press(path, "safe", form: try shown().form, pin: "1111")
        #expect(wrong.text.contains("The PIN is wrong.") && answers.isEmpty)
        let form = try shown().form
        let safe = try press(path, "safe", form: form, pin: "4711")
        let duress = try press(path, "safe", form: form, pin: "0815")
        #expect(safe.text.contains("Noted: you are safe."))
        #expect(safe.response == duress.response)
        #expect(answers.map(\.outcome) == [.safe, .underDuress])
        try receive(.ended, version: 3)
        #expect(try shown().text.contains("This was answered."))
    }

    @Test func `a form without the page's token does nothing, nor does a wrong link`() throws {
        let path = try path()
        let cover = try get(path)
        for form in ["", "1.x", cover.form] {
            _ = try press(path, "safe", form: form, pin: "4711")
        }
        #expect(answers.isEmpty)
        let unknown = "/q/" + LinkToken(random: [UInt8](repeating: 9, count: 16)).text
        for path in [unknown, "/q/x", path.replacing("/q/", with: "/e/")] {
            #expect(try get(path).response.status == 404)
        }
    }
}

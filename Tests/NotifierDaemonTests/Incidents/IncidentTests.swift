import Glibc
import Model
import NotifierCore
import Parsing
import Store
import Testing
import Web

@testable import NotifierDaemon

/// The list of emergencies, and one of them whole.
@Suite struct IncidentTests {
    private let host: TestHost

    init() throws {
        // As every service does.
        signal(SIGPIPE, SIG_IGN)
        host = try TestHost(publicURL: "https://jaga.example")
        try host.receive(TestHost.opened(), on: .events(.of(person(1))))
        for second in [10, 20, 30] as [Int64] {
            var fix = TestHost.fix
            fix.time = noon + .seconds(second)
            fix.position.latitudeE7 += Int32(second) * 100
            try host.receive(
                .sosPosition(
                    FollowedPosition(
                        person: person(1), emergency: emergency(1), fixes: [fix], battery: 40)))
        }
        host.now = noon + .seconds(40)
    }

    private func ids(_ query: String = "", as token: String = "person-2") throws -> [String] {
        let (status, json) = try host.get("/v1/emergencies", as: token, query: query)
        #expect(status == 200, "\(json.text)")
        return (json["items"]?.array ?? []).compactMap { $0["id"]?.string }
    }

    private func resolve() throws {
        _ = try host.post("/v1/emergencies/\(emergency(1))/acknowledgement", as: "person-2")
        _ = try host.post(
            "/v1/emergencies/\(emergency(1))/resolution", #"{"note":"Found her"}"#, as: "person-2")
    }

    @Test func `the list has the emergencies that its reader may know of, by state and time`()
        throws
    {
        let id = "\(emergency(1))"
        for token in ["person-1", "person-2", "operator"] {
            #expect(try ids(as: token) == [id], "\(token)")
        }
        #expect(try ids(as: "person-4").isEmpty, "of no circle of hers")
        #expect(try ids("state=open") == [id] && ids("state=active") == [id])
        #expect(try ids("state=ended").isEmpty)
        #expect(try ids("circle=\(family)") == [id])
        #expect(try ids("since=2026-11-20T04:00:00Z") == [id])
        #expect(try ids("since=2026-11-20T04:00:01Z").isEmpty)
        try resolve()
        #expect(try ids("state=ended") == [id] && ids("state=active").isEmpty)
        for query in ["state=x", "since=x", "circle=x"] {
            #expect(try host.get("/v1/emergencies", as: "person-2", query: query).status == 400)
        }
        let other = CircleID(ID128(high: 3, low: 77))
        #expect(
            try host.get("/v1/emergencies", as: "person-2", query: "circle=\(other)").status == 404)
    }

    @Test func `one emergency whole has place, trail, tiers, attempts, reasons and notes`() throws {
        _ = try host.post(
            "/v1/emergencies/\(emergency(1))/acknowledgement", #"{"note":"On my way"}"#,
            as: "person-2")
        let (status, json) = try host.get(
            "/v1/emergencies/\(emergency(1))/incident", as: "person-1")
        #expect(status == 200, "\(json.text)")
        #expect(json["place"]?["lat"]?.double.map { abs($0 - 3.1393) < 1e-6 } == true)
        #expect(json["place"]?["suspect"]?.bool == false && json["battery"]?.int == 40)
        #expect(json["trail"]?.array?.count == 2)
        #expect(json["acknowledgements"]?.array?.first?["by"]?["name"]?.string == "Budi")
        let tier = json["tiers"]?.array?.first
        #expect(
            tier?["people"]?.array?.first?["because"]?.string == "It was the turn of their tier.")
        let budi = json["recipients"]?.array?.first { $0["person"]?["name"]?.string == "Budi" }
        let message = budi?["messages"]?.array?.first
        #expect(message?["attempts"]?.array?.first?["outcome"]?.string == "sink")
        #expect(message?["to"]?.string?.hasPrefix("…") == true, "no address of others")
        let notes = json["notes"]?.array?.compactMap { $0["text"]?.string } ?? []
        #expect(notes.contains("On my way"))
    }

    @Test func `a guardian sees no messages to others, a stranger nothing`() throws {
        let path = "/v1/emergencies/\(emergency(1))/incident"
        let (status, json) = try host.get(path, as: "person-2")
        #expect(status == 200 && json["positionShown"]?.bool == true)
        for recipient in json["recipients"]?.array ?? [] {
            let isReader = recipient["person"]?["name"]?.string == "Budi"
            #expect(recipient["messages"]?.isNull == !isReader)
        }
        #expect(try host.get(path, as: "person-4").status == 404)
        #expect(try host.get(path, as: nil).status == 401)
        #expect(try host.get(path, as: "operator").status == 400, "staff say why")
    }

    /// The person ended it with a duress PIN: to them it has ended, for others it goes on.
    @Test func `under duress the person sees only the end`() throws {
        var signal = EmergencySignal(
            id: emergency(2), person: person(1), trigger: .panic, raised: host.now,
            received: host.now, countdownEnds: host.now, fix: TestHost.fix)
        signal.underDuress = emergency(1)
        try host.receive(.sosRaised(signal))
        try host.receive(
            .emergencyCancelled(
                EmergencyChange(
                    emergency: emergency(1), person: person(1), state: .cancelled, trigger: .panic,
                    signal: emergency(1), raised: noon, countdownEnds: noon)),
            on: .events(.of(person(1))))
        #expect(try ids(as: "person-1") == ["\(emergency(1))"])
        #expect(try ids("state=active", as: "person-1").isEmpty)
        #expect(try ids(as: "person-2") == ["\(emergency(2))"])
        func state(_ number: UInt64, as token: String) throws -> String? {
            try host.get("/v1/emergencies/\(emergency(number))/incident", as: token)
                .json["state"]?.string
        }
        #expect(try state(1, as: "person-1") == "cancelled")
        #expect(try state(2, as: "person-1") == nil)
        #expect(try state(1, as: "person-2") == "open" && state(2, as: "person-2") == "open")
    }

    @Test func `it is printed as PDF, with names in any script`() throws {
        var aisha = try #require(host.replica.person(person(1)))
        aisha.name = "Łucja Ωmega Жанна 王小明 அன்பு"
        host.replica.apply(.personChanged(aisha))
        let id = try host.send(
            .get, "/v1/emergencies/\(emergency(1))/incident", as: "person-2", query: "format=pdf")
        #expect(host.answers[id] == nil && host.service.suspendedRequests == [id])
        for _ in 0..<2000 where host.answers[id] == nil {
            try host.turn { _ in }
            waitBriefly()
        }
        let response = try #require(host.answers[id])
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == "application/pdf")
        #expect(response.body.starts(with: Array("%PDF-".utf8)))
        #expect(host.service.suspendedRequests.isEmpty)
    }

    @Test func `a printer that is missing or dies is answered 503`() throws {
        for program in ["/nonexistent", "/bin/false"] {
            let printer = ReportPrinter(program: program)
            try printer.append(PrintedReport(footer: "", blocks: []), for: 1, at: noon)
            var answers: [(request: UInt64, response: Response)] = []
            for _ in 0..<2000 where answers.isEmpty {
                answers = printer.finished(at: noon)
                waitBriefly()
            }
            #expect(answers.map(\.response.status) == [503])
            #expect(printer.requests == [1])
            printer.committed()
            #expect(printer.requests.isEmpty)
        }
    }

    @Test func `a printer that hangs is killed after its time`() throws {
        let printer = ReportPrinter(program: "/bin/cat")
        try printer.append(PrintedReport(footer: "", blocks: []), for: 1, at: noon)
        // It repeats the message, which is no document.
        var answers: [(request: UInt64, response: Response)] = []
        for _ in 0..<2000 where answers.isEmpty {
            answers = printer.finished(at: noon)
            waitBriefly()
        }
        #expect(answers.map(\.response.status) == [503])
        for number in 1...UInt64(Limits.reportsWaitingMax) + 1 {
            try printer.append(PrintedReport(footer: "", blocks: []), for: number, at: noon)
        }
        #expect(throws: Problem.self) {
            try printer.append(PrintedReport(footer: "", blocks: []), for: 99, at: noon)
        }
    }

    // MARK: The page of a recipient

    @Test func `the page of a recipient has the trail and a sketch`() throws {
        let texts = try host.database.all(
            "SELECT text FROM sink WHERE address = 'Budi@example.org' ORDER BY seq DESC"
        ) { $0.text(0) }
        let text = try #require(texts.first)
        let start = try #require(text.firstRange(of: "https://jaga.example")).upperBound
        let path = String(text[start...].prefix { !$0.isWhitespace })
        let cover = try host.send(.get, path, as: nil)
        let page = String(decoding: try #require(host.answers[cover]).body, as: UTF8.self)
        let form = try #require(page.firstRange(of: "name=\"page\" value=\"")).upperBound
        let token = String(page[form...].prefix { $0 != "\"" })
        let id = try host.send(
            .post, path, Query([.init("page", token), .init("do", "show")]).encoded, as: nil,
            headers: [("Content-Type", "application/x-www-form-urlencoded")])
        let shown = String(decoding: try #require(host.answers[id]).body, as: UTF8.self)
        for word in ["3.13930", "3.13920", "3.13910", "<svg", "class=\"way\"", "School"] {
            #expect(shown.contains(word), "\(word)")
        }
    }
}

/// A few milliseconds, for another process.
private func waitBriefly() { _ = poll(nil, 0, 5) }

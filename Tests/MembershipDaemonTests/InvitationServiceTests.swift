import Parsing
import Runtime
import TestSupport
import Testing

@testable import MembershipDaemon

extension RunningMembership {
    /// An invitation as its creator sees it, and its token.
    func invite(
        to circle: String, _ body: String = "{}", as token: String? = nil
    ) throws -> (answer: PlainHTTP.Answer, path: String, token: String) {
        let answer = try ask(
            "POST", circle + "/invitations?url=https://jaga.example", body, as: token)
        let link = try answer.text("link")
        guard let mark = link.firstRange(of: "#invitation=") else {
            throw TestFailure("no token in the link")
        }
        return (
            answer, answer.headers["location"] ?? "", String(link[mark.upperBound...])
        )
    }
}

@Suite(.serialized) struct InvitationServiceTests {
    private static let preview = "/v1/invitations/preview"
    private static let acceptance = "/v1/invitations/acceptance"
    private static let decline = "/v1/invitations/decline"

    @Test func `the link has the token in its fragment, and is shown once`() async throws {
        let jaga = try await RunningMembership()
        let circle =
            try "/v1/circles/" + jaga.ask("POST", "/v1/circles", "{'name': 'C'}").text("id")
        let (answer, path, token) = try jaga.invite(to: circle)
        #expect(answer.status == 201)
        #expect(try answer.text("link") == "https://jaga.example/app/#invitation=\(token)")
        #expect(try answer.text("qrSVG").hasPrefix("<svg"))
        #expect(try answer.text("qrPNG").hasPrefix("data:image/png;base64,iVBOR"))
        #expect(token.utf8.count == 43)
        let read = try jaga.ask("GET", path)
        #expect(read.status == 200 && read.json["state"] == "open")
        for text in [read.text, try jaga.ask("GET", circle + "/invitations").text] {
            #expect(!text.contains(token) && !text.contains("link"))
        }
        #expect(!jaga.storeBytes().contains(token))
        #expect(jaga.membership?.text.contains(token) == false)
    }

    @Test func `a preview tells who will see what, and names no member`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna Tan")
        let ben = try jaga.person("Benedict")
        let annas = try jaga.token(of: anna)
        let made = try jaga.ask(
            "POST", "/v1/circles",
            "{'name': 'Family', 'membersSeePositions': false, 'historyDays': 7}", as: annas)
        let circle = try "/v1/circles/" + made.text("id")
        try jaga.ask("POST", circle + "/members", "{'person': '\(ben)', 'precision': 'zone'}")
        let token = try jaga.invite(to: circle, as: annas).token
        let shown = try PlainHTTP(port: jaga.portBase + 2).send(
            "POST", Self.preview, body: Array("{\"token\": \"\(token)\"}".utf8))
        #expect(shown.status == 200)
        #expect(shown.json["circle"] == "Family" && shown.json["inviter"] == "Anna Tan")
        #expect(
            shown.json["watchers"] == [
                ["role": "admin", "people": 1, "seesPosition": true, "historyDays": 7],
                ["role": "guardian", "people": 0, "seesPosition": true, "historyDays": 7],
                ["role": "member", "people": 1, "seesPosition": false, "historyDays": 7],
            ])
        for word in ["Benedict", ben, "precision", "sharing", "trackerID"] {
            #expect(!shown.text.contains(word), "\(word)")
        }
    }

    @Test func `an invitation survives a kill, is declined or used up, and says so`() async throws {
        let jaga = try await RunningMembership()
        let ben = try jaga.token(of: jaga.person("Ben"))
        let eko = try jaga.token(of: jaga.person("Eko"))
        let circle =
            try "/v1/circles/" + jaga.ask("POST", "/v1/circles", "{'name': 'C'}").text("id")
        let first = try jaga.invite(to: circle)
        let second = try jaga.invite(to: circle)
        await jaga.kill()
        try await jaga.startAgain()
        func body(_ token: String) -> String { "{'token': '\(token)'}" }
        #expect(try jaga.ask("POST", Self.acceptance, body(first.token), as: ben).status == 200)
        let used = try jaga.ask("POST", Self.acceptance, body(first.token), as: eko)
        #expect(used.status == 409)
        #expect(used.json["detail"] == "this invitation was already used")
        #expect(try jaga.ask("POST", Self.preview, body(first.token)).status == 409)
        let http = PlainHTTP(port: jaga.portBase + 2)
        let refusal = Array("{\"token\": \"\(second.token)\"}".utf8)
        #expect(try http.send("POST", Self.decline, body: refusal).status == 204)
        #expect(try jaga.ask("GET", second.path).json["state"] == "declined")
        #expect(try jaga.ask("POST", Self.acceptance, body(second.token), as: eko).status == 409)
        #expect(try jaga.ask("DELETE", first.path).status == 204)
        let operatorJoins = try jaga.ask("POST", Self.acceptance, body(second.token))
        #expect(operatorJoins.status == 403)
    }

    @Test func `a number is masked for others, and needs the configured URL`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.token(of: jaga.person("Anna"))
        let circle =
            try "/v1/circles/"
            + jaga.ask("POST", "/v1/circles", "{'name': 'C'}", as: anna).text("id")
        let body = "{'contact': '+60123456789'}"
        let unconfigured = try jaga.ask("POST", circle + "/invitations", body, as: anna)
        #expect(unconfigured.status == 400 && unconfigured.field == "contact")
        await jaga.kill()
        try await jaga.startAgain(["JAGA_PUBLIC_URL": "https://jaga.example/"])
        let made = try jaga.invite(to: circle, body, as: anna)
        #expect(try made.answer.text("link").hasPrefix("https://jaga.example/app/#"))
        #expect(made.answer.json["contact"]?["address"] == "+60123456789")
        #expect(try jaga.ask("GET", made.path).json["contact"]?["address"] == "+60…89")
        let wrong = try jaga.ask("POST", circle + "/invitations", "{'contact': 'Anna'}", as: anna)
        #expect(wrong.status == 400 && wrong.field == "contact")
        #expect(jaga.membership?.text.contains("60123456789") == false)
    }

    @Test func `random tokens and bodies are rejected`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.token(of: jaga.person("Anna"))
        let circle =
            try "/v1/circles/" + jaga.ask("POST", "/v1/circles", "{'name': 'C'}").text("id")
        let real = try jaga.invite(to: circle).token
        var tokens = ["", "x", String(real.dropLast()), real + "A", real.uppercased(), " " + real]
        for _ in 0..<60 { tokens.append(NewSecret().token) }
        for length in [1, 42, 44, 4096] { tokens.append(String(repeating: "é", count: length)) }
        let http = PlainHTTP(port: jaga.portBase + 2)
        for token in tokens {
            let body = JSON.object([.init("token", .string(token))]).serialized()
            for path in [Self.preview, Self.decline] {
                #expect(try http.send("POST", path, body: body).status == 404)
            }
            #expect(try http.send("POST", Self.acceptance, body: body, token: anna).status == 404)
        }
        for body in ["", "{", "[]", "{}", "{'token': 5}", "{'token': null}", "{'tokens': 'x'}"] {
            for path in [Self.preview, Self.decline, Self.acceptance] {
                #expect(try jaga.ask("POST", path, body, as: anna).status == 400, "\(body)")
            }
        }
    }

    @Test func `what a circle shows is raised for those who agree`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let ben = try jaga.person("Ben")
        let (annas, bens) = (try jaga.token(of: anna), try jaga.token(of: ben))
        let made = try jaga.ask(
            "POST", "/v1/circles", "{'name': 'C', 'membersSeePositions': false}", as: annas)
        let circle = try "/v1/circles/" + made.text("id")
        try jaga.ask("POST", circle + "/members", "{'person': '\(ben)'}")
        let raised = try jaga.ask("PUT", circle, "{'membersSeePositions': true}", as: annas)
        #expect(raised.status == 200)
        #expect(raised.json["members"]?[1]?["membersSeePosition"] == false)
        await jaga.kill()
        try await jaga.startAgain()
        let path = "/v1/people/\(ben)/consents"
        let asked = try jaga.ask("GET", path, as: bens).json["items"]?[0]
        #expect(asked?["question"] == "members-see-position" && asked?["state"] == "open")
        #expect(asked?["asker"]?["name"] == "Anna" && asked?["circle"]?["name"] == "C")
        #expect(try jaga.ask("GET", path, as: annas).status == 403)
        let one = path + "/" + (asked?["id"]?.string ?? "")
        #expect(try jaga.ask("PUT", one, "{}", as: bens).field == "agreed")
        let agreed = try jaga.ask("PUT", one, "{'agreed': true}", as: bens)
        #expect(agreed.json["state"] == "agreed")
        let after = try jaga.ask("GET", circle, as: annas)
        #expect(after.json["members"]?[1]?["membersSeePosition"] == true)
    }

    @Test func `a guardian declares a ward, who reads it`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let annas = try jaga.token(of: anna)
        let path = "/v1/people/\(anna)/wards"
        let body = "{'name': 'Fitri', 'wardUntil': '2040-01-01T00:00:00Z'}"
        #expect(try jaga.ask("POST", path, "{'name': 'Fitri'}", as: annas).field == "wardUntil")
        let made = try jaga.ask("POST", path, body, as: annas)
        #expect(made.status == 201)
        #expect(made.json["guardians"] == [.string(anna)])
        let fitri = try made.text("id")
        await jaga.kill()
        try await jaga.startAgain()
        #expect(try jaga.ask("GET", path, as: annas).json["items"]?[0]?["id"]?.string == fitri)
        #expect(try jaga.ask("GET", "/v1/people/\(fitri)", as: annas).status == 200)
        #expect(try jaga.ask("DELETE", "/v1/people/\(anna)", as: annas).status == 409)
        let ben = try jaga.person("Ben")
        let bens = try jaga.token(of: ben)
        #expect(try jaga.ask("GET", "/v1/people/\(fitri)", as: bens).status == 403)
        let asked = try jaga.ask(
            "POST", "/v1/people/\(ben)/wards", "{'person': '\(fitri)'}", as: bens)
        #expect(asked.status == 202 && asked.json["state"] == "open")
        let consents = "/v1/people/\(fitri)/consents"
        let consent = try jaga.ask("GET", consents, as: annas).json["items"]?[0]
        #expect(consent?["question"] == "guardian" && consent?["person"]?["name"] == "Ben")
        let one = consents + "/" + (consent?["id"]?.string ?? "")
        #expect(try jaga.ask("PUT", one, "{'agreed': true}", as: bens).status == 403)
        #expect(try jaga.ask("PUT", one, "{'agreed': true}", as: annas).status == 200)
        #expect(try jaga.ask("GET", "/v1/people/\(fitri)", as: bens).status == 200)
    }
}

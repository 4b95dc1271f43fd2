import Gateways
import Glibc
import Model
import NotifierCore
import Parsing
import Runtime
import TestSupport
import Testing
import Web
import Wire

@testable import NotifierDaemon

struct GatewayTests {
    private static let kannel = [
        "JAGA_SMS_GATEWAY": "kannel", "JAGA_SMS_URL": "http://127.0.0.1:9/cgi-bin/sendsms",
    ]

    private func opened() throws -> (TestHost, Transfer) {
        let host = try TestHost(Self.kannel)
        try host.receive(TestHost.opened())
        return (host, try #require(host.transfers.first))
    }

    private func end(_ transfer: Transfer, _ outcome: TransferOutcome, in host: TestHost) throws {
        try host.turn {
            try $0.transferCompleted(
                TransferResult(token: transfer.token, outcome: outcome, elapsed: .zero))
        }
    }

    private func accept(_ transfer: Transfer, in host: TestHost) throws {
        let answer = TransferAnswer(status: 202, body: Array("0: Accepted for delivery".utf8))
        try end(transfer, .answered(answer), in: host)
    }

    private func states(_ host: TestHost) throws -> [String] {
        try (host.get("/v1/notifications").json["items"]?.array ?? [])
            .compactMap { $0["state"]?.string }
    }

    private func callback(_ transfer: Transfer) throws -> String {
        guard case .http(let call) = transfer.call,
            let url = call.headers["X-Kannel-DLR-URL"], let query = url.firstIndex(of: "?")
        else { return "" }
        return String(url[..<query].dropFirst("http://127.0.0.1:8105".count))
    }

    @Test func `new settings without a gateway cause a warning in the log`() throws {
        let host = try TestHost(Self.kannel)
        let folder = try TemporaryFolder()
        let descriptor = open(folder.file("log"), O_WRONLY | O_CREAT, 0o600)
        host.log = Log(service: "notifier", level: .warning, descriptor: descriptor)
        let settings =
            GatewaySettings.all + [
                Setting(
                    "JAGA_MAP_URL", .url(["http", "https"]), default: "https://map.example",
                    help: "A map.")
            ]
        let empty = try Configuration(
            settings: settings, environment: [:], service: "notifier")
        host.service.makeGatewayRegistry = { configuration in
            GatewayRegistry(drivers: try GatewaySettings.drivers(configuration, callbackBase: ""))
        }
        // The second time nothing has changed.
        for _ in 0..<2 { try host.turn { try $0.reconfigure(empty) } }
        close(descriptor)
        let lines = String(decoding: try Files.read(folder.file("log")), as: UTF8.self)
            .split(separator: "\n").filter { $0.contains("nobody outside is reached") }
        #expect(lines.count == 1 && lines.first?.contains("no gateway is configured") == true)
    }

    @Test func `an emergency uses the safety lane, a zone notification the other`() throws {
        let (host, transfer) = try opened()
        #expect(transfer.lane == .safety)
        #expect(host.transfers.count == 1)
        try host.receive(.zoneEntered(TestHost.crossing))
        #expect(host.transfers.map(\.lane) == [.safety, .ordinary])
    }

    @Test func `attempts of rolled-back turns are pruned in time`() throws {
        let host = try TestHost(Self.kannel)
        let event = Event(
            id: EventID(ID128(high: 9, low: 1)), time: host.now, body: TestHost.opened())
        for _ in 0..<3 {
            try host.rolledBackTurn {
                try $0.apply(
                    event, from: .sos, at: Position(incarnation: .zero, sequence: 1, hash: 0))
            }
        }
        #expect(host.service.runner.transfers.inFlightAttempts.count == 3)
        host.now = host.now + Limits.attemptTimeout + .seconds(1)
        try host.turn { _ in }
        #expect(host.service.runner.transfers.inFlightAttempts.isEmpty)
    }

    @Test func `a receipt is accepted from any sender with the token`() throws {
        let (host, transfer) = try opened()
        try accept(transfer, in: host)
        let path = try callback(transfer)
        #expect(path.hasPrefix("/v1/receipts/"))
        let id = try host.send(.get, path, as: nil, query: "type=8&answer=ACK&to=+60111000002")
        #expect(host.answers[id]?.status == 200)
        #expect(try states(host) == ["accepted"])
        try host.send(.get, path, as: nil, query: "type=1&to=%2B60111000002")
        #expect(try states(host) == ["delivered"])
        try host.send(.get, path, as: nil, query: "type=2&to=%2B60111000002")
        #expect(try states(host) == ["delivered"])
        #expect(try host.get("/v1/receipts/AAAAAAAAAAAAAAAAAAAAAA", as: nil).status == 404)
    }

    @Test func `a receipt for another number or an unknown message changes nothing`() throws {
        let (host, transfer) = try opened()
        try accept(transfer, in: host)
        let path = try callback(transfer)
        for query in ["type=1&to=%2B60999", "type=77", "", "status=delivered"] {
            let id = try host.send(.get, path, as: nil, query: query)
            #expect(host.answers[id]?.status == 200)
        }
        #expect(try states(host) == ["accepted"])
    }

    @Test func `a person notified by mail gets no second mail when the number fails later`() throws
    {
        let mail = ["JAGA_MAIL_URL": "smtp://127.0.0.1:9", "JAGA_MAIL_FROM": "jaga@example.org"]
        let host = try TestHost(Self.kannel.merging(mail) { $1 })
        try host.receive(.zoneEntered(TestHost.crossing))
        let transfers = host.transfers
        #expect(transfers.count == 2)
        for transfer in transfers { try accept(transfer, in: host) }
        let sms = try #require(try transfers.first { try !callback($0).isEmpty })
        try host.restart()
        try host.send(.get, callback(sms), as: nil, query: "type=2&to=%2B60111000002")
        #expect(try states(host).sorted() == ["accepted", "rejected"])
        #expect(host.transfers.isEmpty)
    }

    @Test func `Jasmin's throttled message is not rejected, and a late delivery counts`()
        throws
    {
        let host = try TestHost(["JAGA_SMS_GATEWAY": "jasmin"])
        try host.receive(TestHost.opened())
        let transfer = try #require(host.transfers.first)
        try end(
            transfer,
            .answered(
                TransferAnswer(
                    status: 200, body: Array(#"Success "b001c86c-c633-495f-b133""#.utf8))),
            in: host)
        guard case .http(let call) = transfer.call else { return }
        let form = Query(encoded: String(decoding: call.body, as: UTF8.self))
        let path = String(try #require(form["dlr-url"]).dropFirst("http://127.0.0.1:8105".count))
        func report(_ query: String) throws {
            try host.send(.get, path, as: nil, query: "id=b001c86c&connector=smsc&" + query)
        }
        try report("level=1&message_status=ESME_RTHROTTLED")
        #expect(try states(host) == ["accepted"])
        // Whatever another gateway in front of the operator reports, a delivered message is
        // delivered.
        try report("level=1&message_status=ESME_RINVDSTADR")
        #expect(try states(host).contains("rejected"))
        try report("level=2&message_status=DELIVRD&err=000")
        #expect(try states(host).contains("delivered"))
        #expect(try !states(host).contains("rejected"))
    }

    @Test func `a status in Twilio's form is accepted, too`() throws {
        let folder = try TemporaryFolder()
        let secret = folder.file("secret")
        try Files.write(Array("token\n".utf8), to: secret, mode: 0o600)
        let host = try TestHost([
            "JAGA_SMS_GATEWAY": "twilio", "JAGA_SMS_URL": "http://127.0.0.1:9",
            "JAGA_SMS_USER": "AC1", "JAGA_SMS_PASSWORD_FILE": secret,
            "JAGA_SMS_SENDER": "+15550000000",
        ])
        try host.receive(TestHost.opened())
        let transfer = try #require(host.transfers.first)
        try end(
            transfer,
            .answered(
                TransferAnswer(
                    status: 201, body: Array(#"{"sid":"SM1","status":"queued"}"#.utf8))),
            in: host)
        #expect(try states(host) == ["accepted"])
        guard case .http(let call) = transfer.call else { return }
        let form = Query(encoded: String(decoding: call.body, as: UTF8.self))
        let path = try #require(form["StatusCallback"]?.dropFirst("http://127.0.0.1:8105".count))
        try host.send(
            .post, String(path), "MessageSid=SM1&MessageStatus=delivered&To=%2B60111000002",
            as: nil, headers: [("Content-Type", "application/x-www-form-urlencoded")])
        #expect(try states(host) == ["delivered"])
    }

    @Test
    func `after a crash with a call in flight an emergency is resent, a zone notification is not`()
        throws
    {
        let (host, first) = try opened()
        try host.receive(.zoneEntered(TestHost.crossing))
        let before = try callback(first)
        try host.restart()
        host.now = noon + .seconds(5)
        try host.turn { _ in }
        #expect(host.transfers.count == 1)
        #expect(try callback(host.transfers[0]) == before, "the same message")
        #expect(try states(host).sorted() == ["unknown", "unknown"])
        try accept(host.transfers[0], in: host)
        #expect(try states(host).sorted() == ["accepted", "unknown"])
    }

    @Test func `a result received in a rolled-back turn is handled again`() throws {
        let (host, transfer) = try opened()
        let result = TransferResult(
            token: transfer.token,
            outcome: .answered(TransferAnswer(status: 202, body: Array("0: ok".utf8))),
            elapsed: .zero)
        try host.rolledBackTurn { try $0.transferCompleted(result) }
        #expect(try states(host) == ["sending"])
        try host.turn { try $0.transferCompleted(result) }
        #expect(try states(host) == ["accepted"])
    }

    @Test func `wrong credentials at the gateway are a health problem`() throws {
        let (host, transfer) = try opened()
        let answer = TransferAnswer(
            status: 403, body: Array("Authorization failed for sendsms".utf8))
        try end(transfer, .answered(answer), in: host)
        #expect(host.service.healthProblems.count == 1)
        let gateways = try host.get("/v1/gateways").json["items"]?.array
        #expect(gateways?.first?["down"] == true)
        #expect(gateways?.first?["lastOutcome"]?.string == "misconfigured")
        host.now = noon + .seconds(5)
        try host.turn { _ in }
        #expect(host.transfers.count == 2, "an emergency goes on trying")
        try accept(host.transfers[1], in: host)
        #expect(host.service.healthProblems.isEmpty)
    }

    @Test func `a test is answered with the gateway's response`() throws {
        let host = try TestHost(Self.kannel)
        let id = try host.send(.post, "/v1/gateways/kannel/test", #"{"to":"+60123456789"}"#)
        #expect(host.answers[id] == nil, "not before the gateway has answered")
        try end(
            try #require(host.transfers.first),
            .answered(
                TransferAnswer(
                    status: 403, body: Array("Not routable. Do not try again.".utf8))),
            in: host)
        let answer = try host.answer(to: id)
        #expect(answer.status == 200)
        #expect(answer.json["outcome"]?.string == "unroutable")
        #expect(answer.json["answer"]?.string?.contains("Not routable") == true)
        let shown = answer.json["request"]?.string ?? ""
        #expect(shown.contains("X-Kannel-To: +60123456789\n"))
        #expect(shown.contains("/v1/receipts/MASKED?"))
        #expect(
            answer.json["response"]?.string
                == "HTTP status 403\n\nNot routable. Do not try again.")
        #expect(answer.json["rule"]?.string?.hasPrefix("RULE=unroutable 403") == true)
        #expect(try host.post("/v1/gateways/x/test", #"{"to":"+6"}"#).status == 404)
        #expect(try host.post("/v1/gateways/kannel/test", "{}").status == 400)
        #expect(try host.post("/v1/gateways/kannel/test", #"{"to":"a@b.c"}"#).status == 400)
    }

    @Test func `a dry run shows the request and sends nothing`() throws {
        let host = try TestHost(Self.kannel)
        let answer = try host.post(
            "/v1/gateways/kannel/test", #"{"to":"+60123456789","dryRun":true}"#)
        #expect(answer.status == 200)
        #expect(answer.json["request"]?.string?.contains("X-Kannel-To: +60123456789\n") == true)
        #expect(answer.json["outcome"] == nil)
        #expect(host.transfers.isEmpty)
        #expect(try host.get("/v1/notifications").json["items"]?.array?.isEmpty == true)
        let unfit = #"{"to":"+6o123","dryRun":true}"#
        #expect(try host.post("/v1/gateways/kannel/test", unfit).status == 400)
        let unclear = #"{"to":"+60123456789","dryRun":1}"#
        #expect(try host.post("/v1/gateways/kannel/test", unclear).status == 400)
    }

    @Test func `a test with the same key is sent once`() throws {
        let host = try TestHost(Self.kannel)
        let headers = [("Idempotency-Key", "one")]
        try host.send(
            .post, "/v1/gateways/kannel/test", #"{"to":"+60123456789"}"#, headers: headers)
        try accept(try #require(host.transfers.first), in: host)
        let again = try host.post(
            "/v1/gateways/kannel/test", #"{"to":"+60123456789"}"#, headers: headers)
        #expect(again.status == 200)
        #expect(host.transfers.count == 1)
    }

    @Test func `deadlines are published, and expired ones are handled`() throws {
        let (host, transfer) = try opened()
        try accept(transfer, in: host)
        let deadline = try #require(
            host.published.compactMap { event -> Deadline? in
                if case .deadlineScheduled(let deadline) = event.body { deadline } else { nil }
            }.first)
        #expect(deadline.kind == .tier)
        #expect(deadline.due == noon + .seconds(120))
        host.now = deadline.due
        try host.receive(
            .deadlineExpired(ExpiredDeadline(deadline: deadline, expired: deadline.due)),
            on: .deadlines)
        #expect(host.published.contains { $0.kind == .escalationExhausted })
    }

    @Test func `old rows are pruned, active ones are not`() throws {
        let (host, transfer) = try opened()
        try accept(transfer, in: host)
        host.now = noon + .seconds(31 * 24 * 3600)
        try host.receive(.retentionDue(RetentionRound(at: host.now)), on: .deadlines)
        try host.restart()
        host.now = host.now + .seconds(61)
        try host.turn { _ in }
        #expect(try host.database.scalar("SELECT count(*) FROM applied") == .integer(0))
    }
}

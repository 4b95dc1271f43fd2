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

    private func opened() throws -> (House, Transfer) {
        let house = try House(Self.kannel)
        try house.tell(House.opened())
        return (house, try #require(house.transfers.first))
    }

    private func end(_ transfer: Transfer, _ outcome: TransferOutcome, in house: House) throws {
        try house.turn {
            try $0.transferred(
                TransferResult(token: transfer.token, outcome: outcome, elapsed: .zero))
        }
    }

    private func accept(_ transfer: Transfer, in house: House) throws {
        let answer = TransferAnswer(status: 202, body: Array("0: Accepted for delivery".utf8))
        try end(transfer, .answered(answer), in: house)
    }

    private func states(_ house: House) throws -> [String] {
        try (house.get("/v1/notifications").json["items"]?.array ?? [])
            .compactMap { $0["state"]?.string }
    }

    private func callback(_ transfer: Transfer) throws -> String {
        guard case .http(let call) = transfer.call,
            let url = call.headers["X-Kannel-DLR-URL"], let query = url.firstIndex(of: "?")
        else { return "" }
        return String(url[..<query].dropFirst("http://127.0.0.1:8105".count))
    }

    @Test func `new settings without a gateway are warned of in the log`() throws {
        let house = try House(Self.kannel)
        let folder = try TemporaryFolder()
        let descriptor = open(folder.file("log"), O_WRONLY | O_CREAT, 0o600)
        house.log = Log(service: "notifier", level: .warning, descriptor: descriptor)
        let settings =
            GatewaySettings.all + [
                Setting(
                    "JAGA_MAP_URL", .url(["http", "https"]), default: "https://map.example",
                    help: "A map.")
            ]
        let empty = try Configuration(
            settings: settings, environment: [:], service: "notifier")
        house.service.makeOutgoing = { configuration in
            Outgoing(drivers: try GatewaySettings.drivers(configuration, callbackBase: ""))
        }
        // The second time it is nothing new.
        for _ in 0..<2 { try house.turn { try $0.reconfigure(empty) } }
        close(descriptor)
        let lines = String(decoding: try Files.read(folder.file("log")), as: UTF8.self)
            .split(separator: "\n").filter { $0.contains("nobody outside is reached") }
        #expect(lines.count == 1 && lines.first?.contains("no gateway is configured") == true)
    }

    @Test func `an emergency leaves in the lane of safety, news in the other`() throws {
        let (house, transfer) = try opened()
        #expect(transfer.lane == .safety)
        #expect(house.transfers.count == 1)
        try house.tell(.zoneEntered(House.crossing))
        #expect(house.transfers.map(\.lane) == [.safety, .ordinary])
    }

    @Test func `attempts that were taken back with their turns are forgotten in time`() throws {
        let house = try House(Self.kannel)
        let event = Event(
            id: EventID(ID128(high: 9, low: 1)), time: house.now, body: House.opened())
        for _ in 0..<3 {
            try house.lostTurn {
                try $0.apply(
                    event, from: .sos, at: Position(incarnation: .zero, sequence: 1, hash: 0))
            }
        }
        #expect(house.service.flights.count == 3)
        house.now = house.now + Limits.flightMax + .seconds(1)
        try house.turn { _ in }
        #expect(house.service.flights.isEmpty)
    }

    @Test func `a report of delivery is taken whoever sends it with the token`() throws {
        let (house, transfer) = try opened()
        try accept(transfer, in: house)
        let path = try callback(transfer)
        #expect(path.hasPrefix("/v1/receipts/"))
        let id = try house.send(.get, path, as: nil, query: "type=8&answer=ACK&to=+60111000002")
        #expect(house.answers[id]?.status == 200)
        #expect(try states(house) == ["accepted"])
        try house.send(.get, path, as: nil, query: "type=1&to=%2B60111000002")
        #expect(try states(house) == ["delivered"])
        try house.send(.get, path, as: nil, query: "type=2&to=%2B60111000002")
        #expect(try states(house) == ["delivered"])
        #expect(try house.get("/v1/receipts/AAAAAAAAAAAAAAAAAAAAAA", as: nil).status == 404)
    }

    @Test func `a report for another number, or of nothing known, changes nothing`() throws {
        let (house, transfer) = try opened()
        try accept(transfer, in: house)
        let path = try callback(transfer)
        for query in ["type=1&to=%2B60999", "type=77", "", "status=delivered"] {
            let id = try house.send(.get, path, as: nil, query: query)
            #expect(house.answers[id]?.status == 200)
        }
        #expect(try states(house) == ["accepted"])
    }

    @Test func `who was told by mail is not told by it again when the number fails later`() throws {
        let mail = ["JAGA_MAIL_URL": "smtp://127.0.0.1:9", "JAGA_MAIL_FROM": "jaga@example.org"]
        let house = try House(Self.kannel.merging(mail) { $1 })
        try house.tell(.zoneEntered(House.crossing))
        let transfers = house.transfers
        #expect(transfers.count == 2)
        for transfer in transfers { try accept(transfer, in: house) }
        let sms = try #require(try transfers.first { try !callback($0).isEmpty })
        try house.restart()
        try house.send(.get, callback(sms), as: nil, query: "type=2&to=%2B60111000002")
        #expect(try states(house).sorted() == ["accepted", "refused"])
        #expect(house.transfers.isEmpty)
    }

    @Test func `Jasmin's throttled message is not refused, and one delivered after all counts`()
        throws
    {
        let house = try House(["JAGA_SMS_GATEWAY": "jasmin"])
        try house.tell(House.opened())
        let transfer = try #require(house.transfers.first)
        try end(
            transfer,
            .answered(
                TransferAnswer(
                    status: 200, body: Array(#"Success "b001c86c-c633-495f-b133""#.utf8))),
            in: house)
        guard case .http(let call) = transfer.call else { return }
        let form = Query(encoded: String(decoding: call.body, as: UTF8.self))
        let path = String(try #require(form["dlr-url"]).dropFirst("http://127.0.0.1:8105".count))
        func report(_ query: String) throws {
            try house.send(.get, path, as: nil, query: "id=b001c86c&connector=smsc&" + query)
        }
        try report("level=1&message_status=ESME_RTHROTTLED")
        #expect(try states(house) == ["accepted"])
        // Whatever another gateway in front of the operator says: what arrived has arrived.
        try report("level=1&message_status=ESME_RINVDSTADR")
        #expect(try states(house).contains("refused"))
        try report("level=2&message_status=DELIVRD&err=000")
        #expect(try states(house).contains("delivered"))
        #expect(try !states(house).contains("refused"))
    }

    @Test func `a status of Twilio's form is taken too`() throws {
        let folder = try TemporaryFolder()
        let secret = folder.file("secret")
        try Files.write(Array("token\n".utf8), to: secret, mode: 0o600)
        let house = try House([
            "JAGA_SMS_GATEWAY": "twilio", "JAGA_SMS_URL": "http://127.0.0.1:9",
            "JAGA_SMS_USER": "AC1", "JAGA_SMS_PASSWORD_FILE": secret,
            "JAGA_SMS_SENDER": "+15550000000",
        ])
        try house.tell(House.opened())
        let transfer = try #require(house.transfers.first)
        try end(
            transfer,
            .answered(
                TransferAnswer(
                    status: 201, body: Array(#"{"sid":"SM1","status":"queued"}"#.utf8))),
            in: house)
        #expect(try states(house) == ["accepted"])
        guard case .http(let call) = transfer.call else { return }
        let form = Query(encoded: String(decoding: call.body, as: UTF8.self))
        let path = try #require(form["StatusCallback"]?.dropFirst("http://127.0.0.1:8105".count))
        try house.send(
            .post, String(path), "MessageSid=SM1&MessageStatus=delivered&To=%2B60111000002",
            as: nil, headers: [("Content-Type", "application/x-www-form-urlencoded")])
        #expect(try states(house) == ["delivered"])
    }

    @Test func `killed with a call on its way: an emergency is sent again, news is not`() throws {
        let (house, first) = try opened()
        try house.tell(.zoneEntered(House.crossing))
        let before = try callback(first)
        try house.restart()
        house.now = noon + .seconds(5)
        try house.turn { _ in }
        #expect(house.transfers.count == 1)
        #expect(try callback(house.transfers[0]) == before, "the same message")
        #expect(try states(house).sorted() == ["unknown", "unknown"])
        try accept(house.transfers[0], in: house)
        #expect(try states(house).sorted() == ["accepted", "unknown"])
    }

    @Test func `a call that ends in a turn that is taken back is digested again`() throws {
        let (house, transfer) = try opened()
        let result = TransferResult(
            token: transfer.token,
            outcome: .answered(TransferAnswer(status: 202, body: Array("0: ok".utf8))),
            elapsed: .zero)
        try house.lostTurn { try $0.transferred(result) }
        #expect(try states(house) == ["sending"])
        try house.turn { try $0.transferred(result) }
        #expect(try states(house) == ["accepted"])
    }

    @Test func `wrong credentials at the gateway are a trouble, and told to the operator`() throws {
        let (house, transfer) = try opened()
        let answer = TransferAnswer(
            status: 403, body: Array("Authorization failed for sendsms".utf8))
        try end(transfer, .answered(answer), in: house)
        #expect(house.service.troubles.count == 1)
        let gateways = try house.get("/v1/gateways").json["items"]?.array
        #expect(gateways?.first?["down"] == true)
        #expect(gateways?.first?["lastOutcome"]?.string == "misconfigured")
        house.now = noon + .seconds(5)
        try house.turn { _ in }
        #expect(house.transfers.count == 2, "an emergency goes on trying")
        try accept(house.transfers[1], in: house)
        #expect(house.service.troubles.isEmpty)
    }

    @Test func `a test is answered with what the gateway said`() throws {
        let house = try House(Self.kannel)
        let id = try house.send(.post, "/v1/gateways/kannel/test", #"{"to":"+60123"}"#)
        #expect(house.answers[id] == nil, "not before the gateway has answered")
        try end(
            try #require(house.transfers.first),
            .answered(
                TransferAnswer(
                    status: 403, body: Array("Not routable. Do not try again.".utf8))),
            in: house)
        let answer = try house.answer(to: id)
        #expect(answer.status == 200)
        #expect(answer.json["outcome"]?.string == "unroutable")
        #expect(answer.json["answer"]?.string?.contains("Not routable") == true)
        let shown = answer.json["request"]?.string ?? ""
        #expect(shown.contains("X-Kannel-To: +60123\n"))
        #expect(shown.contains("/v1/receipts/MASKED?"))
        #expect(
            answer.json["response"]?.string
                == "HTTP status 403\n\nNot routable. Do not try again.")
        #expect(answer.json["rule"]?.string?.hasPrefix("RULE=unroutable 403") == true)
        #expect(try house.post("/v1/gateways/x/test", #"{"to":"+6"}"#).status == 404)
        #expect(try house.post("/v1/gateways/kannel/test", "{}").status == 400)
        #expect(try house.post("/v1/gateways/kannel/test", #"{"to":"a@b.c"}"#).status == 400)
    }

    @Test func `a dry test shows the request and sends nothing`() throws {
        let house = try House(Self.kannel)
        let answer = try house.post(
            "/v1/gateways/kannel/test", #"{"to":"+60123","dryRun":true}"#)
        #expect(answer.status == 200)
        #expect(answer.json["request"]?.string?.contains("X-Kannel-To: +60123\n") == true)
        #expect(answer.json["outcome"] == nil)
        #expect(house.transfers.isEmpty)
        #expect(try house.get("/v1/notifications").json["items"]?.array?.isEmpty == true)
        let unfit = #"{"to":"+6o123","dryRun":true}"#
        #expect(try house.post("/v1/gateways/kannel/test", unfit).status == 400)
        let unclear = #"{"to":"+60123","dryRun":1}"#
        #expect(try house.post("/v1/gateways/kannel/test", unclear).status == 400)
    }

    @Test func `a test with the same key is sent once`() throws {
        let house = try House(Self.kannel)
        let headers = [("Idempotency-Key", "one")]
        try house.send(.post, "/v1/gateways/kannel/test", #"{"to":"+60123"}"#, headers: headers)
        try accept(try #require(house.transfers.first), in: house)
        let again = try house.post(
            "/v1/gateways/kannel/test", #"{"to":"+60123"}"#, headers: headers)
        #expect(again.status == 200)
        #expect(house.transfers.count == 1)
    }

    @Test func `the clocks that are wanted are published, and fired ones are heard`() throws {
        let (house, transfer) = try opened()
        try accept(transfer, in: house)
        let clock = try #require(
            house.published.compactMap { event -> WantedClock? in
                if case .clockWanted(let clock) = event.body { clock } else { nil }
            }.first)
        #expect(clock.rule == .tier)
        #expect(clock.due == noon + .seconds(120))
        house.now = clock.due
        try house.tell(.clockFired(FiredClock(clock: clock, fired: clock.due)), on: .fired)
        #expect(house.published.contains { $0.kind == .ladderExhausted })
    }

    @Test func `old rows are thrown away, those at work are not`() throws {
        let (house, transfer) = try opened()
        try accept(transfer, in: house)
        house.now = noon + .seconds(31 * 24 * 3600)
        try house.tell(.retentionDue(RetentionRound(at: house.now)), on: .fired)
        try house.restart()
        house.now = house.now + .seconds(61)
        try house.turn { _ in }
        #expect(try house.database.scalar("SELECT count(*) FROM applied") == .integer(0))
    }
}

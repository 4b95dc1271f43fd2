import Model
import NotifierCore
import Parsing
import Testing

@testable import NotifierDaemon

struct DraftTests {
    private static let number = "+60129999999"
    private let path = "/v1/people/\(person(1))/drafts"

    /// A host in which School has this message and has just fired.
    private func host(
        _ mode: ZoneMessage.Mode, isConfirmed: Bool = true
    ) throws -> TestHost {
        let host = try TestHost()
        let message = ZoneMessage(
            id: MessageID(.zero), owner: .circle(family), recipientName: "Mum", number: Self.number,
            mode: mode, confirmed: isConfirmed ? noon : nil)
        host.replica.apply(.messageChanged(message))
        try expire(host)
        return host
    }

    private func expire(_ host: TestHost) throws {
        try host.receive(
            .messagesDue(
                DueMessages(
                    person: person(1), zones: [ZoneID(.zero)], zoneNames: ["School"],
                    transitions: [.enter],
                    messages: [MessageID(.zero)], fix: TestHost.fix)), on: .events(.of(person(1))))
    }

    private func texts(_ host: TestHost) throws -> [JSON] {
        try host.get(path, as: "person-1").json["items"]?.array ?? []
    }

    private func outbox(_ host: TestHost) throws -> [JSON] {
        try host.get("/v1/outbox").json["items"]?.array ?? []
    }

    @Test func `a draft survives a restart and is sent by its person once`() throws {
        let host = try host(.draft)
        try host.restart()
        let text = try #require(try texts(host).first)
        #expect(text["state"] == "draft" && text["to"] == "…999")
        #expect(text["text"]?.string?.contains("Mum, Aisha: School, 12:00") == true)
        let send = "\(path)/\(text["id"]?.string ?? "")/send"
        #expect(try host.post(send, as: "person-2").status == 403)
        #expect(try host.post(send, as: nil).status == 401)
        let other = "/v1/people/\(person(2))/drafts/\(text["id"]?.string ?? "")/send"
        #expect(try host.post(other, as: "person-2").status == 404)
        #expect(try outbox(host).isEmpty)
        let headers = [("Idempotency-Key", "k")]
        let first = try host.post(send, as: "person-1", headers: headers)
        #expect(first.status == 200 && first.json["state"] == "sent")
        #expect(try host.post(send, as: "person-1", headers: headers).json == first.json)
        #expect(try host.post(send, as: "person-1").json["state"] == "sent")
        #expect(try outbox(host).map { $0["to"] } == [.string(Self.number)])
    }

    @Test func `an expired draft is not sent`() throws {
        let host = try host(.draft)
        let id = try #require(try texts(host).first?["id"]?.string)
        host.now = noon + Limits.draftAgeMax
        #expect(try texts(host).first?["state"] == "expired")
        #expect(try host.post("\(path)/\(id)/send", as: "person-1").status == 409)
        #expect(try outbox(host).isEmpty)
    }

    @Test func `sent and suppressed texts are listed with their reason`() throws {
        let sent = try host(.automatic)
        #expect(try texts(sent).map { $0["state"] } == ["sent"])
        #expect(try outbox(sent).count == 1)
        let suppressed = try host(.automatic, isConfirmed: false)
        #expect(try texts(suppressed).map { $0["reason"] } == ["not-confirmed"])
        #expect(try outbox(suppressed).isEmpty)
        #expect(try suppressed.get(path, as: "person-2").status == 403)
        #expect(try suppressed.get(path).status == 403, "nor the operator")
    }

    @Test func `an opt-out is set, stored, listed and cleared by the operator`() throws {
        let host = try host(.automatic)
        let body = #"{"number":"\#(Self.number)"}"#
        #expect(try host.post("/v1/opt-outs", body, as: "person-1").status == 403)
        #expect(try host.post("/v1/opt-outs", body).json["stopped"]?.string != nil)
        try host.restart()
        try expire(host)
        #expect(try texts(host).map { $0["reason"] } == ["stopped", "zone-message"])
        #expect(
            try host.get("/v1/opt-outs").json["items"]?.array?.map { $0["number"] }
                == [.string(Self.number)])
        let lifted = try host.post(
            "/v1/opt-outs", #"{"number":"\#(Self.number)","stopped":false}"#)
        #expect(lifted.json["stopped"] == .null)
        #expect(try host.get("/v1/opt-outs").json["items"]?.array?.isEmpty == true)
        try expire(host)
        #expect(try outbox(host).count == 2)
        for wrong in [#"{}"#, #"{"number":"60123456"}"#, #"{"number":"+6012a456"}"#] {
            #expect(try host.post("/v1/opt-outs", wrong).json["field"] == "number")
        }
        let wrong = #"{"number":"\#(Self.number)","stopped":1}"#
        #expect(try host.post("/v1/opt-outs", wrong).json["field"] == "stopped")
    }

    @Test func `texts are pruned after a month`() throws {
        let host = try host(.draft)
        host.now = noon + Limits.textsKept + .seconds(120)
        try host.receive(.retentionDue(RetentionRound(at: host.now)), on: .deadlines)
        #expect(try texts(host).isEmpty)
    }

    @Test func `an alarm goes to its person's preferred contact point, and is in the timeline`()
        throws
    {
        let host = try TestHost()
        let news = AlarmChange(
            alarm: AlarmID(.zero), person: person(1), zone: ZoneID(.zero), zoneName: "School",
            category: "", priority: 1, circle: family, vibrates: true, sound: "",
            presence: .inside, rings: 1, fix: TestHost.fix)
        try host.receive(.alarmStarted(news), on: .events(.of(person(1))))
        let notified = try outbox(host).compactMap { $0["to"]?.string }
        #expect(
            notified.sorted() == ["+60111000001", "+60111000002", "Budi@example.org"])
        let line = try host.get("/v1/circles/\(family)/timeline", as: "person-2").json["items"]?[0]
        #expect(line?["kind"] == "alarm-started")
    }
}

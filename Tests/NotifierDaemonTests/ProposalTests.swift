import Model
import NotifierCore
import Parsing
import Testing

@testable import NotifierDaemon

struct ProposalTests {
    private static let number = "+60129999999"
    private let path = "/v1/people/\(person(1))/proposals"

    /// A house in which School has this message, and has just fired.
    private func house(
        _ mode: ZoneMessage.Mode, isConfirmed: Bool = true
    ) throws -> House {
        let house = try House()
        let message = ZoneMessage(
            id: MessageID(.zero), owner: .circle(family), toMoniker: "Mum", number: Self.number,
            mode: mode, confirmed: isConfirmed ? noon : nil)
        house.replica.apply(.messageChanged(message))
        try fire(house)
        return house
    }

    private func fire(_ house: House) throws {
        try house.tell(
            .messagesDue(
                DueMessages(
                    person: person(1), zones: [ZoneID(.zero)], zoneNames: ["School"],
                    transitions: [.enter],
                    messages: [MessageID(.zero)], fix: House.fix)), on: .events(.of(person(1))))
    }

    private func texts(_ house: House) throws -> [JSON] {
        try house.get(path, as: "person-1").json["items"]?.array ?? []
    }

    private func outbox(_ house: House) throws -> [JSON] {
        try house.get("/v1/outbox").json["items"]?.array ?? []
    }

    @Test func `a proposal survives, is sent by its person's tap, and once`() throws {
        let house = try house(.propose)
        try house.restart()
        let text = try #require(try texts(house).first)
        #expect(text["state"] == "proposed" && text["to"] == "…999")
        #expect(text["text"]?.string?.contains("Mum, Aisha: School, 12:00") == true)
        let send = "\(path)/\(text["id"]?.string ?? "")/send"
        #expect(try house.post(send, as: "person-2").status == 403)
        #expect(try house.post(send, as: nil).status == 401)
        let other = "/v1/people/\(person(2))/proposals/\(text["id"]?.string ?? "")/send"
        #expect(try house.post(other, as: "person-2").status == 404)
        #expect(try outbox(house).isEmpty)
        let headers = [("Idempotency-Key", "k")]
        let first = try house.post(send, as: "person-1", headers: headers)
        #expect(first.status == 200 && first.json["state"] == "sent")
        #expect(try house.post(send, as: "person-1", headers: headers).json == first.json)
        #expect(try house.post(send, as: "person-1").json["state"] == "sent")
        #expect(try outbox(house).map { $0["to"] } == [.string(Self.number)])
    }

    @Test func `a proposal of yesterday is expired and not sent`() throws {
        let house = try house(.propose)
        let id = try #require(try texts(house).first?["id"]?.string)
        house.now = noon + Limits.proposalAgeMax
        #expect(try texts(house).first?["state"] == "expired")
        #expect(try house.post("\(path)/\(id)/send", as: "person-1").status == 409)
        #expect(try outbox(house).isEmpty)
    }

    @Test func `what was sent and what was withheld is listed with its reason`() throws {
        let sent = try house(.automatic)
        #expect(try texts(sent).map { $0["state"] } == ["sent"])
        #expect(try outbox(sent).count == 1)
        let withheld = try house(.automatic, isConfirmed: false)
        #expect(try texts(withheld).map { $0["reason"] } == ["not-confirmed"])
        #expect(try outbox(withheld).isEmpty)
        #expect(try withheld.get(path, as: "person-2").status == 403)
        #expect(try withheld.get(path).status == 403, "nor the operator")
    }

    @Test func `STOP is entered by the operator, kept, shown and lifted`() throws {
        let house = try house(.automatic)
        let body = #"{"number":"\#(Self.number)"}"#
        #expect(try house.post("/v1/stops", body, as: "person-1").status == 403)
        #expect(try house.post("/v1/stops", body).json["stopped"]?.string != nil)
        try house.restart()
        try fire(house)
        #expect(try texts(house).map { $0["reason"] } == ["stopped", "zone-message"])
        #expect(
            try house.get("/v1/stops").json["items"]?.array?.map { $0["number"] }
                == [.string(Self.number)])
        let lifted = try house.post(
            "/v1/stops", #"{"number":"\#(Self.number)","stopped":false}"#)
        #expect(lifted.json["stopped"] == .null)
        #expect(try house.get("/v1/stops").json["items"]?.array?.isEmpty == true)
        try fire(house)
        #expect(try outbox(house).count == 2)
        for wrong in [#"{}"#, #"{"number":"60123456"}"#, #"{"number":"+6012a456"}"#] {
            #expect(try house.post("/v1/stops", wrong).json["field"] == "number")
        }
        let wrong = #"{"number":"\#(Self.number)","stopped":1}"#
        #expect(try house.post("/v1/stops", wrong).json["field"] == "stopped")
    }

    @Test func `texts are forgotten after a month`() throws {
        let house = try house(.propose)
        house.now = noon + Limits.textsKept + .seconds(120)
        try house.tell(.retentionDue(RetentionRound(at: house.now)), on: .fired)
        #expect(try texts(house).isEmpty)
    }

    @Test func `an alarm goes to its person's preferred way, and is in the timeline`() throws {
        let house = try House()
        let news = AlarmNews(
            alarm: AlarmID(.zero), person: person(1), zone: ZoneID(.zero), zoneName: "School",
            category: "", priority: 1, circle: family, vibrates: true, sound: "",
            presence: .inside, rings: 1, fix: House.fix)
        try house.tell(.alarmStarted(news), on: .events(.of(person(1))))
        let told = try outbox(house).compactMap { $0["to"]?.string }
        #expect(
            told.sorted() == ["+60111000001", "+60111000002", "Budi@example.org"])
        let line = try house.get("/v1/circles/\(family)/timeline", as: "person-2").json["items"]?[0]
        #expect(line?["kind"] == "alarm-started")
    }
}

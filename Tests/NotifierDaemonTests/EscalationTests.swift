import Model
import NotifierCore
import Parsing
import Testing

@testable import NotifierDaemon

/// The operator's view of emergencies: whom to call.
@Suite struct EscalationTests {
    private let house: House

    init() throws { house = try House() }

    private func open() throws -> EmergencyID {
        let id = emergency(1)
        try house.tell(
            .sosRaised(
                EmergencySignal(
                    id: id, person: person(1), trigger: .panic, raised: house.now,
                    received: house.now, countdownEnds: house.now, fix: House.fix)))
        house.now = house.now + .seconds(10)
        try house.turn { _ in }
        return id
    }

    @Test func `lists what is not over, and shows everybody's numbers and messages`() throws {
        #expect(try house.get("/v1/escalations").json["items"]?.array == [])
        let id = try open()
        let list = try house.get("/v1/escalations").json["items"]?.array ?? []
        #expect(list.count == 1)
        #expect(list.first?["id"]?.string == id.description)
        #expect(list.first?["person"]?["name"]?.string == "Aisha")
        #expect(list.first?["acknowledged"]?.isNull == true)
        #expect(list.first?["recipients"] == nil)

        let (status, shown) = try house.get("/v1/escalations/\(id)")
        #expect(status == 200)
        #expect(shown["contacts"]?.array?.first?["address"]?.string == "+60111000001")
        let recipients = shown["recipients"]?.array ?? []
        let budi = recipients.first { $0["person"]?["name"]?.string == "Budi" }
        #expect(budi?["notified"]?.bool == true)
        #expect(budi?["contacts"]?.array?.count == 2)
        let sent = budi?["messages"]?.array?.compactMap { $0["to"]?.string }
        #expect(Set(sent ?? []) == ["+60111000002", "Budi@example.org"])
        #expect(budi?["messages"]?.array?.isEmpty == false)
        // Without a contact point, but in the circle.
        let citra = recipients.first { $0["person"]?["name"]?.string == "Citra" }
        #expect(citra?["notified"]?.bool == false)
        #expect(citra?["contacts"]?.array == [])
        #expect(shown.text.contains("3.139") == false, "no position")
    }

    @Test func `a look is in the access log of everybody whose numbers it shows`() throws {
        let id = try open()
        house.published = []
        for _ in 0..<2 { _ = try house.get("/v1/escalations/\(id)") }
        let looks = house.published.compactMap {
            if case .accessRecorded(let record) = $0.body { record } else { nil }
        }
        #expect(looks.allSatisfy { $0.viewer == nil }, "by the operator")
        #expect(looks.map(\.person) == [person(1), person(2), person(3)], "once an hour")
    }

    @Test func `a constant key acknowledges a second emergency, and one that was reopened`() throws
    {
        let key = [("Idempotency-Key", "constant")]
        func acknowledge(_ number: UInt64) throws -> (status: Int, json: JSON) {
            try house.post(
                "/v1/emergencies/\(emergency(number))/acknowledgement", as: "person-2",
                headers: key)
        }
        try house.tell(House.opened(1))
        let first = try acknowledge(1)
        #expect(first.status == 200 && first.json["yours"]?.bool == true)
        #expect(try acknowledge(1).json == first.json, "a retry")
        // Asked after a while, Budi does not answer: the emergency is open again.
        for _ in 0..<240 {
            house.now = house.now + .seconds(10)
            try house.turn { _ in }
        }
        let path = "/v1/escalations/\(emergency(1))"
        #expect(try house.get(path).json["state"]?.string == "open")
        #expect(try acknowledge(1).status == 200)
        #expect(try house.get(path).json["state"]?.string == "acknowledged")
        let ended = try house.post(
            "/v1/emergencies/\(emergency(1))/resolution", as: "person-2", headers: key)
        #expect(ended.status == 200)
        try house.tell(House.opened(2))
        #expect(try acknowledge(2).status == 200)
    }

    @Test func `is for the operator alone`() throws {
        let id = try open()
        for path in ["/v1/escalations", "/v1/escalations/\(id)"] {
            #expect(try house.get(path, as: "person-2").status == 403)
            #expect(try house.get(path, as: nil).status == 401)
        }
        #expect(try house.get("/v1/escalations/\(emergency(7))").status == 404)
        #expect(try house.get("/v1/escalations", query: "state=old").status == 400)
    }

    @Test func `names who acknowledged, and moves what is over to those that ended`() throws {
        let id = try open()
        #expect(try house.post("/v1/emergencies/\(id)/acknowledgement").status == 200)
        let taken = try house.get("/v1/escalations/\(id)").json
        #expect(taken["acknowledged"]?["by"]?.isNull == true, "by the operator")
        #expect(try house.post("/v1/emergencies/\(id)/resolution").status == 200)
        #expect(try house.get("/v1/escalations").json["items"]?.array == [])
        let ended = try house.get("/v1/escalations", query: "state=ended").json["items"]?.array
        #expect(ended?.map { $0["id"]?.string } == [id.description])
        #expect(try house.get("/v1/escalations/\(id)").json["state"]?.string == "resolved")
    }

    @Test func `after five minutes without an answer healthz says which, and the command`() throws {
        let id = try open()
        #expect(house.service.alarms == [])
        house.now = house.now + Limits.unacknowledgedAlarm
        try house.turn { _ in }
        #expect(
            house.service.alarms
                == ["emergency \(id) is not acknowledged: jaga emergency show \(id)"])
        #expect(try house.post("/v1/emergencies/\(id)/acknowledgement").status == 200)
        #expect(house.service.alarms == [])
    }
}

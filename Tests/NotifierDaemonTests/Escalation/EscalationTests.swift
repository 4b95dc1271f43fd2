import Model
import NotifierCore
import Parsing
import Testing

@testable import NotifierDaemon

/// The operator's view of emergencies.
@Suite struct EscalationTests {
    private let host: TestHost

    init() throws { host = try TestHost() }

    private func open() throws -> EmergencyID {
        let id = emergency(1)
        try host.receive(
            .sosRaised(
                EmergencySignal(
                    id: id, person: person(1), trigger: .panic, raised: host.now,
                    received: host.now, countdownEnds: host.now, fix: TestHost.fix)))
        host.now = host.now + .seconds(10)
        try host.turn { _ in }
        return id
    }

    @Test func `lists active ones, and shows everyone's numbers and messages`() throws {
        #expect(try host.get("/v1/escalations").json["items"]?.array == [])
        let id = try open()
        let list = try host.get("/v1/escalations").json["items"]?.array ?? []
        #expect(list.count == 1)
        #expect(list.first?["id"]?.string == id.description)
        #expect(list.first?["person"]?["name"]?.string == "Aisha")
        #expect(list.first?["acknowledged"]?.isNull == true)
        #expect(list.first?["recipients"] == nil)

        let (status, shown) = try host.get("/v1/escalations/\(id)")
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

    @Test func `access is recorded for everyone whose numbers it shows`() throws {
        let id = try open()
        host.published = []
        for _ in 0..<2 { _ = try host.get("/v1/escalations/\(id)") }
        let looks = host.published.compactMap {
            if case .accessRecorded(let record) = $0.body { record } else { nil }
        }
        #expect(looks.allSatisfy { $0.viewer == nil }, "by the operator")
        #expect(looks.map(\.person) == [person(1), person(2), person(3)], "once an hour")
    }

    @Test func `a constant idempotency key acknowledges a second emergency, and a reopened one`()
        throws
    {
        let key = [("Idempotency-Key", "constant")]
        func acknowledge(_ number: UInt64) throws -> (status: Int, json: JSON) {
            try host.post(
                "/v1/emergencies/\(emergency(number))/acknowledgement", as: "person-2",
                headers: key)
        }
        try host.receive(TestHost.opened(1))
        let first = try acknowledge(1)
        #expect(first.status == 200 && first.json["yours"]?.bool == true)
        #expect(try acknowledge(1).json == first.json, "a retry")
        // Budi does not answer the reminder: the emergency is open again.
        for _ in 0..<240 {
            host.now = host.now + .seconds(10)
            try host.turn { _ in }
        }
        let path = "/v1/escalations/\(emergency(1))"
        #expect(try host.get(path).json["state"]?.string == "open")
        #expect(try acknowledge(1).status == 200)
        #expect(try host.get(path).json["state"]?.string == "acknowledged")
        let ended = try host.post(
            "/v1/emergencies/\(emergency(1))/resolution", as: "person-2", headers: key)
        #expect(ended.status == 200)
        try host.receive(TestHost.opened(2))
        #expect(try acknowledge(2).status == 200)
    }

    @Test func `is for the operator only`() throws {
        let id = try open()
        for path in ["/v1/escalations", "/v1/escalations/\(id)"] {
            #expect(try host.get(path, as: "person-2").status == 403)
            #expect(try host.get(path, as: nil).status == 401)
        }
        #expect(try host.get("/v1/escalations/\(emergency(7))").status == 404)
        #expect(try host.get("/v1/escalations", query: "state=old").status == 400)
    }

    @Test func `names the responder, and lists ended ones separately`() throws {
        let id = try open()
        #expect(try host.post("/v1/emergencies/\(id)/acknowledgement").status == 200)
        let taken = try host.get("/v1/escalations/\(id)").json
        #expect(taken["acknowledged"]?["by"]?.isNull == true, "by the operator")
        #expect(try host.post("/v1/emergencies/\(id)/resolution").status == 200)
        #expect(try host.get("/v1/escalations").json["items"]?.array == [])
        let ended = try host.get("/v1/escalations", query: "state=ended").json["items"]?.array
        #expect(ended?.map { $0["id"]?.string } == [id.description])
        #expect(try host.get("/v1/escalations/\(id)").json["state"]?.string == "resolved")
    }

    @Test func `after five minutes without a responder /healthz names it, with the command`() throws
    {
        let id = try open()
        #expect(host.service.alarms == [])
        host.now = host.now + Limits.unacknowledgedAlarmAge
        try host.turn { _ in }
        #expect(
            host.service.alarms
                == ["emergency \(id) is not acknowledged; run jaga emergency show \(id)"])
        #expect(try host.post("/v1/emergencies/\(id)/acknowledgement").status == 200)
        #expect(host.service.alarms == [])
    }
}

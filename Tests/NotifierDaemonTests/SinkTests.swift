import Model
import Parsing
import Runtime
import Testing

@testable import NotifierDaemon

struct SinkTests {
    @Test func `a crossing is in the outbox once for each channel of the guardian`() throws {
        let house = try House()
        try house.tell(.zoneEntered(House.crossing), on: .events(.of(person(1))))
        let outbox = try house.get("/v1/outbox").json["items"]?.array ?? []
        #expect(
            Set(outbox.compactMap { $0["to"]?.string }) == ["+60111000002", "Budi@example.org"])
        #expect(
            outbox.allSatisfy {
                $0["text"]?.string?.contains("Aisha entered School, 12:00.") ?? false
            }, "by the clock of Kuala Lumpur")
    }

    @Test func `an event that comes again, also after a restart, changes nothing`() throws {
        let house = try House()
        let event = Event(
            id: EventID(ID128(high: 7, low: 7)), time: noon, body: .zoneEntered(House.crossing))
        try house.tell(event, on: .events(.of(person(1))))
        try house.restart()
        try house.tell(event, on: .events(.of(person(1))))
        #expect(try house.get("/v1/outbox").json["items"]?.array?.count == 2)
        let timeline = try house.get("/v1/circles/\(family)/timeline", as: "person-2")
        #expect(timeline.json["items"]?.array?.count == 1)
    }

    @Test func `a turn that cannot be committed leaves nothing, and comes again whole`() throws {
        let house = try House()
        let event = Event(
            id: EventID(ID128(high: 7, low: 7)), time: noon, body: .zoneEntered(House.crossing))
        try house.lostTurn {
            try $0.apply(
                event, from: .sos, at: .init(incarnation: .zero, sequence: 1, hash: 0))
        }
        #expect(try house.get("/v1/outbox").json["items"]?.array?.isEmpty == true)
        try house.tell(event)
        #expect(try house.get("/v1/outbox").json["items"]?.array?.count == 2)
    }

    @Test func `pages of the outbox follow each other without gap or double`() throws {
        let house = try House()
        for _ in 0..<3 { try house.tell(.zoneEntered(House.crossing)) }
        var seen: [String] = []
        var query = "limit=4"
        while true {
            let page = try house.get("/v1/outbox", query: query).json
            seen += (page["items"]?.array ?? []).compactMap { $0["notification"]?.string }
            guard let next = page["next"]?.string else { break }
            query = "limit=4&cursor=\(next)"
        }
        #expect(seen.count == 6)
        #expect(Set(seen).count == 6)
        #expect(try house.get("/v1/outbox", query: "limit=0").status == 400)
        #expect(try house.get("/v1/outbox", query: "cursor=x").status == 400)
    }

    @Test func `only the operator sees queue, outbox and gateways`() throws {
        let house = try House()
        for path in ["/v1/outbox", "/v1/notifications", "/v1/gateways"] {
            #expect(try house.get(path, as: "person-2").status == 403)
            #expect(try house.get(path, as: nil).status == 401)
            #expect(try house.get(path, as: "wrong").status == 401)
            #expect(try house.get(path).status == 200)
        }
        house.isDirectoryFresh = false
        #expect(try house.get("/v1/outbox", as: "wrong").status == 503)
    }

    @Test func `the queue shows states and attempts, and hides addresses`() throws {
        let house = try House()
        try house.tell(House.opened())
        let list = try house.get("/v1/notifications", query: "state=sink").json["items"]?.array
        #expect(list?.count == 2)
        let row = list?.first { $0["channel"]?.string == "sms" }
        #expect(row?["to"]?.string == "…002")
        #expect(row?["gateway"]?.string == "sink")
        #expect(row?["text"] == nil)
        let id = row?["id"]?.string ?? ""
        let one = try house.get("/v1/notifications/\(id)").json
        #expect(
            one["changes"]?.array?.compactMap { $0["state"]?.string } == [
                "queued", "sending", "sink",
            ])
        #expect(one["attempts"]?.array?.first?["outcome"]?.string == "sink")
        #expect(try house.get("/v1/notifications", query: "state=accepted").json["items"] == [])
        #expect(try house.get("/v1/notifications", query: "state=lost").status == 400)
    }

    @Test func `everything says that nobody outside is reached`() throws {
        let house = try House([:])
        let concern = "nobody outside is reached: no gateway is configured"
        #expect(house.service.concerns == [concern])
        try house.tell(House.opened())
        let timeline = try house.get("/v1/circles/\(family)/timeline", as: "person-2").json
        let tiers = timeline["items"]?.array?.filter { $0["kind"]?.string == "tier" } ?? []
        #expect(tiers.count == 1 && tiers[0]["nobodyOutside"] == true)
        let news = house.published.compactMap { event -> ReachabilityNews? in
            if case .reachabilityChanged(let news) = event.body { news } else { nil }
        }
        #expect(news.first?.gateways?.map(\.kind) == [.defaultSink])
        let metrics = Metrics()
        house.service.writeMetrics(metrics)
        #expect(metrics.render().contains("jaga_nobody_outside_reached 1"))
        let chosen = try House()
        #expect(chosen.service.concerns.first?.hasPrefix("nobody outside is reached: ") == true)
        #expect(try House(["JAGA_SMS_GATEWAY": "kannel"]).service.concerns.isEmpty)
    }
}

struct AnswerTests {
    @Test func `the first acknowledgement is answered 200 and so is the second, with whose`() throws
    {
        let house = try House()
        try house.tell(House.opened())
        let path = "/v1/emergencies/\(emergency(1))/acknowledgement"
        let first = try house.post(path, #"{"note":"on my way"}"#, as: "person-2")
        #expect(first.status == 200)
        #expect(first.json["yours"] == true)
        #expect(first.json["by"]?["name"]?.string == "Budi")
        let second = try house.post(path, as: "person-3")
        #expect(second.status == 200)
        #expect(second.json["yours"] == false)
        #expect(second.json["by"]?["id"]?.string == person(2).description)
        let given = house.published.compactMap { event -> EmergencyAnswer? in
            if case .acknowledgementGiven(let answer) = event.body { answer } else { nil }
        }
        #expect(given.map(\.note) == ["on my way"])
    }

    @Test func `a repeated request is answered by what is true now, with any key`() throws {
        let house = try House()
        try house.tell(House.opened())
        let path = "/v1/emergencies/\(emergency(1))"
        let headers = [("Idempotency-Key", "one")]
        let first = try house.post(path + "/acknowledgement", as: "person-2", headers: headers)
        _ = try house.post(path + "/resolution", as: "person-2")
        let again = try house.post(path + "/acknowledgement", as: "person-2", headers: headers)
        #expect(first.json["state"]?.string == "acknowledged")
        #expect(again.status == 200 && again.json["state"]?.string == "resolved")
        let other = try house.post(path + "/resolution", as: "person-2", headers: headers)
        #expect(other.status == 200)
    }

    @Test func `what is not allowed is refused with its reason`() throws {
        let house = try House()
        try house.tell(House.opened())
        let path = "/v1/emergencies/\(emergency(1))"
        #expect(try house.post(path + "/acknowledgement", as: "person-1").status == 403)
        #expect(try house.post(path + "/acknowledgement", as: "person-4").status == 404)
        #expect(try house.post(path + "/acknowledgement", as: nil).status == 401)
        #expect(try house.post(path + "/resolution", as: "person-2").status == 409)
        #expect(try house.post(path + "/resolution", "{", as: "person-2").status == 400)
        #expect(try house.post(path + "/resolution", #"{"note":1}"#).status == 400)
        #expect(
            try house.post("/v1/emergencies/emg_1/resolution", as: "person-2").status == 404)
    }

    @Test func `resolved: everyone told hears it, and the timeline shows every step`() throws {
        let house = try House()
        try house.tell(House.opened())
        let path = "/v1/emergencies/\(emergency(1))"
        _ = try house.post(path + "/acknowledgement", as: "person-2")
        let resolved = try house.post(path + "/resolution", as: "person-2")
        #expect(resolved.json["state"]?.string == "resolved")
        let timeline = try house.get("/v1/circles/\(family)/timeline", as: "person-3").json
        let kinds = timeline["items"]?.array?.compactMap { $0["kind"]?.string }
        #expect(kinds == ["resolved", "taken", "tier", "emergency-opened"])
    }

    @Test func `a timeline begins when its reader joined, and ends at the circle's edge`() throws {
        let house = try House()
        house.now = noon - .seconds(60)
        try house.tell(.zoneEntered(House.crossing))
        house.now = noon + .seconds(60)
        try house.tell(.zoneExited(House.crossing))
        let path = "/v1/circles/\(family)/timeline"
        #expect(try house.get(path, as: "person-2").json["items"]?.array?.count == 2)
        #expect(try house.get(path, as: "person-3").json["items"]?.array?.count == 1)
        #expect(try house.get(path, as: "person-4").status == 404)
    }

    @Test func `what a person did not share is in their own timeline only`() throws {
        let house = try House()
        var circle = house.replica.circle(family)!
        circle.members[0].sharing = .off
        house.replica.apply(.circleChanged(circle))
        try house.tell(.zoneEntered(House.crossing))
        let path = "/v1/circles/\(family)/timeline"
        #expect(try house.get(path, as: "person-2").json["items"]?.array?.isEmpty == true)
        #expect(try house.get(path).json["items"]?.array?.isEmpty == true)
        #expect(try house.get(path, as: "person-1").json["items"]?.array?.count == 1)
    }

    @Test func `an acknowledgement survives a restart`() throws {
        let house = try House()
        try house.tell(House.opened())
        let path = "/v1/emergencies/\(emergency(1))/acknowledgement"
        _ = try house.post(path, as: "person-2")
        try house.restart()
        #expect(try house.post(path, as: "person-3").json["yours"] == false)
    }
}

import Model
import Parsing
import Runtime
import Testing

@testable import NotifierDaemon

struct SinkTests {
    @Test func `a crossing is in the outbox once for each channel of the guardian`() throws {
        let host = try TestHost()
        try host.receive(.zoneEntered(TestHost.crossing), on: .events(.of(person(1))))
        let outbox = try host.get("/v1/outbox").json["items"]?.array ?? []
        #expect(
            Set(outbox.compactMap { $0["to"]?.string }) == ["+60111000002", "Budi@example.org"])
        #expect(
            outbox.allSatisfy {
                $0["text"]?.string?.contains("Aisha entered School, 12:00.") ?? false
            }, "by the clock of Kuala Lumpur")
    }

    @Test func `a repeated event, also after a restart, changes nothing`() throws {
        let host = try TestHost()
        let event = Event(
            id: EventID(ID128(high: 7, low: 7)), time: noon, body: .zoneEntered(TestHost.crossing))
        try host.receive(event, on: .events(.of(person(1))))
        try host.restart()
        try host.receive(event, on: .events(.of(person(1))))
        #expect(try host.get("/v1/outbox").json["items"]?.array?.count == 2)
        let timeline = try host.get("/v1/circles/\(family)/timeline", as: "person-2")
        #expect(timeline.json["items"]?.array?.count == 1)
    }

    @Test func `a failed commit leaves nothing, and the turn is repeated in full`() throws {
        let host = try TestHost()
        let event = Event(
            id: EventID(ID128(high: 7, low: 7)), time: noon, body: .zoneEntered(TestHost.crossing))
        try host.rolledBackTurn {
            try $0.apply(
                event, from: .sos, at: .init(incarnation: .zero, sequence: 1, hash: 0))
        }
        #expect(try host.get("/v1/outbox").json["items"]?.array?.isEmpty == true)
        try host.receive(event)
        #expect(try host.get("/v1/outbox").json["items"]?.array?.count == 2)
    }

    @Test func `pages of the outbox have no gaps and no duplicates`() throws {
        let host = try TestHost()
        for _ in 0..<3 { try host.receive(.zoneEntered(TestHost.crossing)) }
        var seen: [String] = []
        var query = "limit=4"
        while true {
            let page = try host.get("/v1/outbox", query: query).json
            seen += (page["items"]?.array ?? []).compactMap { $0["notification"]?.string }
            guard let next = page["next"]?.string else { break }
            query = "limit=4&cursor=\(next)"
        }
        #expect(seen.count == 6)
        #expect(Set(seen).count == 6)
        #expect(try host.get("/v1/outbox", query: "limit=0").status == 400)
        #expect(try host.get("/v1/outbox", query: "cursor=x").status == 400)
    }

    @Test func `only the operator sees queue, outbox and gateways`() throws {
        let host = try TestHost()
        for path in ["/v1/outbox", "/v1/notifications", "/v1/gateways"] {
            #expect(try host.get(path, as: "person-2").status == 403)
            #expect(try host.get(path, as: nil).status == 401)
            #expect(try host.get(path, as: "wrong").status == 401)
            #expect(try host.get(path).status == 200)
        }
        host.isDirectoryFresh = false
        #expect(try host.get("/v1/outbox", as: "wrong").status == 503)
    }

    @Test func `the queue shows states and attempts, and hides addresses`() throws {
        let host = try TestHost()
        try host.receive(TestHost.opened())
        let list = try host.get("/v1/notifications", query: "state=sink").json["items"]?.array
        #expect(list?.count == 2)
        let row = list?.first { $0["channel"]?.string == "sms" }
        #expect(row?["to"]?.string == "…002")
        #expect(row?["gateway"]?.string == "sink")
        #expect(row?["text"] == nil)
        let id = row?["id"]?.string ?? ""
        let one = try host.get("/v1/notifications/\(id)").json
        #expect(
            one["changes"]?.array?.compactMap { $0["state"]?.string } == [
                "queued", "sending", "sink",
            ])
        #expect(one["attempts"]?.array?.first?["outcome"]?.string == "sink")
        #expect(try host.get("/v1/notifications", query: "state=accepted").json["items"] == [])
        #expect(try host.get("/v1/notifications", query: "state=lost").status == 400)
    }

    @Test func `every status says that nobody outside is reached`() throws {
        let host = try TestHost([:])
        let concern = "nobody outside is reached: no gateway is configured"
        #expect(host.service.concerns == [concern])
        try host.receive(TestHost.opened())
        let timeline = try host.get("/v1/circles/\(family)/timeline", as: "person-2").json
        let tiers = timeline["items"]?.array?.filter { $0["kind"]?.string == "tier" } ?? []
        #expect(tiers.count == 1 && tiers[0]["nobodyOutside"] == true)
        let news = host.published.compactMap { event -> ReachabilityChange? in
            if case .reachabilityChanged(let news) = event.body { news } else { nil }
        }
        #expect(news.first?.gateways?.map(\.kind) == [.defaultSink])
        let metrics = Metrics()
        host.service.writeMetrics(metrics)
        #expect(metrics.render().contains("jaga_nobody_outside_reached 1"))
        let chosen = try TestHost()
        #expect(chosen.service.concerns.first?.hasPrefix("nobody outside is reached: ") == true)
        #expect(try TestHost(["JAGA_SMS_GATEWAY": "kannel"]).service.concerns.isEmpty)
    }
}

struct AnswerTests {
    @Test
    func `the first acknowledgement is answered 200, and so is the second, with the responder`()
        throws
    {
        let host = try TestHost()
        try host.receive(TestHost.opened())
        let path = "/v1/emergencies/\(emergency(1))/acknowledgement"
        let first = try host.post(path, #"{"note":"on my way"}"#, as: "person-2")
        #expect(first.status == 200)
        #expect(first.json["yours"] == true)
        #expect(first.json["by"]?["name"]?.string == "Budi")
        let second = try host.post(path, as: "person-3")
        #expect(second.status == 200)
        #expect(second.json["yours"] == false)
        #expect(second.json["by"]?["id"]?.string == person(2).description)
        let acknowledged = host.published.compactMap { event -> EmergencyAnswer? in
            if case .acknowledgementCommitted(let answer) = event.body { answer } else { nil }
        }
        #expect(acknowledged.map(\.note) == ["on my way"])
    }

    @Test func `a repeated request gets the current state, with any key`() throws {
        let host = try TestHost()
        try host.receive(TestHost.opened())
        let path = "/v1/emergencies/\(emergency(1))"
        let headers = [("Idempotency-Key", "one")]
        let first = try host.post(path + "/acknowledgement", as: "person-2", headers: headers)
        _ = try host.post(path + "/resolution", as: "person-2")
        let again = try host.post(path + "/acknowledgement", as: "person-2", headers: headers)
        #expect(first.json["state"]?.string == "acknowledged")
        #expect(again.status == 200 && again.json["state"]?.string == "resolved")
        let other = try host.post(path + "/resolution", as: "person-2", headers: headers)
        #expect(other.status == 200)
    }

    @Test func `forbidden requests are rejected with a reason`() throws {
        let host = try TestHost()
        try host.receive(TestHost.opened())
        let path = "/v1/emergencies/\(emergency(1))"
        #expect(try host.post(path + "/acknowledgement", as: "person-1").status == 403)
        #expect(try host.post(path + "/acknowledgement", as: "person-4").status == 404)
        #expect(try host.post(path + "/acknowledgement", as: nil).status == 401)
        #expect(try host.post(path + "/resolution", as: "person-2").status == 409)
        #expect(try host.post(path + "/resolution", "{", as: "person-2").status == 400)
        #expect(try host.post(path + "/resolution", #"{"note":1}"#).status == 400)
        #expect(
            try host.post("/v1/emergencies/emg_1/resolution", as: "person-2").status == 404)
    }

    @Test func `a resolution notifies all recipients, and the timeline shows every step`() throws {
        let host = try TestHost()
        try host.receive(TestHost.opened())
        let path = "/v1/emergencies/\(emergency(1))"
        _ = try host.post(path + "/acknowledgement", as: "person-2")
        let resolved = try host.post(path + "/resolution", as: "person-2")
        #expect(resolved.json["state"]?.string == "resolved")
        let timeline = try host.get("/v1/circles/\(family)/timeline", as: "person-3").json
        let kinds = timeline["items"]?.array?.compactMap { $0["kind"]?.string }
        #expect(kinds == ["resolved", "acknowledged", "tier", "emergency-opened"])
    }

    @Test func `a timeline begins when its reader joined, and is limited to the circle`() throws {
        let host = try TestHost()
        host.now = noon - .seconds(60)
        try host.receive(.zoneEntered(TestHost.crossing))
        host.now = noon + .seconds(60)
        try host.receive(.zoneExited(TestHost.crossing))
        let path = "/v1/circles/\(family)/timeline"
        #expect(try host.get(path, as: "person-2").json["items"]?.array?.count == 2)
        #expect(try host.get(path, as: "person-3").json["items"]?.array?.count == 1)
        #expect(try host.get(path, as: "person-4").status == 404)
    }

    @Test func `entries that a person did not share are in their own timeline only`() throws {
        let host = try TestHost()
        var circle = host.replica.circle(family)!
        circle.members[0].sharing = .off
        host.replica.apply(.circleChanged(circle))
        try host.receive(.zoneEntered(TestHost.crossing))
        let path = "/v1/circles/\(family)/timeline"
        #expect(try host.get(path, as: "person-2").json["items"]?.array?.isEmpty == true)
        #expect(try host.get(path).json["items"]?.array?.isEmpty == true)
        #expect(try host.get(path, as: "person-1").json["items"]?.array?.count == 1)
    }

    @Test func `an acknowledgement survives a restart`() throws {
        let host = try TestHost()
        try host.receive(TestHost.opened())
        let path = "/v1/emergencies/\(emergency(1))/acknowledgement"
        _ = try host.post(path, as: "person-2")
        try host.restart()
        #expect(try host.post(path, as: "person-3").json["yours"] == false)
    }
}

import Directory
import IngestCore
import Model
import Parsing
import Runtime
import Testing
import Web

@testable import IngestDaemon

/// What staff see of calls for help that ingest cannot process.
@Suite struct `An unprocessed call for help` {
    private let note = #"{"note":"by the bridge","report":{"lat":3.1,"lon":101.7}}"#

    /// Anna has called, and nobody was notified. Ben is a guardian of hers, Omar an officer.
    private func world() throws -> World {
        let world = try World()
        world.addStaff(9, "Omar", .officer)
        for (number, name) in [(1, "Anna"), (2, "Ben")] as [(UInt64, String)] {
            let contact = ContactPoint(
                id: ContactID(ID128(high: 8, low: number)), channel: .sms,
                address: "+1555000010\(number)")
            world.replica.apply(
                .personChanged(Person(id: person(number), name: name, contacts: [contact])))
        }
        try keep(world, "phone-1", note)
        return world
    }

    private func keep(_ world: World, _ token: String, _ body: String) throws {
        let request = world.request(.post, "/v1/emergencies", body, token: token)
        try world.turn {
            let response = try world.service.deferCall(request, because: "planted")
            #expect(response?.status == 202)
        }
    }

    private func list(_ world: World, _ token: String = "operator") throws -> [JSON] {
        let response = try world.send(.get, "/v1/unprocessed-calls", token: token)
        #expect(response.status == 200, "\(response.text)")
        return response.json["items"]?.array ?? []
    }

    @Test func `is listed with its person and reason, without what was sent`() throws {
        let world = try world()
        for token in ["operator", "staff-9"] {
            let items = try list(world, token)
            let item = try #require(items.first, "\(items)")
            #expect(items.count == 1)
            #expect(item["person"]?["name"] == "Anna" && item["reason"] == "planted")
            #expect(item["raised"] == .null && item["nextTry"]?.string == start.description)
            #expect(item["emergency"]?.string?.hasPrefix("emg_") == true)
            #expect(!item.text.contains("bridge") && !item.text.contains("+1555"))
        }
        #expect(try world.send(.get, "/v1/unprocessed-calls", token: "person-1").status == 403)
    }

    @Test func `is shown with what was sent and whom to call, which is in their access logs`()
        throws
    {
        let world = try world()
        let id = try #require(try list(world).first?["id"]?.string)
        let path = "/v1/unprocessed-calls/\(id)"
        #expect(try world.send(.get, path, token: "person-2").status == 403)
        let shown = try world.send(
            .get, path, token: "staff-9", headers: ["X-Access-Reason": "nobody is notified"]
        ).json
        #expect(shown["body"]?.string == note)
        #expect(shown["contacts"]?[0]?["address"] == "+15550000101")
        #expect(shown["others"]?[0]?["person"]?["name"] == "Ben")
        #expect(shown["others"]?[0]?["circles"]?[0]?["name"] == "Family")
        #expect(shown["others"]?[0]?["contacts"]?[0]?["address"] == "+15550000102")
        #expect(shown["others"]?.array?.count == 1)
        for number in [1, 2] as [UInt64] {
            let log =
                try world.send(
                    .get, "/v1/people/\(person(number))/access-log", token: "person-\(number)"
                ).json["items"]?.array ?? []
            #expect(log.count == 1)
            #expect(log.first?["kind"] == "emergency" && log.first?["name"] == "Omar")
            #expect(log.first?["reason"] == "nobody is notified")
        }
        let other = "/v1/unprocessed-calls/upc_" + String(repeating: "7", count: 26)
        #expect(try world.send(.get, other, token: "operator").status == 404)
    }

    @Test func `does not exist for staff on the person's never-notify list, nor names them`()
        throws
    {
        let world = try world()
        let id = try #require(try list(world).first?["id"]?.string)
        world.replica.apply(
            .neverNotifyChanged(
                NeverNotifyList(person: person(1), people: [person(2), person(9)])))
        #expect(try list(world, "staff-9").isEmpty)
        let path = "/v1/unprocessed-calls/\(id)"
        #expect(try world.send(.get, path, token: "staff-9").status == 404)
        let shown = try world.send(.get, path, token: "operator").json
        #expect(shown["others"]?.array?.isEmpty == true)
        #expect(shown["contacts"]?[0]?["address"] == "+15550000101")
    }

    @Test func `waits at the top until a retry raises it, and has the emergency's id`() throws {
        let world = try world()
        world.now = start + .seconds(1)
        try keep(world, "phone-3", "{}")
        let before = try list(world)
        #expect(before.map { $0["person"]?["name"]?.string } == ["Cho", "Anna"])
        try world.turn { try world.service.retryDeferredCall(isBare: false) }
        let raised = try #require(world.records(.sosRaised).first)
        guard case .sosRaised(let signal) = raised.body else { return }
        let after = try list(world)
        try #require(after.count == 2)
        #expect(after.map { $0["person"]?["name"]?.string } == ["Cho", "Anna"])
        #expect(after[1]["raised"]?.string == world.now.description)
        #expect(after[1]["nextTry"] == .null)
        #expect(after[1]["emergency"]?.string == signal.id.description)
        let page = try world.send(.get, "/v1/unprocessed-calls?limit=1", token: "operator").json
        let next = try #require(page["next"]?.string)
        let second = try world.send(
            .get, "/v1/unprocessed-calls?limit=1&cursor=\(next)", token: "operator"
        ).json
        #expect(second["items"]?[0]?["person"]?["name"] == "Anna" && second["next"] == .null)
        let beyond = try world.send(
            .get, "/v1/unprocessed-calls?cursor=9007199254740991", token: "operator")
        #expect(beyond.json["items"]?.array?.isEmpty == true)
    }
}

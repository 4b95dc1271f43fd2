import Directory
import Model
import NotifierCore
import Parsing
import Testing
import Web

@testable import NotifierDaemon

/// Drills over HTTP, with their messages in the sink.
struct DrillRequestTests {
    private let host: TestHost
    private let path = "/v1/circles/\(family)/drills"

    init() throws {
        host = try TestHost(publicURL: "https://jaga.example")
        var circle = try #require(host.replica.circle(family))
        for index in circle.members.indices { circle.members[index].joinsDrills = true }
        host.replica.apply(.circleChanged(circle))
    }

    private func start() throws -> JSON {
        let (status, json) = try host.post(path, "", as: "person-3")
        #expect(status == 200)
        return json
    }

    /// Texts in the sink, oldest first.
    private func texts() throws -> [String] {
        try host.database.all("SELECT text FROM sink ORDER BY seq") { $0.text(0) }
    }

    @Test func `is started by an admin, and its report is kept over a restart`() throws {
        #expect(try host.post(path, "", as: "person-1").status == 403)
        #expect(try host.post(path, "", as: "operator").status == 403)
        #expect(try host.post(path, "", as: "person-4").status == 404)
        let id = try start()["id"]?.string ?? ""
        #expect(try texts().allSatisfy { $0.hasPrefix("TEST Jaga: ") } && !texts().isEmpty)
        try host.restart()
        let (status, report) = try host.get(path + "/" + id, as: "person-2")
        #expect(status == 200 && report["state"]?.string == "running")
        let budi = report["participants"]?[0]
        #expect(budi?["person"]?["name"]?.string == "Budi")
        #expect(budi?["messages"]?.array?.count == 2)
        #expect(try host.get(path, as: "person-1").json["items"]?.array?.count == 1)
        #expect(
            try host.get(path + "/" + id, as: "person-1").json["participants"]?.array?.isEmpty
                == true, "members read about themselves")
        #expect(try host.get(path + "/\(DrillID(.zero))", as: "person-2").status == 404)
    }

    @Test func `the page of its link answers by its button, not by opening`() throws {
        let id = try start()["id"]?.string ?? ""
        let text = try #require(texts().first)
        let start = try #require(text.firstRange(of: "https://jaga.example")).upperBound
        let link = String(text[start...].prefix { !$0.isWhitespace })
        let opened = try host.send(.get, link, as: nil)
        let page = String(decoding: try #require(host.answers[opened]).body, as: UTF8.self)
        #expect(page.contains("TEST: a drill of your circle"))
        func answered() throws -> String? {
            try host.get(path + "/" + id, as: "person-3").json["participants"]?[0]?["answeredBy"]?
                .string
        }
        #expect(try answered() == nil)
        let name = try #require(page.firstRange(of: "name=\"page\" value=\"")).upperBound
        let form = String(page[name...].prefix { $0 != "\"" })
        let forged = try host.send(
            .post, link, Query([.init("page", "1.x")]).encoded, as: nil)
        #expect(host.answers[forged]?.status == 200)
        #expect(try answered() == nil, "a guessed form answers nothing")
        host.now = host.now + .seconds(9)
        let pressed = try host.send(.post, link, Query([.init("page", form)]).encoded, as: nil)
        let thanks = String(decoding: try #require(host.answers[pressed]).body, as: UTF8.self)
        #expect(thanks.contains("Thank you"))
        #expect(try answered() == "page")
        #expect(
            try host.get(path + "/" + id, as: "person-3").json["participants"]?[0]?[
                "answeredAfterSeconds"]?.int == 9)
        let stored = try host.database.all("SELECT body FROM notifications") { $0.text(0) }
        #expect(!stored.isEmpty && !stored.contains { $0.contains(link.dropFirst(3)) })
    }

    @Test func `an emergency ends it, and a further one is refused with the reason`() throws {
        let id = try start()["id"]?.string ?? ""
        try host.receive(TestHost.opened(), on: .events(.of(person(1))))
        let report = try host.get(path + "/" + id, as: "person-2").json
        #expect(report["state"]?.string == "stopped")
        #expect(report["stoppedBy"]?.string == "emergency")
        let (status, problem) = try host.post(path, "", as: "person-3")
        #expect(status == 409)
        #expect(problem["detail"]?.string?.contains("has an emergency") == true)
    }

    @Test func `a schedule is set, read and removed`() throws {
        let schedule = "/v1/circles/\(family)/drill-schedule"
        func put(_ body: String) throws -> (status: Int, json: JSON) {
            try host.answer(to: try host.send(.put, schedule, body, as: "person-3"))
        }
        let (status, json) = try put(#"{"day":1,"time":"10:00"}"#)
        #expect(status == 200)
        #expect(json["next"]?.string == "2026-12-01T02:00:00.000Z", "in Kuala Lumpur")
        for bad in [
            #"{"day":29,"time":"10:00"}"#, #"{"day":0,"time":"10:00"}"#, #"{"time":"10:00"}"#,
            #"{"day":1,"time":"24:00"}"#, #"{"day":1,"time":"1000"}"#, #"{"day":1}"#, "[]",
        ] { #expect(try put(bad).status == 400, "\(bad)") }
        try host.restart()
        #expect(
            try host.get(path, as: "person-1").json["schedule"]?["time"]?.string == "10:00")
        let removed = try host.send(.delete, schedule, as: "person-3")
        #expect(host.answers[removed]?.status == 204)
        try host.restart()
        #expect(try host.get(path, as: "person-3").json["schedule"]?.isNull == true)
    }

    @Test func `erasing a person removes them from reports`() throws {
        let id = try #require(DrillID(try start()["id"]?.string ?? ""))
        let store = try #require(host.service).runner.store
        try store.eraseDrills(of: person(2))
        let row = try #require(try store.drill(id))
        #expect(!row.participants.contains { $0.person == person(2) })
        try store.eraseDrills(of: person(3))
        #expect(try store.drill(id) == nil)
    }
}

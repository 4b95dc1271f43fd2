import Model
import Parsing
import Testing
import Web

@testable import NotifierDaemon

/// What a circle reads of a former member, and whose access is recorded.
struct PrivacyTests {
    private let host: TestHost
    private let timeline = "/v1/circles/\(family)/timeline"

    init() throws {
        host = try TestHost()
        try host.receive(.zoneEntered(TestHost.crossing), on: .events(.of(person(1))))
        try host.receive(TestHost.opened(), on: .events(.of(person(1))))
    }

    private func change(_ change: (inout Circle) -> Void) throws {
        guard var circle = host.replica.circle(family) else { return }
        change(&circle)
        host.replica.apply(.circleChanged(circle))
    }

    private func items(_ path: String, as token: String) throws -> [JSON] {
        try host.get(path, as: token).json["items"]?.array ?? []
    }

    private func kinds(as token: String) throws -> Set<String> {
        Set(try items(timeline, as: token).compactMap { $0["kind"]?.string })
    }

    private var looks: [AccessRecord] {
        host.published.compactMap {
            if case .accessRecorded(let record) = $0.body { record } else { nil }
        }
    }

    @Test func `of a former member a circle reads emergencies only`() throws {
        #expect(try kinds(as: "person-2").isSuperset(of: ["entered", "emergency-opened"]))
        try change { $0 = $0.without(person(1)) }
        for token in ["person-2", "operator"] {
            let kinds = try kinds(as: token)
            #expect(!kinds.contains("entered") && kinds.contains("emergency-opened"), "\(token)")
        }
        try change { circle in
            circle.members.append(
                Membership(
                    person: person(1), role: .member, joined: noon + .seconds(60),
                    trackerID: "A1"))
        }
        #expect(try !kinds(as: "person-2").contains("entered"), "that was before they came back")
    }

    @Test func `a crossing does not name former members as recipients`() throws {
        func named(_ kind: String) throws -> [String] {
            try items(timeline, as: "person-1").filter { $0["kind"]?.string == kind }
                .flatMap { $0["decisions"]?.array ?? [] }
                .compactMap { $0["person"]?["id"]?.string }
        }
        #expect(try named("entered").contains("\(person(2))"))
        try change { $0 = $0.without(person(2)) }
        #expect(try !named("entered").contains("\(person(2))"))
        #expect(try named("tier").contains("\(person(2))"), "of an emergency it is a record")
    }

    @Test func `a removed member cannot read the timeline`() throws {
        try change { $0 = $0.without(person(2)) }
        #expect(try host.get(timeline, as: "person-2").status == 404)
    }

    @Test func `messages about a former member cannot be read, except emergencies`() throws {
        let path = "/v1/people/\(person(2))/notifications"
        func reasons() throws -> Set<String> {
            Set(try items(path, as: "person-2").compactMap { $0["reason"]?.string })
        }
        #expect(try reasons() == ["zone-crossed", "tier"])
        try change { $0 = $0.without(person(1)) }
        #expect(try reasons() == ["tier"])
        let own = try items("/v1/people/\(person(1))/notifications", as: "person-1")
        #expect(
            own.contains { $0["reason"]?.string == "zone-crossed" }, "they read who was notified")
    }

    @Test func `access to the timeline is recorded once per viewer and hour`() throws {
        for _ in 0..<3 { _ = try items(timeline, as: "person-2") }
        #expect(
            looks == [
                AccessRecord(person: person(1), viewer: person(2), at: noon, kind: .timeline)
            ])
        _ = try items(timeline, as: "person-1")
        #expect(looks.count == 1, "a look at oneself is none")
        _ = try items(timeline, as: "operator")
        #expect(
            looks.last
                == AccessRecord(person: person(1), viewer: nil, at: noon, kind: .timeline))
        host.now = noon + .seconds(3600)
        _ = try items(timeline, as: "person-2")
        #expect(looks.count == 3)
        #expect(Set(host.published.map(\.id)).count == host.published.count)
    }

    @Test func `access to the outbox is recorded for the subjects of its messages`() throws {
        _ = try items("/v1/outbox", as: "operator")
        #expect(
            looks == [AccessRecord(person: person(1), viewer: nil, at: noon, kind: .outbox)])
        #expect(try host.get("/v1/outbox", as: "person-2").status == 403)
        #expect(looks.count == 1)
    }

    @Test func `a reason is published with the access, and a bad one is rejected`() throws {
        _ = try host.get("/v1/outbox", as: "operator", query: "reason=complaint%204711")
        #expect(looks.map(\.reason) == ["complaint 4711"])
        _ = try host.get("/v1/outbox", as: "operator", query: "reason=because")
        #expect(looks.count == 1, "too short: rejected, and nothing was shown")
    }

    // MARK: Never-notify lists

    /// A host in which the same happened; if `list` is set, Aisha's list excludes somebody.
    private static func world(hiding list: NeverNotifyList?) throws -> TestHost {
        let host = try TestHost()
        if let list { host.replica.apply(.neverNotifyChanged(list)) }
        try host.receive(.zoneEntered(TestHost.crossing), on: .events(.of(person(1))))
        try host.receive(TestHost.opened(), on: .events(.of(person(1))))
        host.now = noon + .seconds(130)
        try host.turn { _ in }
        return host
    }

    /// Status, headers and body of everything that a viewer reads.
    private static func everything(_ host: TestHost, as token: String) throws -> [String] {
        let id = emergency(1)
        let paths: [(Web.Method, String)] = [
            (.get, "/v1/circles/\(family)/timeline"), (.get, "/v1/circles/\(family)/reachability"),
            (.get, "/v1/people/\(person(2))/notifications"),
            (.get, "/v1/people/\(person(2))/drafts"),
            (.get, "/v1/people/\(person(3))/notifications"),
            (.get, "/v1/people/\(person(1))/drafts"),
            (.get, "/v1/people/\(person(1))/notifications"), (.get, "/v1/escalations"),
            (.get, "/v1/escalations/\(id)"), (.get, "/v1/outbox"), (.get, "/v1/notifications"),
            (.get, "/v1/opt-outs"), (.get, "/v1/gateways"),
            (.post, "/v1/emergencies/\(id)/confirmation"),
        ]
        return try paths.map { method, path in
            let answer = host.answers[try host.send(method, path, as: token)]
            return "\(path) \(answer?.status ?? 0) \(answer?.headers ?? [:]) "
                + String(decoding: answer?.body ?? [], as: UTF8.self)
        }
    }

    @Test func `to others all is the same with and without a never-notify list`() throws {
        let open = try Self.world(hiding: nil)
        let hiding = try Self.world(
            hiding: NeverNotifyList(person: person(1), people: [person(2)]))
        #expect(
            try Self.everything(open, as: "person-3") == Self.everything(hiding, as: "person-3"))
        let decisions = try hiding.get("/v1/circles/\(family)/timeline", as: "person-3").json
        #expect(decisions.text.contains("\(person(2))"), "Budi is shown as notified")
    }

    @Test func `somebody on the list reads as if nothing had happened`() throws {
        let list = NeverNotifyList(person: person(1), people: [person(2)])
        let hiding = try Self.world(hiding: list)
        let quiet = try TestHost()
        quiet.now = hiding.now
        #expect(
            try Self.everything(hiding, as: "person-2") == Self.everything(quiet, as: "person-2"))
        let acknowledgement = try hiding.send(
            .post, "/v1/emergencies/\(emergency(1))/acknowledgement", as: "person-2")
        let unknown = try quiet.send(
            .post, "/v1/emergencies/\(emergency(1))/acknowledgement", as: "person-2")
        #expect(hiding.answers[acknowledgement]?.status == quiet.answers[unknown]?.status)
        #expect(hiding.answers[acknowledgement]?.body == quiet.answers[unknown]?.body)
    }

    @Test func `to an officer on the list the emergency does not exist`() throws {
        func read(hiding list: NeverNotifyList?, _ path: String) throws -> (Int, Int?) {
            let host = try Self.world(hiding: list)
            var officer = try #require(host.replica.person(person(2)))
            officer.staff = .officer
            host.replica.apply(.personChanged(officer))
            let answer = try host.get(path, as: "person-2", query: "reason=case%2012345")
            return (answer.status, answer.json["items"]?.array?.count)
        }
        let list = NeverNotifyList(person: person(1), people: [person(2)])
        let one = "/v1/escalations/\(emergency(1))"
        #expect(try read(hiding: nil, "/v1/escalations") == (200, 1))
        #expect(try read(hiding: list, "/v1/escalations") == (200, 0))
        #expect(try read(hiding: nil, one).0 == 200)
        #expect(try read(hiding: list, one).0 == 404)
    }

    @Test func `the person reads whom their list excluded`() throws {
        let hiding = try Self.world(
            hiding: NeverNotifyList(person: person(1), people: [person(2)]))
        func reasons(_ token: String) throws -> [String] {
            let items = try hiding.get("/v1/circles/\(family)/timeline", as: token).json["items"]
            return (items?.array ?? []).flatMap { $0["decisions"]?.array ?? [] }
                .filter { $0["person"]?["id"]?.string == "\(person(2))" }
                .compactMap { $0["reason"]?.string }
        }
        #expect(try Set(reasons("person-1")) == ["never-notify"])
        #expect(try !reasons("person-3").contains("never-notify"))
        #expect(try !reasons("operator").contains("never-notify"))
        let escalation = try hiding.get("/v1/escalations/\(emergency(1))", as: "operator").json
        #expect(!escalation.text.contains("\(person(2))"), "the operator must not call Budi")
    }
}

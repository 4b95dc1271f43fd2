import Model
import Parsing
import Testing

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
        #expect(own.contains { $0["reason"]?.string == "zone-crossed" }, "they read who was told")
    }

    @Test func `access to the timeline is recorded once per viewer and hour`() throws {
        for _ in 0..<3 { _ = try items(timeline, as: "person-2") }
        #expect(
            looks == [AccessRecord(person: person(1), viewer: person(2), at: noon)])
        _ = try items(timeline, as: "person-1")
        #expect(looks.count == 1, "a look at oneself is none")
        _ = try items(timeline, as: "operator")
        #expect(looks.last == AccessRecord(person: person(1), viewer: nil, at: noon))
        host.now = noon + .seconds(3600)
        _ = try items(timeline, as: "person-2")
        #expect(looks.count == 3)
        #expect(Set(host.published.map(\.id)).count == host.published.count)
    }

    @Test func `access to the outbox is recorded for the subjects of its messages`() throws {
        _ = try items("/v1/outbox", as: "operator")
        #expect(looks == [AccessRecord(person: person(1), viewer: nil, at: noon)])
        #expect(try host.get("/v1/outbox", as: "person-2").status == 403)
        #expect(looks.count == 1)
    }
}

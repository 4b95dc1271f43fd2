import Model
import Testing

@testable import NotifierDaemon

/// A store was restored from a backup: ingest's, or the notifier's own.
struct RestoredStoreTests {
    private let panic = EmergencySignal(
        id: emergency(1), person: person(1), trigger: .panic, raised: noon, received: noon,
        countdownEnds: noon, fix: TestHost.fix)

    private func snapshots(_ host: TestHost) -> [Event] {
        host.published.filter { $0.kind == .emergencySnapshot }
    }

    private func texts(_ host: TestHost) throws -> [String] {
        try (host.get("/v1/outbox").json["items"]?.array ?? []).compactMap { $0["to"]?.string }
    }

    @Test
    func `active emergencies are published to ingest again, with the same id until they change`()
        throws
    {
        let host = try TestHost()
        try host.receive(.sosRaised(panic))
        try host.receive(TestHost.opened(), on: .events(.of(person(1))))
        let before = try texts(host)
        try host.turn { try $0.restart(.sos) }
        try host.restart()
        try host.turn { try $0.restart(.events(.of(person(1)))) }
        #expect(snapshots(host).count == 2)
        #expect(Set(snapshots(host).map(\.id)).count == 1)
        try host.turn { try $0.restart(.deadlines) }
        #expect(snapshots(host).count == 2)
        let path = "/v1/emergencies/\(emergency(1))/acknowledgement"
        #expect(try host.post(path, as: "person-2").status == 200)
        try host.turn { try $0.restart(.sos) }
        #expect(Set(snapshots(host).map(\.id)).count == 2)
        #expect(try texts(host).count == before.count + 2, "the person learns who responds")
    }

    @Test func `repeated records of evaluators change nothing`() throws {
        let host = try TestHost()
        let opened = Event(id: EventID(ID128(high: 7, low: 1)), time: noon, body: TestHost.opened())
        try host.receive(.sosRaised(panic))
        try host.receive(opened, on: .events(.of(person(1))))
        let before = try texts(host)
        try host.turn { try $0.restart(.events(.of(person(1)))) }
        try host.receive(opened, on: .events(.of(person(1))))
        #expect(try texts(host) == before)
    }

    /// Ingest's records are read again; they do not contain that people were notified.
    @Test func `an older store learns its emergencies and acknowledgements again`() throws {
        let host = try TestHost()
        let news = EmergencyChange(
            emergency: emergency(1), person: person(1), state: .acknowledged, trigger: .panic,
            signal: emergency(1), raised: noon, countdownEnds: noon, by: person(2))
        try host.receive(.sosRaised(panic))
        try host.receive(TestHost.opened(), on: .events(.of(person(1))))
        #expect(Set(try texts(host)) == ["+60111000002", "Budi@example.org"])
        try host.receive(.emergencyAcknowledged(news), on: .events(.of(person(1))))
        let known = try texts(host).count
        host.now = noon + .seconds(600)
        try host.turn { _ in }
        #expect(try texts(host).count == known, "the escalation does not move")
        let status = try host.post(
            "/v1/emergencies/\(emergency(1))/acknowledgement", as: "person-2")
        #expect(status.json["state"] == "acknowledged")
        #expect(status.json["yours"] == true)
    }

    @Test func `an older store opens what no evaluator has answered`() throws {
        let host = try TestHost()
        host.now = noon + .seconds(600)
        try host.receive(.sosRaised(panic))
        #expect(try texts(host).isEmpty, "the answer may be in what is read next")
        host.now = host.now + .seconds(10)
        try host.turn { _ in }
        #expect(try texts(host).count == 2)
        try host.receive(TestHost.opened(), on: .events(.of(person(1))))
        #expect(try texts(host).count == 2)
    }
}

import Model
import Testing

@testable import NotifierDaemon

/// A store was put back from an older copy: ingest's, or the notifier's own.
struct PutBackTests {
    private let panic = EmergencySignal(
        id: emergency(1), person: person(1), trigger: .panic, raised: noon, received: noon,
        countdownEnds: noon, fix: House.fix)

    private func standings(_ house: House) -> [Event] {
        house.published.filter { $0.kind == .ladderStanding }
    }

    private func told(_ house: House) throws -> [String] {
        try (house.get("/v1/outbox").json["items"]?.array ?? []).compactMap { $0["to"]?.string }
    }

    @Test func `what goes on is told to ingest again, by the same event until it changes`() throws {
        let house = try House()
        try house.tell(.sosRaised(panic))
        try house.tell(House.opened(), on: .events(.of(person(1))))
        let before = try told(house)
        try house.turn { try $0.restart(.sos) }
        try house.restart()
        try house.turn { try $0.restart(.events(.of(person(1)))) }
        #expect(standings(house).count == 2)
        #expect(Set(standings(house).map(\.id)).count == 1)
        try house.turn { try $0.restart(.fired) }
        #expect(standings(house).count == 2)
        let path = "/v1/emergencies/\(emergency(1))/acknowledgement"
        #expect(try house.post(path, as: "person-2").status == 200)
        try house.turn { try $0.restart(.sos) }
        #expect(Set(standings(house).map(\.id)).count == 2)
        #expect(try told(house).count == before.count + 2, "the person hears who took it")
    }

    @Test func `what evaluators say of it once more changes nothing`() throws {
        let house = try House()
        let opened = Event(id: EventID(ID128(high: 7, low: 1)), time: noon, body: House.opened())
        try house.tell(.sosRaised(panic))
        try house.tell(opened, on: .events(.of(person(1))))
        let before = try told(house)
        try house.turn { try $0.restart(.events(.of(person(1)))) }
        try house.tell(opened, on: .events(.of(person(1))))
        #expect(try told(house) == before)
    }

    /// The records of ingest are read once more: that people were told is not in them.
    @Test func `an older store learns its emergencies again, and who has taken them`() throws {
        let house = try House()
        let news = EmergencyNews(
            emergency: emergency(1), person: person(1), state: .acknowledged, trigger: .panic,
            signal: emergency(1), raised: noon, countdownEnds: noon, by: person(2))
        try house.tell(.sosRaised(panic))
        try house.tell(House.opened(), on: .events(.of(person(1))))
        #expect(Set(try told(house)) == ["+60111000002", "Budi@example.org"])
        try house.tell(.emergencyAcknowledged(news), on: .events(.of(person(1))))
        let known = try told(house).count
        house.now = noon + .seconds(600)
        try house.turn { _ in }
        #expect(try told(house).count == known, "the ladder stands still")
        let standing = try house.post(
            "/v1/emergencies/\(emergency(1))/acknowledgement", as: "person-2")
        #expect(standing.json["state"] == "acknowledged")
        #expect(standing.json["yours"] == true)
    }

    @Test func `an older store opens what no evaluator has answered`() throws {
        let house = try House()
        house.now = noon + .seconds(600)
        try house.tell(.sosRaised(panic))
        #expect(try told(house).isEmpty, "the answer may be in what is read next")
        house.now = house.now + .seconds(10)
        try house.turn { _ in }
        #expect(try told(house).count == 2)
        try house.tell(House.opened(), on: .events(.of(person(1))))
        #expect(try told(house).count == 2)
    }
}

import Model
import Parsing
import Testing
import Wire

@testable import IngestDaemon

/// An older copy of the store is put back, and others tell again what it has lost.
@Suite struct RestoredServiceTests {
    private let id = EmergencyID(ID128(high: 7, low: 1))

    private var signal: EmergencySignal {
        EmergencySignal(
            id: id, person: person(1), trigger: .panic, raised: start, received: start,
            countdownEnds: start)
    }

    private func standing(_ state: EmergencyState) -> EventBody {
        .emergencySnapshot(
            EmergencySnapshot(
                emergency: id, person: person(1), state: state, by: person(2), at: start,
                signals: [signal], recipients: [person(2)], reached: .accepted))
    }

    private func answer() -> EmergencyAnswer {
        EmergencyAnswer(
            emergency: id, person: person(1), by: person(2), at: start, signals: [id])
    }

    @Test func `a lost emergency is restored, and a further call joins it`()
        throws
    {
        let world = try World()
        try world.copyStore(to: "copy")
        let call = try world.send(.post, "/v1/emergencies", #"{"countdown":0}"#, token: "phone-1")
        let lost = try #require(call.json["id"]?.string)
        try world.putBack("copy")
        let path = "/v1/emergencies/\(lost)"
        #expect(try world.send(.get, path, token: "phone-1").status == 404)
        guard case .sosRaised(let panic)? = world.records(.sosRaised).first?.body else {
            Issue.record("the panic was published")
            return
        }
        let standing = EmergencySnapshot(
            emergency: panic.id, person: person(1), state: .open, at: start, signals: [panic],
            recipients: [person(2)], reached: .accepted)
        for _ in 0..<2 { try world.receive(.emergencySnapshot(standing), id: 1, on: .deliveries) }
        #expect(world.records(.inputEmergencySnapshot).count == 1, "one event is published once")
        let view = try world.send(.get, path, token: "phone-1").json
        #expect(view["state"] == "open")
        #expect(view["deliveryState"] == "accepted")
        let again = try world.send(.post, "/v1/emergencies", "{}", token: "phone-1").json
        #expect(again["emergency"]?.string == lost)
        #expect(world.records(.sosRaised).count == 2, "only calls are published")
        try world.restart()
        #expect(try world.send(.get, path, token: "phone-1").json["state"] == "open")
    }

    /// `deliveries` and `expired` are read once more from where the copy was, each by itself.
    @Test(arguments: [true, false])
    func `an expired watch that has ended does not start again`(isEndFirst: Bool) throws {
        let world = try World()
        func end() throws {
            try world.receive(.resolutionCommitted(answer()), id: 1, on: .deliveries)
            try world.receive(standing(.resolved), id: 2, on: .deliveries)
        }
        if isEndFirst { try end() }
        try world.receive(.watchExpired(signal), id: 3, on: .deadlines)
        if !isEndFirst { try end() }
        let view = try world.send(.get, "/v1/emergencies/\(id)", token: "phone-1").json
        #expect(view["state"] == "resolved")
        #expect(world.service.runner.core.emergencies.signals.activeCount == 0)
        #expect(world.records(.inputSignal).count == (isEndFirst ? 0 : 1))
    }
}

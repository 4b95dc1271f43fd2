import Model
import Testing

@testable import IngestCore

@Suite struct `A lost contact` {
    @Test func `a contact loss that may raise an emergency publishes the last fix`() throws {
        var bench = Bench()
        bench.deliver([observation(at: -60, lat: 7)])
        let emergency = EmergencyID(ID128(high: 7, low: 8))
        let deadline = Deadline(
            id: DeadlineID(ID128(high: 6, low: 1)), kind: .contact, person: person(1),
            emergency: emergency, due: start)
        let body = EventBody.deadlineExpired(ExpiredDeadline(deadline: deadline, expired: start))
        bench.handle(.deadlines(Event(id: EventID(.zero), time: start, body: body)))
        guard case .sosLocated(let place)? = bench.sos.last?.body else {
            Issue.record("no place was published")
            return
        }
        #expect(place.emergency == emergency && place.fix.position.latitudeE7 == 7)
        #expect(bench.bodies(.inputDeadline).count == 1)
    }
}

import Model
import Testing
import Wire

@testable import JagaCLI

@Suite struct `A trace through the services` {
    private let start = Timestamp(seconds: 1_795_170_000)
    private let person = PersonID(ID128(high: 2, low: 1))
    private let emergency = EmergencyID(ID128(high: 9, low: 9))

    private func report(_ number: UInt64, trace: String) throws -> Report {
        Report(
            id: ReportID(ID128(high: 4, low: number)), person: person, device: DeviceID(.zero),
            fix: Fix(
                time: start - .seconds(2),
                position: try #require(Coordinate(latitude: 3.1, longitude: 101.6))),
            received: start - .milliseconds(250), trace: trace)
    }

    private func event(
        _ number: UInt64, _ body: EventBody, after milliseconds: Int64, trace: String
    ) -> Event {
        Event(
            id: EventID(ID128(high: 8, low: number)), time: start + .milliseconds(milliseconds),
            trace: trace, body: body)
    }

    private func notification(_ state: NotificationState) -> EventBody {
        .notificationChanged(
            NotificationChanged(
                notification: NotificationID(ID128(high: 7, low: 1)), emergency: emergency,
                person: person, recipient: person, channel: .sms, state: state, gateway: "kannel",
                answer: ""))
    }

    private func position(_ number: UInt64) -> Position {
        Position(incarnation: .zero, sequence: number, hash: 0)
    }

    /// Two requests in one record, a message in two states, and a response with its own request.
    private func world() throws -> [(Event, StreamName)] {
        let batch = ReportBatch([
            try report(1, trace: "req-other"), try report(2, trace: "req-mine"),
        ])
        let answer = EmergencyAnswer(
            emergency: emergency, person: person, by: person, at: start, note: "on my way",
            trace: "req-answer")
        return [
            (event(5, notification(.accepted), after: 40, trace: "req-mine"), .deliveries),
            (event(4, notification(.queued), after: 20, trace: "req-mine"), .deliveries),
            (
                event(1, .inputReports(batch), after: 0, trace: "req-other"),
                .input(Partition.all[1])
            ),
            (event(9, .deadlineScheduled(canary), after: 5, trace: "canary"), .deliveries),
            (
                event(7, .acknowledgementCommitted(answer), after: 60, trace: "req-answer"),
                .deliveries
            ),
        ]
    }

    private var canary: Deadline {
        Deadline(id: DeadlineID(.zero), kind: .canary, person: person, due: start)
    }

    private func journey(of id: String) throws -> Journey {
        var journey = Journey(id)
        let world = try world()
        for (index, (event, stream)) in world.enumerated() {
            journey.collectRequests(event, stream, position(UInt64(index + 1)))
        }
        if journey.foundRequests {
            for (index, (event, stream)) in world.enumerated() {
                journey.append(event, stream, position(UInt64(index + 1)))
            }
        }
        return journey
    }

    @Test func `follows a request from the phone to the gateway in order of time`() throws {
        let lines = try journey(of: "req-mine").lines
        #expect(lines.count == 5)
        #expect(lines[0].contains("+0.0 s") && lines[0].contains("phone"))
        #expect(lines[1].contains("+1.75 s") && lines[1].contains("ingest"))
        #expect(lines[2].contains("jaga.input.reports  in/1#3"))
        #expect(lines[3].contains("state=queued") && lines[4].contains("state=accepted"))
        #expect(lines[4].contains("+2.04 s") && lines[4].contains("notifier"))
    }

    @Test func `finds consequences of an emergency, even by requests that do not name it`() throws {
        let lines = try journey(of: "\(emergency)").lines
        #expect(lines.count == 6)
        #expect(lines.last?.contains("jaga.acknowledgement.committed") == true)
        #expect(!lines.joined().contains("on my way"))
        #expect(!lines.joined().contains("canary"))
    }

    @Test func `omits reports of other people in the same record`() throws {
        let found = try journey(of: "\(ReportID(ID128(high: 4, low: 2)))")
        #expect(found.events.flatMap(\.event.body.reports).map(\.trace) == ["req-mine"])
        #expect(found.lines.count == 5)
        #expect(try journey(of: "req-mi").events.isEmpty)
        #expect(try journey(of: "rep_0").lines.isEmpty)
    }
}

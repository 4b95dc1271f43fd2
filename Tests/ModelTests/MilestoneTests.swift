import Model
import Testing

@Suite struct `An event that stands in every log` {
    private let person = PersonID(ID128(high: 1, low: 1))
    private let device = DeviceID(ID128(high: 2, low: 2))

    private func event(_ body: EventBody, trace: String = "req-1") -> Event {
        Event(id: EventID(.zero), time: .zero, trace: trace, body: body)
    }

    private func message(_ state: NotificationState) -> Event {
        event(
            .notificationChanged(
                NotificationNews(
                    notification: NotificationID(.zero), emergency: nil, person: person,
                    recipient: person, channel: .sms, state: state, gateway: "g", answer: "")))
    }

    private var crossing: EventBody {
        .zoneEntered(
            ZoneCrossing(
                person: person, device: device, zone: ZoneID(.zero), zoneName: "", zoneKind: .safe,
                circle: nil, before: .outside, after: .inside,
                fix: Fix(time: .zero, position: Coordinate(latitudeE7: 1, longitudeE7: 2)),
                distanceCentimetres: 0, marginCentimetres: 0, reason: .insideBeyondMargin,
                report: ReportID(.zero)))
    }

    @Test func `is one that people may be told of, by whose request it came`() {
        #expect(event(crossing).isMilestone(isOwn: true))
        #expect(event(crossing).isMilestone(isOwn: false))
        #expect(!event(crossing, trace: "").isMilestone(isOwn: true))
        let battery = BatteryNews(person: person, device: device, battery: 14, mark: 15)
        #expect(!event(.batteryLow(battery)).isMilestone(isOwn: true))
    }

    @Test func `is what became of a message, once`() {
        for state in [NotificationState.accepted, .delivered, .refused, .unknown, .expired] {
            #expect(message(state).isMilestone(isOwn: true), "\(state)")
            #expect(!message(state).isMilestone(isOwn: false), "\(state)")
        }
        #expect(!message(.queued).isMilestone(isOwn: true))
        #expect(!message(.sending).isMilestone(isOwn: true))
    }
}

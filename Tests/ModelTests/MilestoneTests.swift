import Model
import Testing

@Suite struct `A milestone` {
    private let person = PersonID(ID128(high: 1, low: 1))
    private let device = DeviceID(ID128(high: 2, low: 2))

    private func event(_ body: EventBody, trace: String = "req-1") -> Event {
        Event(id: EventID(.zero), time: .zero, trace: trace, body: body)
    }

    private func message(_ state: NotificationState) -> Event {
        event(
            .notificationChanged(
                NotificationChanged(
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

    @Test func `is an event that may notify people and has a trace`() {
        #expect(event(crossing).isMilestone(isOwn: true))
        #expect(event(crossing).isMilestone(isOwn: false))
        #expect(!event(crossing, trace: "").isMilestone(isOwn: true))
        let battery = BatteryChange(person: person, device: device, battery: 14, mark: 15)
        #expect(!event(.batteryLow(battery)).isMilestone(isOwn: true))
    }

    @Test func `is the final state of a notification, in its sender's log only`() {
        for state in [NotificationState.accepted, .delivered, .rejected, .unknown, .expired] {
            #expect(message(state).isMilestone(isOwn: true), "\(state)")
            #expect(!message(state).isMilestone(isOwn: false), "\(state)")
        }
        #expect(!message(.queued).isMilestone(isOwn: true))
        #expect(!message(.sending).isMilestone(isOwn: true))
    }
}

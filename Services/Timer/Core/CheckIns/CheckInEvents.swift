import Hashing
import Model

extension CheckIn {
    /// The check-in of a schedule at a due time; always with the same id.
    init(
        of schedule: CheckInSchedule, due: Timestamp, expires: Timestamp, isLate: Bool
    ) {
        let id = Hash.id("check-in", .id(schedule.id), .number(due.microseconds))
        self.init(
            id: CheckInID(id), person: schedule.person, schedule: schedule.id,
            name: schedule.name, due: due, expires: expires, late: isLate, trace: id.text)
    }

    /// The signal of its expiry; always with the same id.
    func signal(at now: Timestamp, recipients: [PersonID]?) -> EmergencySignal {
        EmergencySignal(
            id: EmergencyID(
                Hash.derivedID(
                    kind: EmergencyTrigger.watchExpired.rawValue, person: person, cause: id.raw)),
            person: person, trigger: .watchExpired, raised: min(expires, now), received: now,
            countdownEnds: now, note: name.isEmpty ? nil : name, recipients: recipients,
            trace: trace)
    }
}

extension Event {
    /// The event of a changed check-in.
    public static func changed(_ checkIn: CheckIn, at now: Timestamp) -> Event {
        Event(
            id: Hash.derivedID(
                kind: .checkInChanged, person: checkIn.person,
                subject: .text(checkIn.state.rawValue), cause: checkIn.id.raw),
            time: now, trace: checkIn.trace, body: .checkInChanged(checkIn))
    }

    /// The event of a signal that an unanswered check-in or a duress PIN raises.
    public static func raised(_ signal: EmergencySignal, at now: Timestamp) -> Event {
        Event(
            id: Hash.derivedID(kind: .watchExpired, person: signal.person, cause: signal.id.raw),
            time: now, trace: signal.trace, body: .watchExpired(signal))
    }
}

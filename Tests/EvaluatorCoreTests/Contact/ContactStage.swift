import EvaluatorCore
import Model

extension World {
    /// A person whose phone has announced a contact expectation.
    static func withExpectation(_ seconds: Int32 = 1800) -> World {
        var world = World()
        _ = world.report(north: 0)
        _ = world.announce(contactTimeout: seconds)
        return world
    }

    mutating func announce(contactTimeout seconds: Int32?) -> [Event] {
        handle(
            .inputContactExpectation(
                ContactExpectation(
                    person: World.person, device: World.phone, contactTimeoutSeconds: seconds)))
    }

    mutating func contact(
        _ kind: Contact.Kind, battery: UInt8? = nil, charging: Bool? = nil
    ) -> [Event] {
        handle(
            .inputContact(
                Contact(
                    person: World.person, kind: kind, at: now, battery: battery,
                    charging: charging)))
    }

    private static let watch = WatchID(ID128(high: 7, low: 1))

    mutating func watch(for seconds: Int64) -> [Event] {
        handle(
            .inputWatch(
                WatchSpan(
                    person: World.person, watch: World.watch, until: now + .seconds(seconds))))
    }

    mutating func endWatch() -> [Event] {
        handle(.inputWatch(WatchSpan(person: World.person, watch: World.watch, until: nil)))
    }

    mutating func recordOutage(from: Timestamp) -> [Event] {
        handle(.inputIntakeOutage(IntakeOutage(from: from, to: now)))
    }

    mutating func hold(_ isHeld: Bool) -> [Event] {
        handle(.inputContactLossHold(ContactLossHold(isHeld: isHeld)))
    }

    /// A panic without a device and countdown.
    func signal(_ number: UInt64) -> EmergencySignal {
        EmergencySignal(
            id: EmergencyID(ID128(high: 5, low: number)), person: World.person, trigger: .panic,
            raised: now, received: now, countdownEnds: now)
    }
}

extension [Event] {
    var contactChange: [ContactChange] {
        compactMap { event in
            switch event.body {
            case .contactLate(let change), .contactOverdue(let change), .contactLost(let change),
                .contactOK(let change):
                change
            default: nil
            }
        }
    }

    /// `q` late, `o` overdue, `l` lost; ok again because the device was seen (`s`), because
    /// of an answer (`a`), or because of another change (`c`).
    var contactStates: String {
        map { event in
            switch event.body {
            case .contactLate: "q"
            case .contactOverdue: "o"
            case .contactLost: "l"
            case .contactOK(let change): String(change.end?.rawValue.first ?? "?")
            default: ""
            }
        }.joined()
    }

    var batteries: [UInt8] {
        compactMap { if case .batteryLow(let change) = $0.body { change.mark } else { nil } }
    }

    func deadlines(_ rule: DeadlineKind) -> (scheduled: [Deadline], cancelled: [Deadline]) {
        var found: (scheduled: [Deadline], cancelled: [Deadline]) = ([], [])
        for event in self {
            switch event.body {
            case .deadlineScheduled(let deadline) where deadline.kind == rule:
                found.scheduled.append(deadline)
            case .deadlineCancelled(let deadline) where deadline.kind == rule:
                found.cancelled.append(deadline)
            default: break
            }
        }
        return found
    }
}

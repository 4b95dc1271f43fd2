import Model

extension EventBody {
    /// The service that emits the event.
    var source: String {
        switch kind.rawValue {
        case 1...31, 64...79: "ingest"
        case 80...95: "membership"
        case 96...111: "timer"
        case 112...127: "notifier"
        default: isNotifiersDeadline ? "notifier" : "evaluator"
        }
    }

    /// Whether the notifier schedules the deadline. Evaluators schedule deadlines for countdowns,
    /// presence and contact, and cancel the notifier's canaries; the notifier schedules all others.
    private var isNotifiersDeadline: Bool {
        switch self {
        case .deadlineCancelled(let deadline) where deadline.rule == .canary: false
        case .deadlineScheduled(let deadline), .deadlineCancelled(let deadline):
            ![.countdown, .presence, .contact].contains(deadline.rule)
        default: false
        }
    }

    /// The person that the event is about; nil for events about no person or several.
    public var person: PersonID? {
        switch self {
        case .inputReport(let report): report.person
        case .inputReports(let batch): batch.person
        case .inputSignal(let signal), .inputFallbackOpened(let signal), .sosRaised(let signal),
            .watchExpired(let signal), .escalationFallbackOpened(let signal),
            .signalReceived(let signal):
            signal.person
        case .inputCancel(let cancel), .sosCancelled(let cancel): cancel.person
        case .sosLocated(let place): place.person
        case .inputDeadline(let expired), .deadlineExpired(let expired): expired.deadline.person
        case .inputAcknowledgement(let answer), .inputResolution(let answer),
            .acknowledgementCommitted(let answer), .resolutionCommitted(let answer):
            answer.person
        case .inputPerson(let configuration): configuration.person
        case .inputPersonRemoved(let removal), .personRemoved(let removal): removal.person
        case .inputArming(let arming): arming.person
        case .inputAlarmAnswer(let answer): answer.person
        case .inputContactExpectation(let terms): terms.person
        case .inputContact(let contact), .checkInReceived(let contact): contact.person
        case .inputWatch(let span): span.person
        case .accessRecorded(let record): record.person
        case .zoneEntered(let crossing), .zoneExited(let crossing),
            .zonePresenceEstablished(let crossing),
            .zoneApproached(let crossing), .zoneDwelled(let crossing),
            .zoneSuppressed(let crossing), .zoneLeftVicinity(let crossing),
            .zonePresenceCleared(let crossing):
            crossing.person
        case .zoneAbsent(let absence): absence.person
        case .alarmStarted(let alarm), .alarmRepeated(let alarm), .alarmEnded(let alarm):
            alarm.person
        case .messagesDue(let due): due.person
        case .policyChanged(let policy): policy.person
        case .contactLate(let contact), .contactOverdue(let contact), .contactLost(let contact),
            .contactOK(let contact):
            contact.person
        case .batteryLow(let battery): battery.person
        case .inputImpairment(let impairment),
            .deviceImpaired(let impairment):
            impairment.person
        case .emergencyCountdown(let emergency), .emergencyOpened(let emergency),
            .emergencyJoined(let emergency),
            .emergencyCancelled(let emergency), .emergencyAcknowledged(let emergency),
            .emergencyResolved(let emergency):
            emergency.person
        case .deadlineScheduled(let deadline), .deadlineCancelled(let deadline): deadline.person
        case .personChanged(let person): person.id
        case .deviceChanged(let device): device.person
        case .credentialChanged(let credential): credential.person
        case .watchChanged(let watch): watch.person
        case .notificationChanged(let notification): notification.person
        case .escalationTierStarted(let escalation), .escalationExhausted(let escalation):
            escalation.person
        case .inputEmergencySnapshot(let snapshot), .emergencySnapshot(let snapshot):
            snapshot.person
        case .inputCircle, .inputCircleRemoved, .inputLogic, .inputIntakeOutage,
            .inputContactLossHold,
            .deviceRemoved, .credentialRemoved,
            .circleChanged, .circleRemoved, .zoneChanged, .zoneRemoved, .inputSet,
            .inputSetRemoved, .setChanged, .setRemoved, .messageChanged, .messageRemoved,
            .messageRequested, .retentionDue, .reachabilityChanged:
            nil
        }
    }
}

import Model
import Parsing

extension EventBody {
    /// The event's data as JSON.
    func data() throws(ParseError) -> JSON {
        switch self {
        case .inputReport(let report): try JSON.encode(report)
        case .inputReports(let batch): try JSON.encode(batch)
        case .inputSignal(let signal), .inputFallbackOpened(let signal), .sosRaised(let signal),
            .watchExpired(let signal), .escalationFallbackOpened(let signal),
            .signalReceived(let signal):
            try JSON.encode(signal)
        case .inputCancel(let cancel), .sosCancelled(let cancel): try JSON.encode(cancel)
        case .sosLocated(let position): try JSON.encode(position)
        case .inputDeadline(let expired), .deadlineExpired(let expired): try JSON.encode(expired)
        case .inputAcknowledgement(let answer), .inputResolution(let answer),
            .acknowledgementCommitted(let answer), .resolutionCommitted(let answer):
            try JSON.encode(answer)
        case .inputPerson(let configuration): try JSON.encode(configuration)
        case .inputPersonRemoved(let removal), .personRemoved(let removal): try JSON.encode(removal)
        case .inputCircle(let configuration): try JSON.encode(configuration)
        case .inputCircleRemoved(let removal), .circleRemoved(let removal):
            try JSON.encode(removal)
        case .inputLogic(let version): try JSON.encode(version)
        case .inputSet(let configuration): try JSON.encode(configuration)
        case .inputSetRemoved(let removal), .setRemoved(let removal): try JSON.encode(removal)
        case .inputArming(let arming): try JSON.encode(arming)
        case .inputAlarmAnswer(let answer): try JSON.encode(answer)
        case .zoneEntered(let crossing), .zoneExited(let crossing),
            .zonePresenceEstablished(let crossing),
            .zoneApproached(let crossing), .zoneDwelled(let crossing),
            .zoneSuppressed(let crossing), .zoneLeftVicinity(let crossing),
            .zonePresenceCleared(let crossing):
            try JSON.encode(crossing)
        case .zoneAbsent(let absence): try JSON.encode(absence)
        case .messagesDue(let due): try JSON.encode(due)
        case .inputContactExpectation, .inputContact, .inputWatch, .inputIntakeOutage,
            .inputContactLossHold,
            .inputImpairment, .deviceImpaired, .contactLate, .contactOverdue, .contactLost,
            .contactOK, .batteryLow, .checkInReceived, .policyChanged, .alarmStarted,
            .alarmRepeated, .alarmEnded, .accessRecorded:
            try phoneData()
        case .emergencyCountdown(let emergency), .emergencyOpened(let emergency),
            .emergencyJoined(let emergency),
            .emergencyCancelled(let emergency), .emergencyAcknowledged(let emergency),
            .emergencyResolved(let emergency):
            try JSON.encode(emergency)
        case .deadlineScheduled(let deadline), .deadlineCancelled(let deadline):
            try JSON.encode(deadline)
        case .personChanged(let person): try JSON.encode(person)
        case .deviceChanged(let device): try JSON.encode(device)
        case .deviceRemoved(let removal): try JSON.encode(removal)
        case .credentialChanged(let credential): try JSON.encode(credential)
        case .credentialRemoved(let removal): try JSON.encode(removal)
        case .circleChanged(let circle): try JSON.encode(circle)
        case .zoneChanged(let zone): try JSON.encode(zone)
        case .zoneRemoved(let removal): try JSON.encode(removal)
        case .setChanged(let set): try JSON.encode(set)
        case .messageChanged(let message): try JSON.encode(message)
        case .messageRemoved(let removal): try JSON.encode(removal)
        case .messageRequested(let message): try JSON.encode(message)
        case .watchChanged(let watch): try JSON.encode(watch)
        case .retentionDue(let round): try JSON.encode(round)
        case .notificationChanged, .reachabilityChanged, .escalationTierStarted,
            .escalationExhausted,
            .inputEmergencySnapshot, .emergencySnapshot:
            try deliveryData()
        }
    }

    /// Decodes the output of ``data()``.
    init(kind: EventKind, data: JSON) throws(ParseError) {
        func read<Value: Decodable>() throws(ParseError) -> Value { try data.decode(Value.self) }
        switch kind {
        case .inputReport: self = .inputReport(try read())
        case .inputReports: self = .inputReports(try read())
        case .inputSignal: self = .inputSignal(try read())
        case .inputCancel: self = .inputCancel(try read())
        case .inputDeadline: self = .inputDeadline(try read())
        case .inputAcknowledgement: self = .inputAcknowledgement(try read())
        case .inputResolution: self = .inputResolution(try read())
        case .inputFallbackOpened: self = .inputFallbackOpened(try read())
        case .inputPerson: self = .inputPerson(try read())
        case .inputPersonRemoved: self = .inputPersonRemoved(try read())
        case .inputCircle: self = .inputCircle(try read())
        case .inputCircleRemoved: self = .inputCircleRemoved(try read())
        case .inputLogic: self = .inputLogic(try read())
        case .inputSet: self = .inputSet(try read())
        case .inputSetRemoved: self = .inputSetRemoved(try read())
        case .inputArming: self = .inputArming(try read())
        case .inputAlarmAnswer: self = .inputAlarmAnswer(try read())
        case .emergencyCountdown: self = .emergencyCountdown(try read())
        case .emergencyOpened: self = .emergencyOpened(try read())
        case .emergencyJoined: self = .emergencyJoined(try read())
        case .emergencyCancelled: self = .emergencyCancelled(try read())
        case .emergencyAcknowledged: self = .emergencyAcknowledged(try read())
        case .emergencyResolved: self = .emergencyResolved(try read())
        case .deadlineScheduled: self = .deadlineScheduled(try read())
        case .deadlineCancelled: self = .deadlineCancelled(try read())
        case .messagesDue: self = .messagesDue(try read())
        case .sosRaised: self = .sosRaised(try read())
        case .sosCancelled: self = .sosCancelled(try read())
        case .sosLocated: self = .sosLocated(try read())
        case .deadlineExpired: self = .deadlineExpired(try read())
        case .watchChanged: self = .watchChanged(try read())
        case .watchExpired: self = .watchExpired(try read())
        case .retentionDue: self = .retentionDue(try read())
        case .notificationChanged, .reachabilityChanged, .escalationTierStarted,
            .escalationExhausted,
            .inputEmergencySnapshot, .emergencySnapshot:
            try self.init(deliveries: kind, data)
        case .acknowledgementCommitted: self = .acknowledgementCommitted(try read())
        case .resolutionCommitted: self = .resolutionCommitted(try read())
        case .escalationFallbackOpened: self = .escalationFallbackOpened(try read())
        case .signalReceived: self = .signalReceived(try read())
        case .personChanged, .personRemoved, .deviceChanged, .deviceRemoved, .credentialChanged,
            .credentialRemoved, .circleChanged, .circleRemoved, .zoneChanged, .zoneRemoved,
            .setChanged, .setRemoved, .messageChanged, .messageRemoved, .messageRequested:
            try self.init(directory: kind, data)
        case .zoneEntered, .zoneExited, .zonePresenceEstablished, .zoneApproached, .zoneDwelled,
            .zoneSuppressed, .zoneAbsent, .zoneLeftVicinity, .zonePresenceCleared:
            try self.init(zones: kind, data)
        case .inputContactExpectation, .inputContact, .inputWatch, .inputIntakeOutage,
            .inputContactLossHold,
            .inputImpairment, .deviceImpaired, .contactLate, .contactOverdue, .contactLost,
            .contactOK, .batteryLow, .checkInReceived, .policyChanged, .alarmStarted,
            .alarmRepeated, .alarmEnded, .accessRecorded:
            try self.init(phones: kind, data)
        }
    }

    /// Data of notification and escalation events.
    private func deliveryData() throws(ParseError) -> JSON {
        switch self {
        case .notificationChanged(let notification): try JSON.encode(notification)
        case .reachabilityChanged(let reachability): try JSON.encode(reachability)
        case .escalationTierStarted(let escalation), .escalationExhausted(let escalation):
            try JSON.encode(escalation)
        case .inputEmergencySnapshot(let snapshot), .emergencySnapshot(let snapshot):
            try JSON.encode(snapshot)
        default: fatalError("broken invariant: \(kind.type) is of deliveries")
        }
    }

    /// Decodes data of notification and escalation events.
    private init(deliveries kind: EventKind, _ data: JSON) throws(ParseError) {
        func read<Value: Decodable>(_ type: Value.Type = Value.self) throws(ParseError) -> Value {
            try data.decode(type)
        }
        switch kind {
        case .notificationChanged: self = .notificationChanged(try read())
        case .reachabilityChanged: self = .reachabilityChanged(try read())
        case .escalationTierStarted: self = .escalationTierStarted(try read())
        case .escalationExhausted: self = .escalationExhausted(try read())
        case .inputEmergencySnapshot: self = .inputEmergencySnapshot(try read())
        case .emergencySnapshot: self = .emergencySnapshot(try read())
        default: fatalError("broken invariant: \(kind.type) is of deliveries")
        }
    }

    /// Data of events about phones: policies, contact, alarms.
    private func phoneData() throws(ParseError) -> JSON {
        switch self {
        case .alarmStarted(let alarm), .alarmRepeated(let alarm), .alarmEnded(let alarm):
            try JSON.encode(alarm)
        case .policyChanged(let policy): try JSON.encode(policy)
        case .inputContactExpectation(let terms): try JSON.encode(terms)
        case .inputContact(let contact), .checkInReceived(let contact): try JSON.encode(contact)
        case .inputWatch(let span): try JSON.encode(span)
        case .inputIntakeOutage(let outage): try JSON.encode(outage)
        case .inputContactLossHold(let hold): try JSON.encode(hold)
        case .contactLate(let contact), .contactOverdue(let contact), .contactLost(let contact),
            .contactOK(let contact):
            try JSON.encode(contact)
        case .batteryLow(let battery): try JSON.encode(battery)
        case .accessRecorded(let record): try JSON.encode(record)
        case .inputImpairment(let impairment),
            .deviceImpaired(let impairment):
            try JSON.encode(impairment)
        default: fatalError("broken invariant: \(kind.type) is of phones")
        }
    }

    /// Decodes data of events about phones.
    private init(phones kind: EventKind, _ data: JSON) throws(ParseError) {
        func read<Value: Decodable>(_ type: Value.Type = Value.self) throws(ParseError) -> Value {
            try data.decode(type)
        }
        switch kind {
        case .alarmStarted: self = .alarmStarted(try read())
        case .alarmRepeated: self = .alarmRepeated(try read())
        case .alarmEnded: self = .alarmEnded(try read())
        case .policyChanged: self = .policyChanged(try read())
        case .inputContactExpectation: self = .inputContactExpectation(try read())
        case .inputContact: self = .inputContact(try read())
        case .accessRecorded: self = .accessRecorded(try read())
        case .checkInReceived: self = .checkInReceived(try read())
        case .inputWatch: self = .inputWatch(try read())
        case .inputIntakeOutage: self = .inputIntakeOutage(try read())
        case .inputContactLossHold: self = .inputContactLossHold(try read())
        case .contactLate: self = .contactLate(try read())
        case .contactOverdue: self = .contactOverdue(try read())
        case .contactLost: self = .contactLost(try read())
        case .contactOK: self = .contactOK(try read())
        case .batteryLow: self = .batteryLow(try read())
        case .inputImpairment: self = .inputImpairment(try read())
        case .deviceImpaired: self = .deviceImpaired(try read())
        default: fatalError("broken invariant: \(kind.type) is of phones")
        }
    }

    /// Decodes events of the `directory` stream.
    private init(directory kind: EventKind, _ data: JSON) throws(ParseError) {
        func read<Value: Decodable>(_ type: Value.Type = Value.self) throws(ParseError) -> Value {
            try data.decode(type)
        }
        switch kind {
        case .personChanged: self = .personChanged(try read())
        case .personRemoved: self = .personRemoved(try read())
        case .deviceChanged: self = .deviceChanged(try read())
        case .deviceRemoved: self = .deviceRemoved(try read())
        case .credentialChanged: self = .credentialChanged(try read())
        case .credentialRemoved: self = .credentialRemoved(try read())
        case .circleChanged: self = .circleChanged(try read())
        case .circleRemoved: self = .circleRemoved(try read())
        case .zoneChanged: self = .zoneChanged(try read())
        case .zoneRemoved: self = .zoneRemoved(try read())
        case .setChanged: self = .setChanged(try read())
        case .setRemoved: self = .setRemoved(try read())
        case .messageChanged: self = .messageChanged(try read())
        case .messageRemoved: self = .messageRemoved(try read())
        case .messageRequested: self = .messageRequested(try read())
        default: fatalError("broken invariant: \(kind.type) is of the directory")
        }
    }

    /// Decodes evaluations of a person in a zone.
    private init(zones kind: EventKind, _ data: JSON) throws(ParseError) {
        if kind == .zoneAbsent {
            self = .zoneAbsent(try data.decode(ZoneAbsence.self))
            return
        }
        let crossing = try data.decode(ZoneCrossing.self)
        switch kind {
        case .zoneEntered: self = .zoneEntered(crossing)
        case .zoneExited: self = .zoneExited(crossing)
        case .zonePresenceEstablished: self = .zonePresenceEstablished(crossing)
        case .zoneApproached: self = .zoneApproached(crossing)
        case .zoneLeftVicinity: self = .zoneLeftVicinity(crossing)
        case .zoneDwelled: self = .zoneDwelled(crossing)
        case .zonePresenceCleared: self = .zonePresenceCleared(crossing)
        case .zoneSuppressed: self = .zoneSuppressed(crossing)
        default: fatalError("broken invariant: \(kind.type) is of zones")
        }
    }
}

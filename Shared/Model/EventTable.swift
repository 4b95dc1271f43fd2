/// A row of the event table: everything that is specific to one kind of event.
///
/// To add an event, add its payload type, a case to ``EventKind`` and to ``EventBody`` with that
/// payload, and a line to each of the two switches below; the compiler lists what is missing.
public struct EventRow: Sendable {
    /// The CloudEvents `type`.
    public let type: String
    /// The stream that it belongs to. Deadlines of the notifier travel on `deliveries`.
    public let stream: EventStream
    public let traits: EventTraits
    /// The kind whose entity it removes from the directory; nil if it removes none.
    public let removed: EventKind?
    /// Reads its payload and makes it the body of an event.
    public let read: @Sendable (any PayloadReader) throws -> EventBody

    private init<Payload: EventPayload>(
        _ type: String, _ stream: EventStream,
        _ body: @escaping @Sendable (Payload) -> EventBody, _ traits: EventTraits = [],
        removes removed: EventKind? = nil
    ) {
        self.type = "jaga." + type
        self.stream = stream
        self.traits = traits
        self.removed = removed
        read = { reader in body(try reader.read(Payload.self)) }
    }

    /// The rows at the numbers of their kinds.
    fileprivate static let all: [EventRow?] = {
        var rows: [EventRow?] = []
        for kind in EventKind.allCases {
            let number = Int(kind.rawValue)
            rows += Array(repeating: nil, count: max(0, number + 1 - rows.count))
            rows[number] = of(kind)
        }
        return rows
    }()

    private static func of(_ kind: EventKind) -> EventRow {
        switch kind {
        // input
        case .inputReport: .init("input.report", .input, EventBody.inputReport)
        case .inputSignal:
            .init("input.signal", .input, EventBody.inputSignal, [.emergency, .milestone])
        case .inputCancel: .init("input.cancel", .input, EventBody.inputCancel, .emergency)
        case .inputDeadline: .init("input.deadline", .input, EventBody.inputDeadline, .deadline)
        case .inputAcknowledgement:
            .init("input.acknowledgement", .input, EventBody.inputAcknowledgement, .emergency)
        case .inputResolution:
            .init("input.resolution", .input, EventBody.inputResolution, .emergency)
        case .inputFallbackOpened:
            .init("input.fallback-opened", .input, EventBody.inputFallbackOpened, .emergency)
        case .inputPerson: .init("input.person", .input, EventBody.inputPerson)
        case .inputPersonRemoved:
            .init("input.person-removed", .input, EventBody.inputPersonRemoved)
        case .inputCircle: .init("input.circle", .input, EventBody.inputCircle)
        case .inputCircleRemoved:
            .init("input.circle-removed", .input, EventBody.inputCircleRemoved)
        case .inputLogic: .init("input.logic", .input, EventBody.inputLogic)
        case .inputEmergencySnapshot:
            .init("input.emergency-snapshot", .input, EventBody.inputEmergencySnapshot, .emergency)
        case .inputSet: .init("input.set", .input, EventBody.inputSet)
        case .inputSetRemoved: .init("input.set-removed", .input, EventBody.inputSetRemoved)
        case .inputArming: .init("input.arming", .input, EventBody.inputArming)
        case .inputAlarmAnswer: .init("input.alarm-answer", .input, EventBody.inputAlarmAnswer)
        case .inputReports: .init("input.reports", .input, EventBody.inputReports)
        case .inputContactExpectation:
            .init("input.contact-expectation", .input, EventBody.inputContactExpectation)
        case .inputContact: .init("input.contact", .input, EventBody.inputContact)
        case .inputWatch: .init("input.watch", .input, EventBody.inputWatch)
        case .inputIntakeOutage: .init("input.intake-outage", .input, EventBody.inputIntakeOutage)
        case .inputContactLossHold:
            .init("input.contact-loss-hold", .input, EventBody.inputContactLossHold)
        case .inputImpairment: .init("input.impairment", .input, EventBody.inputImpairment)
        // events
        case .zoneEntered:
            .init("zone.entered", .events, EventBody.zoneEntered, [.milestone, .movement])
        case .zoneExited:
            .init("zone.exited", .events, EventBody.zoneExited, [.milestone, .movement])
        case .zonePresenceEstablished:
            .init("zone.presence-established", .events, EventBody.zonePresenceEstablished)
        case .zoneApproached:
            .init("zone.approached", .events, EventBody.zoneApproached, .milestone)
        case .zoneDwelled: .init("zone.dwelled", .events, EventBody.zoneDwelled, .milestone)
        case .zoneSuppressed: .init("zone.suppressed", .events, EventBody.zoneSuppressed)
        case .zoneAbsent: .init("zone.absent", .events, EventBody.zoneAbsent, .milestone)
        case .zoneLeftVicinity: .init("zone.left-vicinity", .events, EventBody.zoneLeftVicinity)
        case .emergencyCountdown:
            .init(
                "emergency.countdown", .events, EventBody.emergencyCountdown,
                [.emergency, .begins, .milestone])
        case .emergencyOpened:
            .init(
                "emergency.opened", .events, EventBody.emergencyOpened,
                [.emergency, .begins, .milestone, .alert])
        case .emergencyJoined:
            .init(
                "emergency.joined", .events, EventBody.emergencyJoined,
                [.emergency, .begins, .milestone, .alert])
        case .emergencyCancelled:
            .init(
                "emergency.cancelled", .events, EventBody.emergencyCancelled,
                [.emergency, .ends, .milestone])
        case .emergencyAcknowledged:
            .init(
                "emergency.acknowledged", .events, EventBody.emergencyAcknowledged,
                [.emergency, .milestone])
        case .emergencyResolved:
            .init(
                "emergency.resolved", .events, EventBody.emergencyResolved,
                [.emergency, .ends, .milestone])
        case .contactLate: .init("contact.late", .events, EventBody.contactLate)
        case .contactOverdue: .init("contact.overdue", .events, EventBody.contactOverdue)
        case .contactLost: .init("contact.lost", .events, EventBody.contactLost)
        case .contactOK: .init("contact.ok", .events, EventBody.contactOK)
        case .deadlineScheduled:
            .init("deadline.scheduled", .events, EventBody.deadlineScheduled, .deadline)
        case .deadlineCancelled:
            .init("deadline.cancelled", .events, EventBody.deadlineCancelled, .deadline)
        case .alarmStarted: .init("alarm.started", .events, EventBody.alarmStarted, .milestone)
        case .alarmRepeated: .init("alarm.repeated", .events, EventBody.alarmRepeated)
        case .alarmEnded: .init("alarm.ended", .events, EventBody.alarmEnded)
        case .messagesDue: .init("messages.due", .events, EventBody.messagesDue)
        case .policyChanged: .init("policy.changed", .events, EventBody.policyChanged)
        case .zonePresenceCleared:
            .init("zone.presence-cleared", .events, EventBody.zonePresenceCleared)
        case .batteryLow: .init("battery.low", .events, EventBody.batteryLow)
        case .deviceImpaired: .init("device.impaired", .events, EventBody.deviceImpaired)
        // sos
        case .sosRaised:
            .init(
                "sos.raised", .sos, EventBody.sosRaised, [.emergency, .begins, .milestone, .alert])
        case .sosCancelled:
            .init("sos.cancelled", .sos, EventBody.sosCancelled, [.emergency, .ends, .milestone])
        case .sosLocated: .init("sos.located", .sos, EventBody.sosLocated)
        case .sosPosition: .init("sos.position", .sos, EventBody.sosPosition)
        case .deviceReporting: .init("device.reporting", .sos, EventBody.deviceReporting)
        // directory
        case .personChanged: .init("directory.person", .directory, EventBody.personChanged)
        case .personRemoved:
            .init(
                "directory.person-removed", .directory, EventBody.personRemoved,
                removes: .personChanged)
        case .deviceChanged: .init("directory.device", .directory, EventBody.deviceChanged)
        case .deviceRemoved:
            .init(
                "directory.device-removed", .directory, EventBody.deviceRemoved,
                removes: .deviceChanged)
        case .credentialChanged:
            .init("directory.credential", .directory, EventBody.credentialChanged)
        case .credentialRemoved:
            .init(
                "directory.credential-removed", .directory, EventBody.credentialRemoved,
                removes: .credentialChanged)
        case .circleChanged: .init("directory.circle", .directory, EventBody.circleChanged)
        case .circleRemoved:
            .init(
                "directory.circle-removed", .directory, EventBody.circleRemoved,
                removes: .circleChanged)
        case .zoneChanged: .init("directory.zone", .directory, EventBody.zoneChanged)
        case .zoneRemoved:
            .init(
                "directory.zone-removed", .directory, EventBody.zoneRemoved, removes: .zoneChanged)
        case .setChanged: .init("directory.set", .directory, EventBody.setChanged)
        case .setRemoved:
            .init("directory.set-removed", .directory, EventBody.setRemoved, removes: .setChanged)
        case .messageChanged: .init("directory.message", .directory, EventBody.messageChanged)
        case .messageRemoved:
            .init(
                "directory.message-removed", .directory, EventBody.messageRemoved,
                removes: .messageChanged)
        case .messageRequested: .init("message.requested", .directory, EventBody.messageRequested)
        case .neverNotifyChanged:
            .init("directory.never-notify", .directory, EventBody.neverNotifyChanged, .hidden)
        case .pinChanged: .init("directory.pin", .directory, EventBody.pinChanged, .hidden)
        // deadlines
        case .deadlineExpired:
            .init("deadline.expired", .deadlines, EventBody.deadlineExpired, .deadline)
        case .watchChanged: .init("watch.changed", .deadlines, EventBody.watchChanged, .milestone)
        case .watchExpired:
            .init(
                "watch.expired", .deadlines, EventBody.watchExpired,
                [.emergency, .begins, .milestone, .alert])
        case .retentionDue: .init("retention.due", .deadlines, EventBody.retentionDue)
        // deliveries
        case .notificationChanged:
            .init(
                "notification.changed", .deliveries, EventBody.notificationChanged,
                [.milestoneIfFinal, .response])
        case .acknowledgementCommitted:
            .init(
                "acknowledgement.committed", .deliveries, EventBody.acknowledgementCommitted,
                [.emergency, .milestone])
        case .resolutionCommitted:
            .init(
                "resolution.committed", .deliveries, EventBody.resolutionCommitted,
                [.emergency, .ends, .milestone])
        case .escalationFallbackOpened:
            .init(
                "escalation.fallback-opened", .deliveries, EventBody.escalationFallbackOpened,
                [.emergency, .begins, .milestone, .response])
        case .escalationTierStarted:
            .init(
                "escalation.tier-started", .deliveries, EventBody.escalationTierStarted,
                [.emergency, .response])
        case .escalationExhausted:
            .init(
                "escalation.exhausted", .deliveries, EventBody.escalationExhausted,
                [.emergency, .alert])
        case .emergencySnapshot:
            .init(
                "emergency.snapshot", .deliveries, EventBody.emergencySnapshot,
                [.emergency, .response])
        case .signalReceived:
            .init(
                "signal.received", .deliveries, EventBody.signalReceived,
                [.emergency, .begins, .milestone, .alert])
        case .checkInReceived: .init("check-in.received", .deliveries, EventBody.checkInReceived)
        case .accessRecorded: .init("access.recorded", .deliveries, EventBody.accessRecorded)
        case .reachabilityChanged:
            .init("reachability.changed", .deliveries, EventBody.reachabilityChanged)
        case .watchCommandReceived:
            .init(
                "watch.command-received", .deliveries, EventBody.watchCommandReceived,
                [.emergency, .milestone])
        // usage
        case .usageRecorded: .init("usage.recorded", .usage, EventBody.usageRecorded)
        }
    }
}

extension EventKind {
    /// Its row of the event table.
    public var row: EventRow {
        guard let row = EventRow.all[Int(rawValue)] else {
            fatalError("broken invariant: every kind has a row")
        }
        return row
    }
}

extension EventBody {
    /// Calls a visitor with the kind and the payload, without boxing the payload.
    public func accept<Visitor: EventVisitor>(
        _ visitor: Visitor
    ) throws(Visitor.Failure) -> Visitor.Result {
        switch self {
        case .inputReport(let payload): try visitor.visit(.inputReport, payload)
        case .inputSignal(let payload): try visitor.visit(.inputSignal, payload)
        case .inputCancel(let payload): try visitor.visit(.inputCancel, payload)
        case .inputDeadline(let payload): try visitor.visit(.inputDeadline, payload)
        case .inputAcknowledgement(let payload): try visitor.visit(.inputAcknowledgement, payload)
        case .inputResolution(let payload): try visitor.visit(.inputResolution, payload)
        case .inputFallbackOpened(let payload): try visitor.visit(.inputFallbackOpened, payload)
        case .inputPerson(let payload): try visitor.visit(.inputPerson, payload)
        case .inputPersonRemoved(let payload): try visitor.visit(.inputPersonRemoved, payload)
        case .inputCircle(let payload): try visitor.visit(.inputCircle, payload)
        case .inputCircleRemoved(let payload): try visitor.visit(.inputCircleRemoved, payload)
        case .inputLogic(let payload): try visitor.visit(.inputLogic, payload)
        case .inputEmergencySnapshot(let payload):
            try visitor.visit(.inputEmergencySnapshot, payload)
        case .inputSet(let payload): try visitor.visit(.inputSet, payload)
        case .inputSetRemoved(let payload): try visitor.visit(.inputSetRemoved, payload)
        case .inputArming(let payload): try visitor.visit(.inputArming, payload)
        case .inputAlarmAnswer(let payload): try visitor.visit(.inputAlarmAnswer, payload)
        case .inputReports(let payload): try visitor.visit(.inputReports, payload)
        case .inputContactExpectation(let payload):
            try visitor.visit(.inputContactExpectation, payload)
        case .inputContact(let payload): try visitor.visit(.inputContact, payload)
        case .inputWatch(let payload): try visitor.visit(.inputWatch, payload)
        case .inputIntakeOutage(let payload): try visitor.visit(.inputIntakeOutage, payload)
        case .inputContactLossHold(let payload): try visitor.visit(.inputContactLossHold, payload)
        case .inputImpairment(let payload): try visitor.visit(.inputImpairment, payload)
        case .zoneEntered(let payload): try visitor.visit(.zoneEntered, payload)
        case .zoneExited(let payload): try visitor.visit(.zoneExited, payload)
        case .zonePresenceEstablished(let payload):
            try visitor.visit(.zonePresenceEstablished, payload)
        case .zoneApproached(let payload): try visitor.visit(.zoneApproached, payload)
        case .zoneDwelled(let payload): try visitor.visit(.zoneDwelled, payload)
        case .zoneSuppressed(let payload): try visitor.visit(.zoneSuppressed, payload)
        case .zoneAbsent(let payload): try visitor.visit(.zoneAbsent, payload)
        case .zoneLeftVicinity(let payload): try visitor.visit(.zoneLeftVicinity, payload)
        case .emergencyCountdown(let payload): try visitor.visit(.emergencyCountdown, payload)
        case .emergencyOpened(let payload): try visitor.visit(.emergencyOpened, payload)
        case .emergencyJoined(let payload): try visitor.visit(.emergencyJoined, payload)
        case .emergencyCancelled(let payload): try visitor.visit(.emergencyCancelled, payload)
        case .emergencyAcknowledged(let payload): try visitor.visit(.emergencyAcknowledged, payload)
        case .emergencyResolved(let payload): try visitor.visit(.emergencyResolved, payload)
        case .contactLate(let payload): try visitor.visit(.contactLate, payload)
        case .contactOverdue(let payload): try visitor.visit(.contactOverdue, payload)
        case .contactLost(let payload): try visitor.visit(.contactLost, payload)
        case .contactOK(let payload): try visitor.visit(.contactOK, payload)
        case .deadlineScheduled(let payload): try visitor.visit(.deadlineScheduled, payload)
        case .deadlineCancelled(let payload): try visitor.visit(.deadlineCancelled, payload)
        case .alarmStarted(let payload): try visitor.visit(.alarmStarted, payload)
        case .alarmRepeated(let payload): try visitor.visit(.alarmRepeated, payload)
        case .alarmEnded(let payload): try visitor.visit(.alarmEnded, payload)
        case .messagesDue(let payload): try visitor.visit(.messagesDue, payload)
        case .policyChanged(let payload): try visitor.visit(.policyChanged, payload)
        case .zonePresenceCleared(let payload): try visitor.visit(.zonePresenceCleared, payload)
        case .batteryLow(let payload): try visitor.visit(.batteryLow, payload)
        case .deviceImpaired(let payload): try visitor.visit(.deviceImpaired, payload)
        case .sosRaised(let payload): try visitor.visit(.sosRaised, payload)
        case .sosCancelled(let payload): try visitor.visit(.sosCancelled, payload)
        case .sosLocated(let payload): try visitor.visit(.sosLocated, payload)
        case .sosPosition(let payload): try visitor.visit(.sosPosition, payload)
        case .deviceReporting(let payload): try visitor.visit(.deviceReporting, payload)
        case .personChanged(let payload): try visitor.visit(.personChanged, payload)
        case .personRemoved(let payload): try visitor.visit(.personRemoved, payload)
        case .deviceChanged(let payload): try visitor.visit(.deviceChanged, payload)
        case .deviceRemoved(let payload): try visitor.visit(.deviceRemoved, payload)
        case .credentialChanged(let payload): try visitor.visit(.credentialChanged, payload)
        case .credentialRemoved(let payload): try visitor.visit(.credentialRemoved, payload)
        case .circleChanged(let payload): try visitor.visit(.circleChanged, payload)
        case .circleRemoved(let payload): try visitor.visit(.circleRemoved, payload)
        case .zoneChanged(let payload): try visitor.visit(.zoneChanged, payload)
        case .zoneRemoved(let payload): try visitor.visit(.zoneRemoved, payload)
        case .setChanged(let payload): try visitor.visit(.setChanged, payload)
        case .setRemoved(let payload): try visitor.visit(.setRemoved, payload)
        case .messageChanged(let payload): try visitor.visit(.messageChanged, payload)
        case .messageRemoved(let payload): try visitor.visit(.messageRemoved, payload)
        case .messageRequested(let payload): try visitor.visit(.messageRequested, payload)
        case .neverNotifyChanged(let payload): try visitor.visit(.neverNotifyChanged, payload)
        case .pinChanged(let payload): try visitor.visit(.pinChanged, payload)
        case .deadlineExpired(let payload): try visitor.visit(.deadlineExpired, payload)
        case .watchChanged(let payload): try visitor.visit(.watchChanged, payload)
        case .watchExpired(let payload): try visitor.visit(.watchExpired, payload)
        case .retentionDue(let payload): try visitor.visit(.retentionDue, payload)
        case .notificationChanged(let payload): try visitor.visit(.notificationChanged, payload)
        case .acknowledgementCommitted(let payload):
            try visitor.visit(.acknowledgementCommitted, payload)
        case .resolutionCommitted(let payload): try visitor.visit(.resolutionCommitted, payload)
        case .escalationFallbackOpened(let payload):
            try visitor.visit(.escalationFallbackOpened, payload)
        case .escalationTierStarted(let payload): try visitor.visit(.escalationTierStarted, payload)
        case .escalationExhausted(let payload): try visitor.visit(.escalationExhausted, payload)
        case .emergencySnapshot(let payload): try visitor.visit(.emergencySnapshot, payload)
        case .signalReceived(let payload): try visitor.visit(.signalReceived, payload)
        case .checkInReceived(let payload): try visitor.visit(.checkInReceived, payload)
        case .accessRecorded(let payload): try visitor.visit(.accessRecorded, payload)
        case .reachabilityChanged(let payload): try visitor.visit(.reachabilityChanged, payload)
        case .watchCommandReceived(let payload):
            try visitor.visit(.watchCommandReceived, payload)
        case .usageRecorded(let payload): try visitor.visit(.usageRecorded, payload)
        }
    }
}

/// The streams that services publish to.
public enum EventStream: String, Sendable, CaseIterable {
    case input = "in"
    case events, sos, directory, deadlines, deliveries, usage

    /// The service whose decisions it carries.
    public var source: ServiceName {
        switch self {
        case .input, .sos, .usage: .ingest
        case .events: .evaluator
        case .directory: .membership
        case .deadlines: .timer
        case .deliveries: .notifier
        }
    }
}

/// Meanings of an event that services other than its consumers need to know.
public struct EventTraits: OptionSet, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// An emergency depends on it: it is retried for ever.
    public static let emergency = EventTraits(rawValue: 1)
    /// An emergency depends on it if one depends on its deadline.
    public static let deadline = EventTraits(rawValue: 2)
    /// Opens or continues the emergency of its payload.
    public static let begins = EventTraits(rawValue: 4)
    /// Ends the emergency of its payload.
    public static let ends = EventTraits(rawValue: 8)
    /// Logged by every service at level info, because people may be notified, or were.
    public static let milestone = EventTraits(rawValue: 16)
    /// A milestone in a final state, and only in the log of the service that published it.
    public static let milestoneIfFinal = EventTraits(rawValue: 32)
    /// `jaga tail` shows it in red,
    public static let alert = EventTraits(rawValue: 64)
    /// green,
    public static let movement = EventTraits(rawValue: 128)
    /// or cyan.
    public static let response = EventTraits(rawValue: 256)
    /// `jaga tail` does not show it at all: even that it exists is private.
    public static let hidden = EventTraits(rawValue: 512)
}

/// Payload of a kind of event.
public protocol EventPayload: Hashable, Sendable, Codable {
    /// The person that the event is about; nil for events about no person or several.
    var concernedPerson: PersonID? { get }
}

extension EventPayload {
    public var concernedPerson: PersonID? { nil }
}

/// Payload about one person.
public protocol PersonPayload: EventPayload {
    var person: PersonID { get }
}

extension PersonPayload {
    public var concernedPerson: PersonID? { person }
}

/// Payload about the beginning, a change or the end of an emergency.
public protocol EmergencyPayload: PersonPayload {
    var emergency: EmergencyID { get }
}

/// Payload that describes an entity of the directory, or removes it.
public protocol DirectoryPayload: EventPayload {
    var entity: ID128 { get }
}

/// Reads a payload of an expected type from its encoded form.
public protocol PayloadReader {
    func read<Payload: EventPayload>(_ type: Payload.Type) throws -> Payload
}

/// Computes a result from an event of any kind.
public protocol EventVisitor {
    associatedtype Result
    associatedtype Failure: Error = Never
    func visit<Payload: EventPayload>(
        _ kind: EventKind, _ payload: Payload
    ) throws(Failure) -> Result
}

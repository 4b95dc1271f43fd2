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
    /// Members of its payload, and of what the payload contains, that `jaga tail` shows to readers
    /// who may not see private data. All others are masked.
    public let shown: Set<String>
    /// Reads its payload and makes it the body of an event.
    public let read: @Sendable (any PayloadReader) throws -> EventBody

    /// - Parameter fields: names of members without positions, names, addresses or texts of users,
    ///   phones and gateways; in a string, separated by spaces. Decide for each member.
    private init<Payload: EventPayload>(
        _ type: String, _ stream: EventStream,
        _ body: @escaping @Sendable (Payload) -> EventBody, _ traits: EventTraits = [],
        removes removed: EventKind? = nil, shows fields: String...
    ) {
        shown = Set(fields.flatMap { $0.split(separator: " ").map(String.init) })
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
        case .inputReport: .init("input.report", .input, EventBody.inputReport, shows: Shown.report)
        case .inputSignal:
            .init(
                "input.signal", .input, EventBody.inputSignal, [.emergency, .milestone],
                shows: Shown.signal)
        case .inputCancel:
            .init(
                "input.cancel", .input, EventBody.inputCancel, .emergency,
                shows: "emergency id person received")
        case .inputDeadline:
            .init(
                "input.deadline", .input, EventBody.inputDeadline, .deadline, shows: Shown.deadline,
                "deadline expired late")
        case .inputAcknowledgement:
            .init(
                "input.acknowledgement", .input, EventBody.inputAcknowledgement, .emergency,
                shows: Shown.answer)
        case .inputResolution:
            .init(
                "input.resolution", .input, EventBody.inputResolution, .emergency,
                shows: Shown.answer)
        case .inputFallbackOpened:
            .init(
                "input.fallback-opened", .input, EventBody.inputFallbackOpened, .emergency,
                shows: Shown.signal)
        case .inputPerson:
            .init(
                "input.person", .input, EventBody.inputPerson, shows: Shown.zone,
                "circles geometry person sets until unshared zoneOptOuts zones")
        case .inputPersonRemoved:
            .init("input.person-removed", .input, EventBody.inputPersonRemoved, shows: "person")
        case .inputCircle:
            .init(
                "input.circle", .input, EventBody.inputCircle, shows: Shown.zone,
                "circle geometry zones")
        case .inputCircleRemoved:
            .init("input.circle-removed", .input, EventBody.inputCircleRemoved, shows: "circle")
        case .inputLogic: .init("input.logic", .input, EventBody.inputLogic, shows: "version")
        case .inputEmergencySnapshot:
            .init(
                "input.emergency-snapshot", .input, EventBody.inputEmergencySnapshot, .emergency,
                shows: Shown.snapshot)
        case .inputSet:
            .init(
                "input.set", .input, EventBody.inputSet, shows: Shown.zone,
                "geometry page set zones")
        case .inputSetRemoved:
            .init("input.set-removed", .input, EventBody.inputSetRemoved, shows: "set")
        case .inputArming:
            .init("input.arming", .input, EventBody.inputArming, shows: "armed at person")
        case .inputAlarmAnswer:
            .init(
                "input.alarm-answer", .input, EventBody.inputAlarmAnswer,
                shows: "action at person zone")
        case .inputReports:
            .init("input.reports", .input, EventBody.inputReports, shows: Shown.report, "reports")
        case .inputContactExpectation:
            .init(
                "input.contact-expectation", .input, EventBody.inputContactExpectation,
                shows: "contactTimeoutSeconds device person")
        case .inputContact:
            .init(
                "input.contact", .input, EventBody.inputContact,
                shows: "at battery charging kind person")
        case .inputWatch:
            .init("input.watch", .input, EventBody.inputWatch, shows: "person until watch")
        case .inputIntakeOutage:
            .init("input.intake-outage", .input, EventBody.inputIntakeOutage, shows: "from to")
        case .inputContactLossHold:
            .init(
                "input.contact-loss-hold", .input, EventBody.inputContactLossHold, shows: "isHeld")
        case .inputImpairment:
            .init(
                "input.impairment", .input, EventBody.inputImpairment,
                shows: "at device impairments person")
        // events
        case .zoneEntered:
            .init(
                "zone.entered", .events, EventBody.zoneEntered, [.milestone, .movement],
                shows: Shown.crossing)
        case .zoneExited:
            .init(
                "zone.exited", .events, EventBody.zoneExited, [.milestone, .movement],
                shows: Shown.crossing)
        case .zonePresenceEstablished:
            .init(
                "zone.presence-established", .events, EventBody.zonePresenceEstablished,
                shows: Shown.crossing)
        case .zoneApproached:
            .init(
                "zone.approached", .events, EventBody.zoneApproached, .milestone,
                shows: Shown.crossing)
        case .zoneDwelled:
            .init("zone.dwelled", .events, EventBody.zoneDwelled, .milestone, shows: Shown.crossing)
        case .zoneSuppressed:
            .init("zone.suppressed", .events, EventBody.zoneSuppressed, shows: Shown.crossing)
        case .zoneAbsent:
            .init(
                "zone.absent", .events, EventBody.zoneAbsent, .milestone, shows: Shown.fix,
                "by circle hasContact person set zone")
        case .zoneLeftVicinity:
            .init("zone.left-vicinity", .events, EventBody.zoneLeftVicinity, shows: Shown.crossing)
        case .emergencyCountdown:
            .init(
                "emergency.countdown", .events, EventBody.emergencyCountdown,
                [.emergency, .begins, .milestone], shows: Shown.emergency)
        case .emergencyOpened:
            .init(
                "emergency.opened", .events, EventBody.emergencyOpened,
                [.emergency, .begins, .milestone, .alert], shows: Shown.emergency)
        case .emergencyJoined:
            .init(
                "emergency.joined", .events, EventBody.emergencyJoined,
                [.emergency, .begins, .milestone, .alert], shows: Shown.emergency)
        case .emergencyCancelled:
            .init(
                "emergency.cancelled", .events, EventBody.emergencyCancelled,
                [.emergency, .ends, .milestone], shows: Shown.emergency)
        case .emergencyAcknowledged:
            .init(
                "emergency.acknowledged", .events, EventBody.emergencyAcknowledged,
                [.emergency, .milestone], shows: Shown.emergency)
        case .emergencyResolved:
            .init(
                "emergency.resolved", .events, EventBody.emergencyResolved,
                [.emergency, .ends, .milestone], shows: Shown.emergency)
        case .contactLate:
            .init("contact.late", .events, EventBody.contactLate, shows: Shown.contact)
        case .contactOverdue:
            .init("contact.overdue", .events, EventBody.contactOverdue, shows: Shown.contact)
        case .contactLost:
            .init("contact.lost", .events, EventBody.contactLost, shows: Shown.contact)
        case .contactOK: .init("contact.ok", .events, EventBody.contactOK, shows: Shown.contact)
        case .deadlineScheduled:
            .init(
                "deadline.scheduled", .events, EventBody.deadlineScheduled, .deadline,
                shows: Shown.deadline)
        case .deadlineCancelled:
            .init(
                "deadline.cancelled", .events, EventBody.deadlineCancelled, .deadline,
                shows: Shown.deadline)
        case .alarmStarted:
            .init("alarm.started", .events, EventBody.alarmStarted, .milestone, shows: Shown.alarm)
        case .alarmRepeated:
            .init("alarm.repeated", .events, EventBody.alarmRepeated, shows: Shown.alarm)
        case .alarmEnded: .init("alarm.ended", .events, EventBody.alarmEnded, shows: Shown.alarm)
        case .messagesDue:
            .init(
                "messages.due", .events, EventBody.messagesDue, shows: Shown.fix,
                "messages person transitions zones")
        case .policyChanged:
            .init(
                "policy.changed", .events, EventBody.policyChanged,
                shows:
                    "contactTimeoutSeconds device distanceFilterMetres intervalSeconds mode person",
                "radiusMetres regions zone")
        case .zonePresenceCleared:
            .init(
                "zone.presence-cleared", .events, EventBody.zonePresenceCleared,
                shows: Shown.crossing)
        case .batteryLow:
            .init("battery.low", .events, EventBody.batteryLow, shows: "battery device mark person")
        case .deviceImpaired:
            .init(
                "device.impaired", .events, EventBody.deviceImpaired,
                shows: "at device impairments person")
        // sos
        case .sosRaised:
            .init(
                "sos.raised", .sos, EventBody.sosRaised, [.emergency, .begins, .milestone, .alert],
                shows: Shown.signal)
        case .sosCancelled:
            .init(
                "sos.cancelled", .sos, EventBody.sosCancelled, [.emergency, .ends, .milestone],
                shows: "emergency id person received")
        case .sosLocated:
            .init(
                "sos.located", .sos, EventBody.sosLocated, shows: Shown.fix,
                "battery emergency person")
        case .sosPosition:
            .init(
                "sos.position", .sos, EventBody.sosPosition, shows: Shown.fix,
                "battery charging emergency fixes impairments person")
        case .deviceReporting:
            .init(
                "device.reporting", .sos, EventBody.deviceReporting,
                shows: "app device impairments isFirst lastReport person")
        case .sosAnswered:
            .init(
                "sos.answered", .sos, EventBody.sosAnswered, [.emergency, .milestone],
                shows: "at coversWatch person")
        case .positionsAnswered:
            .init(
                "positions.answered", .sos, EventBody.positionsAnswered, .hidden,
                shows: "person query")
        // directory
        case .personChanged:
            .init(
                "directory.person", .directory, EventBody.personChanged,
                shows:
                    "affiliation billing channel contacts id plan primaryDevice rank signIn",
                "version zoneOptOuts")
        case .personRemoved:
            .init(
                "directory.person-removed", .directory, EventBody.personRemoved,
                removes: .personChanged, shows: "person")
        case .deviceChanged:
            .init(
                "directory.device", .directory, EventBody.deviceChanged,
                shows: "id person platform version")
        case .deviceRemoved:
            .init(
                "directory.device-removed", .directory, EventBody.deviceRemoved,
                removes: .deviceChanged, shows: "device")
        case .credentialChanged:
            .init(
                "directory.credential", .directory, EventBody.credentialChanged,
                shows: "created device expires id kind person")
        case .credentialRemoved:
            .init(
                "directory.credential-removed", .directory, EventBody.credentialRemoved,
                removes: .credentialChanged, shows: "credential")
        case .circleChanged:
            .init(
                "directory.circle", .directory, EventBody.circleChanged,
                shows:
                    "_0 channels escalation guardiansEditZones historyDays id joined joinsDrills",
                "members membersSeePositions pausedUntil people person precision role roles sets",
                "sharing version waitSeconds")
        case .circleRemoved:
            .init(
                "directory.circle-removed", .directory, EventBody.circleRemoved,
                removes: .circleChanged, shows: "circle")
        case .zoneChanged:
            .init(
                "directory.zone", .directory, EventBody.zoneChanged, shows: Shown.zone,
                "_0 audience circle insetCentimetres owner people person prepared roles set")
        case .zoneRemoved:
            .init(
                "directory.zone-removed", .directory, EventBody.zoneRemoved, removes: .zoneChanged,
                shows: "zone")
        case .setChanged:
            .init("directory.set", .directory, EventBody.setChanged, shows: "id version")
        case .setRemoved:
            .init(
                "directory.set-removed", .directory, EventBody.setRemoved, removes: .setChanged,
                shows: "set")
        case .messageChanged:
            .init(
                "directory.message", .directory, EventBody.messageChanged,
                shows: "_0 circle confirmed id mode owner person set version")
        case .messageRemoved:
            .init(
                "directory.message-removed", .directory, EventBody.messageRemoved,
                removes: .messageChanged, shows: "message")
        case .messageRequested:
            .init("message.requested", .directory, EventBody.messageRequested, shows: "expires")
        case .neverNotifyChanged:
            .init(
                "directory.never-notify", .directory, EventBody.neverNotifyChanged, .hidden,
                shows: "circles people person")
        case .pinChanged:
            .init("directory.pin", .directory, EventBody.pinChanged, .hidden, shows: "person")
        // deadlines
        case .deadlineExpired:
            .init(
                "deadline.expired", .deadlines, EventBody.deadlineExpired, .deadline,
                shows: Shown.deadline, "deadline expired late")
        case .watchChanged:
            .init(
                "watch.changed", .deadlines, EventBody.watchChanged, .milestone,
                shows: "deadline graceSeconds id person recipients started state version")
        case .watchExpired:
            .init(
                "watch.expired", .deadlines, EventBody.watchExpired,
                [.emergency, .begins, .milestone, .alert], shows: Shown.signal)
        case .checkInChanged:
            .init(
                "check-in.changed", .deadlines, EventBody.checkInChanged, .milestone,
                shows: "due expires id late person schedule state")
        case .timerExpired:
            .init(
                "timer.expired", .deadlines, EventBody.timerExpired,
                shows: "due late person started")
        case .retentionDue: .init("retention.due", .deadlines, EventBody.retentionDue, shows: "at")
        // deliveries
        case .notificationChanged:
            .init(
                "notification.changed", .deliveries, EventBody.notificationChanged,
                [.milestoneIfFinal, .response],
                shows: "channel emergency gateway notification person recipient state")
        case .acknowledgementCommitted:
            .init(
                "acknowledgement.committed", .deliveries, EventBody.acknowledgementCommitted,
                [.emergency, .milestone], shows: Shown.answer)
        case .resolutionCommitted:
            .init(
                "resolution.committed", .deliveries, EventBody.resolutionCommitted,
                [.emergency, .ends, .milestone], shows: Shown.answer)
        case .escalationFallbackOpened:
            .init(
                "escalation.fallback-opened", .deliveries, EventBody.escalationFallbackOpened,
                [.emergency, .begins, .milestone, .response], shows: Shown.signal)
        case .escalationTierStarted:
            .init(
                "escalation.tier-started", .deliveries, EventBody.escalationTierStarted,
                [.emergency, .response], shows: Shown.tier)
        case .escalationExhausted:
            .init(
                "escalation.exhausted", .deliveries, EventBody.escalationExhausted,
                [.emergency, .alert], shows: Shown.tier)
        case .emergencySnapshot:
            .init(
                "emergency.snapshot", .deliveries, EventBody.emergencySnapshot,
                [.emergency, .response], shows: Shown.snapshot)
        case .signalReceived:
            .init(
                "signal.received", .deliveries, EventBody.signalReceived,
                [.emergency, .begins, .milestone, .alert], shows: Shown.signal)
        case .checkInReceived:
            .init(
                "check-in.received", .deliveries, EventBody.checkInReceived, shows: "at kind person"
            )
        case .accessRecorded:
            .init(
                "access.recorded", .deliveries, EventBody.accessRecorded,
                shows: "at kind person viewer")
        case .reachabilityChanged:
            .init(
                "reachability.changed", .deliveries, EventBody.reachabilityChanged,
                shows: "channels contact contacts failing gateways kind problem")
        case .watchCommandReceived:
            .init(
                "watch.command-received", .deliveries, EventBody.watchCommandReceived,
                [.emergency, .milestone], shows: "action at person watch")
        case .safetyAnswerReceived:
            .init(
                "safety-answer.received", .deliveries, EventBody.safetyAnswerReceived,
                [.emergency, .milestone], shows: "at coversWatch person")
        case .positionsRequested:
            .init(
                "positions.requested", .deliveries, EventBody.positionsRequested,
                shows: "at person query")
        case .liveViewChanged:
            .init(
                "live-view.changed", .deliveries, EventBody.liveViewChanged,
                shows: "at person until")
        // usage
        case .usageRecorded: .init("usage.recorded", .usage, EventBody.usageRecorded)
        // directory
        case .consentsChanged:
            .init("consents.changed", .directory, EventBody.consentsChanged, shows: "person")
        }
    }
}

/// Members that several payloads show, see ``EventRow/shown``.
private enum Shown {
    static let fix = "accuracy fix time"
    static let report = fix + " battery charging clockSkew device id late person received trigger"
    static let signal =
        fix + " battery countdownEnds device id person raised raisedBy received signOfLife trigger"
    static let snapshot =
        signal + " at by emergency endedCircles reached recipients signals state"
    static let answer = "at by emergency person signals"
    static let tier = "circle emergency person recipients round tier"
    static let deadline = "due emergency id kind person subject"
    static let crossing =
        fix + " after before circle coarse device inside interpolated isFixOld marginCentimetres"
        + " person reason report set zone zoneKind"
    static let emergency =
        fix + " battery by countdownEnds emergency joinedRaised joinedTrigger late person raised"
        + " raisedBy reopened signal state suspect trigger"
    static let contact =
        fix + " at battery contactTimeoutSeconds device end isWatched person since state"
    static let alarm =
        fix + " alarm circle end initial isAudible person presence priority rings set vibrates zone"
    static let zone =
        "absentByMinute active alarm alertDistanceMetres cycleSeconds dwellSeconds end exceptions"
        + " hysteresisMetres id inradiusCentimetres kind messages priority"
        + " radiusCentimetres raisesEmergency reachCentimetres schedule sleepSeconds start"
        + " transitions version vibrates windows"
}

extension EventKind {
    /// The kind of a CloudEvents `type`; nil if there is none.
    public init?(type: String) {
        guard let kind = EventKind.byType[type] else { return nil }
        self = kind
    }

    private static let byType = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0.row.type, $0) })

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
        case .sosAnswered(let payload): try visitor.visit(.sosAnswered, payload)
        case .positionsAnswered(let payload): try visitor.visit(.positionsAnswered, payload)
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
        case .checkInChanged(let payload): try visitor.visit(.checkInChanged, payload)
        case .timerExpired(let payload): try visitor.visit(.timerExpired, payload)
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
        case .safetyAnswerReceived(let payload):
            try visitor.visit(.safetyAnswerReceived, payload)
        case .positionsRequested(let payload): try visitor.visit(.positionsRequested, payload)
        case .liveViewChanged(let payload): try visitor.visit(.liveViewChanged, payload)
        case .usageRecorded(let payload): try visitor.visit(.usageRecorded, payload)
        case .consentsChanged(let payload): try visitor.visit(.consentsChanged, payload)
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

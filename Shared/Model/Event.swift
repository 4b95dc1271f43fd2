/// Kinds of events between services, with their numbers on the wire.
///
/// Numbers never change. ``EventRow`` has all other facts, `docs/events.md` describes each kind.
public enum EventKind: UInt16, Sendable, CaseIterable {
    // in/p
    case inputReport = 1
    case inputSignal = 2
    case inputCancel = 3
    case inputDeadline = 4
    case inputAcknowledgement = 5
    case inputResolution = 6
    case inputFallbackOpened = 7
    case inputPerson = 8
    case inputPersonRemoved = 9
    case inputCircle = 10
    case inputCircleRemoved = 11
    case inputLogic = 12
    case inputEmergencySnapshot = 13
    case inputSet = 14
    case inputSetRemoved = 15
    case inputArming = 16
    case inputAlarmAnswer = 17
    case inputReports = 18
    case inputContactExpectation = 20
    case inputContact = 21
    case inputWatch = 22
    case inputIntakeOutage = 23
    case inputContactLossHold = 24
    case inputImpairment = 25

    // events/p
    case zoneEntered = 32
    case zoneExited = 33
    case zonePresenceEstablished = 34
    case zoneApproached = 35
    case zoneDwelled = 36
    case zoneSuppressed = 37
    case zoneAbsent = 38
    case zoneLeftVicinity = 39
    case emergencyCountdown = 40
    case emergencyOpened = 41
    case emergencyJoined = 42
    case emergencyCancelled = 43
    case emergencyAcknowledged = 44
    case emergencyResolved = 45
    case contactLate = 46
    case contactOverdue = 47
    case contactLost = 48
    case contactOK = 49
    case deadlineScheduled = 50
    case deadlineCancelled = 51
    case alarmStarted = 54
    case alarmRepeated = 55
    case alarmEnded = 56
    case messagesDue = 57
    case policyChanged = 58
    case zonePresenceCleared = 59
    case batteryLow = 60
    case deviceImpaired = 61

    // sos
    case sosRaised = 64
    case sosCancelled = 65
    case sosLocated = 66
    case sosPosition = 67
    case deviceReporting = 68
    case sosAnswered = 158
    case positionsAnswered = 171

    // directory
    case personChanged = 80
    case personRemoved = 81
    case deviceChanged = 82
    case deviceRemoved = 83
    case credentialChanged = 84
    case credentialRemoved = 85
    case circleChanged = 86
    case circleRemoved = 87
    case zoneChanged = 88
    case zoneRemoved = 89
    case setChanged = 90
    case setRemoved = 91
    case messageChanged = 92
    case messageRemoved = 93
    case messageRequested = 94
    case neverNotifyChanged = 95
    case pinChanged = 100

    // deadlines
    case deadlineExpired = 96
    case watchChanged = 97
    case watchExpired = 98
    case retentionDue = 99
    case checkInChanged = 155
    case timerExpired = 156

    // deliveries
    case notificationChanged = 112
    case acknowledgementCommitted = 113
    case resolutionCommitted = 114
    case escalationFallbackOpened = 115
    case escalationTierStarted = 116
    case escalationExhausted = 117
    case emergencySnapshot = 118
    case signalReceived = 119
    case checkInReceived = 120
    case accessRecorded = 121
    case reachabilityChanged = 125
    case watchCommandReceived = 140
    case safetyAnswerReceived = 157
    case positionsRequested = 170
    case liveViewChanged = 165

    // usage
    case usageRecorded = 128

    // directory
    case consentsChanged = 185

    /// The CloudEvents `type`.
    public var type: String { row.type }
}

/// Payload of an event.
public enum EventBody: Hashable, Sendable {
    // in/p
    case inputReport(Report)
    case inputSignal(EmergencySignal)
    case inputCancel(EmergencyCancel)
    case inputDeadline(ExpiredDeadline)
    case inputAcknowledgement(EmergencyAnswer)
    case inputResolution(EmergencyAnswer)
    /// The notifier opened an escalation for this signal without an evaluator.
    case inputFallbackOpened(EmergencySignal)
    case inputPerson(ConfiguredPerson)
    case inputPersonRemoved(PersonRemoval)
    case inputCircle(ConfiguredCircle)
    case inputCircleRemoved(CircleRemoval)
    case inputLogic(LogicVersion)
    /// State of an emergency at the notifier.
    case inputEmergencySnapshot(EmergencySnapshot)
    case inputSet(ConfiguredSet)
    case inputSetRemoved(SetRemoval)
    case inputArming(Arming)
    case inputAlarmAnswer(AlarmAnswer)
    /// Several reports of one device.
    case inputReports(ReportBatch)
    case inputContactExpectation(ContactExpectation)
    case inputContact(Contact)
    case inputWatch(WatchSpan)
    case inputIntakeOutage(IntakeOutage)
    case inputContactLossHold(ContactLossHold)
    case inputImpairment(ReportingImpairment)

    // events/p
    case zoneEntered(ZoneCrossing)
    case zoneExited(ZoneCrossing)
    /// First decision for a person and a zone. Notifies nobody.
    case zonePresenceEstablished(ZoneCrossing)
    /// The person came near from farther away.
    case zoneApproached(ZoneCrossing)
    case zoneDwelled(ZoneCrossing)
    /// A transition that was suppressed. Notifies nobody.
    case zoneSuppressed(ZoneCrossing)
    case zoneAbsent(ZoneAbsence)
    /// The person went from near to farther away. Notifies nobody.
    case zoneLeftVicinity(ZoneCrossing)
    /// A zone does not apply any more to a person inside or near it. Notifies nobody.
    case zonePresenceCleared(ZoneCrossing)
    case emergencyCountdown(EmergencyChange)
    case emergencyOpened(EmergencyChange)
    case emergencyJoined(EmergencyChange)
    case emergencyCancelled(EmergencyChange)
    case emergencyAcknowledged(EmergencyChange)
    case emergencyResolved(EmergencyChange)
    case deadlineScheduled(Deadline)
    case deadlineCancelled(Deadline)
    case alarmStarted(AlarmChange)
    case alarmRepeated(AlarmChange)
    case alarmEnded(AlarmChange)
    case messagesDue(DueMessages)
    case policyChanged(ReportingPolicy)
    case contactLate(ContactChange)
    case contactOverdue(ContactChange)
    case contactLost(ContactChange)
    case contactOK(ContactChange)
    case batteryLow(BatteryChange)
    case deviceImpaired(ReportingImpairment)

    // sos
    case sosRaised(EmergencySignal)
    case sosCancelled(EmergencyCancel)
    case sosLocated(EmergencyPlace)
    /// Newest position of a person in an open emergency, or with a live link.
    case sosPosition(FollowedPosition)
    /// The last report day, app or impairments of a device changed.
    case deviceReporting(DeviceReporting)
    /// A person confirmed by the API that they are OK.
    case sosAnswered(SafetyAnswer)
    /// The last positions that somebody asked for by SMS. Hidden from `jaga tail`.
    case positionsAnswered(PositionsAnswer)

    // directory
    case personChanged(Person)
    case personRemoved(PersonRemoval)
    case deviceChanged(Device)
    case deviceRemoved(DeviceRemoval)
    case credentialChanged(Credential)
    case credentialRemoved(CredentialRemoval)
    case circleChanged(Circle)
    case circleRemoved(CircleRemoval)
    case zoneChanged(Zone)
    case zoneRemoved(ZoneRemoval)
    case setChanged(ZoneSet)
    case setRemoved(SetRemoval)
    case messageChanged(ZoneMessage)
    case messageRemoved(ZoneMessageRemoval)
    /// A message that the notifier sends once. Not part of snapshots.
    case messageRequested(SealedMessage)
    /// A private list changed. An empty one is removed. Hidden from `jaga tail`.
    case neverNotifyChanged(NeverNotifyList)
    /// A PIN or duress PIN changed. An empty record removes it. Hidden from `jaga tail`.
    case pinChanged(PersonPIN)

    // deadlines
    case deadlineExpired(ExpiredDeadline)
    case watchChanged(Watch)
    /// A watch expired: the signal that raises its emergency.
    case watchExpired(EmergencySignal)
    case checkInChanged(CheckIn)
    /// A timer of a person ran out.
    case timerExpired(PersonTimer)
    /// Expired data must be deleted.
    case retentionDue(RetentionRound)

    // deliveries
    case notificationChanged(NotificationChanged)
    case acknowledgementCommitted(EmergencyAnswer)
    case resolutionCommitted(EmergencyAnswer)
    case escalationFallbackOpened(EmergencySignal)
    case escalationTierStarted(EscalationChange)
    case escalationExhausted(EscalationChange)
    /// State of an emergency, for services that may have lost or missed it.
    case emergencySnapshot(EmergencySnapshot)
    /// A person raised an emergency by SMS.
    case signalReceived(EmergencySignal)
    /// A person who was asked answered by SMS.
    case checkInReceived(Contact)
    /// A person's movements or position were read at the notifier.
    case accessRecorded(AccessRecord)
    /// Gateways changed, or contact points that are opted out or dead.
    case reachabilityChanged(ReachabilityChange)
    /// A person commands their watch by SMS or by a link.
    case watchCommandReceived(WatchCommand)
    /// A person confirmed with their PIN, by SMS or by a link, that they are safe.
    case safetyAnswerReceived(SafetyAnswer)
    /// A person asks by SMS for the last positions of their circles.
    case positionsRequested(PositionsRequest)
    /// Live links of a person opened or ended.
    case liveViewChanged(LiveView)

    // usage
    /// Credentials were used, each reported about once a day.
    case usageRecorded(CredentialUsage)

    // directory
    /// Requests for a person's consent were made, answered or withdrawn.
    case consentsChanged(ConsentsChange)
}

/// An event: one fact, published once.
public struct Event: Hashable, Sendable {
    /// BLAKE2b-128 of (kind, person, subject, cause id).
    public var id: EventID
    /// When it was decided. On `in/p`, ingest's time, which never decreases.
    public var time: Timestamp
    /// Trace id of the request that caused it; empty if there is none.
    public var trace: String
    public var body: EventBody

    public init(id: EventID, time: Timestamp, trace: String = "", body: EventBody) {
        self.id = id
        self.time = time
        self.trace = trace
        self.body = body
    }

    public var kind: EventKind { body.kind }

    /// Whether nobody may follow it, not even the operator.
    public var isHidden: Bool { kind.row.traits.contains(.hidden) }

    /// Whether every service logs it at level info with its trace, because people may be notified,
    /// or were.
    ///
    /// - Parameter isOwn: whether the asking service published the event, rather than read it
    public func isMilestone(isOwn: Bool) -> Bool {
        guard !trace.isEmpty else { return false }
        let traits = kind.row.traits
        if isOwn, traits.contains(.milestoneIfFinal) {
            let state = body.payload(as: NotificationChanged.self)?.state
            return state != .queued && state != .sending
        }
        return traits.contains(.milestone)
    }
}

extension EventBody {
    /// The kind that names this case on the wire.
    public var kind: EventKind { accept(KindVisitor()) }

    /// The person that the event is about; nil for events about no person or several.
    public var person: PersonID? { accept(PersonVisitor()) }

    /// The payload, if it has a type.
    func payload<Payload>(as type: Payload.Type) -> Payload? { accept(PayloadVisitor()) }

    /// The service that emits the event.
    public var source: ServiceName {
        // The notifier publishes changes of its deadlines on `deliveries`.
        let row = kind.row
        guard row.stream == .events, let deadline else { return row.stream.source }
        let rules = deadline.kind.rules
        let service = kind == .deadlineScheduled ? rules.scheduler : rules.handler
        guard service != .evaluator else { return row.stream.source }
        return EventStream.deliveries.source
    }

    /// Whether an emergency depends on it: signals, their end and acknowledgement, escalations, and
    /// the deadlines that drive them. Such events are retried for ever. The delivery state of a
    /// message is information only.
    public var carriesEmergency: Bool {
        kind.row.traits.contains(.emergency) || deadline?.carriesEmergency == true
    }

    /// The emergency that this event opens or continues.
    public var begunEmergency: EmergencyID? { emergency(if: .begins) }

    /// The emergency that this event ends.
    public var endedEmergency: EmergencyID? { emergency(if: .ends) }

    /// The entity of the directory that this event describes or removes; nil for other events.
    public var directoryEntity: ID128? {
        guard kind.row.stream == .directory else { return nil }
        return payload(as: (any DirectoryPayload).self)?.entity
    }

    private func emergency(if trait: EventTraits) -> EmergencyID? {
        guard kind.row.traits.contains(trait) else { return nil }
        return payload(as: (any EmergencyPayload).self)?.emergency
    }

    /// The deadline that the event schedules, cancels or reports as expired.
    private var deadline: Deadline? {
        guard kind.row.traits.contains(.deadline) else { return nil }
        return payload(as: Deadline.self) ?? payload(as: ExpiredDeadline.self)?.deadline
    }
}

private struct KindVisitor: EventVisitor {
    func visit(_ kind: EventKind, _ payload: some EventPayload) -> EventKind { kind }
}

private struct PersonVisitor: EventVisitor {
    func visit(_ kind: EventKind, _ payload: some EventPayload) -> PersonID? {
        payload.concernedPerson
    }
}

private struct PayloadVisitor<Payload>: EventVisitor {
    func visit(_ kind: EventKind, _ payload: some EventPayload) -> Payload? { payload as? Payload }
}

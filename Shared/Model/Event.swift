/// Everything that one service tells another, with the number and the name it has on the wire.
///
/// Numbers are for good. `docs/events.md` describes each.
public enum EventKind: UInt16, Sendable, CaseIterable {
    // in/p
    case inputReport = 1
    case inputSignal = 2
    case inputCancel = 3
    case inputClock = 4
    case inputAcknowledgement = 5
    case inputResolution = 6
    case inputAdoption = 7
    case inputPerson = 8
    case inputPersonRemoved = 9
    case inputCircle = 10
    case inputCircleRemoved = 11
    case inputLogic = 12
    case inputStanding = 13
    case inputSet = 14
    case inputSetRemoved = 15
    case inputArming = 16
    case inputAlarmAnswer = 17
    case inputReports = 18
    case inputSilenceTerms = 20
    case inputContact = 21
    case inputWatch = 22
    case inputDeafness = 23
    case inputSilenceHold = 24
    case inputBlindness = 25

    // events/p
    case zoneEntered = 32
    case zoneExited = 33
    case zoneInitial = 34
    case zoneApproached = 35
    case zoneDwelled = 36
    case zoneWithheld = 37
    case zoneAbsent = 38
    case zoneReceded = 39
    case emergencyCountdown = 40
    case emergencyOpened = 41
    case emergencyJoined = 42
    case emergencyCancelled = 43
    case emergencyAcknowledged = 44
    case emergencyResolved = 45
    case silenceQuiet = 46
    case silenceOverdue = 47
    case silenceLost = 48
    case silenceEnded = 49
    case clockWanted = 50
    case clockUnwanted = 51
    case alarmStarted = 54
    case alarmRepeated = 55
    case alarmEnded = 56
    case messagesDue = 57
    case policyChanged = 58
    case zoneForgotten = 59
    case batteryLow = 60
    case phoneBlind = 61

    // sos
    case sosRaised = 64
    case sosCancelled = 65
    case sosLocated = 66

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

    // fired
    case clockFired = 96
    case watchChanged = 97
    case watchExpired = 98
    case retentionDue = 99

    // deliveries
    case notificationChanged = 112
    case acknowledgementGiven = 113
    case resolutionGiven = 114
    case ladderAdopted = 115
    case ladderTier = 116
    case ladderExhausted = 117
    case ladderStanding = 118
    case signalGiven = 119
    case contactGiven = 120
    case accessRecorded = 121
    case reachabilityChanged = 125

    /// Whether evaluators emit the event: the kinds of `events/p`.
    public var isOfEvaluators: Bool { (32..<64).contains(rawValue) }

    /// The CloudEvents `type`.
    public var type: String {
        switch self {
        case .inputReport: "jaga.input.report"
        case .inputSignal: "jaga.input.signal"
        case .inputCancel: "jaga.input.cancel"
        case .inputClock: "jaga.input.clock"
        case .inputAcknowledgement: "jaga.input.acknowledgement"
        case .inputResolution: "jaga.input.resolution"
        case .inputAdoption: "jaga.input.adoption"
        case .inputPerson: "jaga.input.person"
        case .inputPersonRemoved: "jaga.input.person-removed"
        case .inputCircle: "jaga.input.circle"
        case .inputCircleRemoved: "jaga.input.circle-removed"
        case .inputLogic: "jaga.input.logic"
        case .inputStanding: "jaga.input.standing"
        case .inputSet: "jaga.input.set"
        case .inputSetRemoved: "jaga.input.set-removed"
        case .inputArming: "jaga.input.arming"
        case .inputAlarmAnswer: "jaga.input.alarm-answer"
        case .inputReports: "jaga.input.reports"
        case .inputSilenceTerms: "jaga.input.silence-terms"
        case .inputContact: "jaga.input.contact"
        case .inputWatch: "jaga.input.watch"
        case .inputDeafness: "jaga.input.deafness"
        case .inputSilenceHold: "jaga.input.silence-hold"
        case .inputBlindness: "jaga.input.blindness"
        case .zoneEntered: "jaga.zone.entered"
        case .zoneExited: "jaga.zone.exited"
        case .zoneInitial: "jaga.zone.initial"
        case .zoneApproached: "jaga.zone.approached"
        case .zoneDwelled: "jaga.zone.dwelled"
        case .zoneWithheld: "jaga.zone.withheld"
        case .zoneAbsent: "jaga.zone.absent"
        case .zoneReceded: "jaga.zone.receded"
        case .zoneForgotten: "jaga.zone.forgotten"
        case .emergencyCountdown: "jaga.emergency.countdown"
        case .emergencyOpened: "jaga.emergency.opened"
        case .emergencyJoined: "jaga.emergency.joined"
        case .emergencyCancelled: "jaga.emergency.cancelled"
        case .emergencyAcknowledged: "jaga.emergency.acknowledged"
        case .emergencyResolved: "jaga.emergency.resolved"
        case .clockWanted: "jaga.clock.wanted"
        case .clockUnwanted: "jaga.clock.unwanted"
        case .alarmStarted: "jaga.alarm.started"
        case .alarmRepeated: "jaga.alarm.repeated"
        case .alarmEnded: "jaga.alarm.ended"
        case .messagesDue: "jaga.messages.due"
        case .policyChanged: "jaga.policy.changed"
        case .silenceQuiet: "jaga.silence.quiet"
        case .silenceOverdue: "jaga.silence.overdue"
        case .silenceLost: "jaga.silence.lost"
        case .silenceEnded: "jaga.silence.ended"
        case .batteryLow: "jaga.battery.low"
        case .phoneBlind: "jaga.phone.blind"
        case .sosRaised: "jaga.sos.raised"
        case .sosCancelled: "jaga.sos.cancelled"
        case .sosLocated: "jaga.sos.located"
        case .personChanged: "jaga.directory.person"
        case .personRemoved: "jaga.directory.person-removed"
        case .deviceChanged: "jaga.directory.device"
        case .deviceRemoved: "jaga.directory.device-removed"
        case .credentialChanged: "jaga.directory.credential"
        case .credentialRemoved: "jaga.directory.credential-removed"
        case .circleChanged: "jaga.directory.circle"
        case .circleRemoved: "jaga.directory.circle-removed"
        case .zoneChanged: "jaga.directory.zone"
        case .zoneRemoved: "jaga.directory.zone-removed"
        case .setChanged: "jaga.directory.set"
        case .setRemoved: "jaga.directory.set-removed"
        case .messageChanged: "jaga.directory.message"
        case .messageRemoved: "jaga.directory.message-removed"
        case .messageRequested: "jaga.message.requested"
        case .clockFired: "jaga.clock.fired"
        case .watchChanged: "jaga.watch.changed"
        case .watchExpired: "jaga.watch.expired"
        case .retentionDue: "jaga.retention.due"
        case .notificationChanged: "jaga.notification.changed"
        case .acknowledgementGiven: "jaga.acknowledgement.given"
        case .resolutionGiven: "jaga.resolution.given"
        case .ladderAdopted: "jaga.ladder.adopted"
        case .ladderTier: "jaga.ladder.tier"
        case .ladderExhausted: "jaga.ladder.exhausted"
        case .ladderStanding: "jaga.ladder.standing"
        case .signalGiven: "jaga.signal.given"
        case .contactGiven: "jaga.contact.given"
        case .accessRecorded: "jaga.access.recorded"
        case .reachabilityChanged: "jaga.reachability.changed"
        }
    }
}

/// What an event says.
public enum EventBody: Hashable, Sendable {
    // in/p
    case inputReport(Report)
    case inputSignal(EmergencySignal)
    case inputCancel(EmergencyCancel)
    case inputClock(FiredClock)
    case inputAcknowledgement(EmergencyAnswer)
    case inputResolution(EmergencyAnswer)
    /// The notifier opened a ladder by itself for this signal.
    case inputAdoption(EmergencySignal)
    case inputPerson(PlacedPerson)
    case inputPersonRemoved(PersonRemoval)
    case inputCircle(PlacedCircle)
    case inputCircleRemoved(CircleRemoval)
    case inputLogic(LogicVersion)
    /// How an emergency stands with the notifier.
    case inputStanding(LadderStanding)
    case inputSet(PlacedSet)
    case inputSetRemoved(SetRemoval)
    case inputArming(Arming)
    case inputAlarmAnswer(AlarmAnswer)
    /// Several of one device at once.
    case inputReports(ReportBatch)
    case inputSilenceTerms(SilenceTerms)
    case inputContact(Contact)
    case inputWatch(WatchSpan)
    case inputDeafness(Deafness)
    case inputSilenceHold(SilenceHold)
    case inputBlindness(Blindness)

    // events/p
    case zoneEntered(ZoneCrossing)
    case zoneExited(ZoneCrossing)
    /// First decision for (person, zone): shown, told to nobody.
    case zoneInitial(ZoneCrossing)
    /// Near, coming from farther away.
    case zoneApproached(ZoneCrossing)
    case zoneDwelled(ZoneCrossing)
    /// A change that was held back; told to nobody.
    case zoneWithheld(ZoneCrossing)
    case zoneAbsent(ZoneAbsence)
    /// From near to farther away; told to nobody.
    case zoneReceded(ZoneCrossing)
    /// Inside or near a zone that judges the person no longer; told to nobody.
    case zoneForgotten(ZoneCrossing)
    case emergencyCountdown(EmergencyNews)
    case emergencyOpened(EmergencyNews)
    case emergencyJoined(EmergencyNews)
    case emergencyCancelled(EmergencyNews)
    case emergencyAcknowledged(EmergencyNews)
    case emergencyResolved(EmergencyNews)
    case clockWanted(WantedClock)
    case clockUnwanted(WantedClock)
    case alarmStarted(AlarmNews)
    case alarmRepeated(AlarmNews)
    case alarmEnded(AlarmNews)
    case messagesDue(DueMessages)
    case policyChanged(ReportingPolicy)
    case silenceQuiet(SilenceNews)
    case silenceOverdue(SilenceNews)
    case silenceLost(SilenceNews)
    case silenceEnded(SilenceNews)
    case batteryLow(BatteryNews)
    case phoneBlind(Blindness)

    // sos
    case sosRaised(EmergencySignal)
    case sosCancelled(EmergencyCancel)
    case sosLocated(EmergencyPlace)

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
    /// To be sent once by the notifier; of no snapshot.
    case messageRequested(SealedMessage)

    // fired
    case clockFired(FiredClock)
    case watchChanged(Watch)
    /// A watch ran out: the signal that raises its emergency.
    case watchExpired(EmergencySignal)
    /// What is older than its time is to be forgotten, as of then.
    case retentionDue(RetentionRound)

    // deliveries
    case notificationChanged(NotificationNews)
    case acknowledgementGiven(EmergencyAnswer)
    case resolutionGiven(EmergencyAnswer)
    case ladderAdopted(EmergencySignal)
    case ladderTier(LadderNews)
    case ladderExhausted(LadderNews)
    /// How an emergency stands here, for whoever may have lost it or knows it otherwise.
    case ladderStanding(LadderStanding)
    /// Somebody called for help by SMS.
    case signalGiven(EmergencySignal)
    /// Somebody who was asked answered by SMS.
    case contactGiven(Contact)
    /// Somebody was shown a person's movements or position here.
    case accessRecorded(AccessRecord)
    /// Gateways, or contact points that are opted out or dead, changed.
    case reachabilityChanged(ReachabilityNews)
}

/// One thing that happened, told once.
public struct Event: Hashable, Sendable {
    /// BLAKE2b-128 of the meaning: (kind, person, subject, cause id).
    public var id: EventID
    /// When it was decided; on `in/p` ingest's time, never decreasing.
    public var time: Timestamp
    /// The request at the beginning of it all; empty where there is none.
    public var trace: String
    public var body: EventBody

    public init(id: EventID, time: Timestamp, trace: String = "", body: EventBody) {
        self.id = id
        self.time = time
        self.trace = trace
        self.body = body
    }

    public var kind: EventKind { body.kind }
}

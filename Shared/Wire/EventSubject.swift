import Model

extension EventBody {
    /// The service that says it.
    var source: String {
        switch kind.rawValue {
        case 1...31, 64...79: "ingest"
        case 80...95: "membership"
        case 96...111: "timer"
        case 112...127: "notifier"
        default: isNotifiersClock ? "notifier" : "evaluator"
        }
    }

    /// Clocks are wanted by evaluators for countdowns, presence and contact, by the notifier for
    /// everything else; its canaries are given up by evaluators.
    private var isNotifiersClock: Bool {
        switch self {
        case .clockUnwanted(let clock) where clock.rule == .canary: false
        case .clockWanted(let clock), .clockUnwanted(let clock):
            ![.countdown, .presence, .contact].contains(clock.rule)
        default: false
        }
    }

    /// Whom it is about; nil where that is nobody or more than one.
    public var person: PersonID? {
        switch self {
        case .inputReport(let report): report.person
        case .inputReports(let batch): batch.person
        case .inputSignal(let signal), .inputAdoption(let signal), .sosRaised(let signal),
            .watchExpired(let signal), .ladderAdopted(let signal), .signalGiven(let signal):
            signal.person
        case .inputCancel(let cancel), .sosCancelled(let cancel): cancel.person
        case .sosLocated(let place): place.person
        case .inputClock(let fired), .clockFired(let fired): fired.clock.person
        case .inputAcknowledgement(let answer), .inputResolution(let answer),
            .acknowledgementGiven(let answer), .resolutionGiven(let answer):
            answer.person
        case .inputPerson(let placed): placed.person
        case .inputPersonRemoved(let removal), .personRemoved(let removal): removal.person
        case .inputArming(let arming): arming.person
        case .inputAlarmAnswer(let answer): answer.person
        case .inputSilenceTerms(let terms): terms.person
        case .inputContact(let contact), .contactGiven(let contact): contact.person
        case .inputWatch(let span): span.person
        case .accessRecorded(let record): record.person
        case .zoneEntered(let crossing), .zoneExited(let crossing), .zoneInitial(let crossing),
            .zoneApproached(let crossing), .zoneDwelled(let crossing),
            .zoneWithheld(let crossing), .zoneReceded(let crossing),
            .zoneForgotten(let crossing):
            crossing.person
        case .zoneAbsent(let absence): absence.person
        case .alarmStarted(let news), .alarmRepeated(let news), .alarmEnded(let news): news.person
        case .messagesDue(let due): due.person
        case .policyChanged(let policy): policy.person
        case .silenceQuiet(let news), .silenceOverdue(let news), .silenceLost(let news),
            .silenceEnded(let news):
            news.person
        case .batteryLow(let news): news.person
        case .inputBlindness(let blindness), .phoneBlind(let blindness): blindness.person
        case .emergencyCountdown(let news), .emergencyOpened(let news), .emergencyJoined(let news),
            .emergencyCancelled(let news), .emergencyAcknowledged(let news),
            .emergencyResolved(let news):
            news.person
        case .clockWanted(let clock), .clockUnwanted(let clock): clock.person
        case .personChanged(let person): person.id
        case .deviceChanged(let device): device.person
        case .credentialChanged(let credential): credential.person
        case .watchChanged(let watch): watch.person
        case .notificationChanged(let news): news.person
        case .ladderTier(let news), .ladderExhausted(let news): news.person
        case .inputStanding(let standing), .ladderStanding(let standing): standing.person
        case .inputCircle, .inputCircleRemoved, .inputLogic, .inputDeafness, .inputSilenceHold,
            .deviceRemoved, .credentialRemoved,
            .circleChanged, .circleRemoved, .zoneChanged, .zoneRemoved, .inputSet,
            .inputSetRemoved, .setChanged, .setRemoved, .messageChanged, .messageRemoved,
            .messageRequested, .retentionDue, .reachabilityChanged:
            nil
        }
    }
}

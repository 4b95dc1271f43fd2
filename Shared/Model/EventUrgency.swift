extension EventBody {
    /// Whether an emergency depends on it: calls for help, what ends or answers them, what people
    /// are told of them, and the clocks that drive this. Such an event is never given up. What
    /// became of a message is information only.
    public var carriesEmergency: Bool {
        switch self {
        case .inputSignal, .inputCancel, .inputAcknowledgement, .inputResolution, .inputAdoption,
            .emergencyCountdown, .emergencyOpened, .emergencyJoined, .emergencyCancelled,
            .emergencyAcknowledged, .emergencyResolved, .sosRaised, .sosCancelled, .watchExpired,
            .acknowledgementGiven, .resolutionGiven, .ladderAdopted, .ladderTier,
            .ladderExhausted, .inputStanding, .ladderStanding, .signalGiven:
            true
        case .clockWanted(let clock), .clockUnwanted(let clock): clock.carriesEmergency
        case .clockFired(let fired), .inputClock(let fired): fired.clock.carriesEmergency
        case .inputReport, .inputReports, .inputPerson, .inputPersonRemoved, .inputCircle,
            .inputCircleRemoved,
            .inputLogic, .inputSet, .inputSetRemoved, .inputArming, .inputAlarmAnswer,
            .zoneEntered, .zoneExited, .zoneInitial, .zoneApproached, .zoneDwelled,
            .zoneReceded, .zoneForgotten, .zoneWithheld, .zoneAbsent, .alarmStarted, .alarmRepeated,
            .alarmEnded, .messagesDue,
            .policyChanged, .inputSilenceTerms, .inputContact, .inputWatch, .inputDeafness,
            .inputSilenceHold, .inputBlindness, .phoneBlind, .retentionDue, .silenceQuiet,
            .silenceOverdue, .silenceLost, .silenceEnded,
            .batteryLow, .contactGiven, .accessRecorded, .setChanged, .setRemoved, .messageChanged,
            .messageRemoved,
            .messageRequested, .personChanged, .personRemoved,
            .deviceChanged, .deviceRemoved, .credentialChanged, .credentialRemoved,
            .circleChanged, .circleRemoved, .zoneChanged, .zoneRemoved, .watchChanged,
            .notificationChanged, .reachabilityChanged, .sosLocated:
            false
        }
    }
}

extension EventBody {
    /// The emergency that begins, or goes on, by this; nil if none does.
    public var begunEmergency: EmergencyID? {
        switch self {
        case .sosRaised(let signal), .watchExpired(let signal), .ladderAdopted(let signal),
            .signalGiven(let signal):
            signal.id
        case .emergencyCountdown(let news), .emergencyOpened(let news), .emergencyJoined(let news):
            news.emergency
        default: nil
        }
    }

    /// The emergency that ends by this; nil if none does.
    public var endedEmergency: EmergencyID? {
        switch self {
        case .sosCancelled(let cancel): cancel.emergency
        case .emergencyCancelled(let news), .emergencyResolved(let news): news.emergency
        case .resolutionGiven(let answer): answer.emergency
        default: nil
        }
    }
}

extension WantedClock {
    /// Whether an emergency waits for it, or comes of it.
    var carriesEmergency: Bool {
        switch rule {
        case .countdown, .contact, .tier, .fallback, .acknowledgementHold, .watchExpiry,
            .undelivered:
            true
        case .retry, .watchReminder, .presence, .canary: emergency != nil
        }
    }
}

extension Event {
    /// Whether it stands in every log by the id of the request at its beginning: people may be told
    /// because of it, or somebody was.
    ///
    /// - Parameter isOwn: told by the service that asks, not read
    public func isMilestone(isOwn: Bool) -> Bool {
        guard !trace.isEmpty else { return false }
        return switch body {
        case .zoneEntered, .zoneExited, .zoneApproached, .zoneDwelled, .zoneAbsent, .alarmStarted,
            .watchChanged, .watchExpired, .signalGiven, .acknowledgementGiven, .resolutionGiven,
            .ladderAdopted, .sosRaised, .sosCancelled, .inputSignal, .emergencyCountdown,
            .emergencyOpened, .emergencyJoined, .emergencyCancelled, .emergencyAcknowledged,
            .emergencyResolved:
            true
        // Only what became of it, once: by whoever sent it.
        case .notificationChanged(let news):
            isOwn && news.state != .queued && news.state != .sending
        default: false
        }
    }
}

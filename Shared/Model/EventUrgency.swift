extension EventBody {
    /// Whether an emergency depends on it: calls for help, what ends or answers them, what people
    /// are told of them, and the clocks that drive this. Such an event is never given up.
    public var carriesEmergency: Bool {
        switch self {
        case .inputSignal, .inputCancel, .inputAcknowledgement, .inputResolution, .inputAdoption,
            .emergencyCountdown, .emergencyOpened, .emergencyJoined, .emergencyCancelled,
            .emergencyAcknowledged, .emergencyResolved, .sosRaised, .sosCancelled, .watchExpired,
            .acknowledgementGiven, .resolutionGiven, .ladderAdopted, .ladderTier,
            .ladderExhausted:
            true
        case .clockWanted(let clock), .clockUnwanted(let clock): clock.carriesEmergency
        case .clockFired(let fired), .inputClock(let fired): fired.clock.carriesEmergency
        case .notificationChanged(let news): news.emergency != nil
        case .inputReport, .inputPerson, .inputPersonRemoved, .inputCircle, .inputCircleRemoved,
            .inputLogic, .zoneEntered, .zoneExited, .zoneInitial, .personChanged, .personRemoved,
            .deviceChanged, .deviceRemoved, .credentialChanged, .credentialRemoved,
            .circleChanged, .circleRemoved, .zoneChanged, .zoneRemoved, .watchChanged:
            false
        }
    }
}

extension WantedClock {
    /// Whether an emergency waits for it, or comes of it.
    var carriesEmergency: Bool {
        switch rule {
        case .countdown, .tier, .fallback, .acknowledgementHold, .watchExpiry, .undelivered: true
        case .retry, .watchReminder: emergency != nil
        }
    }
}

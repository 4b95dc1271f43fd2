extension EventBody {
    /// Whether an emergency depends on it: signals, their end and acknowledgement, escalations, and
    /// the deadlines that drive them. Such events are retried forever. The delivery state of a
    /// message is information only.
    public var carriesEmergency: Bool {
        switch self {
        case .inputSignal, .inputCancel, .inputAcknowledgement, .inputResolution,
            .inputFallbackOpened,
            .emergencyCountdown, .emergencyOpened, .emergencyJoined, .emergencyCancelled,
            .emergencyAcknowledged, .emergencyResolved, .sosRaised, .sosCancelled, .watchExpired,
            .acknowledgementCommitted, .resolutionCommitted, .escalationFallbackOpened,
            .escalationTierStarted,
            .escalationExhausted, .inputEmergencySnapshot, .emergencySnapshot, .signalReceived:
            true
        case .deadlineScheduled(let deadline), .deadlineCancelled(let deadline):
            deadline.carriesEmergency
        case .deadlineExpired(let expired), .inputDeadline(let expired):
            expired.deadline.carriesEmergency
        case .inputReport, .inputReports, .inputPerson, .inputPersonRemoved, .inputCircle,
            .inputCircleRemoved,
            .inputLogic, .inputSet, .inputSetRemoved, .inputArming, .inputAlarmAnswer,
            .zoneEntered, .zoneExited, .zonePresenceEstablished, .zoneApproached, .zoneDwelled,
            .zoneLeftVicinity, .zonePresenceCleared, .zoneSuppressed, .zoneAbsent, .alarmStarted,
            .alarmRepeated,
            .alarmEnded, .messagesDue,
            .policyChanged, .inputContactExpectation, .inputContact, .inputWatch,
            .inputIntakeOutage,
            .inputContactLossHold, .inputImpairment, .deviceImpaired, .retentionDue,
            .contactLate,
            .contactOverdue, .contactLost, .contactOK,
            .batteryLow, .checkInReceived, .accessRecorded, .setChanged, .setRemoved,
            .messageChanged,
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
    /// The emergency that this event opens or continues.
    public var begunEmergency: EmergencyID? {
        switch self {
        case .sosRaised(let signal), .watchExpired(let signal),
            .escalationFallbackOpened(let signal),
            .signalReceived(let signal):
            signal.id
        case .emergencyCountdown(let change), .emergencyOpened(let change),
            .emergencyJoined(let change):
            change.emergency
        default: nil
        }
    }

    /// The emergency that this event ends.
    public var endedEmergency: EmergencyID? {
        switch self {
        case .sosCancelled(let cancel): cancel.emergency
        case .emergencyCancelled(let change), .emergencyResolved(let change): change.emergency
        case .resolutionCommitted(let answer): answer.emergency
        default: nil
        }
    }
}

extension Deadline {
    /// Whether an emergency depends on it or may result from it.
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
    /// Whether every service logs it at level info with its trace, because people may be notified,
    /// or were.
    ///
    /// - Parameter isOwn: whether the asking service published the event, rather than read it
    public func isMilestone(isOwn: Bool) -> Bool {
        guard !trace.isEmpty else { return false }
        return switch body {
        case .zoneEntered, .zoneExited, .zoneApproached, .zoneDwelled, .zoneAbsent, .alarmStarted,
            .watchChanged, .watchExpired, .signalReceived, .acknowledgementCommitted,
            .resolutionCommitted,
            .escalationFallbackOpened, .sosRaised, .sosCancelled, .inputSignal, .emergencyCountdown,
            .emergencyOpened, .emergencyJoined, .emergencyCancelled, .emergencyAcknowledged,
            .emergencyResolved:
            true
        // Only final states, and only in the log of the service that sent the message.
        case .notificationChanged(let change):
            isOwn && change.state != .queued && change.state != .sending
        default: false
        }
    }
}

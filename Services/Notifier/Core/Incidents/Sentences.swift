import Model

// Sentences for the document of an incident. It is read by responders, officers and courts, who do
// not know the codes; they are in English, as the whole document is.

extension NotifyReason {
    /// Why somebody was notified, or was not.
    package var sentence: String {
        switch self {
        case .zoneCrossed: "A person whom they guard entered or left a zone."
        case .zoneApproached: "A person whom they guard was near a zone."
        case .zoneDwelled: "A person whom they guard stayed in a zone."
        case .zoneAbsent: "A person whom they guard was not in a zone in time."
        case .zoneAlarm: "A zone alarm of a person whom they guard started or ended."
        case .ownAlarm: "A zone alarm for themselves."
        case .zoneMessage: "A zone text of a person to this number."
        case .invitation: "They were asked to agree to zone texts."
        case .zoneFile: "Somebody sent them zones by mail."
        case .tier: "It was the turn of their tier."
        case .exhausted: "Nobody had responded on any tier, so everyone was notified."
        case .pressedAgain: "The person called for help again."
        case .acknowledged: "Somebody responded."
        case .standDown: "The emergency was over."
        case .endedElsewhere: "The emergency ended in another circle and went on in theirs."
        case .sharedAddress: "Another recipient has the same address; one message served both."
        case .acknowledgementReminder: "They responded a while ago and were asked to confirm."
        case .lateRecord: "The call arrived too late for an escalation."
        case .ownAcknowledged: "The person in danger learned that somebody responds."
        case .ownEnded: "The person in danger was asked whether it is over."
        case .ownCountdown: "The person was asked whether they are OK."
        case .ownRaised: "The person learned that somebody called for help on their behalf."
        case .ownNobodyReached: "The person in danger learned that nobody had been reached."
        case .watchReminder: "Their watch was about to end."
        case .checkInDue: "A check-in of theirs was due."
        case .timerExpired: "Their timer expired."
        case .arrived: "The person arrived at the destination of their watch."
        case .replyAnswer: "An answer to their text."
        case .checkInRequested: "Their phone was out of contact."
        case .contactLost: "Contact with a person whom they guard was lost."
        case .contactRestored: "Contact was restored."
        case .ownBattery: "The battery of their phone was low."
        case .ownImpairment: "Something kept their phone from reporting."
        case .deviceImpaired: "Something kept the phone of a person whom they guard from reporting."
        case .accountCode: "A code for their account."
        case .accountNotice: "A notice about their account."
        case .membership: "Their consent was asked, or a ward takes over."
        case .drill: "A drill of their circle."
        case .test: "A test of a gateway."
        case .themselves: "It is about themselves."
        case .notJoined: "They had not joined the circle yet."
        case .role: "Their role is not notified of this."
        case .privateZone: "The zone is private."
        case .sharingOff: "The person did not share with this circle."
        case .sharingPaused: "The person had paused sharing."
        case .zoneTooSmall: "The zone is too small to be named."
        case .zoneNotAccepted: "The person had not accepted the zone."
        case .transitionOff: "The zone does not notify about this."
        case .zoneInactive: "The zone was inactive or removed."
        case .notOfCircle: "They shared no circle with the person any more."
        case .tooOld: "It happened too long before."
        case .noSMSAllowance: "They have only numbers, and no SMS for this."
        case .unreachable: "They have no contact point on a configured channel."
        case .notVerified: "They have no verified contact point on a configured channel."
        case .alreadyNotified: "They had been notified of this already."
        case .alreadyQueued: "An earlier message about this was still queued."
        case .queueFull: "The queue was full."
        case .draft: "The text waited for the person."
        case .notConfirmed: "The number had not agreed to such texts."
        case .stopped: "The number had replied STOP."
        case .tooMany: "The number had reached its texts of the day."
        case .neverNotify: "They are on the person's never-notify list."
        }
    }
}

extension TimelineKind {
    /// What happened, in an emergency.
    package var sentence: String {
        switch self {
        case .entered: "Entered a zone."
        case .left: "Left a zone."
        case .approached: "Came near a zone."
        case .dwelled: "Stayed in a zone."
        case .passedThrough: "Passed through a zone."
        case .absent: "Was not in a zone in time."
        case .noContact: "Contact was lost, so presence was unknown."
        case .alarmStarted: "A zone alarm started."
        case .alarmEnded: "A zone alarm ended."
        case .contactLost: "Contact was lost."
        case .contactRestored: "Contact was restored."
        case .batteryLow: "The battery was low."
        case .deviceImpaired: "Something kept the phone from reporting."
        case .message: "A zone text was sent, drafted or suppressed."
        case .emergencyOpened: "The emergency opened."
        case .emergencyFallbackOpened: "The emergency opened without an evaluator."
        case .emergencyRecorded: "The call arrived too late for an escalation."
        case .pressedAgain: "The person called for help again."
        case .reply: "Somebody replied by SMS."
        case .tier: "A tier was notified."
        case .exhausted: "Nobody had responded: everyone was notified on all channels."
        case .acknowledged: "Somebody responded."
        case .confirmed: "The responder confirmed."
        case .withdrawn: "The responder handed back."
        case .acknowledgementReminder: "The responder was asked whether they still help."
        case .resumed: "The escalation resumed."
        case .resolved: "The emergency was resolved."
        case .resolvedElsewhere: "The emergency was resolved in another circle."
        case .cancelled: "The emergency was cancelled."
        }
    }
}

extension AttemptOutcome {
    /// What the gateway did.
    package var sentence: String {
        switch self {
        case .accepted: "The gateway accepted it."
        case .later: "The gateway asked to retry later."
        case .rejected: "The address is invalid."
        case .unroutable: "The gateway cannot deliver to this address."
        case .misconfigured: "The gateway rejected its credentials."
        case .unreachable: "The gateway was not reachable."
        case .unknown: "It is unknown whether the gateway accepted it."
        case .sink: "It was stored here only; nothing was sent."
        }
    }
}

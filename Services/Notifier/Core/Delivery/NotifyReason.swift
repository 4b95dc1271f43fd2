import Model

/// Why somebody is notified, or is not. Stored with every decision.
package enum NotifyReason: String, Hashable, Sendable, Codable, CaseIterable {
    // Notified.
    /// A person whom they guard entered or left a zone.
    case zoneCrossed = "zone-crossed"
    /// A person whom they guard is near a zone.
    case zoneApproached = "zone-approached"
    /// A person whom they guard has stayed in a zone.
    case zoneDwelled = "zone-dwelled"
    /// A person whom they guard is not in a zone when they should be, or contact is lost.
    case zoneAbsent = "zone-absent"
    /// A zone alarm for a person whom they guard started or ended.
    case zoneAlarm = "zone-alarm"
    /// A zone alarm for themselves.
    case ownAlarm = "own-alarm"
    /// A zone text to a number outside the circle.
    case zoneMessage = "zone-message"
    /// A code with which the owner of a number can agree to such texts.
    case invitation
    /// Somebody sends them zones by mail.
    case zoneFile = "zone-file"
    /// They belong to the tier that is being notified.
    case tier
    /// Nobody responded on any tier: everyone on all contact points.
    case exhausted
    /// The person in danger called again.
    case pressedAgain = "pressed-again"
    /// Somebody is responding to an emergency of which they were notified.
    case acknowledged
    /// An emergency of which they were notified is over.
    case standDown = "stand-down"
    /// The emergency ended in another circle; it is active in theirs.
    case endedElsewhere = "ended-elsewhere"
    /// Another recipient has the same address: one message serves both.
    case sharedAddress = "shared-address"
    /// They acknowledged a while ago and are asked to confirm.
    case acknowledgementReminder = "acknowledgement-reminder"
    /// The signal came too late for an escalation.
    case lateRecord = "late-record"
    /// Somebody is responding to their own emergency.
    case ownAcknowledged = "own-acknowledged"
    /// Somebody else ended their own emergency; they are asked to confirm.
    case ownEnded = "own-ended"
    /// They are asked whether they are OK, before an automatic emergency of theirs opens.
    case ownCountdown = "own-countdown"
    /// Somebody called for help on their behalf.
    case ownRaised = "own-raised"
    /// Nobody has been reached yet for their own emergency.
    case ownNobodyReached = "own-nobody-reached"
    /// Their own watch ends soon.
    case watchReminder = "watch-reminder"
    /// Their own check-in is due.
    case checkInDue = "check-in-due"
    /// Their own timer ran out.
    case timerExpired = "timer-expired"
    /// A person in danger has arrived at the destination of their expired watch.
    case arrived
    /// The answer to a text that they sent.
    case replyAnswer = "reply-answer"
    /// Their own phone has been out of contact; they are asked to check in.
    case checkInRequested = "check-in-requested"
    /// Contact with a person whom they guard is lost, and the person has not checked in.
    case contactLost = "contact-lost"
    /// Contact is restored.
    case contactRestored = "contact-restored"
    /// The battery of their own phone is low.
    case ownBattery = "own-battery"
    /// Something keeps their own phone from reporting.
    case ownImpairment = "own-impairment"
    /// Something keeps the phone of a person whom they guard from reporting.
    case deviceImpaired = "device-impaired"
    /// A code for their own account.
    case accountCode = "account-code"
    /// A warning or question about their own account, or a test of their contact point.
    case accountNotice = "account-notice"
    /// Their consent is asked, or a ward takes over.
    case membership
    /// A drill of their circle, in which they agreed to take part.
    case drill
    /// A gateway test.
    case test

    // Not notified.
    /// It is about themselves.
    case themselves
    /// They have not accepted their invitation yet.
    case notJoined = "not-joined"
    /// Their role is not notified of this.
    case role
    /// The zone is private.
    case privateZone = "private-zone"
    /// The person does not share with this circle.
    case sharingOff = "sharing-off"
    /// The person has paused sharing.
    case sharingPaused = "sharing-paused"
    /// The person shares zones only, and this zone is too small to be named.
    case zoneTooSmall = "zone-too-small"
    /// The person shares zones only, and has not accepted this one.
    case zoneNotAccepted = "zone-not-accepted"
    /// The zone does not notify about this transition.
    case transitionOff = "transition-off"
    /// The zone is inactive or removed.
    case zoneInactive = "zone-inactive"
    /// The person or the circle is not known, or they share no circle any more.
    case notOfCircle = "not-of-circle"
    /// It happened too long ago.
    case tooOld = "too-old"
    /// Their only contact points are for SMS, and as no subscriber they get SMS about safety and
    /// their account only.
    case noSMSAllowance = "no-sms-allowance"
    /// They have no contact point on a configured channel.
    case unreachable
    /// They have no verified contact point on a configured channel.
    case notVerified = "not-verified"
    /// They have been notified of this already.
    case alreadyNotified = "already-notified"
    /// An earlier message about this is still queued.
    case alreadyQueued = "already-queued"
    /// The queue is full.
    case queueFull = "queue-full"
    /// The text is a draft that waits for the person.
    case draft
    /// The number has not agreed to such texts yet.
    case notConfirmed = "not-confirmed"
    /// The number replied STOP.
    case stopped
    /// The number has reached its limit of texts per day.
    case tooMany = "too-many"
    /// Of a text: its number belongs to somebody on the person's never-notify list. Of a decision,
    /// as its person alone reads it: the recipient is on the list.
    case neverNotify = "never-notify"

    /// Whether the reason leads to a message.
    package var sendsMessage: Bool {
        switch self {
        case .zoneCrossed, .zoneApproached, .zoneDwelled, .zoneAbsent, .zoneAlarm, .ownAlarm,
            .zoneMessage, .invitation, .zoneFile, .tier, .exhausted, .pressedAgain, .acknowledged,
            .standDown, .endedElsewhere, .ownEnded, .ownCountdown, .ownRaised, .sharedAddress,
            .acknowledgementReminder,
            .lateRecord,
            .ownAcknowledged, .ownNobodyReached, .watchReminder, .checkInDue, .timerExpired,
            .arrived,
            .replyAnswer, .checkInRequested, .contactLost, .contactRestored, .ownBattery,
            .ownImpairment,
            .deviceImpaired, .accountCode, .accountNotice, .membership, .drill, .test:
            true
        case .themselves, .notJoined, .role, .privateZone, .sharingOff, .sharingPaused,
            .zoneTooSmall, .zoneNotAccepted, .transitionOff, .zoneInactive, .notOfCircle, .tooOld,
            .unreachable, .notVerified,
            .alreadyNotified, .alreadyQueued, .queueFull, .draft, .notConfirmed, .stopped,
            .tooMany, .neverNotify, .noSMSAllowance:
            false
        }
    }

    /// Whether text and attachment are erased once the message will not be sent again.
    var isConfidential: Bool { [.invitation, .zoneFile, .accountCode].contains(self) }

    /// Whether it calls for help, as opposed to reporting progress.
    var isAlarm: Bool { [.tier, .exhausted, .pressedAgain, .lateRecord].contains(self) }
}

/// Whether one person was notified, and why.
package struct NotifyDecision: Hashable, Sendable, Codable {
    package var recipient: PersonID
    /// For somebody on the person's never-notify list, the reason that would apply without it:
    /// others must not infer the list.
    package var reason: NotifyReason
    /// Whether nothing was sent because of the person's never-notify list; nil = no. Only the
    /// person may see it.
    package var isWithheld: Bool?

    package init(recipient: PersonID, reason: NotifyReason, isWithheld: Bool = false) {
        self.recipient = recipient
        self.reason = reason
        self.isWithheld = isWithheld ? true : nil
    }

    init(_ recipient: PersonID, _ outcome: DeliveryOutcome) {
        self.init(
            recipient: recipient, reason: outcome.reason, isWithheld: outcome.isWithheld)
    }
}

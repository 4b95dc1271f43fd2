import Model

/// Why somebody is told something, or is not. Kept with every decision.
public enum NotifyReason: String, Hashable, Sendable, Codable, CaseIterable {
    // Told.
    /// A person whom they guard went into or out of a zone.
    case zoneCrossed = "zone-crossed"
    /// A person whom they guard is near a zone.
    case zoneApproached = "zone-approached"
    /// A person whom they guard has been in a zone for long.
    case zoneDwelled = "zone-dwelled"
    /// A person whom they guard is not where they should be, or there is no contact.
    case zoneAbsent = "zone-absent"
    /// An alarm of a person whom they guard began or ended.
    case zoneAlarm = "zone-alarm"
    /// A zone alarms themselves.
    case ownAlarm = "own-alarm"
    /// A text of a zone to a number outside of the circle.
    case zoneMessage = "zone-message"
    /// Whoever has a number may agree to such texts, by a code.
    case invitation
    /// Somebody mails them zones.
    case zoneFile = "zone-file"
    /// It is their tier's turn.
    case tier
    /// Nobody answered on any tier: everybody, on everything.
    case exhausted
    /// The person in danger pressed again.
    case pressedAgain = "pressed-again"
    /// Somebody took the emergency that they were told of.
    case taken
    /// The emergency that they were told of is over.
    case standDown = "stand-down"
    /// Somebody ended the emergency in another circle; it goes on in theirs.
    case endedElsewhere = "ended-elsewhere"
    /// The number or address is another recipient's, too: one message serves both.
    case sharedAddress = "shared-address"
    /// They took the emergency a while ago: are they still on it?
    case holderAsked = "holder-asked"
    /// The signal came so late that no ladder climbs for it.
    case lateRecord = "late-record"
    /// Their own emergency was taken by somebody.
    case ownTaken = "own-taken"
    /// Somebody else ended their own emergency: is that right?
    case ownEnded = "own-ended"
    /// Nobody has been reached for their own emergency yet.
    case ownNobodyYet = "own-nobody-yet"
    /// Their own watch ends soon.
    case watchReminder = "watch-reminder"
    /// What came of a text that they sent.
    case replyAnswer = "reply-answer"
    /// Their own phone has not been heard for long: are they all right?
    case silenceAsked = "silence-asked"
    /// The phone of a person whom they guard is not heard, and the person has not answered.
    case contactLost = "contact-lost"
    /// It is heard again.
    case contactRestored = "contact-restored"
    /// The battery of their own phone is low.
    case ownBattery = "own-battery"
    /// Something keeps their own phone from reporting.
    case ownBlind = "own-blind"
    /// Something keeps the phone of a person whom they guard from reporting.
    case phoneBlind = "phone-blind"
    /// An operator tries a gateway.
    case test

    // Not told.
    /// The news is about themselves.
    case themselves
    /// Their invitation is not answered yet.
    case notJoined = "not-joined"
    /// Their role is not told this.
    case role
    /// The zone is private.
    case privateZone = "private-zone"
    /// The person does not share with this circle.
    case sharingOff = "sharing-off"
    /// The person shares again later.
    case sharingPaused = "sharing-paused"
    /// The person shares zones only, and this one is too small to be named.
    case zoneTooSmall = "zone-too-small"
    /// The zone does not want this transition told.
    case transitionUnwanted = "transition-unwanted"
    /// The zone is switched off or gone.
    case zoneInactive = "zone-inactive"
    /// The person or the circle is not known, or not together any more.
    case notOfCircle = "not-of-circle"
    /// It happened too long ago.
    case tooOld = "too-old"
    /// They have no contact point on a channel that works.
    case unreachable
    /// They have been told just this already.
    case alreadyTold = "already-told"
    /// An earlier message about this still waits for its gateway.
    case alreadyQueued = "already-queued"
    /// Too much waits to be sent.
    case queueFull = "queue-full"
    /// The text waits for the person's tap.
    case proposed
    /// The number has not agreed to such texts yet.
    case notConfirmed = "not-confirmed"
    /// The number said STOP.
    case stopped
    /// The number had as many texts within a day as it may.
    case tooMany = "too-many"

    /// Whether the reason leads to a message.
    public var isTold: Bool {
        switch self {
        case .zoneCrossed, .zoneApproached, .zoneDwelled, .zoneAbsent, .zoneAlarm, .ownAlarm,
            .zoneMessage, .invitation, .zoneFile, .tier, .exhausted, .pressedAgain, .taken,
            .standDown, .endedElsewhere, .ownEnded, .sharedAddress, .holderAsked, .lateRecord,
            .ownTaken, .ownNobodyYet, .watchReminder,
            .replyAnswer, .silenceAsked, .contactLost, .contactRestored, .ownBattery, .ownBlind,
            .phoneBlind, .test:
            true
        case .themselves, .notJoined, .role, .privateZone, .sharingOff, .sharingPaused,
            .zoneTooSmall, .transitionUnwanted, .zoneInactive, .notOfCircle, .tooOld, .unreachable,
            .alreadyTold, .alreadyQueued, .queueFull, .proposed, .notConfirmed, .stopped,
            .tooMany:
            false
        }
    }
}

/// Whether one person was told one thing, and why.
public struct NotifyDecision: Hashable, Sendable, Codable {
    public var recipient: PersonID
    public var reason: NotifyReason

    public init(recipient: PersonID, reason: NotifyReason) {
        self.recipient = recipient
        self.reason = reason
    }
}

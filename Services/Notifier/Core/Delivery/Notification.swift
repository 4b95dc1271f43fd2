import Model

/// Class of a message: decides its lane, its maximum age and what an unknown outcome leads to.
package enum Severity: String, Hashable, Sendable, Codable, CaseIterable {
    /// Emergencies and reminders of watches: own lane, resent after an unknown outcome.
    case safety
    /// Codes and warnings about the recipient's account: own lane, whatever the recipient chose for
    /// zone notifications.
    case account
    /// Zone notifications and others: at most once, only while they are fresh, and only to verified
    /// contact points.
    case routine
    /// The test messages of drills: sent like those of emergencies, but in no lane of theirs, and
    /// only to verified contact points that did not opt out.
    case drill
    /// A gateway test.
    case test

    var lane: LaneClass {
        switch self {
        case .safety: .safety
        case .account: .account
        case .routine, .drill, .test: .routine
        }
    }

    /// Whether the operator decides about messages that became due during an outage.
    var waitsForOperator: Bool {
        switch self {
        case .safety, .routine: true
        case .account, .drill, .test: false
        }
    }

    /// Whether its SMS need no allowance.
    var needsNoAllowance: Bool { self == .safety || self == .drill }
}

/// A message rendered for every kind of channel, so that it can change channels.
package struct RenderedMessage: Hashable, Sendable, Codable {
    /// SMS: one line, the vital part first.
    package var short: String
    /// Mail only.
    package var subject: String
    /// Mail only.
    package var long: String

    package init(short: String, subject: String, long: String) {
        self.short = short
        self.subject = subject
        self.long = long
    }
}

/// One event for one recipient at one address.
///
/// Its id is a hash of these, so deciding twice creates one message.
package struct Notification: Hashable, Sendable, Codable {
    package var id: NotificationID
    package var reason: NotifyReason
    package var severity: Severity
    /// What happened, the same for all recipients. Contact points fail over within it.
    package var scope: EventID
    package var emergency: EmergencyID?
    /// The watch or check-in to whose page the text links; nil = none.
    package var question: EventID?
    /// The drill that it belongs to; nil = none.
    package var drill: DrillID?
    package var circle: CircleID?
    /// Whom it is about; nil = nobody.
    package var person: PersonID?
    /// Who is notified; nil = only an address.
    package var recipient: PersonID?
    /// Other recipients with the same address for whom this message counts; nil = none.
    package var alsoFor: [PersonID]?
    /// Whether it shows the person's position; nil = no.
    package var showsPlace: Bool?
    package var channel: Channel
    package var address: String
    /// All addresses of the recipient that get this message, including this one; nil in old rows.
    package var addresses: [String]?
    /// The only gateway to use; nil = any of the channel.
    package var requiredGateway: String?
    package var rendered: RenderedMessage
    /// What the person whom it is about may read of it; nil = what is sent.
    package var shown: RenderedMessage?
    /// Attachment of a mail; nil = none.
    package var file: RequestedMessage.File?
    /// Code of the emergency for people.
    package var reference: String
    /// Unguessable; names this message in a gateway's callback.
    package var token: String
    package var created: Timestamp
    /// Position among all routine messages, by creation; nil = not ordered, or an old row.
    package var order: UInt64?
    /// Do not send after this time.
    package var expires: Timestamp
    package var state: NotificationState = .queued
    /// Attempts started.
    package var attempts: Int = 0
    /// Attempts with unknown outcome.
    package var unknownOutcomes: Int = 0
    /// Whether an attempt is in flight.
    package var isInFlight = false
    package var attemptStarted: Timestamp?
    /// Time of the next attempt; nil = none.
    package var due: Timestamp?
    /// The timer's deadline for `due`, for long waits.
    package var deadline: DeadlineID?
    /// Gateways that reject this address.
    package var rejectingGateways: [String] = []
    /// End of the back-off of each gateway that asked this message to wait; nil = none did.
    package var gatewayBackoffs: [String: Timestamp]?
    /// The gateway of the last attempt.
    package var gateway = ""
    /// That gateway's last answer, shortened.
    package var answer = ""
    /// The gateway's message id, if it gave one.
    package var gatewayMessage: String?
    /// When its event happened, if that was during an outage and the text does not say so yet.
    package var wasDue: Timestamp?
    /// Whether it waits for the operator; false = not any more, nil = never did.
    package var isHeld: Bool?
    package var trace: String

    var lane: Lane { Lane(kind: severity.lane, channel: channel) }

    /// Whether a gateway asked this message to wait.
    func isBackingOff(_ gateway: String, at now: Timestamp) -> Bool {
        gatewayBackoffs?[gateway].map { now < $0 } ?? false
    }

    /// Whether an attempt is waiting or in flight.
    package var isPending: Bool { isInFlight || due != nil }
}

extension NotificationState {
    /// States move to a higher rank only. Delivered outranks rejected: of two attempts, one may
    /// have been rejected while the other arrived.
    var rank: Int {
        switch self {
        case .queued: 0
        case .sending: 1
        case .unknown: 2
        case .accepted, .sink: 3
        case .rejected, .expired: 4
        case .delivered: 5
        }
    }
}

extension Notification {
    /// Moves to a state of higher rank.
    ///
    /// - Returns: false, without a change, if the rank is not higher
    mutating func move(to next: NotificationState) -> Bool {
        guard next.rank > state.rank else { return false }
        state = next
        return true
    }

    /// Everyone for whom this message counts: usually one person, several with a shared number,
    /// none for a bare address.
    package var recipients: [PersonID] {
        [recipient].compactMap(\.self) + (alsoFor ?? [])
    }

    /// Whether a gateway's callback may name this address. Numbers are compared by digits: gateways
    /// drop the plus or replace it by a space.
    func isAddressed(to address: String?) -> Bool {
        guard let address, channel.rules.acceptsReplies else { return true }
        return address.filter(\.isNumber) == self.address.filter(\.isNumber)
    }

    /// A copy for another contact point of the same recipient.
    func moved(
        to contact: ContactPoint, id: NotificationID, secret: [UInt8], at now: Timestamp
    ) -> Notification {
        var moved = Notification(
            id: id, reason: reason, severity: severity, scope: scope, emergency: emergency,
            circle: circle, person: person, recipient: recipient, channel: contact.channel,
            address: contact.address, addresses: (addresses ?? [address]) + [contact.address],
            rendered: rendered, reference: reference,
            token: DerivedID.token(id, secret: secret), created: now,
            expires: expires, trace: trace)
        moved.order = order
        moved.question = question
        moved.showsPlace = showsPlace
        moved.drill = drill
        return moved
    }

    /// The text for its channel. Instead of a link's token it has a placeholder.
    var text: String { text(of: rendered) }

    /// The text that a reader may see afterwards, without the token of a link, which is the
    /// recipient's secret.
    package func textWithoutToken(to reader: PersonID) -> String {
        text(of: person == reader ? shown ?? rendered : rendered)
            .replacing(Links.placeholder, with: "…")
    }

    private func text(of rendered: RenderedMessage) -> String {
        channel.rules.form == .letter ? rendered.long : rendered.short
    }

    /// Removes text and attachment of a confidential message that will not be sent again.
    mutating func eraseSecrets() {
        guard reason.isConfidential, !isPending else { return }
        rendered = RenderedMessage(short: "", subject: "", long: "")
        file = nil
    }
}

/// One attempt to hand a message to a gateway. Its row is committed before the network call.
package struct Attempt: Hashable, Sendable, Codable {
    package var notification: NotificationID
    /// From 1.
    package var number: Int
    package var gateway: String
    package var started: Timestamp
    package var finished: Timestamp?
    /// Nil while in flight.
    package var outcome: AttemptOutcome?
    package var answer: String

    package init(
        notification: NotificationID, number: Int, gateway: String, started: Timestamp,
        finished: Timestamp? = nil, outcome: AttemptOutcome? = nil, answer: String = ""
    ) {
        self.notification = notification
        self.number = number
        self.gateway = gateway
        self.started = started
        self.finished = finished
        self.outcome = outcome
        self.answer = answer
    }
}

/// A state change of a message; append-only.
package struct NotificationChange: Hashable, Sendable, Codable {
    package var notification: NotificationID
    package var at: Timestamp
    package var state: NotificationState
    package var gateway: String
    package var answer: String
}

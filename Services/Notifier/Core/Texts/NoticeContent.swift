import Model

/// Content of a message, before it is rendered.
package enum NoticeContent: Hashable, Sendable {
    /// A zone change of a person.
    case zone(ZoneContent, zone: String, at: Timestamp, place: Place?)
    /// Not inside by a time of day. Without contact, presence is unknown since they were last seen.
    case absent(zone: String, by: Timestamp, hasContact: Bool, seen: Timestamp?, place: Place?)
    /// To the person whom a zone alarms.
    case ownAlarm(zone: String, near: Bool, at: Timestamp)
    case alarm(Alarm, Repetition)
    /// Somebody is responding; nil = the operator.
    case acknowledged(by: String?)
    /// Somebody of another circle is responding; the reader's circle is still asked. Nil = the
    /// operator.
    case acknowledgedElsewhere(by: String?)
    /// It is over: cancelled by the person, or ended by somebody (nil = the operator).
    case ended(cancelled: Bool, by: String?)
    /// Somebody (nil = the operator) ended it in other circles; it is active here.
    case endedElsewhere(by: String?, circles: String)
    /// To the person in danger: somebody (nil = the operator) ended it in these circles (nil = in
    /// all) and they are asked to confirm.
    case ownEnded(by: String?, circles: String?)
    /// To a responder: are they still helping?
    case acknowledgementReminder
    /// To the person in danger: somebody is responding; nil = the operator.
    case ownAcknowledged(by: String?)
    /// To the person in danger: nobody reached yet, with the number to call.
    case ownNobodyReached(number: String)
    /// To the person: are they OK? A device reported this, and their circle is alerted at a time.
    case ownCountdown(EmergencyTrigger, alarmAt: Timestamp)
    /// To the person: somebody (nil = unknown) called for help on their behalf.
    case ownRaised(by: String?)
    /// To the owner of a watch: it ends at this time.
    case watchReminder(deadline: Timestamp, note: String?)
    /// To a person whose check-in is due: their circle is alerted at a time.
    case checkInDue(name: String, due: Timestamp, alarmAt: Timestamp, asksPIN: Bool)
    /// To the owner of a timer. With a time if it ran out late.
    case timeUp(String, due: Timestamp?)
    /// To a sender of an SMS that they are safe.
    case safety(SafetyReply)
    /// To a sender of an SMS about their own watch.
    case watch(WatchReply)
    /// The person in danger has arrived at the destination of their expired watch.
    case arrived(zone: String, at: Timestamp)
    /// Contact with a phone, or an impairment of it.
    case contact(ContactContent)
    /// To a number outside the circle, sent by the reader's `who`.
    case message(MessageContent)
    /// To a number outside: the reader's `who` wants to send texts to it.
    case invitation(code: String)
    /// To somebody who may be a stranger: the reader's `who` invites them to a circle.
    case circleInvitation(link: String)
    /// The reader's `who` asks for their consent.
    case consent(link: String?)
    /// To a ward and the guardians: the ward takes over on a day, such as 2036-06-01.
    case takeOver(ward: String, date: String)
    /// To an address outside: the reader's `who` sends zones by mail.
    case zoneFile(name: String)
    /// About the reader's own account. The reader's `who` is the site.
    case account(AccountMessage)
    /// To a responder who acknowledged by SMS.
    case youRespond
    /// To a responder who handed back by SMS.
    case handedBack
    /// To a number that sent too many wrong codes.
    case tooManyCodes
    /// To a sender of OK without a valid reference.
    case referenceNeeded(String)
    /// To the person in danger, who replied OK: an SMS does not end their emergency.
    case confirmInApp
    /// To the sender of an SOS by SMS.
    case sosReceived
    /// To a sender who asked by SMS for the positions of their circles.
    case positions(PositionsContent)
    /// To a sender of an SMS that is no command: the words that are.
    case replyWords
    /// A drill of the reader's circle, and who started it.
    case drill(by: String)
    /// To somebody who answered a drill by SMS.
    case drillAnswered
    /// To a number that replied STOP, or START.
    case stopped
    case started
    /// A gateway test.
    case test(gateway: String)
}

/// Content of a zone text to a number outside the circle.
package struct MessageContent: Hashable, Sendable {
    /// How the recipient is addressed; empty = by no name.
    package var to: String
    /// Name of the person.
    package var own: String
    /// The zones that fired.
    package var zones: [MessageZone]
    /// Supplementary lines.
    package var lines: [String]
    package var at: Timestamp
    /// Nil = not shown.
    package var place: Place?

    package init(
        to: String, own: String, zones: [MessageZone], lines: [String], at: Timestamp, place: Place?
    ) {
        self.to = to
        self.own = own
        self.zones = zones
        self.lines = lines
        self.at = at
        self.place = place
    }
}

/// A zone in such a text, with its transition.
package struct MessageZone: Hashable, Sendable {
    package var name: String
    package var transition: Transition

    package init(name: String, _ transition: Transition) {
        self.name = name
        self.transition = transition
    }
}

/// What happened between a person and a zone.
package enum ZoneContent: Hashable, Sendable, CaseIterable {
    case entered, left, near, stays, passedThrough
    /// Still inside by a last fix of this age.
    case staysUnseen(minutes: Int64)
    /// For alert zones.
    case alertEntered, alertNear, alertInside, alertLeft
    /// The alarm ended without a movement of the person.
    case alertOver

    /// One of each.
    package static let allCases: [ZoneContent] = [
        .entered, .left, .near, .stays, .passedThrough, .staysUnseen(minutes: 116), .alertEntered,
        .alertNear, .alertInside, .alertLeft, .alertOver,
    ]
}

/// The answer to an SMS about a watch.
package enum WatchReply: Hashable, Sendable {
    /// The watch was extended to this time.
    case extended(deadline: Timestamp)
    /// How to extend it.
    case howToExtend
    /// The sender has no running watch.
    case none
}

/// The answer to a question by SMS for positions.
package enum PositionsContent: Hashable, Sendable {
    /// - Parameter more: how many more there are
    case found([PositionLine], more: Int)
    /// Nobody shares a position with the sender.
    case none
    /// The number is a contact point of several people.
    case sharedNumber
    /// Too many questions within an hour.
    case tooMany
}

/// The position of one person in such an answer.
package struct PositionLine: Hashable, Sendable {
    package enum Whereabouts: Hashable, Sendable {
        case at(Place)
        /// They share zones only; nil = in none that may be named.
        case zone(String?, taken: Timestamp)
        case paused
        case unknown
    }

    package var name: String
    package var whereabouts: Whereabouts

    package init(name: String, whereabouts: Whereabouts) {
        self.name = name
        self.whereabouts = whereabouts
    }
}

/// Content of a contact notification.
package enum ContactContent: Hashable, Sendable {
    /// To the person: are they OK? Their circle is alerted at `alarmAt`; nil = it is not.
    case asked(since: Timestamp, alarmAt: Timestamp?)
    case lost(since: Timestamp, place: Place?)
    case restored
    /// To the person, percent.
    case battery(UInt8)
    /// To the person: why their phone may stop reporting.
    case ownImpairment(Impairment)
    case impairment(Impairment)
}

/// Position of a person, with its accuracy.
package struct Place: Hashable, Sendable {
    package var position: Coordinate
    /// Nil = not reported.
    package var accuracyMetres: Int?
    package var taken: Timestamp
    /// Whether it contradicts the positions before it.
    package var isSuspect: Bool

    package init(_ fix: Fix) { self.init(fix, isSuspect: false) }

    package init(_ fix: Fix, isSuspect: Bool) {
        self.isSuspect = isSuspect
        position = fix.position
        accuracyMetres =
            fix.accuracyCentimetres > 0 ? Int((fix.accuracyCentimetres + 99) / 100) : nil
        taken = fix.time
    }
}

/// Content of an emergency notification.
package struct Alarm: Hashable, Sendable {
    package var trigger: EmergencyTrigger
    package var raised: Timestamp
    /// Whether the text begins with the age.
    package var isLate: Bool
    /// Nil = unknown, or not shared with the circle.
    package var place: Place?
    /// Shown instead of a position that is not shared.
    package var suppressed: SuppressedPlace?
    /// Percent.
    package var battery: UInt8?
    package var note: String?
    /// Whether the person signalled that somebody forced them to end it.
    package var isUnderDuress = false
    /// Name of who called on the person's behalf; nil = nobody, or unknown.
    package var by: String?
    /// Newest sign of life after a late call; nil = none.
    package var signOfLife: Timestamp?

    package init(
        trigger: EmergencyTrigger, raised: Timestamp, isLate: Bool = false, place: Place? = nil,
        battery: UInt8? = nil, note: String? = nil, suppressed: SuppressedPlace? = nil,
        by: String? = nil, signOfLife: Timestamp? = nil
    ) {
        self.by = by
        self.signOfLife = signOfLife
        self.suppressed = suppressed
        self.trigger = trigger
        self.raised = raised
        self.isLate = isLate
        self.place = place
        self.battery = battery
        self.note = note
    }
}

/// What is shown instead of a position that is not shared.
package enum SuppressedPlace: Hashable, Sendable {
    case notShared
    /// The person shares zones and was in this one.
    case zone(String, taken: Timestamp)
}

/// How an alarm differs from the first one.
package enum Repetition: String, Hashable, Sendable, Codable, CaseIterable {
    case first
    /// Nobody has responded.
    case unanswered
    /// The person called again.
    case pressedAgain = "pressed-again"
    /// Another trigger, such as a watch that ran out.
    case another
    /// A record of a signal from long ago, for information.
    case record
}

/// Reader of a message: language, time zone, and whom it is about.
package struct Reader: Hashable, Sendable {
    package var language: Language
    /// The person whom the message is about.
    package var who: String
    /// The circle on whose behalf it is sent; empty = none.
    package var circle: String
    /// Code of the emergency; empty = none.
    package var reference: String
    package var now: Timestamp
    /// Offset of the reader's time zone from UTC, seconds; nil = unknown, times are shown in UTC.
    package var offsetSeconds: Int?
    /// Link to a map with `{lat}` and `{lon}`.
    package var map: String
    /// Whether replies by SMS are received.
    package var hasReplies: Bool
    /// Personal link to the page of the emergency; empty = none.
    package var link: String

    package init(
        language: Language, who: String, circle: String = "", reference: String = "",
        now: Timestamp, offsetSeconds: Int? = nil, map: String = Reader.openStreetMap,
        hasReplies: Bool = false, link: String = ""
    ) {
        self.link = link
        self.language = language
        self.who = who
        self.circle = circle
        self.reference = reference
        self.now = now
        self.offsetSeconds = offsetSeconds
        self.map = map
        self.hasReplies = hasReplies
    }

    /// Short enough for the first SMS segment, and works without an account.
    package static let openStreetMap = "https://osm.org/?mlat={lat}&mlon={lon}"
}

/// A rendered message for one channel.
package struct RenderedText: Hashable, Sendable {
    /// Mail only.
    package var subject: String
    package var text: String

    package init(subject: String, text: String) {
        self.subject = subject
        self.text = text
    }
}

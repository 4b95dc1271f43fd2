import Model

/// What a message says, before it has words.
public enum Saying: Hashable, Sendable {
    /// Something happened between a person and a zone.
    case zone(ZoneSaying, zone: String, at: Timestamp, place: Place?)
    /// Not inside by a time of day; without contact since they were seen last, nothing else is
    /// known.
    case absent(zone: String, by: Timestamp, hasContact: Bool, seen: Timestamp?, place: Place?)
    /// To the person whom a zone alarms.
    case ownAlarm(zone: String, near: Bool, at: Timestamp)
    case alarm(Alarm, Repetition)
    /// Somebody has taken it; nil = the operator.
    case taken(by: String?)
    /// Somebody of another circle responds; the reader's circle is still asked. Nil = the operator.
    case takenElsewhere(by: String?)
    /// It is over: cancelled by the person, or resolved by somebody (nil = the operator).
    case ended(cancelled: Bool, by: String?)
    /// Somebody (nil = the operator) ended it in other circles; it goes on here.
    case endedElsewhere(by: String?, circles: String)
    /// To the person in danger: somebody (nil = the operator) ended it, in these circles (nil = for
    /// all). Is that right?
    case ownEnded(by: String?, circles: String?)
    /// To the one who took it: still on it?
    case holderAsked
    /// To the person in danger: somebody has taken it; nil = the operator.
    case ownTaken(by: String?)
    /// To the person in danger: nobody reached yet, and the number to call.
    case ownNobodyYet(number: String)
    /// To the owner of a watch: it ends at this time.
    case watchReminder(deadline: Timestamp, note: String?)
    /// A phone that is not heard, or soon will not be.
    case silence(SilenceSaying)
    /// To a number outside of the circle; the reader's `who` sends it.
    case message(MessageSaying)
    /// To a number outside: the reader's `who` wants to send texts there.
    case invitation(code: String)
    /// To an address outside: the reader's `who` mails zones.
    case zoneFile(name: String)
    /// To whoever took it by SMS.
    case yours
    /// To whoever wrote OK without the right reference: this one is meant.
    case referenceNeeded(String)
    /// To the person in danger, who wrote OK: an SMS does not end their emergency.
    case confirmInApp
    /// To whoever called for help by SMS.
    case helpComes
    /// To a number that said STOP, or START.
    case stopped
    case started
    /// A try of a gateway.
    case test(gateway: String)
}

/// What a text of zones to a number outside of the circle says.
public struct MessageSaying: Hashable, Sendable {
    /// What the receiver is called; empty = nothing.
    public var to: String
    /// What the person is called.
    public var own: String
    /// The zones that fired.
    public var zones: [FiredZone]
    /// Supplementary lines.
    public var lines: [String]
    public var at: Timestamp
    /// Nil where the place is not to be seen.
    public var place: Place?

    public init(
        to: String, own: String, zones: [FiredZone], lines: [String], at: Timestamp, place: Place?
    ) {
        self.to = to
        self.own = own
        self.zones = zones
        self.lines = lines
        self.at = at
        self.place = place
    }
}

/// A zone in such a text, and what happened there.
public struct FiredZone: Hashable, Sendable {
    public var name: String
    public var transition: Transition

    public init(name: String, _ transition: Transition) {
        self.name = name
        self.transition = transition
    }
}

/// What happened between a person and a zone.
public enum ZoneSaying: Hashable, Sendable, CaseIterable {
    case entered, left, near, stays, passedThrough
    /// Stays as far as a fix says that is so old.
    case staysUnseen(minutes: Int64)
    /// Of a zone that alarms.
    case alertEntered, alertNear, alertInside, alertLeft
    /// The alarm ended, though the person went nowhere.
    case alertOver

    /// One of each.
    public static let allCases: [ZoneSaying] = [
        .entered, .left, .near, .stays, .passedThrough, .staysUnseen(minutes: 116), .alertEntered,
        .alertNear, .alertInside, .alertLeft, .alertOver,
    ]
}

/// What is said of a phone that is not heard, or soon will not be.
public enum SilenceSaying: Hashable, Sendable {
    /// To its person: are they all right? Else their circle is alarmed then; nil = it is not.
    case asked(since: Timestamp, alarmed: Timestamp?)
    case lost(since: Timestamp, place: Place?)
    case restored
    /// To its person, percent.
    case battery(UInt8)
    /// To its person: for this the phone may fall silent.
    case ownBlind(Hindrance)
    case blind(Hindrance)
}

/// Where somebody was, and how sure that is.
public struct Place: Hashable, Sendable {
    public var position: Coordinate
    /// Nil where the phone did not say.
    public var accuracyMetres: Int?
    public var taken: Timestamp

    public init(_ fix: Fix) {
        position = fix.position
        accuracyMetres =
            fix.accuracyCentimetres > 0 ? Int((fix.accuracyCentimetres + 99) / 100) : nil
        taken = fix.time
    }
}

/// What is to be said of an emergency.
public struct Alarm: Hashable, Sendable {
    public var trigger: EmergencyTrigger
    public var raised: Timestamp
    /// Begin with the age.
    public var isLate: Bool
    /// Nil where it is not known, or not this circle's to know.
    public var place: Place?
    /// What is said instead of a place that is known and not this circle's to know.
    public var withheld: WithheldPlace?
    /// Percent.
    public var battery: UInt8?
    public var note: String?

    public init(
        trigger: EmergencyTrigger, raised: Timestamp, isLate: Bool = false, place: Place? = nil,
        battery: UInt8? = nil, note: String? = nil, withheld: WithheldPlace? = nil
    ) {
        self.withheld = withheld
        self.trigger = trigger
        self.raised = raised
        self.isLate = isLate
        self.place = place
        self.battery = battery
        self.note = note
    }
}

/// What is said of a position that is not shared with the reader.
public enum WithheldPlace: Hashable, Sendable {
    case notShared
    /// Zones are shared, and the person was in one at this time.
    case zone(String, taken: Timestamp)
}

/// How an alarm differs from the first one.
public enum Repetition: String, Hashable, Sendable, Codable, CaseIterable {
    case first
    /// Nobody has answered.
    case unanswered
    /// The person pressed again.
    case pressedAgain = "pressed-again"
    /// Something else called for help, such as a watch that ran out.
    case another
    /// A record of something long ago: to be looked after, not to be raced to.
    case record
}

/// To whom, about whom, in which language and by which clock.
public struct Reader: Hashable, Sendable {
    public var language: Language
    /// The person whom the message is about.
    public var who: String
    /// The circle because of which it is sent; empty for none.
    public var circle: String
    /// The code of an emergency; empty for none.
    public var reference: String
    public var now: Timestamp
    /// Seconds east of Greenwich where the recipient is; nil = not known, times are in UTC.
    public var offsetSeconds: Int?
    /// A link to a map with `{lat}` and `{lon}`.
    public var map: String
    /// An SMS can be answered.
    public var hasReplies: Bool

    public init(
        language: Language, who: String, circle: String = "", reference: String = "",
        now: Timestamp, offsetSeconds: Int? = nil, map: String = Reader.openStreetMap,
        hasReplies: Bool = false
    ) {
        self.language = language
        self.who = who
        self.circle = circle
        self.reference = reference
        self.now = now
        self.offsetSeconds = offsetSeconds
        self.map = map
        self.hasReplies = hasReplies
    }

    /// Short enough for the first segment of an SMS, and it needs no account.
    public static let openStreetMap = "https://osm.org/?mlat={lat}&mlon={lon}"
}

/// A message in words.
public struct Wording: Hashable, Sendable {
    /// Of a mail; not used for an SMS.
    public var subject: String
    public var text: String

    public init(subject: String, text: String) {
        self.subject = subject
        self.text = text
    }
}

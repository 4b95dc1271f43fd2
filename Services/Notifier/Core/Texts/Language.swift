import Model

/// The languages in which Jaga speaks.
public enum Language: String, Hashable, Sendable, Codable, CaseIterable {
    case english = "en"
    case malay = "ms"
    case indonesian = "id"

    /// The language of a BCP 47 tag; English for all that is not spoken.
    public init(locale: String) {
        let primary = locale.lowercased().prefix { $0 != "-" && $0 != "_" }
        switch primary {
        case "ms", "zsm", "zlm": self = .malay
        case "id", "in", "ind": self = .indonesian
        default: self = .english
        }
    }

    var phrases: any Phrasebook {
        switch self {
        case .english: EnglishPhrases()
        case .malay: MalayPhrases()
        case .indonesian: IndonesianPhrases()
        }
    }
}

/// The words of one language, in pieces that fit together: no piece ends with a full stop, all use
/// characters of GSM 03.38 only.
protocol Phrasebook: Sendable {
    /// After "SOS name: ".
    func trigger(_ trigger: EmergencyTrigger) -> String
    func ago(days: Int64, hours: Int64, minutes: Int64) -> String
    func repetition(_ repetition: Repetition) -> String?
    /// How sure a place is: "within 12 m, 10:18".
    func certainty(metres: Int?, taken: String) -> String
    /// That something is told late through no fault of whom it is about.
    func late(due: String, until: String) -> String
    var noPosition: String { get }
    /// It is known, and not shared with the reader.
    var positionNotShared: String { get }
    /// Only the zone is shared.
    func inZone(_ zone: String, at: String) -> String
    func position(_ coordinates: String) -> String
    func battery(_ percent: UInt8) -> String
    func note(_ note: String) -> String
    func takeIt(reference: String) -> String
    /// After that, where an SMS can be answered.
    func takeItByReply(reference: String) -> String
    func reference(_ reference: String) -> String
    func because(circle: String) -> String
    func zone(_ what: ZoneSaying, who: String, zone: String, at: String) -> String
    func absent(who: String, zone: String, by: String) -> String
    /// Nobody knows whether they are in the zone.
    func noContact(who: String, zone: String, by: String, since: String?) -> String
    func ownAlarm(zone: String, near: Bool, at: String) -> String
    func taken(who: String, by: String?) -> String
    func takenElsewhere(who: String, by: String?) -> String
    func cancelled(who: String) -> String
    func resolved(who: String, by: String?) -> String
    /// It ended in other circles and goes on here.
    func endedElsewhere(who: String, by: String?, circles: String) -> String
    /// To the person in danger; it goes on elsewhere where circles are named.
    func ownEnded(by: String?, circles: String?) -> String
    /// How to confirm that, and what to do if it is not right.
    func ownEndedAnswer(goesOn: Bool) -> [String]
    func holderAsked(who: String, minutes: Int64) -> String
    func ownTaken(by: String?) -> String
    func ownNobodyYet(number: String) -> String
    func watchReminder(deadline: String) -> String
    /// Zones in a text to a number outside, and what happened there.
    func fired(_ transition: Transition, zones: String) -> String
    /// To a person whose phone is not heard; else their circle is alarmed at that time.
    func allRight(since: String, alarmed: String?) -> String
    var allRightByReply: String { get }
    func contactLost(who: String, since: String) -> String
    func contactRestored(who: String) -> String
    func ownBattery(_ percent: UInt8) -> String
    /// To a person whose phone may fall silent, and to who watches over them.
    func ownBlind(_ cause: String) -> String
    func blind(who: String, _ cause: String) -> String
    func hindrance(_ hindrance: Hindrance) -> String
    /// Who sends a text, and how to be sent no more.
    func sender(_ who: String) -> String
    /// Who sends a text, where that may not be told.
    var somebody: String { get }
    func invitation(who: String, code: String) -> String
    /// How not to agree.
    var refusal: String { get }
    func zoneFile(who: String, file: String) -> String
    /// What to do with zones that came by mail.
    var preview: String { get }
    func yours(who: String) -> String
    func referenceNeeded(who: String, reference: String) -> String
    /// To the person in danger, who answered that question by SMS.
    var confirmInApp: String { get }
    var helpComes: String { get }
    var stopped: String { get }
    var started: String { get }
    func test(gateway: String) -> String
}

import Model

extension Language {
    var phrases: any Phrasebook {
        switch self {
        case .english: EnglishPhrases()
        case .malay: MalayPhrases()
        case .indonesian: IndonesianPhrases()
        }
    }
}

/// Phrases of one language. No phrase ends with a full stop, and all use GSM 03.38 characters only.
protocol Phrasebook: Sendable {
    /// After "SOS name: ".
    ///
    /// - Parameter by: who called on the person's behalf
    func trigger(_ trigger: EmergencyTrigger, by: String?) -> String
    /// A sign of life after a late call.
    func seen(at: String) -> String
    func ago(days: Int64, hours: Int64, minutes: Int64) -> String
    func repetition(_ repetition: Repetition) -> String?
    /// They ended it with their duress PIN: somebody may read and hear what reaches them.
    var underDuress: String { get }
    /// Accuracy and time of a position: "within 12 m, 10:18".
    func certainty(metres: Int?, taken: String) -> String
    /// Of a position that contradicts the ones before it.
    var suspectPosition: String { get }
    /// Delay of a message because the server was down.
    func late(due: String, until: String) -> String
    var noPosition: String { get }
    /// The position is known but not shared with the reader.
    var positionNotShared: String { get }
    /// Only the zone is shared.
    func inZone(_ zone: String, at: String) -> String
    func position(_ coordinates: String) -> String
    func battery(_ percent: UInt8) -> String
    func note(_ note: String) -> String
    func respondInApp(reference: String) -> String
    /// Links to the page of an emergency: to respond, to read, and to answer a reminder.
    func respondOnPage(_ link: String) -> String
    func seePage(_ link: String) -> String
    func confirmOnPage(_ link: String) -> String
    /// Appended if replies by SMS are received.
    func respondByReply(reference: String) -> String
    func reference(_ reference: String) -> String
    func recipientReason(circle: String) -> String
    func zone(_ event: ZoneContent, who: String, zone: String, at: String) -> String
    func absent(who: String, zone: String, by: String) -> String
    /// Presence in the zone is unknown.
    func noContact(who: String, zone: String, by: String, since: String?) -> String
    func ownAlarm(zone: String, near: Bool, at: String) -> String
    func acknowledged(who: String, by: String?) -> String
    func acknowledgedElsewhere(who: String, by: String?) -> String
    func cancelled(who: String) -> String
    func resolved(who: String, by: String?) -> String
    /// It ended in other circles and is active in the reader's.
    func endedElsewhere(who: String, by: String?, circles: String) -> String
    /// To the person in danger. With circles it is active elsewhere.
    func ownEnded(by: String?, circles: String?) -> String
    /// How to confirm the end, and what to do if it was wrong.
    func ownEndedAnswer(goesOn: Bool) -> [String]
    func acknowledgementReminder(who: String, minutes: Int64) -> String
    func ownAcknowledged(by: String?) -> String
    func ownNobodyReached(number: String) -> String
    /// To a person whose device reported a trigger.
    func ownCountdown(_ trigger: String, alarmAt: String) -> String
    /// To a person on whose behalf somebody called.
    func ownRaised(by: String?) -> String
    func watchReminder(deadline: String) -> String
    /// Links to the page of a watch, and of a check-in.
    func extendOnPage(_ link: String) -> String
    func answerOnPage(_ link: String) -> String
    /// To a person whose check-in is due; the name may be empty.
    func checkInDue(name: String, due: String, alarmAt: String) -> String
    /// To somebody with a PIN, in place of ``checkInByReply``.
    var safeByReply: String { get }
    /// To the owner of a timer; the text may be empty. With a time if it ran out late.
    func timeUp(_ text: String, due: String?) -> String
    func safety(_ reply: SafetyReply) -> String
    /// Appended if replies by SMS are received.
    var extendByReply: String { get }
    func watchExtended(deadline: String) -> String
    var howToExtend: String { get }
    var noWatch: String { get }
    /// The emergency of a watch stays open.
    func arrived(who: String, zone: String, at: String) -> String
    /// Zones of a text to a number outside, by transition.
    func transition(_ transition: Transition, zones: String) -> String
    /// To a person whose phone is out of contact. Their circle is alerted at the given time.
    func checkIn(since: String, alarmAt: String?) -> String
    var checkInByReply: String { get }
    func contactLost(who: String, since: String) -> String
    func contactRestored(who: String) -> String
    func ownBattery(_ percent: UInt8) -> String
    /// To the person, and to their guardians: the phone may stop reporting.
    func ownImpairment(_ cause: String) -> String
    func impairment(who: String, _ cause: String) -> String
    func impairment(_ impairment: Impairment) -> String
    /// Sender of a text, and how to opt out.
    func sender(_ who: String) -> String
    /// Stands for a sender whose name is not shown.
    var somebody: String { get }
    func invitation(who: String, code: String) -> String
    /// To somebody who is invited to a circle.
    func circleInvitation(who: String, link: String) -> String
    func consent(who: String) -> String
    /// To a ward and the guardians, a week before.
    func takeOver(ward: String, date: String) -> String
    /// How to decline.
    var howToDecline: String { get }
    func zoneFile(who: String, file: String) -> String
    /// What to do with zones received by mail.
    var reviewZones: String { get }
    /// To a person about their account at a site. A code comes first.
    func account(_ message: AccountMessage, site: String) -> String
    /// What to do about it.
    func accountAdvice(_ message: AccountMessage) -> String
    func youRespond(who: String) -> String
    /// To a responder who acknowledged by SMS: what to do if somebody else sent it.
    func withdrawByReply(reference: String) -> String
    func handedBack(who: String) -> String
    var tooManyCodes: String { get }
    func referenceNeeded(who: String, reference: String) -> String
    /// To the person in danger, who replied to the question by SMS.
    var confirmInApp: String { get }
    var sosReceived: String { get }
    /// Answers to a question by SMS for positions.
    var nobodyShares: String { get }
    var sharedNumber: String { get }
    var tooManyQuestions: String { get }
    var sharingPaused: String { get }
    /// Only zones are shared, and the person is in none that may be named.
    func inNoZone(at: String) -> String
    func morePositions(_ count: Int) -> String
    /// The words of commands by SMS.
    var replyWords: String { get }
    /// A drill of a circle, after the mark of a test.
    func drill(who: String, circle: String) -> String
    func answerDrill(_ link: String) -> String
    var drillAnswered: String { get }
    var optedOut: String { get }
    var optedIn: String { get }
    func test(gateway: String) -> String
}

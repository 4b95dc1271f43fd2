import Model

struct EnglishPhrases: Phrasebook {
    func trigger(_ trigger: EmergencyTrigger, by: String?) -> String {
        switch trigger {
        case .panic: "panic button"
        case .shake: "phone shaken"
        case .fall: "fall"
        case .crash: "crash"
        case .noMotion: "no motion"
        case .watchExpired: "watch expired"
        case .lostContact: "contact lost"
        case .sms: "by SMS"
        case .link: "via a link"
        case .zone: "alert zone"
        case .guardian: "called by \(by ?? "a guardian")"
        }
    }

    func seen(at: String) -> String { "Seen \(at)" }

    func ago(days: Int64, hours: Int64, minutes: Int64) -> String {
        if days > 0 { return "\(days) d \(hours) h ago" }
        return hours > 0 ? "\(hours) h \(minutes) min ago" : "\(minutes) min ago"
    }

    func repetition(_ repetition: Repetition) -> String? {
        switch repetition {
        case .first: nil
        case .unanswered: "NO ANSWER YET"
        case .pressedAgain: "PRESSED AGAIN"
        case .another: "ANOTHER ALARM"
        case .record: "Received late"
        }
    }

    var suspectPosition: String { "Position doubtful" }
    var underDuress: String { "DURESS: DO NOT CALL OR TEXT THEM" }

    func certainty(metres: Int?, taken: String) -> String {
        metres.map { "within \($0) m, \(taken)" } ?? "accuracy unknown, \(taken)"
    }

    func late(due: String, until: String) -> String {
        "Late: due at \(due), our server was down until \(until)"
    }
    var noPosition: String { "No position known" }
    var positionNotShared: String { "Position not shared" }
    func inZone(_ zone: String, at: String) -> String { "At \(zone), \(at)" }
    func position(_ coordinates: String) -> String { "Position \(coordinates)" }
    func battery(_ percent: UInt8) -> String { "Battery \(percent)%" }
    func note(_ note: String) -> String { "Note: \(note)" }
    func respondInApp(reference: String) -> String { "Respond in Jaga, ref \(reference)" }
    func respondOnPage(_ link: String) -> String { "Respond: \(link)" }
    func seePage(_ link: String) -> String { "See: \(link)" }
    func confirmOnPage(_ link: String) -> String { "Confirm or hand back: \(link)" }
    func respondByReply(reference: String) -> String { "Or reply OK \(reference)" }
    func reference(_ reference: String) -> String { "Ref \(reference)" }
    func recipientReason(circle: String) -> String { "You get this as a member of \(circle)" }

    func zone(_ event: ZoneContent, who: String, zone: String, at: String) -> String {
        let sentence =
            switch event {
            case .entered: "\(who) entered \(zone)"
            case .left: "\(who) left \(zone)"
            case .near: "\(who) is near \(zone)"
            case .stays: "\(who) is still in \(zone)"
            case .staysUnseen(let minutes):
                "\(who) is still in \(zone), last position \(minutes) min ago"
            case .passedThrough: "\(who) passed through \(zone)"
            case .alertEntered: "ALERT \(who) entered \(zone)"
            case .alertNear: "ALERT \(who) is near \(zone)"
            case .alertInside: "ALERT \(who) is in \(zone)"
            case .alertLeft: "Alarm ended: \(who) left \(zone)"
            case .alertOver: "Alarm ended: \(who), zone \(zone)"
            }
        return "\(sentence), \(at)"
    }

    func absent(who: String, zone: String, by: String) -> String {
        "\(who) was not at \(zone) by \(by)"
    }

    func noContact(who: String, zone: String, by: String, since: String?) -> String {
        "\(who): no contact\(since.map { " since \($0)" } ?? "") (\(zone), \(by))"
    }

    func ownAlarm(zone: String, near: Bool, at: String) -> String {
        "ALERT: you are \(near ? "near" : "in") \(zone), \(at)"
    }

    func acknowledged(who: String, by: String?) -> String {
        "\(by ?? "The operator") is responding to \(who)'s emergency"
    }

    func acknowledgedElsewhere(who: String, by: String?) -> String {
        "\(by ?? "The operator") of another circle is responding to \(who)'s emergency."
            + " We alert your circle until one of you responds"
    }

    func cancelled(who: String) -> String { "Alarm ended: \(who) cancelled it" }

    func resolved(who: String, by: String?) -> String {
        "\(who)'s emergency is over: ended by \(by ?? "the operator")"
    }

    func endedElsewhere(who: String, by: String?, circles: String) -> String {
        "\(by ?? "The operator") ended \(who)'s emergency for \(circles)."
            + " It is still open for you"
    }

    func ownEnded(by: String?, circles: String?) -> String {
        "\(by ?? "The operator") ended your emergency\(circles.map { " for \($0)" } ?? "")."
            + " Are you safe?"
    }

    func ownEndedAnswer(goesOn: Bool) -> [String] {
        guard goesOn else { return ["If you still need help, call for help again"] }
        return [
            "If so, confirm it in Jaga",
            "We alert your other circles until then",
        ]
    }

    func acknowledgementReminder(who: String, minutes: Int64) -> String {
        "Are you still helping \(who)? Confirm within \(minutes) min"
            + " or we alert the others again"
    }

    func ownAcknowledged(by: String?) -> String {
        "\(by ?? "The operator") is responding to your emergency"
    }

    func ownNobodyReached(number: String) -> String {
        "Nobody reached yet, we keep trying. Call \(number) if you can"
    }

    func ownCountdown(_ trigger: String, alarmAt: String) -> String {
        "Are you OK? \(trigger) reported. We alert your circle at \(alarmAt). "
            + "Cancel in Jaga if you are"
    }

    func ownRaised(by: String?) -> String {
        "\(by ?? "A guardian") called for help on your behalf. If you are safe, tell them"
    }

    func watchReminder(deadline: String) -> String {
        "Are you OK? Your watch ends at \(deadline). End or extend it in Jaga"
            + " or we alert your circle"
    }

    func extendOnPage(_ link: String) -> String { "Extend or end: \(link)" }
    func answerOnPage(_ link: String) -> String { "Answer: \(link)" }

    func checkInDue(name: String, due: String, alarmAt: String) -> String {
        let check = name.isEmpty ? "check-in" : "check-in \(name)"
        return "Are you OK? Your \(check) was due at \(due). Answer or we alert your circle at"
            + " \(alarmAt)"
    }

    var safeByReply: String { "Or reply SAFE and your PIN" }

    func timeUp(_ text: String, due: String?) -> String {
        "Time is up!\(text.isEmpty ? "" : " \(text)")\(due.map { ", was due at \($0)" } ?? "")"
    }

    func safety(_ reply: SafetyReply) -> String {
        switch reply {
        case .noted: "Noted: you are safe"
        case .pinNeeded: "Your PIN is needed. Reply SAFE and your PIN"
        case .wrongPIN: "Wrong PIN. Reply SAFE and your PIN"
        case .inApp: "An SMS without a PIN cannot end your watch. End it in Jaga"
        }
    }

    var extendByReply: String { "Or reply EXTEND 30 for 30 min more" }

    func watchExtended(deadline: String) -> String { "Your watch now ends at \(deadline)" }

    var howToExtend: String { "To extend your watch, reply EXTEND and minutes, such as EXTEND 30" }
    var noWatch: String { "You have no running watch" }

    func arrived(who: String, zone: String, at: String) -> String {
        "\(who) arrived at \(zone), \(at). The emergency stays open until somebody ends it"
    }

    func transition(_ transition: Transition, zones: String) -> String {
        switch transition {
        case .enter: zones
        case .exit: "left \(zones)"
        case .approach: "near \(zones)"
        case .dwell: "still in \(zones)"
        case .cross: "passed through \(zones)"
        case .absent: "not at \(zones)"
        }
    }

    func checkIn(since: String, alarmAt: String?) -> String {
        "Are you OK? No signal from your phone since \(since). Confirm in Jaga"
            + (alarmAt.map { " or we alert your circle at \($0)" } ?? "")
    }

    var checkInByReply: String { "Or reply OK" }

    func contactLost(who: String, since: String) -> String {
        "No contact with \(who) since \(since), and no answer"
    }

    func contactRestored(who: String) -> String { "Contact with \(who) is restored" }
    func ownBattery(_ percent: UInt8) -> String { "Your phone's battery is at \(percent)%" }

    func ownImpairment(_ cause: String) -> String { "Your phone may stop reporting: \(cause)" }

    func impairment(who: String, _ cause: String) -> String {
        "\(who)'s phone may stop reporting: \(cause)"
    }

    func impairment(_ impairment: Impairment) -> String {
        switch impairment {
        case .locationPermission: "the app has no location permission"
        case .approximateLocation: "the app gets only a rough location"
        case .batteryOptimisation: "battery optimisation stops the app"
        case .powerSave: "power saving is on"
        case .hibernation: "the system suspends the app"
        case .backgroundRefresh: "the app may not run in the background"
        case .signedOut: "the app is signed out"
        case .undecryptable: "Jaga cannot decrypt its data, wrong key"
        }
    }

    func sender(_ who: String) -> String { "From \(who) via Jaga, STOP to end" }

    var somebody: String { "Someone" }

    func invitation(who: String, code: String) -> String {
        "\(who) wants to send you messages. To agree, tell them your code \(code)"
    }

    func circleInvitation(who: String, link: String) -> String {
        "\(who) invites you to share positions. Read who would see you: \(link)"
    }

    func consent(who: String) -> String {
        "\(who) asks whether others may see more of you. Agree or decline in Jaga"
    }

    func takeOver(ward: String, date: String) -> String {
        "\(ward) takes over the account on \(date). Guardians then no longer act for \(ward)"
    }

    var howToDecline: String { "If not, do nothing or reply STOP" }

    func zoneFile(who: String, file: String) -> String {
        "\(who) sent you zones in the file \(file)"
    }

    var reviewZones: String { "Review them in Jaga before you import them" }

    func account(_ message: AccountMessage, site: String) -> String {
        switch message {
        case .signInCode(let code): "\(code) is your code to sign in to \(site)"
        case .contactCode(let code): "\(code) is your code to confirm this contact point at \(site)"
        case .contactReminder: "\(site): please confirm that this contact point is yours"
        case .contactTest: "\(site): this is the test message that you asked for"
        case .contactRemoved: "\(site): this contact point was removed from your account"
        case .newSession: "\(site): a new browser signed in to your account"
        }
    }

    func accountAdvice(_ message: AccountMessage) -> String {
        switch message {
        case .signInCode: "It is valid for 10 min. Give it to nobody, we never ask for it"
        case .contactCode: "It is valid for 10 min. If you did not ask for it, do nothing"
        case .contactReminder:
            "Sign in and request a code. Until then it gets emergencies only"
        case .contactTest: "No action needed"
        case .contactRemoved: "If it was not you, check the contact points of your account"
        case .newSession: "If it was not you, sign in and end its session"
        }
    }

    func withdrawByReply(reference: String) -> String { "Not you? Reply NO \(reference)" }

    func handedBack(who: String) -> String {
        "You handed \(who)'s emergency back. We alert the others again"
    }

    var tooManyCodes: String {
        "Too many wrong codes. Respond in Jaga or try again in an hour"
    }

    func youRespond(who: String) -> String {
        "You are responding to \(who)'s emergency. We tell the others"
    }

    func referenceNeeded(who: String, reference: String) -> String {
        "To respond to \(who)'s emergency, reply OK \(reference)"
    }

    var confirmInApp: String {
        "An SMS cannot end your emergency. Confirm in Jaga that it is over"
    }

    var nobodyShares: String { "Nobody shares a position with you" }
    var sharedNumber: String {
        "Several people have this number, so positions are not sent to it. Look into Jaga"
    }
    var tooManyQuestions: String { "You asked 10 times in an hour. Try again later" }
    var sharingPaused: String { "sharing paused" }
    func inNoZone(at: String) -> String { "in no zone, \(at)" }
    func morePositions(_ count: Int) -> String { "\(count) more in Jaga" }
    var replyWords: String {
        "Words: SOS calls for help. WHERE sends positions. OK and a code answers an alarm."
            + " EXTEND 30 extends your watch, SAFE and your PIN ends it. STOP ends zone alerts"
    }
    func drill(who: String, circle: String) -> String {
        "this is a drill of \(circle), started by \(who). Nobody is in danger"
    }
    func answerDrill(_ link: String) -> String { "Answer: \(link)" }
    var drillAnswered: String { "Thank you, your answer to the drill is recorded" }

    var sosReceived: String { "SOS received. We are alerting your circle" }
    var optedOut: String {
        "You will get emergencies only. Reply START to get zone alerts again"
    }
    var optedIn: String { "You will get zone alerts again" }

    func test(gateway: String) -> String { "This is a test of \(gateway). No action needed" }
}

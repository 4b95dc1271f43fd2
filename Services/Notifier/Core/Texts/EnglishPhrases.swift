import Model

struct EnglishPhrases: Phrasebook {
    func trigger(_ trigger: EmergencyTrigger) -> String {
        switch trigger {
        case .panic: "panic button"
        case .shake: "shook the phone"
        case .fall: "a fall"
        case .crash: "a crash"
        case .noMotion: "no motion"
        case .watchExpired: "watch ran out unanswered"
        case .lostContact: "contact lost"
        case .sms: "by SMS"
        }
    }

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
        case .record: "Heard of only now"
        }
    }

    func certainty(metres: Int?, taken: String) -> String {
        metres.map { "within \($0) m, \(taken)" } ?? "accuracy unknown, \(taken)"
    }

    func late(due: String, until: String) -> String {
        "Was due at \(due), our server was down until \(until)"
    }
    var noPosition: String { "No position known" }
    var positionNotShared: String { "Position not shared" }
    func inZone(_ zone: String, at: String) -> String { "At \(zone), \(at)" }
    func position(_ coordinates: String) -> String { "Position \(coordinates)" }
    func battery(_ percent: UInt8) -> String { "Battery \(percent)%" }
    func note(_ note: String) -> String { "Note: \(note)" }
    func takeIt(reference: String) -> String { "Take it in Jaga, ref \(reference)" }
    func takeItByReply(reference: String) -> String { "Or reply OK \(reference)" }
    func reference(_ reference: String) -> String { "Ref \(reference)" }
    func because(circle: String) -> String { "You are told as a member of \(circle)" }

    func zone(_ what: ZoneSaying, who: String, zone: String, at: String) -> String {
        let sentence =
            switch what {
            case .entered: "\(who) entered \(zone)"
            case .left: "\(who) left \(zone)"
            case .near: "\(who) is near \(zone)"
            case .stays: "\(who) is still in \(zone)"
            case .staysUnseen(let minutes):
                "\(who) is still in \(zone) by the last fix, \(minutes) min old"
            case .passedThrough: "\(who) passed through \(zone)"
            case .alertEntered: "ALERT \(who) entered \(zone)"
            case .alertNear: "ALERT \(who) is near \(zone)"
            case .alertInside: "ALERT \(who) is in \(zone)"
            case .alertLeft: "Over: \(who) left \(zone)"
            case .alertOver: "Over: the alarm of \(zone) for \(who)"
            }
        return "\(sentence), \(at)"
    }

    func absent(who: String, zone: String, by: String) -> String {
        "\(who) is not at \(zone) by \(by)"
    }

    func noContact(who: String, zone: String, by: String, since: String?) -> String {
        "\(who): no contact\(since.map { " since \($0)" } ?? "") (\(zone), \(by))"
    }

    func ownAlarm(zone: String, near: Bool, at: String) -> String {
        "ALERT: you are \(near ? "near" : "in") \(zone), \(at)"
    }

    func taken(who: String, by: String?) -> String {
        "\(by ?? "The operator") has taken the alarm of \(who)"
    }

    func takenElsewhere(who: String, by: String?) -> String {
        "\(by ?? "The operator") of another circle is responding to the emergency of \(who)."
            + " Your circle is asked until one of you responds"
    }

    func cancelled(who: String) -> String { "Alarm over: \(who) called it off" }

    func resolved(who: String, by: String?) -> String {
        "Alarm of \(who) is over: resolved by \(by ?? "the operator")"
    }

    func endedElsewhere(who: String, by: String?, circles: String) -> String {
        "\(by ?? "The operator") ended the emergency of \(who) for \(circles)."
            + " It goes on for you"
    }

    func ownEnded(by: String?, circles: String?) -> String {
        "\(by ?? "The operator") ended your emergency\(circles.map { " for \($0)" } ?? ""). Right?"
    }

    func ownEndedAnswer(goesOn: Bool) -> [String] {
        guard goesOn else { return ["If you still need help, call again"] }
        return [
            "If so, confirm it in Jaga",
            "Until then your other circles go on",
        ]
    }

    func holderAsked(who: String, minutes: Int64) -> String {
        "Still on the alarm of \(who)? Confirm in Jaga within \(minutes) min,"
            + " else the others are told again"
    }

    func ownTaken(by: String?) -> String { "\(by ?? "The operator") has taken your alarm" }

    func ownNobodyYet(number: String) -> String {
        "Nobody reached yet, we keep trying. If you can, call \(number)"
    }

    func watchReminder(deadline: String) -> String {
        "Are you all right? Your watch ends at \(deadline): end or extend it in Jaga,"
            + " else your circle is alarmed"
    }

    func fired(_ transition: Transition, zones: String) -> String {
        switch transition {
        case .enter: zones
        case .exit: "left \(zones)"
        case .approach: "near \(zones)"
        case .dwell: "still in \(zones)"
        case .cross: "passed through \(zones)"
        case .absent: "not at \(zones)"
        }
    }

    func allRight(since: String, alarmed: String?) -> String {
        "Are you all right? Your phone was not heard since \(since): say so in Jaga"
            + (alarmed.map { ", else your circle is alarmed at \($0)" } ?? "")
    }

    var allRightByReply: String { "Or reply OK" }

    func contactLost(who: String, since: String) -> String {
        "No contact with \(who) since \(since), and no answer"
    }

    func contactRestored(who: String) -> String { "Contact with \(who) is restored" }
    func ownBattery(_ percent: UInt8) -> String { "Your phone's battery is at \(percent)%" }

    func ownBlind(_ cause: String) -> String { "Your phone may fall silent: \(cause)" }

    func blind(who: String, _ cause: String) -> String {
        "The phone of \(who) may fall silent: \(cause)"
    }

    func hindrance(_ hindrance: Hindrance) -> String {
        switch hindrance {
        case .locationPermission: "the app may not know the location"
        case .approximateLocation: "the app knows the location roughly"
        case .batteryOptimisation: "battery saving stops the app"
        case .powerSave: "the phone saves its battery"
        case .hibernation: "the system puts the app to sleep"
        case .backgroundRefresh: "the app may not work in the background"
        case .signedOut: "somebody signed out of the app"
        case .undecryptable: "Jaga cannot decrypt what it sends, its key is another"
        }
    }

    func sender(_ who: String) -> String { "From \(who) by Jaga, STOP to end" }

    var somebody: String { "Somebody" }

    func invitation(who: String, code: String) -> String {
        "\(who) wants to send you messages. To agree, tell them your code \(code)"
    }

    var refusal: String { "Else do nothing, or reply STOP" }

    func zoneFile(who: String, file: String) -> String {
        "\(who) sends you zones in the file \(file)"
    }

    var preview: String { "Look at them in Jaga before you take them" }

    func yours(who: String) -> String {
        "You have taken the alarm of \(who). The others are told"
    }

    func referenceNeeded(who: String, reference: String) -> String {
        "To take the alarm of \(who), reply OK \(reference)"
    }

    var confirmInApp: String {
        "An SMS does not end your emergency. Confirm in Jaga that it is over"
    }

    var helpComes: String { "Your SOS has arrived, your circle is being told" }
    var stopped: String {
        "No more news of zones comes here, only emergencies. START allows it again"
    }
    var started: String { "News of zones may come here again" }

    func test(gateway: String) -> String { "This is a test of \(gateway). All is well" }
}

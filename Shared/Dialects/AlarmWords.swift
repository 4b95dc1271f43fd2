import Model
import Parsing

/// Words by which apps call for help.
enum AlarmWords {
    /// The trigger that a note asks for; nil = it is no call for help.
    ///
    /// A note is a text that people also use for other things, so it must begin with the SOS word.
    /// The word alone is a panic. A trigger may follow: `SOS fall`, `sos:no-motion`. Case and
    /// surrounding blanks are ignored.
    ///
    /// - Parameter word: the SOS word; empty = no note is a call
    static func trigger(inNote note: String?, word: String) -> EmergencyTrigger? {
        guard let note, !word.isEmpty else { return nil }
        let text = trimmed(note).lowercased()
        let word = word.lowercased()
        guard text.hasPrefix(word) else { return nil }
        let rest = text.dropFirst(word.count)
        guard let separator = rest.first else { return .panic }
        guard separator.isWhitespace || separator == ":" || separator == "-" else { return nil }
        return EmergencyTrigger(fromPhone: trimmed(String(rest.dropFirst())))
    }

    /// The trigger that the value of an `alarm` names; nil = it is another alarm of the device,
    /// such as `lowBattery`.
    ///
    /// Simultaneous alarms are separated by commas. A call by the person counts most.
    static func trigger(inAlarm alarm: JSON?) -> EmergencyTrigger? {
        guard let names = alarm?.string?.split(separator: ",") else { return nil }
        let triggers = names.compactMap { name -> EmergencyTrigger? in
            let name = trimmed(String(name)).lowercased()
            return ofTrackers[name] ?? EmergencyTrigger(fromPhone: name)
        }
        return triggers.first(where: \.isOwnCall) ?? triggers.first
    }

    /// Names of Traccar's protocol, in lower case.
    private static let ofTrackers: [String: EmergencyTrigger] = [
        "sos": .panic, "falldown": .fall, "accident": .crash, "nomotion": .noMotion,
    ]

    private static func trimmed(_ text: String) -> String {
        let start = text.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}

extension EmergencyTrigger {
    /// A trigger that phones may send; nil for all others.
    public init?(fromPhone name: String) {
        guard let trigger = EmergencyTrigger(rawValue: name), trigger.rules.isFromPhone else {
            return nil
        }
        self = trigger
    }
}

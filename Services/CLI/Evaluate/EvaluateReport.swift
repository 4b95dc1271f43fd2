import Model
import Parsing
import Wire

/// Says what was decided, a line each.
struct EvaluateReport {
    private let names: [ZoneID: String]
    private let showsAll: Bool
    private let asJSON: Bool

    init(zones: [PlacedZone], showsAll: Bool, asJSON: Bool) {
        names = Dictionary(uniqueKeysWithValues: zones.map { ($0.id, $0.name) })
        self.showsAll = showsAll
        self.asJSON = asJSON
    }

    func say(_ event: Event) throws {
        guard showsAll || !event.isDetail else { return }
        if asJSON {
            let json = try EventCodec.cloudEvent(event, stream: nil, position: nil)
            return Console.say(json.text)
        }
        guard let words = EventWords.line(of: event) else { return }
        Console.say("\(event.time)  \(words)")
    }

    /// What containment without margin would have told, beside.
    func compare(_ plain: PlainContainment, fixes: Int) {
        Console.complain(
            "\(fixes) fixes; plain containment crosses \(plain.crossings.count) times")
    }
}

extension Event {
    /// What nobody is told of.
    fileprivate var isDetail: Bool {
        switch body {
        case .zoneInitial, .zoneWithheld, .policyChanged: true
        default: false
        }
    }
}

/// An event about zones in words of one line.
enum EventWords {
    static func line(of event: Event) -> String? {
        switch event.body {
        case .zoneEntered(let crossing): line("entered", crossing)
        case .zoneExited(let crossing): line("left", crossing)
        case .zoneInitial(let crossing): line("is first \(crossing.after.rawValue) of", crossing)
        case .zoneApproached(let crossing): line("came near", crossing)
        case .zoneDwelled(let crossing): line("stayed in", crossing)
        case .zoneWithheld(let crossing): line("held back:", crossing)
        case .zoneAbsent(let absence):
            "is not in \(absence.zoneName) by \(absence.by)"
                + (absence.hasContact ? "" : " (no contact)")
        case .alarmStarted(let news): "alarm of \(news.zoneName)\(silence(news))"
        case .alarmRepeated(let news): "alarm of \(news.zoneName), ring \(news.rings)"
        case .alarmEnded(let news):
            "alarm of \(news.zoneName) ended: \(news.end?.rawValue ?? "")"
        case .messagesDue(let due): "messages of \(due.zoneNames.joined(separator: ", "))"
        case .policyChanged(let policy): "report by \(policy.mode.rawValue)"
        default: nil
        }
    }

    private static func silence(_ news: AlarmNews) -> String {
        news.speaks ? "" : ", silent: a more urgent one speaks"
    }

    private static func line(_ words: String, _ crossing: ZoneCrossing) -> String {
        let distance = metres(Int64(crossing.distanceCentimetres))
        let margin = metres(Int64(crossing.marginCentimetres))
        let accuracy = crossing.fix.accuracyCentimetres
        let sure = accuracy > 0 ? metres(Int64(accuracy)) : "unknown"
        return "\(words) \(crossing.zoneName): \(distance) from its edge, margin \(margin), "
            + "accuracy \(sure), \(crossing.reason.rawValue)"
            + (crossing.interpolated ? ", between two fixes" : "")
    }

    /// Centimetres as metres with one digit.
    static func metres(_ centimetres: Int64) -> String {
        let tenths = (abs(centimetres) + 5) / 10
        return (centimetres < 0 ? "-" : "") + "\(tenths / 10).\(tenths % 10) m"
    }
}

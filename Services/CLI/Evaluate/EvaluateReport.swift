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
        case .zoneInitial, .zoneReceded, .zoneForgotten, .zoneWithheld, .policyChanged: true
        default: false
        }
    }
}

/// An event about zones in words of one line.
enum EventWords {
    static func line(of event: Event) -> String? {
        switch event.body {
        case .zoneEntered(let crossing): words(.entered, crossing, event)
        case .zoneExited(let crossing): words(.exited, crossing, event)
        case .zoneInitial(let crossing): words(.initial, crossing, event)
        case .zoneApproached(let crossing): words(.approached, crossing, event)
        case .zoneReceded(let crossing): words(.receded, crossing, event)
        case .zoneForgotten(let crossing): words(.forgotten, crossing, event)
        case .zoneDwelled(let crossing): words(.dwelled, crossing, event)
        case .zoneWithheld(let crossing): words(.withheld, crossing, event)
        case .zoneAbsent(let absence): DecisionWords(absence, at: event.time).line
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

    private static func words(
        _ kind: DecisionWords.Kind, _ crossing: ZoneCrossing, _ event: Event
    ) -> String {
        DecisionWords(kind, crossing, at: event.time).line
    }
}

import Model
import Parsing
import Wire

/// Prints decisions, one line each.
struct EvaluateReport {
    private let names: [ZoneID: String]
    private let showsAll: Bool
    private let asJSON: Bool

    init(zones: [ConfiguredZone], showsAll: Bool, asJSON: Bool) {
        names = Dictionary(uniqueKeysWithValues: zones.map { ($0.id, $0.name) })
        self.showsAll = showsAll
        self.asJSON = asJSON
    }

    func print(_ event: Event) throws {
        guard showsAll || !event.isDetail else { return }
        if asJSON {
            let json = try EventCodec.cloudEvent(event, stream: nil, position: nil)
            return Console.print(json.text)
        }
        guard let text = EventText.line(of: event) else { return }
        Console.print("\(event.time)  \(text)")
    }

    /// Prints how often containment without margin would have crossed.
    func compare(_ plain: PlainContainment, fixes: Int) {
        Console.printError(
            "\(fixes) fixes; plain containment crosses \(plain.crossings.count) times")
    }
}

extension Event {
    /// Whether the event notifies nobody.
    fileprivate var isDetail: Bool {
        switch body {
        case .zonePresenceEstablished, .zoneLeftVicinity, .zonePresenceCleared, .zoneSuppressed,
            .policyChanged:
            true
        default: false
        }
    }
}

/// Renders an event about zones as one line.
enum EventText {
    static func line(of event: Event) -> String? {
        switch event.body {
        case .zoneEntered(let crossing): text(.entered, crossing, event)
        case .zoneExited(let crossing): text(.exited, crossing, event)
        case .zonePresenceEstablished(let crossing): text(.presenceEstablished, crossing, event)
        case .zoneApproached(let crossing): text(.approached, crossing, event)
        case .zoneLeftVicinity(let crossing): text(.leftVicinity, crossing, event)
        case .zonePresenceCleared(let crossing): text(.presenceCleared, crossing, event)
        case .zoneDwelled(let crossing): text(.dwelled, crossing, event)
        case .zoneSuppressed(let crossing): text(.suppressed, crossing, event)
        case .zoneAbsent(let absence): DecisionText(absence, at: event.time).line
        case .alarmStarted(let alarm): "alarm of \(alarm.zoneName)\(audibility(alarm))"
        case .alarmRepeated(let alarm): "alarm of \(alarm.zoneName), ring \(alarm.rings)"
        case .alarmEnded(let alarm):
            "alarm of \(alarm.zoneName) ended: \(alarm.end?.rawValue ?? "")"
        case .messagesDue(let due): "messages of \(due.zoneNames.joined(separator: ", "))"
        case .policyChanged(let policy): "report by \(policy.mode.rawValue)"
        default: nil
        }
    }

    private static func audibility(_ alarm: AlarmChange) -> String {
        alarm.isAudible ? "" : ", silent: a more urgent alarm sounds"
    }

    private static func text(
        _ kind: DecisionText.Kind, _ crossing: ZoneCrossing, _ event: Event
    ) -> String {
        DecisionText(kind, crossing, at: event.time).line
    }
}

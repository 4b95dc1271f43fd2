import Directory
import Model

/// A decision about a person and a zone, stored with everything that led to it.
public struct DecisionRow: Hashable, Sendable {
    public var event: EventID
    public var person: PersonID
    public var zone: ZoneID
    public var time: Timestamp
    /// One of `jaga.zone.…`.
    public var kind: EventKind
    /// Circles of the zone with which the person shared then; ascending.
    public var circles: [CircleID]
    /// Those of `circles` with which the person shared exact positions then; ascending.
    public var exactCircles: [CircleID]
    public var body: DecisionBody

    public init(
        event: EventID, person: PersonID, zone: ZoneID, time: Timestamp, kind: EventKind,
        circles: [CircleID], exactCircles: [CircleID] = [], body: DecisionBody
    ) {
        self.event = event
        self.person = person
        self.zone = zone
        self.time = time
        self.kind = kind
        self.circles = circles
        self.exactCircles = exactCircles
        self.body = body
    }
}

/// The event of a decision.
public enum DecisionBody: Hashable, Sendable, Codable {
    case crossing(ZoneCrossing)
    case absence(ZoneAbsence)

    public var zoneName: String {
        switch self {
        case .crossing(let crossing): crossing.zoneName
        case .absence(let absence): absence.zoneName
        }
    }
}

/// A change of the stored decisions.
public enum DecisionEffect: Hashable, Sendable {
    case save(DecisionRow)
    case removeAll(PersonID)
}

extension DecisionRow {
    /// A zone decision of an evaluator with the circles that may see it; nil if the event is none.
    init?(_ event: Event, in directory: Replica, at now: Timestamp) {
        let body: DecisionBody
        switch event.body {
        case .zoneEntered(let crossing), .zoneExited(let crossing),
            .zonePresenceEstablished(let crossing), .zoneApproached(let crossing),
            .zoneDwelled(let crossing), .zoneSuppressed(let crossing),
            .zoneLeftVicinity(let crossing), .zonePresenceCleared(let crossing):
            body = .crossing(crossing)
        case .zoneAbsent(let absence): body = .absence(absence)
        default: return nil
        }
        let (person, zone, circle, set) =
            switch body {
            case .crossing(let it): (it.person, it.zone, it.circle, it.set)
            case .absence(let it): (it.person, it.zone, it.circle, it.set)
            }
        let circles = directory.circles(of: person).filter { id in
            guard let known = directory.circle(id), let member = known.member(person) else {
                return false
            }
            let isTheirs = id == circle || set.map { known.sets.contains($0) } ?? false
            return isTheirs && member.sharing.isOn(at: now)
        }
        let exactCircles = circles.filter { id in
            directory.circle(id)?.member(person)?.precision == .exact
        }
        self.init(
            event: event.id, person: person, zone: zone, time: event.time, kind: event.kind,
            circles: circles, exactCircles: exactCircles, body: body)
    }
}

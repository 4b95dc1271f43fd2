import Model
import Parsing

/// A zone as read from a file, without owner and with an unchecked shape.
///
/// Fields that the file omits have the defaults of a new zone.
public struct ZoneDraft: Hashable, Sendable {
    public var name: String
    public var kind: ZoneKind
    public var category: String
    public var active: Bool
    /// Lower is more urgent.
    public var priority: Int
    /// The shape as drawn, before the inset is applied.
    public var shape: ZoneShape
    public var hysteresisMetres: Int
    /// Nil = `enter`, `exit`, and the transitions that other fields imply.
    public var transitions: [Transition]?
    /// Inset on all sides in centimetres; negative values enlarge the shape.
    public var insetCentimetres: Int32
    /// Distance of approach alerts; 0 = none.
    public var alertDistanceMetres: Int
    /// Duration after which a stay is reported; 0 = never.
    public var dwellSeconds: Int
    public var alarm: ZoneAlarm
    /// Rows of a PAD file with unknown keys, kept for writing.
    public var extra: [String]

    public init(
        name: String, kind: ZoneKind = .safe, category: String = "", active: Bool = true,
        priority: Int = 100, shape: ZoneShape, hysteresisMetres: Int = 20,
        transitions: [Transition]? = nil, insetCentimetres: Int32 = 0,
        alertDistanceMetres: Int = 0, dwellSeconds: Int = 0, alarm: ZoneAlarm = ZoneAlarm(),
        extra: [String] = []
    ) {
        self.name = name
        self.kind = kind
        self.category = category
        self.active = active
        self.priority = priority
        self.shape = shape
        self.hysteresisMetres = hysteresisMetres
        self.transitions = transitions
        self.insetCentimetres = insetCentimetres
        self.alertDistanceMetres = alertDistanceMetres
        self.dwellSeconds = dwellSeconds
        self.alarm = alarm
        self.extra = extra
    }

    /// Creates a draft with everything of a zone that a file can contain.
    public init(_ zone: Zone) {
        self.init(
            name: zone.name, kind: zone.kind, category: zone.category, active: zone.active,
            priority: zone.priority, shape: zone.shape, hysteresisMetres: zone.hysteresisMetres,
            transitions: ZoneDraft.explicitTransitions(zone),
            insetCentimetres: zone.insetCentimetres,
            alertDistanceMetres: zone.alertDistanceMetres, dwellSeconds: zone.dwellSeconds,
            alarm: zone.alarm, extra: zone.extra)
    }

    /// The zone that the draft describes. Its owner, id and prepared geometry mean nothing.
    private var zone: Zone {
        Zone(
            id: ZoneID(.zero), owner: .person(PersonID(.zero)), name: name, kind: kind,
            category: category, active: active, priority: priority, shape: shape,
            prepared: PreparedGeometry(
                origin: Coordinate(latitudeE7: 0, longitudeE7: 0), coefficients: [],
                radiusCentimetres: 0, polygons: [], inradiusCentimetres: 0, reachCentimetres: 0),
            hysteresisMetres: hysteresisMetres, transitions: transitions ?? [],
            insetCentimetres: insetCentimetres, alertDistanceMetres: alertDistanceMetres,
            dwellSeconds: dwellSeconds, alarm: alarm, extra: extra)
    }

    /// Applies fields that were read from a file.
    mutating func apply(_ patch: Patch<Zone>) {
        let transitions = patch.transitions ?? transitions
        var zone = zone
        patch.apply(to: &zone)
        self = ZoneDraft(zone)
        self.transitions = transitions
    }

    /// The fields as GeoJSON properties. Those that a new zone would have anyway are left out.
    var properties: [JSON.Member] {
        ZoneField.inFiles.members(of: zone).filter { member in
            switch member.key {
            case "transitions": transitions != nil
            case "extra": !extra.isEmpty
            default: true
            }
        }
    }

    /// The transitions to report: those specified, otherwise those implied by other fields.
    ///
    /// - Parameter times: fields of the file that are not part of the draft
    public func effectiveTransitions(_ times: ZoneTimes) -> [Transition] {
        if let transitions { return transitions }
        var implied: [Transition] = [.enter, .exit]
        if alertDistanceMetres > 0 { implied.append(.approach) }
        if dwellSeconds > 0 { implied.append(.dwell) }
        if times.absentByMinute != nil { implied.append(.absent) }
        return implied
    }

    /// A zone's transitions, or nil if they are those implied by its other fields.
    private static func explicitTransitions(_ zone: Zone) -> [Transition]? {
        var implied: Set<Transition> = [.enter, .exit]
        if zone.alertDistanceMetres > 0 { implied.insert(.approach) }
        if zone.dwellSeconds > 0 { implied.insert(.dwell) }
        if zone.absentByMinute != nil { implied.insert(.absent) }
        return Set(zone.transitions) == implied ? nil : zone.transitions
    }
}

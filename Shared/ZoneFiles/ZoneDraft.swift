import Model
import Parsing

/// A zone as read from a file, without owner and with an unchecked shape.
///
/// It has every field of a zone. Those that a file cannot contain have the values of a new zone,
/// and so have fields that the file omits.
@dynamicMemberLookup
public struct ZoneDraft: Hashable, Sendable {
    /// Without transitions. Its owner, id and prepared geometry mean nothing.
    private var fields: Zone
    /// Nil = `enter`, `exit`, and the transitions that other fields imply.
    public var transitions: [Transition]?

    /// - Parameter shape: as drawn, before the inset is applied
    public init(
        name: String, kind: ZoneKind = .safe, category: String = "", active: Bool = true,
        priority: Int = 100, shape: ZoneShape, hysteresisMetres: Int = 20,
        transitions: [Transition]? = nil, insetCentimetres: Int32 = 0,
        alertDistanceMetres: Int = 0, dwellSeconds: Int = 0, alarm: ZoneAlarm = ZoneAlarm(),
        extra: [String] = []
    ) {
        fields = Zone(
            id: ZoneID(.zero), owner: .person(PersonID(.zero)), name: name, kind: kind,
            category: category, active: active, priority: priority, shape: shape,
            prepared: ZoneDraft.unprepared, hysteresisMetres: hysteresisMetres, transitions: [],
            insetCentimetres: insetCentimetres, alertDistanceMetres: alertDistanceMetres,
            dwellSeconds: dwellSeconds, alarm: alarm, extra: extra)
        self.transitions = transitions
    }

    /// Creates a draft with everything of a zone that a file can contain.
    public init(_ zone: Zone) {
        self.init(zone, transitions: ZoneDraft.explicitTransitions(zone))
    }

    private init(_ zone: Zone, transitions: [Transition]?) {
        fields = zone
        fields.id = ZoneID(.zero)
        fields.owner = .person(PersonID(.zero))
        fields.prepared = ZoneDraft.unprepared
        fields.transitions = []
        (fields.clock, fields.schedule, fields.absentByMinute) = (nil, nil, nil)
        (fields.audience, fields.messages, fields.version) = (nil, [], 1)
        self.transitions = transitions
    }

    private static let unprepared = PreparedGeometry(
        origin: Coordinate(latitudeE7: 0, longitudeE7: 0), coefficients: [],
        radiusCentimetres: 0, polygons: [], inradiusCentimetres: 0, reachCentimetres: 0)

    /// A field of the zone.
    public subscript<Value>(dynamicMember field: WritableKeyPath<Zone, Value>) -> Value {
        get { fields[keyPath: field] }
        set { fields[keyPath: field] = newValue }
    }

    /// The zone that the draft describes.
    public func zone(
        _ id: ZoneID, of owner: ZoneOwner, prepared: PreparedGeometry, clock: ZoneClock?,
        _ times: ZoneTimes
    ) -> Zone {
        var zone = fields
        (zone.id, zone.owner, zone.prepared) = (id, owner, prepared)
        zone.transitions = effectiveTransitions(times)
        (zone.clock, zone.schedule, zone.absentByMinute) =
            (clock, times.schedule, times.absentByMinute)
        return zone
    }

    /// Applies fields that were read from a file.
    mutating func apply(_ patch: Patch<Zone>) {
        var changed = fields
        patch.apply(to: &changed)
        self = ZoneDraft(changed, transitions: patch.transitions ?? transitions)
    }

    /// The fields as GeoJSON properties. Those that a new zone would have anyway are left out.
    var properties: [JSON.Member] {
        var shown = fields
        shown.transitions = transitions ?? []
        return ZoneField.inFiles.members(of: shown).filter { member in
            switch member.key {
            case "transitions": transitions != nil
            case "extra": !fields.extra.isEmpty
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
        if fields.alertDistanceMetres > 0 { implied.append(.approach) }
        if fields.dwellSeconds > 0 { implied.append(.dwell) }
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

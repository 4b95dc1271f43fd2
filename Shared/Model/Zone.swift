/// Events between a person and a zone.
public enum Transition: String, Sendable, Codable, CaseIterable {
    case enter, exit, approach, dwell, cross, absent
}

/// Rings as drawn, in WGS 84. Rings are closed implicitly: the first point is not repeated.
public struct Polygon: Hashable, Sendable, Codable {
    public var outer: [Coordinate]
    public var holes: [[Coordinate]]

    public init(outer: [Coordinate], holes: [[Coordinate]] = []) {
        self.outer = outer
        self.holes = holes
    }
}

/// Shape of a zone as its owner entered it.
public enum ZoneShape: Hashable, Sendable, Codable {
    /// Centre and radius in centimetres.
    case circle(center: Coordinate, radiusCentimetres: Int32)
    case polygons([Polygon])
    /// All points within half the width of a line of two or more points.
    case corridor(line: [Coordinate], halfWidthCentimetres: Int32)
}

/// Vertex relative to its zone's origin.
///
/// Offsets are exact and continuous across the antimeridian, so zones with a common border share it
/// exactly.
public struct VertexOffset: Hashable, Sendable, Codable {
    /// 10⁻⁷ degrees east of the origin, −1,800,000,000 to 1,799,999,999.
    public var longitudeE7: Int32
    /// 10⁻⁷ degrees north of the origin.
    public var latitudeE7: Int32

    public init(longitudeE7: Int32, latitudeE7: Int32) {
        self.longitudeE7 = longitudeE7
        self.latitudeE7 = latitudeE7
    }

    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        longitudeE7 = try container.decode(Int32.self)
        latitudeE7 = try container.decode(Int32.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(longitudeE7)
        try container.encode(latitudeE7)
    }
}

/// Shape of a zone as prepared by membership, so that evaluators need only + − × ÷ √.
///
/// `Geometry` defines and evaluates the coefficients.
public struct PreparedGeometry: Hashable, Sendable, Codable {
    /// Where the local plane touches the ellipsoid.
    public var origin: Coordinate
    /// Scaled integers of the projection to the local plane; the first one is the format.
    public var coefficients: [Int64]
    /// Radius in centimetres for a circle around the origin; 0 for polygons.
    public var radiusCentimetres: Int32
    /// Polygons of rings: outer first, then holes. Empty for a circle.
    public var polygons: [[[VertexOffset]]]
    /// Radius of the largest circle inside the shape, centimetres.
    public var inradiusCentimetres: Int32
    /// Radius of a circle around the origin that contains the shape, centimetres.
    public var reachCentimetres: Int32

    public init(
        origin: Coordinate, coefficients: [Int64], radiusCentimetres: Int32,
        polygons: [[[VertexOffset]]], inradiusCentimetres: Int32, reachCentimetres: Int32
    ) {
        self.origin = origin
        self.coefficients = coefficients
        self.radiusCentimetres = radiusCentimetres
        self.polygons = polygons
        self.inradiusCentimetres = inradiusCentimetres
        self.reachCentimetres = reachCentimetres
    }
}

/// Owner of a zone.
public enum ZoneOwner: Hashable, Sendable, Codable {
    case circle(CircleID)
    case person(PersonID)
    case set(ZoneSetID)
}

/// Area of a circle, a person or a set in which presence has consequences.
public struct Zone: DirectoryPayload {
    public var id: ZoneID
    public var owner: ZoneOwner
    public var name: String
    public var kind: ZoneKind
    public var category: String
    public var active: Bool
    /// Lower is more urgent.
    public var priority: Int
    public var shape: ZoneShape
    public var prepared: PreparedGeometry
    /// Distance beyond the edge from which a fix counts, metres (domain.md §3).
    public var hysteresisMetres: Int
    public var transitions: [Transition]
    /// Width removed from the edge of the shape, centimetres; negative values extend it. `prepared`
    /// includes it.
    public var insetCentimetres: Int32
    /// Maximum distance outside the edge that counts as near, metres; 0 = no position is near.
    public var alertDistanceMetres: Int
    /// Time inside after which a dwell event is emitted, seconds; 0 = never.
    public var dwellSeconds: Int
    /// Its wall clock; nil without a schedule and without ``absentByMinute``.
    public var clock: ZoneClock?
    /// Nil = it is always active.
    public var schedule: ZoneSchedule?
    /// Minute of the day at which people who are not inside are reported absent, 0 to 1,439. With a
    /// schedule, only on days on which a window starts.
    public var absentByMinute: Int?
    public var alarm: ZoneAlarm
    /// Nil = guardians and admins: ``ZoneAudience/standard``.
    public var audience: ZoneAudience?
    /// Messages that are sent when it fires; ascending.
    public var messages: [MessageID]
    /// Rows of a zone file that have no meaning here, preserved for export.
    public var extra: [String]
    /// When its shape was last drawn; nil = before that was recorded.
    public var drawn: Timestamp?
    /// Who drew it; nil = the operator, or not recorded.
    public var drawnBy: PersonID?
    public var version: Int64

    public init(
        id: ZoneID, owner: ZoneOwner, name: String, kind: ZoneKind = .safe, category: String = "",
        active: Bool = true, priority: Int = 100, shape: ZoneShape, prepared: PreparedGeometry,
        hysteresisMetres: Int = 20, transitions: [Transition] = [.enter, .exit],
        insetCentimetres: Int32 = 0, alertDistanceMetres: Int = 0, dwellSeconds: Int = 0,
        clock: ZoneClock? = nil, schedule: ZoneSchedule? = nil, absentByMinute: Int? = nil,
        alarm: ZoneAlarm = ZoneAlarm(), audience: ZoneAudience? = nil, messages: [MessageID] = [],
        extra: [String] = [], drawn: Timestamp? = nil, drawnBy: PersonID? = nil,
        version: Int64 = 1
    ) {
        self.id = id
        self.owner = owner
        self.name = name
        self.kind = kind
        self.category = category
        self.active = active
        self.priority = priority
        self.shape = shape
        self.prepared = prepared
        self.hysteresisMetres = hysteresisMetres
        self.transitions = transitions
        self.insetCentimetres = insetCentimetres
        self.alertDistanceMetres = alertDistanceMetres
        self.dwellSeconds = dwellSeconds
        self.clock = clock
        self.schedule = schedule
        self.absentByMinute = absentByMinute
        self.alarm = alarm
        self.audience = audience
        self.messages = messages
        self.extra = extra
        self.drawn = drawn
        self.drawnBy = drawnBy
        self.version = version
    }

    /// Decodes missing fields as their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(ZoneID.self, forKey: .id),
            owner: try values.decode(ZoneOwner.self, forKey: .owner),
            name: try values.decode(String.self, forKey: .name),
            kind: try values.decode(ZoneKind.self, forKey: .kind),
            category: try values.decode(String.self, forKey: .category),
            active: try values.decode(Bool.self, forKey: .active),
            priority: try values.decode(Int.self, forKey: .priority),
            shape: try values.decode(ZoneShape.self, forKey: .shape),
            prepared: try values.decode(PreparedGeometry.self, forKey: .prepared),
            hysteresisMetres: try values.decode(Int.self, forKey: .hysteresisMetres),
            transitions: try values.decode([Transition].self, forKey: .transitions),
            insetCentimetres: try values.decode(forKey: .insetCentimetres, or: 0),
            alertDistanceMetres: try values.decode(forKey: .alertDistanceMetres, or: 0),
            dwellSeconds: try values.decode(forKey: .dwellSeconds, or: 0),
            clock: try values.decodeIfPresent(ZoneClock.self, forKey: .clock),
            schedule: try values.decodeIfPresent(ZoneSchedule.self, forKey: .schedule),
            absentByMinute: try values.decodeIfPresent(Int.self, forKey: .absentByMinute),
            alarm: try values.decode(forKey: .alarm, or: ZoneAlarm()),
            audience: try values.decodeIfPresent(ZoneAudience.self, forKey: .audience),
            messages: try values.decode(forKey: .messages, or: []),
            extra: try values.decode(forKey: .extra, or: []),
            drawn: try values.decodeIfPresent(Timestamp.self, forKey: .drawn),
            drawnBy: try values.decodeIfPresent(PersonID.self, forKey: .drawnBy),
            version: try values.decode(Int64.self, forKey: .version))
    }
}

extension KeyedDecodingContainer {
    /// Decodes the value of a key, or returns `fallback` if it is missing.
    func decode<Value: Decodable>(forKey key: Key, or fallback: Value) throws -> Value {
        try decodeIfPresent(Value.self, forKey: key) ?? fallback
    }
}

public enum ZoneKind: String, Sendable, Codable, CaseIterable { case safe, alert }

/// What can happen between a person and a zone.
public enum Transition: String, Sendable, Codable, CaseIterable {
    case enter, exit, approach, dwell, cross, absent
}

/// Rings as drawn, in WGS 84; closed implicitly (the first point is not repeated).
public struct Polygon: Hashable, Sendable, Codable {
    public var outer: [Coordinate]
    public var holes: [[Coordinate]]

    public init(outer: [Coordinate], holes: [[Coordinate]] = []) {
        self.outer = outer
        self.holes = holes
    }
}

/// A zone's shape as its owner gave it.
public enum ZoneShape: Hashable, Sendable, Codable {
    /// Centre and radius in centimetres.
    case circle(center: Coordinate, radiusCentimetres: Int32)
    case polygons([Polygon])
}

/// A point of a zone's local plane: centimetres east and north of its origin.
public struct PlanePoint: Hashable, Sendable, Codable {
    public var x: Int32
    public var y: Int32

    public init(x: Int32, y: Int32) {
        self.x = x
        self.y = y
    }

    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        x = try container.decode(Int32.self)
        y = try container.decode(Int32.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(x)
        try container.encode(y)
    }
}

/// A zone's shape made ready by membership, so that evaluators need + − × ÷ √ alone.
///
/// `Geometry` defines what the coefficients mean and evaluates them.
public struct PreparedGeometry: Hashable, Sendable, Codable {
    /// Where the local plane touches the ellipsoid.
    public var origin: Coordinate
    /// Scaled integers of the projection from (Δlatitude, Δlongitude) to the plane.
    public var coefficients: [Int64]
    /// Radius in centimetres for a circle around the origin; 0 for polygons.
    public var radiusCentimetres: Int32
    /// Polygons of rings: outer first, then holes. Empty for a circle.
    public var polygons: [[[PlanePoint]]]
    /// Radius of the largest circle that fits inside, centimetres.
    public var inradiusCentimetres: Int32
    /// Radius around the origin that holds the whole shape, centimetres.
    public var reachCentimetres: Int32

    public init(
        origin: Coordinate, coefficients: [Int64], radiusCentimetres: Int32,
        polygons: [[[PlanePoint]]], inradiusCentimetres: Int32, reachCentimetres: Int32
    ) {
        self.origin = origin
        self.coefficients = coefficients
        self.radiusCentimetres = radiusCentimetres
        self.polygons = polygons
        self.inradiusCentimetres = inradiusCentimetres
        self.reachCentimetres = reachCentimetres
    }
}

/// Who a zone belongs to.
public enum ZoneOwner: Hashable, Sendable, Codable {
    case circle(CircleID)
    case person(PersonID)
}

/// A place that matters to a circle or a person.
public struct Zone: Hashable, Sendable, Codable {
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
    /// Metres; a fix must be farther than this beyond the edge to count (domain.md §3).
    public var hysteresisMetres: Int
    public var transitions: [Transition]
    public var version: Int64

    public init(
        id: ZoneID, owner: ZoneOwner, name: String, kind: ZoneKind = .safe, category: String = "",
        active: Bool = true, priority: Int = 100, shape: ZoneShape, prepared: PreparedGeometry,
        hysteresisMetres: Int = 20, transitions: [Transition] = [.enter, .exit], version: Int64 = 1
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
        self.version = version
    }
}

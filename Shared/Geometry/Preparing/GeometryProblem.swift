import Model

/// A point of a shape as its owner gave it.
public struct ShapePosition: Hashable, Sendable {
    /// Index of the polygon; 0 for a circle.
    public var polygon: Int
    /// 0 is the outer ring, then holes.
    public var ring: Int
    /// Index of the point in its ring.
    public var vertex: Int
    /// Where it is; private, so no part of any description.
    public var coordinate: Coordinate

    public init(polygon: Int, ring: Int, vertex: Int, coordinate: Coordinate) {
        self.polygon = polygon
        self.ring = ring
        self.vertex = vertex
        self.coordinate = coordinate
    }
}

/// Why a shape cannot be a zone, and where.
public enum GeometryProblem: Error, Hashable, Sendable {
    /// Latitude beyond ±90° or longitude beyond ±180°.
    case outOfRange(ShapePosition)
    case radiusTooSmall(centimetres: Int32)
    case radiusTooLarge(centimetres: Int32)
    case noPolygon
    case tooFewPoints(ShapePosition?, polygon: Int, ring: Int, count: Int)
    case tooManyPoints(count: Int)
    case tooManyPolygons(count: Int)
    /// The point equals the one before it.
    case repeatedPoint(ShapePosition)
    /// Neighbouring points lie on opposite meridians, so the edge between them runs over a pole.
    case edgeOverPole(ShapePosition)
    /// The shape reaches farther from its middle than one plane is exact.
    case tooLarge(reachCentimetres: Int64)
    case noArea(ShapePosition)
    /// The edge that starts at `edge` meets the edge of the same ring that starts at `other`.
    case crossesItself(edge: ShapePosition, other: ShapePosition, at: Coordinate)
    /// The edge that starts at `edge` crosses an edge of another ring.
    case ringsCross(edge: ShapePosition, other: ShapePosition, at: Coordinate)
    case holeOutside(ShapePosition)
    /// Two polygons of the shape cover the same ground.
    case polygonsOverlap(ShapePosition, other: Int)
    /// The geometry library refuses the shape, for a reason that no other case names.
    case invalid(reason: String, at: Coordinate)

    /// Stable, for programs.
    public var code: String {
        switch self {
        case .outOfRange: "coordinate-out-of-range"
        case .radiusTooSmall: "radius-too-small"
        case .radiusTooLarge: "radius-too-large"
        case .noPolygon: "no-polygon"
        case .tooFewPoints: "too-few-points"
        case .tooManyPoints: "too-many-points"
        case .tooManyPolygons: "too-many-polygons"
        case .repeatedPoint: "repeated-point"
        case .edgeOverPole: "edge-over-pole"
        case .tooLarge: "too-large"
        case .noArea: "no-area"
        case .crossesItself: "ring-crosses-itself"
        case .ringsCross: "rings-cross"
        case .holeOutside: "hole-outside"
        case .polygonsOverlap: "polygons-overlap"
        case .invalid: "invalid"
        }
    }

    /// Which point of the shape to look at; nil where the fault is no single point's.
    public var position: ShapePosition? {
        switch self {
        case .outOfRange(let position), .repeatedPoint(let position), .edgeOverPole(let position),
            .noArea(let position), .crossesItself(let position, _, _),
            .ringsCross(let position, _, _), .holeOutside(let position),
            .polygonsOverlap(let position, _):
            position
        case .tooFewPoints(let position, _, _, _): position
        case .radiusTooSmall, .radiusTooLarge, .noPolygon, .tooManyPoints, .tooManyPolygons,
            .tooLarge, .invalid:
            nil
        }
    }

    /// The place of the fault on the map.
    public var place: Coordinate? {
        switch self {
        case .crossesItself(_, _, let place), .ringsCross(_, _, let place), .invalid(_, let place):
            place
        default: position?.coordinate
        }
    }
}

import Model

/// A vertex of a shape as supplied by its owner.
public struct ShapePosition: Hashable, Sendable, Codable {
    /// Index of the polygon; 0 for a circle or line.
    public var polygon: Int
    /// 0 is the outer ring, holes follow; nil for a line.
    public var ring: Int?
    /// Index of the point in its ring or line.
    public var vertex: Int
    /// The coordinate. It is private and not part of any description.
    public var coordinate: Coordinate

    public init(polygon: Int, ring: Int?, vertex: Int, coordinate: Coordinate) {
        self.polygon = polygon
        self.ring = ring
        self.vertex = vertex
        self.coordinate = coordinate
    }
}

/// Why a shape cannot become a zone, and where the problem is.
public enum GeometryProblem: Error, Hashable, Sendable, Codable {
    /// Latitude beyond ±90° or longitude beyond ±180°.
    case outOfRange(ShapePosition)
    case radiusTooSmall(centimetres: Int32)
    case radiusTooLarge(centimetres: Int32)
    case halfWidthTooSmall(centimetres: Int32)
    case halfWidthTooLarge(centimetres: Int32)
    case tooFewLinePoints(count: Int)
    /// The line crosses itself too often for its outline to be drawn.
    case lineTangled
    /// Nothing is left of the shape. `most` is an inset that leaves something; nil = none does.
    case insetTooLarge(centimetres: Int32, most: Int32?)
    case noPolygon
    case tooFewPoints(ShapePosition?, polygon: Int, ring: Int, count: Int)
    case tooManyPoints(count: Int)
    case tooManyPolygons(count: Int)
    /// A corridor or an inset has too many corners to be drawn.
    case tooManyCorners(count: Int)
    /// The outline of a corridor or an inset has too many points.
    case outlineTooLong(count: Int)
    /// An inset leaves too many pieces.
    case tooManyPieces(count: Int)
    /// The point equals its predecessor.
    case repeatedPoint(ShapePosition)
    /// Neighbouring points are on opposite meridians, so their edge crosses a pole.
    case edgeOverPole(ShapePosition)
    /// The shape extends farther from its centre than one plane is accurate.
    case tooLarge(reachCentimetres: Int64)
    case noArea(ShapePosition)
    /// The edge that starts at `edge` meets the edge of the same ring that starts at `other`.
    case crossesItself(edge: ShapePosition, other: ShapePosition, at: Coordinate)
    /// The edge that starts at `edge` crosses an edge of another ring.
    case ringsCross(edge: ShapePosition, other: ShapePosition, at: Coordinate)
    case holeOutside(ShapePosition)
    /// A hole covers all of its polygon.
    case holeFillsPolygon(ShapePosition)
    /// Two holes of a polygon overlap.
    case holesOverlap(ShapePosition, other: Int)
    /// Two polygons of the shape overlap.
    case polygonsOverlap(ShapePosition, other: Int)
    /// The geometry library rejects the shape for a reason that no other case covers.
    case invalid(reason: String, ShapePosition?, at: Coordinate)

    /// Stable code for programs.
    public var code: String {
        switch self {
        case .outOfRange: "coordinate-out-of-range"
        case .radiusTooSmall: "radius-too-small"
        case .radiusTooLarge: "radius-too-large"
        case .halfWidthTooSmall: "half-width-too-small"
        case .halfWidthTooLarge: "half-width-too-large"
        case .tooFewLinePoints: "too-few-line-points"
        case .lineTangled: "line-tangled"
        case .insetTooLarge: "inset-too-large"
        case .noPolygon: "no-polygon"
        case .tooFewPoints: "too-few-points"
        case .tooManyPoints: "too-many-points"
        case .tooManyPolygons: "too-many-polygons"
        case .tooManyCorners: "too-many-corners"
        case .outlineTooLong: "outline-too-long"
        case .tooManyPieces: "too-many-pieces"
        case .repeatedPoint: "repeated-point"
        case .edgeOverPole: "edge-over-pole"
        case .tooLarge: "too-large"
        case .noArea: "no-area"
        case .crossesItself: "ring-crosses-itself"
        case .ringsCross: "rings-cross"
        case .holeOutside: "hole-outside"
        case .holeFillsPolygon: "hole-fills-polygon"
        case .holesOverlap: "holes-overlap"
        case .polygonsOverlap: "polygons-overlap"
        case .invalid: "invalid"
        }
    }

    /// The vertex that causes the problem; nil if no single vertex does.
    public var position: ShapePosition? {
        switch self {
        case .outOfRange(let position), .repeatedPoint(let position), .edgeOverPole(let position),
            .noArea(let position), .crossesItself(let position, _, _),
            .ringsCross(let position, _, _), .holeOutside(let position),
            .holeFillsPolygon(let position), .holesOverlap(let position, _),
            .polygonsOverlap(let position, _):
            position
        case .tooFewPoints(let position, _, _, _), .invalid(_, let position, _): position
        case .radiusTooSmall, .radiusTooLarge, .halfWidthTooSmall, .halfWidthTooLarge,
            .tooFewLinePoints, .lineTangled, .insetTooLarge, .noPolygon, .tooManyPoints,
            .tooManyPolygons, .tooManyCorners, .outlineTooLong, .tooManyPieces, .tooLarge:
            nil
        }
    }

    /// Location of the problem on the map.
    public var coordinate: Coordinate? {
        switch self {
        case .crossesItself(_, _, let coordinate), .ringsCross(_, _, let coordinate),
            .invalid(_, _, let coordinate):
            coordinate
        default: position?.coordinate
        }
    }
}

import Model

/// A point of a shape as its owner gave it.
public struct ShapePosition: Hashable, Sendable, Codable {
    /// Index of the polygon; 0 for a circle and a line.
    public var polygon: Int
    /// 0 is the outer ring, then holes; nil for a line.
    public var ring: Int?
    /// Index of the point in its ring or line.
    public var vertex: Int
    /// Where it is; private, so no part of any description.
    public var coordinate: Coordinate

    public init(polygon: Int, ring: Int?, vertex: Int, coordinate: Coordinate) {
        self.polygon = polygon
        self.ring = ring
        self.vertex = vertex
        self.coordinate = coordinate
    }
}

/// Why a shape cannot be a zone, and where.
public enum GeometryProblem: Error, Hashable, Sendable, Codable {
    /// Latitude beyond ±90° or longitude beyond ±180°.
    case outOfRange(ShapePosition)
    case radiusTooSmall(centimetres: Int32)
    case radiusTooLarge(centimetres: Int32)
    case halfWidthTooSmall(centimetres: Int32)
    case halfWidthTooLarge(centimetres: Int32)
    case tooFewLinePoints(count: Int)
    /// The line goes over itself so often that its outline would never end.
    case lineTangled
    /// Nothing is left of the shape. A smaller inset, `most`, leaves something; nil = none does.
    case insetTooLarge(centimetres: Int32, most: Int32?)
    case noPolygon
    case tooFewPoints(ShapePosition?, polygon: Int, ring: Int, count: Int)
    case tooManyPoints(count: Int)
    case tooManyPolygons(count: Int)
    /// A corridor or an inset would have to be drawn around so many corners.
    case tooManyCorners(count: Int)
    /// The outline that comes of a corridor or an inset has so many points.
    case outlineTooLong(count: Int)
    /// What an inset leaves is in so many pieces.
    case tooManyPieces(count: Int)
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
    /// A hole is as large as what it is in.
    case holeFillsPolygon(ShapePosition)
    /// Two holes of a polygon cover the same ground.
    case holesOverlap(ShapePosition, other: Int)
    /// Two polygons of the shape cover the same ground.
    case polygonsOverlap(ShapePosition, other: Int)
    /// The geometry library refuses the shape, for a reason that no other case names.
    case invalid(reason: String, ShapePosition?, at: Coordinate)

    /// Stable, for programs.
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

    /// Which point of the shape to look at; nil where the fault is no single point's.
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

    /// The place of the fault on the map.
    public var place: Coordinate? {
        switch self {
        case .crossesItself(_, _, let place), .ringsCross(_, _, let place),
            .invalid(_, _, let place):
            place
        default: position?.coordinate
        }
    }
}

import Model

/// A prepared shape as it lies in its plane, for a geometry library that knows planes only.
public struct PlanarShape: Sendable {
    /// Metres east and north of the zone's origin.
    public struct Point: Hashable, Sendable {
        public var x: Double
        public var y: Double

        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// Polygons of rings, outer first; rings are not closed by a repeated point.
    public let polygons: [[[Point]]]
    private let edges: [Edge]

    /// Nil for a geometry of a format that this program does not know.
    public init?(_ prepared: PreparedGeometry) {
        guard let plane = Plane(origin: prepared.origin, coefficients: prepared.coefficients)
        else { return nil }
        edges = Edge.all(of: prepared, in: plane)
        polygons = prepared.polygons.map { rings in
            rings.map { ring in
                ring.map { offset in
                    let (x, y) = plane.project(EarthPoint(offset.position(from: prepared.origin)))
                    return Point(x: x, y: y)
                }
            }
        }
    }

    /// The place on the map of the outline's point next to a point of the plane.
    public func place(of point: Point) -> Coordinate? {
        var nearest: (squared: Double, place: Coordinate)?
        for edge in edges {
            let (dx, dy) = edge.vector(fromX: point.x, y: point.y)
            let squared = dx * dx + dy * dy
            if let nearest, nearest.squared <= squared { continue }
            let footX = point.x + dx - edge.x
            let footY = point.y + dy - edge.y
            let share = (footX * footX + footY * footY).squareRoot() / edge.length
            nearest = (squared, edge.coordinate(at: share))
        }
        return nearest?.place
    }
}

import Model

/// A prepared shape in its plane, for planar geometry libraries.
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

    /// Polygons as lists of rings, outer ring first. The first point is not repeated at the end.
    public let polygons: [[[Point]]]
    private let edges: [Edge]

    /// Returns nil for a geometry in an unknown format.
    public init?(_ prepared: PreparedGeometry) {
        guard let seed = Plane.Seed(origin: prepared.origin, coefficients: prepared.coefficients)
        else { return nil }
        let plane = Plane(seed)
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

    /// The point of the outline that is nearest to a point of the plane: its coordinate, and the
    /// vertex at the start of its edge.
    public func outlinePoint(near point: Point) -> (
        coordinate: Coordinate, position: ShapePosition
    )? {
        var nearest: (squared: Double, share: Double, index: Int)?
        for (index, edge) in edges.enumerated() {
            let (dx, dy) = edge.vector(fromX: point.x, y: point.y)
            let squared = dx * dx + dy * dy
            if let nearest, nearest.squared <= squared { continue }
            let footX = point.x + dx - edge.x
            let footY = point.y + dy - edge.y
            let share = (footX * footX + footY * footY).squareRoot() / edge.length
            nearest = (squared, share, index)
        }
        return nearest.flatMap { found in
            position(ofEdge: found.index).map {
                (edges[found.index].coordinate(at: found.share), $0)
            }
        }
    }

    /// Edges are ordered by polygon and ring.
    private func position(ofEdge index: Int) -> ShapePosition? {
        var left = index
        for (polygon, rings) in polygons.enumerated() {
            for (ring, points) in rings.enumerated() {
                if left < points.count {
                    return ShapePosition(
                        polygon: polygon, ring: ring, vertex: left, coordinate: edges[index].start)
                }
                left -= points.count
            }
        }
        return nil
    }
}

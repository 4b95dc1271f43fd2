import Model

/// An edge of a ring.
struct Edge: Sendable {
    /// Squared distance at which plane and ellipsoid agree on the side, square metres.
    private static let clearSquared = 25.0

    let start: Coordinate
    let end: Coordinate
    /// Start of the edge in the plane, metres.
    let x: Double
    let y: Double
    /// Vector from start to end, metres.
    let dx: Double
    let dy: Double
    /// False if two polygons of the shape share the edge, which is then inside the shape.
    var isOutline = true

    init(from start: Coordinate, to end: Coordinate, in plane: Plane) {
        self.start = start
        self.end = end
        let (x, y) = plane.project(EarthPoint(start))
        let (endX, endY) = plane.project(EarthPoint(end))
        self.x = x
        self.y = y
        dx = endX - x
        dy = endY - y
    }

    @inline(__always)
    private var perSquaredLength: Double {
        let squared = dx * dx + dy * dy
        return squared > 0 ? 1 / squared : 0
    }

    /// Vector from a point of the plane to the nearest point of the edge.
    func vector(fromX px: Double, y py: Double) -> (Double, Double) {
        let toX = x - px
        let toY = y - py
        let share = min(max(-(toX * dx + toY * dy) * perSquaredLength, 0), 1)
        return (toX + share * dx, toY + share * dy)
    }

    /// Whether exactly one end is east of the point's meridian.
    func meets(meridianOf point: EarthPoint) -> Bool {
        let here = Int64(point.coordinate.longitudeE7)
        let first = Edge.near(Int64(start.longitudeE7) - here)
        let second = Edge.near(Int64(end.longitudeE7) - here)
        return (first > 0) != (second > 0) && abs(first - second) < Angle.halfTurn
    }

    /// Whether the point is on or north of the edge. The point's meridian must intersect the edge.
    func isSouthOf(_ point: EarthPoint, x px: Double, y py: Double) -> Bool {
        let here = Int64(point.coordinate.longitudeE7)
        let startsWest = Edge.near(Int64(start.longitudeE7) - here) <= 0
        let left = dx * (py - y) - dy * (px - x)
        if left * left * perSquaredLength > Edge.clearSquared {
            return (left > 0) == startsWest
        }
        return startsWest
            ? point.isNorthOfEdge(west: EarthPoint(start), east: EarthPoint(end))
            : point.isNorthOfEdge(west: EarthPoint(end), east: EarthPoint(start))
    }

    /// Normalizes a difference of two longitudes to −180° … 180°.
    @inline(__always)
    private static func near(_ difference: Int64) -> Int64 {
        if difference >= Angle.halfTurn { return difference - Angle.turn }
        if difference < -Angle.halfTurn { return difference + Angle.turn }
        return difference
    }
}

extension Edge {
    /// The edges of all rings. Edges that two rings share are not part of the outline.
    static func all(of prepared: PreparedGeometry, in plane: Plane) -> [Edge] {
        var edges: [Edge] = []
        for ring in prepared.polygons.joined() {
            let points = ring.map { $0.position(from: prepared.origin) }
            for index in points.indices {
                let next = index + 1 < points.count ? index + 1 : 0
                edges.append(Edge(from: points[index], to: points[next], in: plane))
            }
        }
        markShared(&edges)
        return edges
    }

    private static func markShared(_ edges: inout [Edge]) {
        let order = edges.indices.sorted { edges[$0].key < edges[$1].key }
        for (one, other) in zip(order, order.dropFirst()) where edges[one].key == edges[other].key {
            edges[one].isOutline = false
            edges[other].isOutline = false
        }
    }

    /// Both ends, independent of the direction.
    private var key: (UInt64, UInt64) {
        let first = start.key
        let second = end.key
        return first < second ? (first, second) : (second, first)
    }
}

extension Coordinate {
    fileprivate var key: UInt64 {
        UInt64(UInt32(bitPattern: longitudeE7)) << 32 | UInt64(UInt32(bitPattern: latitudeE7))
    }
}

extension VertexOffset {
    /// The vertex as a coordinate with a longitude from −180° to just below 180°.
    func position(from origin: Coordinate) -> Coordinate {
        Coordinate(
            latitudeE7: Int32(clamping: Int64(origin.latitudeE7) + Int64(latitudeE7)),
            longitudeE7: Int32(
                Angle.wrapped(Int64(origin.longitudeE7) + Int64(longitudeE7))))
    }
}

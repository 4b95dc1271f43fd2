import Model

/// A zone on a flat earth: exact to a few millimetres within some kilometres of the centre of
/// ``World``, which is on the equator.
struct OracleShape {
    private typealias Point = (north: Double, east: Double)

    private let center: Point
    /// Nil for a polygon.
    private let radius: Double?
    private var corners: [Point] = []

    init(_ zone: ConfiguredZone) {
        func metres(_ latitudeE7: Double, _ longitudeE7: Double) -> Point {
            (latitudeE7 * 110_574.276 / 1e7, longitudeE7 * 111_319.491 / 1e7)
        }
        let origin = zone.geometry.origin
        center = metres(
            Double(origin.latitudeE7 - World.middle.latitudeE7),
            Double(origin.longitudeE7 - World.middle.longitudeE7))
        let isRound = zone.geometry.polygons.isEmpty
        radius = isRound ? Double(zone.geometry.radiusCentimetres) / 100 : nil
        for corner in zone.geometry.polygons.first?.first ?? [] {
            let offset = metres(Double(corner.latitudeE7), Double(corner.longitudeE7))
            corners.append((center.north + offset.north, center.east + offset.east))
        }
    }

    private var edges: [(Point, Point)] {
        corners.indices.map { (corners[$0], corners[($0 + 1) % corners.count]) }
    }

    /// Metres to the edge, negative inside.
    func distance(_ sight: OracleSight) -> Double {
        let point = (sight.north, sight.east)
        if let radius { return OracleShape.distance(point, center) - radius }
        let toEdge = edges.map { OracleShape.distance(point, to: $0.0, $0.1) }.min() ?? 0
        return holds(point) ? -toEdge : toEdge
    }

    /// The distance between the path and the zone; negative if it crosses.
    func reserve(ofWayFrom start: OracleSight, to end: OracleSight) -> Double {
        let start = (start.north, start.east)
        let end = (end.north, end.east)
        if let radius { return OracleShape.distance(center, to: start, end) - radius }
        let crossed = edges.filter { OracleShape.areCrossed(start, end, $0.0, $0.1) }
        let ends = corners.map { OracleShape.distance($0, to: start, end) }
        // Only a narrowly passed corner is ambiguous.
        let narrow = ends.min() ?? 0
        return crossed.isEmpty ? narrow : -narrow
    }

    /// Convex: on the same side of every edge.
    private func holds(_ point: Point) -> Bool {
        let sides = edges.map { OracleShape.side($0.0, $0.1, point) > 0 }
        return !sides.contains(true) || !sides.contains(false)
    }

    private static func distance(_ one: Point, _ other: Point) -> Double {
        let north = other.north - one.north
        let east = other.east - one.east
        return (north * north + east * east).squareRoot()
    }

    private static func distance(_ point: Point, to start: Point, _ end: Point) -> Double {
        let length = distance(start, end)
        guard length > 0 else { return distance(point, start) }
        let along =
            ((point.north - start.north) * (end.north - start.north)
                + (point.east - start.east) * (end.east - start.east)) / (length * length)
        let share = max(0, min(1, along))
        return distance(
            point,
            (
                start.north + share * (end.north - start.north),
                start.east + share * (end.east - start.east)
            ))
    }

    /// Positive on the left of the line.
    private static func side(_ start: Point, _ end: Point, _ point: Point) -> Double {
        (end.east - start.east) * (point.north - start.north)
            - (end.north - start.north) * (point.east - start.east)
    }

    private static func areCrossed(_ a: Point, _ b: Point, _ c: Point, _ d: Point) -> Bool {
        side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0
    }
}

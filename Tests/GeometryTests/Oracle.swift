import Glibc
import Model

/// Slow reference for distance and containment of geodesic polygons.
enum Oracle {
    /// Metres to the nearest point of any ring, each edge searched along its geodesic.
    static func distance(_ point: Coordinate, to polygons: [Polygon]) -> Double {
        var least = Double.infinity
        for ring in polygons.flatMap({ [$0.outer] + $0.holes }) {
            for (start, end) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
                least = min(least, distance(point, start, end))
            }
        }
        return least
    }

    private static func distance(_ p: Coordinate, _ start: Coordinate, _ end: Coordinate) -> Double
    {
        let edge = Geodesic.inverse(start, end)
        func away(_ metres: Double) -> Double {
            let q = Geodesic.direct(
                start.latitude, start.longitude, azimuth: edge.azimuth, metres: metres)
            return Geodesic.inverse(p.latitude, p.longitude, q.latitude, q.longitude).metres
        }
        var low = 0.0
        var high = edge.metres
        while high - low > 0.001 {
            let third = (high - low) / 3
            if away(low + third) < away(high - third) { high -= third } else { low += third }
        }
        return away((low + high) / 2)
    }

    /// Winding number from bearings to dense points on the edges.
    static func contains(_ point: Coordinate, in polygons: [Polygon]) -> Bool {
        polygons.contains { polygon in
            winds(polygon.outer, around: point)
                && !polygon.holes.contains { winds($0, around: point) }
        }
    }

    private static func winds(_ ring: [Coordinate], around point: Coordinate) -> Bool {
        var turned = 0.0
        var bearing: Double?
        let first = ring[0]
        for (start, end) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
            let edge = Geodesic.inverse(start, end)
            let pieces = 32
            for piece in 0..<pieces {
                let q = Geodesic.direct(
                    start.latitude, start.longitude, azimuth: edge.azimuth,
                    metres: edge.metres * Double(piece) / Double(pieces))
                let next = Geodesic.inverse(
                    point.latitude, point.longitude, q.latitude, q.longitude
                ).azimuth
                if let bearing { turned += remainder(next - bearing, 360) }
                bearing = next
            }
        }
        let last = Geodesic.inverse(point, first).azimuth
        if let bearing { turned += remainder(last - bearing, 360) }
        return abs(turned) > 180
    }
}

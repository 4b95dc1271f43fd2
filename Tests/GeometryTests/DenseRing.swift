import Glibc
import Model

/// Geodesic polygons as dense straight segments in space: a reference without planes, fast
/// enough for a million queries.
struct DenseRings {
    private struct Vector {
        var x: Double
        var y: Double
        var z: Double
    }

    /// A segment of an edge of 20 km then bulges by less than 2 mm.
    private static let pieces = 64
    private let rings: [[Vector]]

    init(_ polygon: Polygon) {
        rings = ([polygon.outer] + polygon.holes).map { ring in
            zip(ring, ring.dropFirst() + ring.prefix(1)).flatMap { start, end in
                let edge = Geodesic.inverse(start, end)
                return (0..<DenseRings.pieces).map { piece in
                    let share = Double(piece) / Double(DenseRings.pieces)
                    let at = Geodesic.direct(
                        start.latitude, start.longitude, azimuth: edge.azimuth,
                        metres: edge.metres * share)
                    return DenseRings.position(at.latitude, at.longitude)
                }
            }
        }
    }

    /// Point on the ellipsoid, metres from the centre of the earth.
    private static func position(_ latitude: Double, _ longitude: Double) -> Vector {
        let (phi, lambda) = (latitude * .pi / 180, longitude * .pi / 180)
        let squared = (2 - 1 / 298.257_223_563) / 298.257_223_563
        let normal = 6_378_137 / sqrt(1 - squared * sin(phi) * sin(phi))
        return Vector(
            x: normal * cos(phi) * cos(lambda), y: normal * cos(phi) * sin(lambda),
            z: normal * (1 - squared) * sin(phi))
    }

    /// Metres to the nearest edge, and whether the rings wind around the point an odd number of
    /// times, in a local frame of the point: east, north and up.
    func measure(_ point: Coordinate) -> (metres: Double, isInside: Bool) {
        let here = DenseRings.position(point.latitude, point.longitude)
        let (phi, lambda) = (point.latitude * .pi / 180, point.longitude * .pi / 180)
        let (sinPhi, cosPhi, sinLambda, cosLambda) = (sin(phi), cos(phi), sin(lambda), cos(lambda))
        var least = Double.infinity
        var isInside = false
        for ring in rings {
            let seen = ring.map { vertex -> Vector in
                let (dx, dy, dz) = (vertex.x - here.x, vertex.y - here.y, vertex.z - here.z)
                let outward = dx * cosLambda + dy * sinLambda
                return Vector(
                    x: dy * cosLambda - dx * sinLambda, y: dz * cosPhi - outward * sinPhi,
                    z: outward * cosPhi + dz * sinPhi)
            }
            var turned = 0.0
            for (one, other) in zip(seen, seen.dropFirst() + seen.prefix(1)) {
                let (dx, dy, dz) = (other.x - one.x, other.y - one.y, other.z - one.z)
                let length = dx * dx + dy * dy + dz * dz
                let along = -(one.x * dx + one.y * dy + one.z * dz) / length
                let share = min(max(along, 0), 1)
                let (x, y, z) = (one.x + share * dx, one.y + share * dy, one.z + share * dz)
                least = min(least, x * x + y * y + z * z)
                turned += atan2(
                    one.x * other.y - one.y * other.x, one.x * other.x + one.y * other.y)
            }
            if abs(turned) > .pi { isInside.toggle() }
        }
        // From the chord to the arc.
        let chord = sqrt(least)
        let angle = chord / 6_371_000
        return (chord * (1 + angle * angle / 24), isInside)
    }
}

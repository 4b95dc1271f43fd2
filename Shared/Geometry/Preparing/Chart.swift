import Glibc
import Model

/// A planar map of a shape in metres, for planar geometry libraries.
///
/// Lengths are accurate to 0.03 % up to 250 km from the centre and to 0.12 % up to 500 km. Shortest
/// paths on the ellipsoid are nearly straight; ``path(through:isClosed:)`` adds points where they
/// deviate by more than 1 cm. The antimeridian and the poles need no special treatment.
///
///     let chart = Chart(around: [line])
///     let path = chart.path(through: line, isClosed: false)
///     let coordinate = chart.coordinate(of: path[0])
public struct Chart: Sendable {
    /// Maximum deviation of a drawn edge, metres.
    private static let sagittaMax = 0.01

    private let plane: Plane

    /// Creates a map centred on the points of non-empty lines.
    public init(around lines: [[Coordinate]]) {
        plane = Plane(at: ShapeRings(lines.map { Polygon(outer: $0) }).middle)
    }

    /// Centre of the map, where lengths are true.
    public var middle: Coordinate { plane.origin.coordinate }

    /// Metres east and north of the centre.
    private func point(x: Double, y: Double) -> PlanarShape.Point {
        let share = (x * x + y * y).squareRoot() / plane.normal
        let factor = share > 1e-9 ? atan(share) / share : 1
        return PlanarShape.Point(x: x * factor, y: y * factor)
    }

    /// The coordinate of a point on the map, rounded to 10⁻⁷ degrees.
    public func coordinate(of point: PlanarShape.Point) -> Coordinate {
        let share = (point.x * point.x + point.y * point.y).squareRoot() / plane.normal
        let factor = share > 1e-9 ? tan(share) / share : 1
        return plane.coordinate(x: point.x * factor, y: point.y * factor)
    }

    /// The path along the edges, with additional points where edges are curved.
    ///
    /// An edge yields the same points in both directions, so shapes that share an edge share it
    /// exactly.
    public func path(through points: [Coordinate], isClosed: Bool) -> [PlanarShape.Point] {
        let ends = points.dropFirst() + (isClosed ? points.prefix(1) : [])
        var path: [PlanarShape.Point] = []
        for (start, end) in zip(points, ends) {
            let isForward =
                (start.longitudeE7, start.latitudeE7) < (end.longitudeE7, end.latitudeE7)
            let edge = isForward ? way(from: start, to: end) : way(from: end, to: start).reversed()
            path += edge.dropLast()
        }
        if !isClosed, let last = points.last {
            let (x, y) = plane.project(EarthPoint(last))
            path.append(point(x: x, y: y))
        }
        return path
    }

    /// The ends of an edge and the points between them.
    private func way(from start: Coordinate, to end: Coordinate) -> [PlanarShape.Point] {
        let edge = Edge(from: start, to: end, in: plane)
        let (endX, endY) = plane.project(EarthPoint(end))
        let away = max(edge.x * edge.x + edge.y * edge.y, endX * endX + endY * endY).squareRoot()
        // A straight line of length s at distance h from the centre bulges by h s² / 12 R².
        let pieces = edge.length / plane.normal * (away / (12 * Chart.sagittaMax)).squareRoot()
        let count = max(1, Int(pieces.rounded(.up)))
        let between = (1..<count).map { index in
            let share = Double(index) / Double(count)
            return point(x: edge.x + edge.dx * share, y: edge.y + edge.dy * share)
        }
        return [point(x: edge.x, y: edge.y)] + between + [point(x: endX, y: endY)]
    }
}

extension Plane {
    /// The coordinate of the point on the ellipsoid that is projected to a point of the plane.
    func coordinate(x: Double, y: Double) -> Coordinate {
        let (sine, cosine) = Angle.sineCosine(Int64(origin.coordinate.latitudeE7))
        let (east, west) = Angle.sineCosine(Int64(origin.coordinate.longitudeE7))
        // Intersects the ellipsoid with the ray from the foot of the origin's normal along (dx, dy,
        // dz).
        let foot = -Ellipsoid.footPerHeight * origin.z
        let outward = normal * cosine - y * sine
        let dx = outward * west - x * east
        let dy = outward * east + x * west
        let dz = normal * sine + y * cosine
        let squaredA = Ellipsoid.equatorialRadius * Ellipsoid.equatorialRadius
        let squaredB = squaredA * (1 - Ellipsoid.eccentricitySquared)
        let a = (dx * dx + dy * dy) / squaredA + dz * dz / squaredB
        let b = foot * dz / squaredB
        let c = foot * foot / squaredB - 1
        let share = ((b * b - a * c).squareRoot() - b) / a
        let fromAxis = share * (dx * dx + dy * dy).squareRoot()
        let latitude = atan2(foot + share * dz, fromAxis * (1 - Ellipsoid.eccentricitySquared))
        let units = Double(Angle.halfTurn) / Double.pi
        return Coordinate(
            latitudeE7: Int32((latitude * units).rounded()),
            longitudeE7: Int32(Angle.wrapped(Int64((atan2(dy, dx) * units).rounded()))))
    }
}

import Glibc
import Model

/// A map of a shape in metres, for a geometry library that knows planes only.
///
/// Lengths are true within 0.03 % up to 250 km from the middle and 0.12 % up to 500 km. Shortest
/// ways on the ellipsoid are almost straight: ``path(through:isClosed:)`` bends them where a
/// centimetre is at stake. Neither antimeridian nor pole is a special place.
///
///     let chart = Chart(around: [line])
///     let path = chart.path(through: line, isClosed: false)
///     let place = chart.coordinate(of: path[0])
public struct Chart: Sendable {
    /// How far an edge may be from where it is drawn, metres.
    private static let sagittaMax = 0.01

    private let plane: Plane

    /// Puts the middle of all points into the middle; no line is empty.
    public init(around lines: [[Coordinate]]) {
        plane = Plane(at: ShapeRings(lines.map { Polygon(outer: $0) }).middle)
    }

    /// Where lengths are true.
    public var middle: Coordinate { plane.origin.coordinate }

    /// Metres east and north of the middle.
    private func point(x: Double, y: Double) -> PlanarShape.Point {
        let share = (x * x + y * y).squareRoot() / plane.normal
        let factor = share > 1e-9 ? atan(share) / share : 1
        return PlanarShape.Point(x: x * factor, y: y * factor)
    }

    /// The place on the map, rounded to 10⁻⁷ degrees.
    public func coordinate(of point: PlanarShape.Point) -> Coordinate {
        let share = (point.x * point.x + point.y * point.y).squareRoot() / plane.normal
        let factor = share > 1e-9 ? tan(share) / share : 1
        return plane.coordinate(x: point.x * factor, y: point.y * factor)
    }

    /// The way along the edges between neighbouring points, with further points where edges bend.
    ///
    /// An edge is drawn the same from both ends, so shapes that share it share it to the last bit.
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

    /// Both ends and what is between them.
    private func way(from start: Coordinate, to end: Coordinate) -> [PlanarShape.Point] {
        let edge = Edge(from: start, to: end, in: plane)
        let (endX, endY) = plane.project(EarthPoint(end))
        let away = max(edge.x * edge.x + edge.y * edge.y, endX * endX + endY * endY).squareRoot()
        // A straight line of length s that passes the middle at a distance h bulges h s² / 12 R².
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
    /// The place on the ellipsoid that is thrown onto a point of the plane, as a coordinate.
    func coordinate(x: Double, y: Double) -> Coordinate {
        let (sine, cosine) = Angle.sineCosine(Int64(origin.coordinate.latitudeE7))
        let (east, west) = Angle.sineCosine(Int64(origin.coordinate.longitudeE7))
        // From the foot of the origin's normal along (dx, dy, dz) until the ellipsoid is met.
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

import Model

/// A zone's shape ready to be asked: how far is this point from the edge, is it inside?
///
/// Distances are along the ellipsoid to the true edge, exact within 0.1 % or 0.5 m (whichever is
/// larger) up to 10 km from it; edges are shortest lines between neighbouring points. Only + − × ÷
/// and √ are used, so every processor gives the same answer to the last bit.
///
/// It never changes; a class, so that a fix that asks many regions copies none.
///
///     let region = Region(zone.geometry)
///     let distance = region?.signedDistance(from: EarthPoint(fix.position))
public final class Region: Sendable {
    /// Beyond this from the enclosing circle, distances are lower bounds, metres.
    static let exactWithin = 500_000.0

    let plane: Plane
    let edges: [Edge]
    private let radius: Double
    /// Metres around the origin that hold all of it.
    let reach: Double
    /// Radius of the largest circle that fits inside, centimetres.
    public let inradiusCentimetres: Int32

    /// Nil for a geometry of a format that this program does not know.
    public init?(_ prepared: PreparedGeometry) {
        guard let plane = Plane(origin: prepared.origin, coefficients: prepared.coefficients)
        else { return nil }
        self.plane = plane
        radius = Double(prepared.radiusCentimetres) / 100
        reach = Double(prepared.reachCentimetres) / 100
        inradiusCentimetres = prepared.inradiusCentimetres
        edges = Edge.all(of: prepared, in: plane)
    }

    /// Whether the region is farther than so many metres from the point, told without looking at
    /// its edges. False says nothing.
    public func isSurelyBeyond(metres: Double, from point: EarthPoint) -> Bool {
        let limit = reach + metres
        return point.squaredChord(to: plane.origin) > limit * limit
    }

    /// Whether the point is inside. A point on an edge that two regions share is in exactly one.
    public func contains(_ point: EarthPoint) -> Bool {
        let squared = point.squaredChord(to: plane.origin)
        guard squared <= reach * reach else { return false }
        if edges.isEmpty { return plane.arc(to: point, chord: squared.squareRoot()) < radius }
        let (x, y) = plane.project(point)
        return isEnclosed(point, x: x, y: y)
    }

    /// Distance to the true edge, negative inside. More than 500 km beyond the circle around the
    /// origin that encloses the region it is the straight distance to that circle, which is less.
    public func signedDistance(from point: EarthPoint) -> SignedDistance {
        let chord = point.squaredChord(to: plane.origin).squareRoot()
        if chord > reach + Region.exactWithin {
            return SignedDistance(metres: chord - reach, inside: false)
        }
        if edges.isEmpty {
            let beyond = plane.arc(to: point, chord: chord) - radius
            return SignedDistance(metres: beyond.magnitude, inside: beyond < 0)
        }
        let (x, y) = plane.project(point)
        let inside = chord <= reach && isEnclosed(point, x: x, y: y)
        return SignedDistance(metres: distanceToEdge(x: x, y: y), inside: inside)
    }

    /// Metres on the ellipsoid from a point of the plane to the nearest edge.
    func distanceToEdge(x: Double, y: Double) -> Double {
        var least = Double.infinity
        var toX = 0.0
        var toY = 0.0
        for edge in edges where edge.isOutline {
            let (dx, dy) = edge.vector(fromX: x, y: y)
            let squared = dx * dx + dy * dy
            if squared < least {
                least = squared
                toX = dx
                toY = dy
            }
        }
        return plane.trueLength(fromX: x, y: y, dx: toX, dy: toY)
    }

    /// Counts the edges between the point and the pole that is farther from the zone: a ring around
    /// the nearer one is then counted right, too.
    private func isEnclosed(_ point: EarthPoint, x: Double, y: Double) -> Bool {
        let southward = plane.origin.coordinate.latitudeE7 >= 0
        var odd = false
        for edge in edges where edge.meets(meridianOf: point) {
            if edge.isSouthOf(point, x: x, y: y) == southward { odd.toggle() }
        }
        return odd
    }
}

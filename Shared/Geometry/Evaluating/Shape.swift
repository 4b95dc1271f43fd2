import Model

/// A region without its edges, which lie in a list that may hold those of many regions.
///
/// Nothing in it is counted by references: asking many shapes costs what their numbers cost.
struct Shape: Sendable {
    /// Beyond this from the enclosing circle, distances are lower bounds, metres.
    static let exactWithin = 500_000.0

    let plane: Plane
    /// Of a circle, metres.
    let radius: Double
    /// Metres around the origin that hold all of it.
    let reach: Double
    let inradiusCentimetres: Int32
    /// The first edge and how many there are; none for a circle.
    private(set) var edgesStart: Int32
    let edgesCount: Int32

    /// - Parameter edges: gets those of the shape appended
    init?(_ prepared: PreparedGeometry, edges: inout [Edge]) {
        guard let plane = Plane(origin: prepared.origin, coefficients: prepared.coefficients)
        else { return nil }
        self.plane = plane
        radius = Double(prepared.radiusCentimetres) / 100
        reach = Double(prepared.reachCentimetres) / 100
        inradiusCentimetres = prepared.inradiusCentimetres
        let own = Edge.all(of: prepared, in: plane)
        edgesStart = Int32(edges.count)
        edgesCount = Int32(own.count)
        edges += own
    }

    var isCircle: Bool { edgesCount == 0 }

    var places: Range<Int> { Int(edgesStart)..<Int(edgesStart + edgesCount) }

    /// The same with its edges appended to another list.
    func moved(_ own: [Edge], to edges: inout [Edge]) -> Shape {
        var shape = self
        shape.edgesStart = Int32(edges.count)
        edges += own
        return shape
    }

    /// Metres of chord around the origin within which all is inside; negative if nothing surely is.
    func core(_ edges: [Edge]) -> Double {
        guard reach > 0, contains(plane.origin, edges) else { return -1 }
        let distance = signedDistance(from: plane.origin, edges)
        let depth = Double(-distance.centimetres) / 100
        // An arc is longer than its chord by at most this, on a ball smaller than the earth; and
        // distances are exact within 0.1 % or 50 cm.
        let arc = depth * 0.999 - 0.5
        return arc - arc * arc * arc / (24 * 6_300_000 * 6_300_000)
    }

    func isSurelyBeyond(metres: Double, from point: EarthPoint) -> Bool {
        let limit = reach + metres
        return point.squaredChord(to: plane.origin) > limit * limit
    }

    func contains(_ point: EarthPoint, _ edges: [Edge]) -> Bool {
        let squared = point.squaredChord(to: plane.origin)
        guard squared <= reach * reach else { return false }
        if isCircle { return plane.arc(to: point, chord: squared.squareRoot()) < radius }
        let (x, y) = plane.project(point)
        return isEnclosed(point, x: x, y: y, edges)
    }

    func signedDistance(from point: EarthPoint, _ edges: [Edge]) -> SignedDistance {
        let chord = point.squaredChord(to: plane.origin).squareRoot()
        if chord > reach + Shape.exactWithin {
            return SignedDistance(metres: chord - reach, inside: false)
        }
        if isCircle {
            let beyond = plane.arc(to: point, chord: chord) - radius
            return SignedDistance(metres: beyond.magnitude, inside: beyond < 0)
        }
        let (x, y) = plane.project(point)
        let inside = chord <= reach && isEnclosed(point, x: x, y: y, edges)
        return SignedDistance(metres: distanceToEdge(x: x, y: y, edges), inside: inside)
    }

    /// Metres on the ellipsoid from a point of the plane to the nearest edge.
    private func distanceToEdge(x: Double, y: Double, _ edges: [Edge]) -> Double {
        var least = Double.infinity
        var toX = 0.0
        var toY = 0.0
        for place in places where edges[place].isOutline {
            let (dx, dy) = edges[place].vector(fromX: x, y: y)
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
    private func isEnclosed(_ point: EarthPoint, x: Double, y: Double, _ edges: [Edge]) -> Bool {
        let southward = plane.origin.coordinate.latitudeE7 >= 0
        var odd = false
        for place in places where edges[place].meets(meridianOf: point) {
            if edges[place].isSouthOf(point, x: x, y: y) == southward { odd.toggle() }
        }
        return odd
    }
}

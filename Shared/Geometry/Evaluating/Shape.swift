import Model

/// A region whose vertices are stored in a list shared with other regions.
///
/// Contains no references, so access to many shapes needs no reference counting.
struct Shape: Sendable {
    /// Beyond this distance from the enclosing circle, distances are lower bounds, metres.
    static let exactWithin = 500_000.0

    private let seed: Plane.Seed
    /// Radius of a circle.
    private let radiusCentimetres: Int32
    private let reachCentimetres: Int32
    let inradiusCentimetres: Int32
    /// Index of the first vertex, and number of vertices; 0 for a circle.
    private(set) var cornersStart: Int32
    let cornersCount: Int32

    /// The shape and its vertices.
    ///
    /// Nil for an unknown format and for values that are not possible on earth.
    static func prepared(_ prepared: PreparedGeometry) -> (Shape, [Corner])? {
        let lengths = [
            prepared.radiusCentimetres, prepared.reachCentimetres, prepared.inradiusCentimetres,
        ]
        guard lengths.allSatisfy({ $0 >= 0 }),
            let seed = Plane.Seed(origin: prepared.origin, coefficients: prepared.coefficients)
        else { return nil }
        let corners = prepared.corners(in: Plane(seed))
        return (Shape(prepared, seed, cornersCount: Int32(corners.count)), corners)
    }

    private init(_ prepared: PreparedGeometry, _ seed: Plane.Seed, cornersCount: Int32) {
        self.seed = seed
        radiusCentimetres = prepared.radiusCentimetres
        reachCentimetres = prepared.reachCentimetres
        inradiusCentimetres = prepared.inradiusCentimetres
        cornersStart = 0
        self.cornersCount = cornersCount
    }

    /// Computed on each access, which is cheaper than loading it from memory.
    @inline(__always)
    var plane: Plane { Plane(seed) }

    /// Radius of a circle in metres.
    var radius: Double { Double(radiusCentimetres) / 100 }

    /// Radius around the origin that contains the shape, metres.
    var reach: Double { Double(reachCentimetres) / 100 }

    var isCircle: Bool { cornersCount == 0 }

    /// A copy whose vertices are appended to another list.
    func moved(_ own: [Corner], to corners: inout [Corner]) -> Shape {
        var shape = self
        shape.cornersStart = Int32(corners.count)
        corners += own
        return shape
    }

    /// Calls the closure for the edges of all rings.
    @inline(__always)
    func forEachEdge(_ corners: [Corner], _ body: (Edge) -> Void) {
        var first = Int(cornersStart)
        for index in first..<first + Int(cornersCount) {
            let corner = corners[index]
            body(Edge(from: corner, to: corners[corner.isLast ? first : index + 1]))
            if corner.isLast { first = index + 1 }
        }
    }

    /// Radius (chord) around the origin that is completely inside, metres; negative if none is
    /// known.
    func core(_ corners: [Corner]) -> Double {
        let origin = plane.origin
        guard reach > 0, contains(origin, corners) else { return -1 }
        let distance = signedDistance(from: origin, corners)
        let depth = Double(-distance.centimetres) / 100
        // Maximum excess of an arc over its chord on a sphere smaller than the earth. Distances
        // have an error of at most 0.1 % or 50 cm.
        let arc = depth * 0.999 - 0.5
        return arc - arc * arc * arc / (24 * 6_300_000 * 6_300_000)
    }

    func isSurelyBeyond(metres: Double, from point: EarthPoint) -> Bool {
        let limit = reach + metres
        return point.squaredChord(to: plane.origin) > limit * limit
    }

    func contains(_ point: EarthPoint, _ corners: [Corner]) -> Bool {
        let plane = plane
        let squared = point.squaredChord(to: plane.origin)
        guard squared <= reach * reach else { return false }
        if isCircle { return plane.arc(to: point, chord: squared.squareRoot()) < radius }
        let (x, y) = plane.project(point)
        return isEnclosed(point, x: x, y: y, corners)
    }

    func signedDistance(from point: EarthPoint, _ corners: [Corner]) -> SignedDistance {
        let plane = plane
        let chord = point.squaredChord(to: plane.origin).squareRoot()
        if chord > reach + Shape.exactWithin {
            return SignedDistance(metres: chord - reach, inside: false)
        }
        if isCircle {
            let beyond = plane.arc(to: point, chord: chord) - radius
            return SignedDistance(metres: beyond.magnitude, inside: beyond < 0)
        }
        let (x, y) = plane.project(point)
        let inside = chord <= reach && isEnclosed(point, x: x, y: y, corners)
        let (dx, dy) = vectorToEdge(x: x, y: y, corners)
        return SignedDistance(
            metres: plane.trueLength(fromX: x, y: y, dx: dx, dy: dy), inside: inside)
    }

    /// Vector from a point of the plane to the nearest edge.
    private func vectorToEdge(x: Double, y: Double, _ corners: [Corner]) -> (Double, Double) {
        var least = Double.infinity
        var toX = 0.0
        var toY = 0.0
        forEachEdge(corners) { edge in
            let (dx, dy) = edge.vector(fromX: x, y: y)
            let squared = dx * dx + dy * dy
            if edge.isOutline, squared < least {
                least = squared
                toX = dx
                toY = dy
            }
        }
        return (toX, toY)
    }

    /// Counts the edges between the point and the pole that is farther from the zone. This is
    /// correct even for a ring around the nearer pole.
    private func isEnclosed(_ point: EarthPoint, x: Double, y: Double, _ corners: [Corner]) -> Bool
    {
        let southward = seed.origin.latitudeE7 >= 0
        var odd = false
        forEachEdge(corners) { edge in
            if edge.meets(meridianOf: point), edge.isSouthOf(point, x: x, y: y) == southward {
                odd.toggle()
            }
        }
        return odd
    }
}

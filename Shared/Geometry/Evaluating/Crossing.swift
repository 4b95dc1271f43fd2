import Model

// The shortest way between two fixes: what does it pass through?

extension Region {
    /// Whether the shortest way from one point to the other leads through the region although
    /// neither of them is inside; within 50 cm for ways of up to 10 km.
    ///
    /// False where an end is more than 500 km from the circle that encloses the region.
    public func isCrossed(from: EarthPoint, to: EarthPoint) -> Bool {
        shape.isCrossed(from: from, to: to, corners)
    }
}

extension RegionSet {
    /// As ``Region/isCrossed(from:to:)``.
    public func isCrossed(_ place: Int, from: EarthPoint, to: EarthPoint) -> Bool {
        shapes[place].isCrossed(from: from, to: to, corners)
    }

    /// Appends the indices of all regions that the shortest way from one point to the other may
    /// pass through, those that hold its ends, too, and perhaps of some that it passes by; each
    /// once, in no order that means anything.
    public func append(
        crossedBy from: EarthPoint, to: EarthPoint, to places: inout [Int32]
    ) {
        var search = Along(from, to, places: places)
        places = []
        tree.search(&search)
        places = search.places
    }
}

extension Shape {
    func isCrossed(from: EarthPoint, to: EarthPoint, _ corners: [Corner]) -> Bool {
        let plane = plane
        let far = reach + Shape.exactWithin
        guard from.squaredChord(to: plane.origin) <= far * far,
            to.squaredChord(to: plane.origin) <= far * far
        else { return false }
        let (x, y) = plane.project(from)
        let (endX, endY) = plane.project(to)
        guard meetsOutline(plane, x: x, y: y, dx: endX - x, dy: endY - y, corners) else {
            return false
        }
        return !contains(from, corners) && !contains(to, corners)
    }

    /// Whether the straight way from (x, y) goes through the outline, or into the circle.
    private func meetsOutline(
        _ plane: Plane, x: Double, y: Double, dx: Double, dy: Double, _ corners: [Corner]
    ) -> Bool {
        guard !isCircle else {
            let squared = dx * dx + dy * dy
            let share = squared > 0 ? min(max(-(x * dx + y * dy) / squared, 0), 1) : 0
            return plane.arc(toX: x + share * dx, y: y + share * dy) < radius
        }
        var isCut = false
        forEachEdge(corners) { edge in
            if !isCut, edge.isOutline { isCut = edge.isCut(x: x, y: y, dx: dx, dy: dy) }
        }
        return isCut
    }
}

extension Edge {
    /// Whether the straight way from (x, y) goes from one side of the edge to the other, or on it.
    func isCut(x px: Double, y py: Double, dx wayX: Double, dy wayY: Double) -> Bool {
        let toX = x - px
        let toY = y - py
        // Where the way's ends are beside the edge, and the edge's ends beside the way.
        let from = dx * toY - dy * toX
        let to = dx * (toY - wayY) - dy * (toX - wayX)
        let start = wayX * toY - wayY * toX
        let end = wayX * (toY + dy) - wayY * (toX + dx)
        guard min(from, to) <= 0, max(from, to) >= 0, min(start, end) <= 0, max(start, end) >= 0
        else { return false }
        // All on one line: only if they overlap.
        if from == 0, to == 0 {
            let least = min(px, px + wayX)
            let most = max(px, px + wayX)
            let low = min(py, py + wayY)
            let high = max(py, py + wayY)
            return min(x, x + dx) <= most && max(x, x + dx) >= least
                && min(y, y + dy) <= high && max(y, y + dy) >= low
        }
        return true
    }
}

extension Plane {
    /// Length on the ellipsoid from the origin to a point of the plane, metres.
    func arc(toX x: Double, y: Double) -> Double {
        let share = (x * x + y * y) / (normal * normal)
        // The chord of a sphere under a plane that touches it; what the ellipsoid differs by is
        // in the curvature.
        let stretch = 1 + share
        let chord = ((x * x + y * y) * 2 / (stretch + stretch.squareRoot())).squareRoot()
        return arc(toX: x, y: y, chord: chord)
    }
}

/// All that a way may pass through.
private struct Along: BallSearch {
    /// Where the way begins and how it goes, decimetres.
    private let start: SIMD4<Double>
    private let way: SIMD4<Double>
    private let squaredLength: Double
    /// The shortest way on the ellipsoid is so far from the straight one through it, decimetres.
    private let bulge: Double
    var places: [Int32]

    init(_ from: EarthPoint, _ to: EarthPoint, places: [Int32]) {
        start = Along.decimetres(SpacePoint(from))
        way = Along.decimetres(SpacePoint(to)) - start
        squaredLength = (way * way).sum()
        // Chord² ÷ 8 radii for a short way, twice as much from one side of the earth to the other;
        // the smallest radius of curvature, and a metre for rounding.
        bulge = squaredLength / (4 * 63_300_000) + 10
        self.places = places
    }

    private static func decimetres(_ point: SpacePoint) -> SIMD4<Double> {
        SIMD4(Double(point.x), Double(point.y), Double(point.z), 0)
    }

    func admits(_ box: BallTree.Box) -> Bool {
        var enters = 0.0
        var leaves = 1.0
        for axis in 0..<3 {
            let low = Double(box.low[axis]) - bulge - start[axis]
            let high = Double(box.high[axis]) + bulge - start[axis]
            if way[axis] == 0 {
                if low > 0 || high < 0 { return false }
                continue
            }
            let one = low / way[axis]
            let other = high / way[axis]
            enters = max(enters, min(one, other))
            leaves = min(leaves, max(one, other))
        }
        return enters <= leaves
    }

    mutating func meet(_ ball: BallTree.Ball) {
        let middle = Along.decimetres(ball.middle) - start
        let along = (middle * way).sum()
        let share = squaredLength > 0 ? min(max(along / squaredLength, 0), 1) : 0
        let away = middle - way * share
        let reach = Double(ball.reach) + bulge
        if (away * away).sum() <= reach * reach { places.append(ball.place) }
    }
}

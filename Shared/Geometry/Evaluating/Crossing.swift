import Model

// MARK: - Paths between two fixes

extension Region {
    /// Whether the shortest path between two points crosses the region, with both ends outside.
    ///
    /// Accurate to 50 cm for paths of up to 10 km. False if an end is more than 500 km from the
    /// region's enclosing circle.
    public func isCrossed(from: EarthPoint, to: EarthPoint) -> Bool {
        shape.isCrossed(from: from, to: to, corners)
    }
}

extension RegionSet {
    /// ``Region/isCrossed(from:to:)`` for one region of the set.
    public func isCrossed(_ index: Int, from: EarthPoint, to: EarthPoint) -> Bool {
        shapes[index].isCrossed(from: from, to: to, corners)
    }

    /// Appends the indices of all regions that the shortest path between two points may cross.
    ///
    /// Includes regions that contain an end, and possibly some that the path only passes nearby.
    /// Each index is appended once, in unspecified order.
    public func append(
        crossedBy from: EarthPoint, to: EarthPoint, to indices: inout [Int32]
    ) {
        var search = PathSearch(from, to, indices: indices)
        indices = []
        tree.search(&search)
        indices = search.indices
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
        guard intersectsOutline(plane, x: x, y: y, dx: endX - x, dy: endY - y, corners) else {
            return false
        }
        return !contains(from, corners) && !contains(to, corners)
    }

    /// Whether the straight path from (x, y) intersects the outline or the circle.
    private func intersectsOutline(
        _ plane: Plane, x: Double, y: Double, dx: Double, dy: Double, _ corners: [Corner]
    ) -> Bool {
        guard !isCircle else {
            let squared = dx * dx + dy * dy
            let share = squared > 0 ? min(max(-(x * dx + y * dy) / squared, 0), 1) : 0
            return plane.arc(toX: x + share * dx, y: y + share * dy) < radius
        }
        var isIntersected = false
        forEachEdge(corners) { edge in
            if !isIntersected, edge.isOutline {
                isIntersected = edge.isIntersected(x: x, y: y, dx: dx, dy: dy)
            }
        }
        return isIntersected
    }
}

extension Edge {
    /// Whether the straight path from (x, y) crosses or touches the edge.
    func isIntersected(x px: Double, y py: Double, dx wayX: Double, dy wayY: Double) -> Bool {
        let toX = x - px
        let toY = y - py
        // Signed offsets of the path's ends from the edge, and of the edge's ends from the path.
        let from = dx * toY - dy * toX
        let to = dx * (toY - wayY) - dy * (toX - wayX)
        let start = wayX * toY - wayY * toX
        let end = wayX * (toY + dy) - wayY * (toX + dx)
        guard min(from, to) <= 0, max(from, to) >= 0, min(start, end) <= 0, max(start, end) >= 0
        else { return false }
        // Collinear segments intersect only if they overlap.
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
        // Chord of a sphere below a tangent plane; the curvature accounts for the ellipsoid.
        let stretch = 1 + share
        let chord = ((x * x + y * y) * 2 / (stretch + stretch.squareRoot())).squareRoot()
        return arc(toX: x, y: y, chord: chord)
    }
}

/// Finds all regions that a path may cross.
private struct PathSearch: BallSearch {
    /// Start and direction of the path, decimetres.
    private let start: SIMD4<Double>
    private let way: SIMD4<Double>
    private let squaredLength: Double
    /// Maximum distance between the shortest path on the ellipsoid and its chord, decimetres.
    private let bulge: Double
    var indices: [Int32]

    init(_ from: EarthPoint, _ to: EarthPoint, indices: [Int32]) {
        start = PathSearch.decimetres(SpacePoint(from))
        way = PathSearch.decimetres(SpacePoint(to)) - start
        squaredLength = (way * way).sum()
        // Chord² ÷ 8 radii for a short path, and twice that across the earth; with the smallest
        // radius of curvature, plus one metre for rounding.
        bulge = squaredLength / (4 * 63_300_000) + 10
        self.indices = indices
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

    mutating func visit(_ ball: BallTree.Ball) {
        let middle = PathSearch.decimetres(ball.middle) - start
        let along = (middle * way).sum()
        let share = squaredLength > 0 ? min(max(along / squaredLength, 0), 1) : 0
        let away = middle - way * share
        let reach = Double(ball.reach) + bulge
        if (away * away).sum() <= reach * reach { indices.append(ball.index) }
    }
}

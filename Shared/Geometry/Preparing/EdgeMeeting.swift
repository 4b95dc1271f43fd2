import Model

extension Edge {
    /// Tolerance for touching, metres: less than the 11 mm between two coordinates.
    static let touch = 0.001

    var length: Double { (dx * dx + dy * dy).squareRoot() }

    /// The fraction of this edge, 0 to 1, at which it crosses the other edge; nil if it does not.
    ///
    /// - Parameter touching: whether an end of one edge on the other counts
    func meeting(_ other: Edge, touching: Bool) -> Double? {
        let slack = touching ? Edge.touch : -Edge.touch
        guard crossesLine(of: other, slack: slack), other.crossesLine(of: self, slack: slack)
        else { return touching ? end(on: other) : nil }
        let denominator = dx * other.dy - dy * other.dx
        guard denominator != 0 else { return touching ? end(on: other) : nil }
        let share = ((other.x - x) * other.dy - (other.y - y) * other.dx) / denominator
        return min(max(share, 0), 1)
    }

    /// Whether the ends are on different sides of the other edge's line.
    private func crossesLine(of other: Edge, slack: Double) -> Bool {
        let start = other.offset(x: x, y: y)
        let end = other.offset(x: x + dx, y: y + dy)
        return min(start, end) < slack && max(start, end) > -slack
    }

    /// Signed distance to the left of this edge's line, metres.
    private func offset(x px: Double, y py: Double) -> Double {
        (dx * (py - y) - dy * (px - x)) / length
    }

    /// The fraction at which an end of either edge is on the other.
    private func end(on other: Edge) -> Double? {
        if other.isTouched(x: x, y: y) { return 0 }
        if other.isTouched(x: x + dx, y: y + dy) { return 1 }
        for (px, py) in [(other.x, other.y), (other.x + other.dx, other.y + other.dy)]
        where isTouched(x: px, y: py) {
            return ((px - x) * dx + (py - y) * dy) / (dx * dx + dy * dy)
        }
        return nil
    }

    private func isTouched(x px: Double, y py: Double) -> Bool {
        let (toX, toY) = vector(fromX: px, y: py)
        return toX * toX + toY * toY < Edge.touch * Edge.touch
    }

    /// The coordinate at a fraction of the edge, interpolated linearly.
    func coordinate(at share: Double) -> Coordinate {
        let east = Angle.wrapped(Int64(end.longitudeE7) - Int64(start.longitudeE7))
        let north = Int64(end.latitudeE7) - Int64(start.latitudeE7)
        let longitude = Int64(start.longitudeE7) + Int64((Double(east) * share).rounded())
        let latitude = Int64(start.latitudeE7) + Int64((Double(north) * share).rounded())
        return Coordinate(
            latitudeE7: Int32(latitude), longitudeE7: Int32(Angle.wrapped(longitude)))
    }
}

extension [Edge] {
    /// Distance in the plane to the nearest edge, metres.
    func clearance(x: Double, y: Double) -> Double {
        var least = Double.infinity
        for edge in self {
            let (dx, dy) = edge.vector(fromX: x, y: y)
            least = Swift.min(least, dx * dx + dy * dy)
        }
        return least.squareRoot()
    }

    /// Whether the rings formed by the edges enclose a point of the plane (even-odd rule).
    func enclose(x: Double, y: Double) -> Bool {
        var odd = false
        for edge in self where (edge.y > y) != (edge.y + edge.dy > y) {
            if edge.x + (y - edge.y) / edge.dy * edge.dx > x { odd.toggle() }
        }
        return odd
    }
}

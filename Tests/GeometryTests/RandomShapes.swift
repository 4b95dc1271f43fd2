import Model

extension RandomNumberGenerator {
    mutating func number(_ range: ClosedRange<Double>) -> Double {
        Double.random(in: range, using: &self)
    }

    /// A star-shaped ring: it never crosses itself.
    mutating func ring(
        around middle: Coordinate, points: Int, metres: ClosedRange<Double>
    ) -> [Coordinate] {
        let turn = number(0...360)
        return (0..<points).map { index in
            let azimuth = turn + 360 * (Double(index) + number(0.1...0.9)) / Double(points)
            return middle.moved(azimuth: azimuth, metres: number(metres))
        }
    }

    /// A polygon of at most this radius; every second one has a hole.
    mutating func polygon(around middle: Coordinate, metres: Double) -> Polygon {
        let outer = ring(
            around: middle, points: .random(in: 5...9, using: &self), metres: metres / 2...metres)
        guard Bool.random(using: &self) else { return Polygon(outer: outer) }
        let hole = ring(around: middle, points: 5, metres: metres / 50...metres / 8)
        return Polygon(outer: outer, holes: [hole])
    }
}

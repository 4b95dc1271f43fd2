/// Tests on which side of up to 16 circles a point lies.
///
/// This test dominates the cost of a fix, so SIMD instructions evaluate four circles at once.
struct Circles: Sendable {
    static let count = 16

    /// A point on a local map, metres east and north of its centre.
    struct LocalPoint: Hashable, Sendable {
        var east: Float
        var north: Float

        @inline(__always)
        func squaredMetres(to other: LocalPoint) -> Float {
            let east = east - other.east
            let north = north - other.north
            return east * east + north * north
        }
    }

    /// One circle and the side that a point must be on.
    struct Side: Sendable {
        var middle: LocalPoint
        /// Metres; negative = no point is on the side.
        var radius: Float
        var isInside: Bool
        /// Distance from the circle's centre to the zone's edge, metres.
        var edge: Float
        /// Whether that edge is a circle around the centre. Otherwise only its distance from the
        /// centre is known.
        var isRound: Bool
    }

    private var east = InlineArray<4, SIMD4<Float>>(repeating: SIMD4(repeating: 0))
    private var north = InlineArray<4, SIMD4<Float>>(repeating: SIMD4(repeating: 0))
    /// 1 = a point must be inside, −1 = outside.
    private var sign = InlineArray<4, SIMD4<Float>>(repeating: SIMD4(repeating: 1))
    /// Squared radius times the sign. Unused lanes accept every point.
    private var square = InlineArray<4, SIMD4<Float>>(repeating: SIMD4(repeating: .infinity))

    private var edge = InlineArray<4, SIMD4<Float>>(repeating: SIMD4(repeating: .infinity))
    /// How much farther away than its minimum an edge may be, as a factor of the distance from the
    /// circle's centre.
    private var stretch = InlineArray<4, SIMD4<Float>>(repeating: SIMD4(repeating: 0))

    mutating func set(_ index: Int, _ side: Side) {
        let (four, lane) = (index >> 2, index & 3)
        let squared = side.radius < 0 ? -1 : side.radius * side.radius
        let sign: Float = side.isInside || side.radius < 0 ? 1 : -1
        east[four][lane] = side.middle.east
        north[four][lane] = side.middle.north
        self.sign[four][lane] = sign
        square[four][lane] = sign * squared
        edge[four][lane] = side.edge
        stretch[four][lane] = side.isRound ? 0 : 2
    }

    /// Whether a point is on the required side of every circle.
    @inline(__always)
    func allContain(_ localPoint: LocalPoint) -> Bool {
        let east = SIMD4<Float>(repeating: localPoint.east)
        let north = SIMD4<Float>(repeating: localPoint.north)
        // A negative value means the required side, so the sign bits are combined.
        let one = signs(0, east, north) & signs(1, east, north)
        let other = signs(2, east, north) & signs(3, east, north)
        let all = unsafeBitCast(one & other, to: SIMD2<UInt64>.self)
        let allNegative: UInt64 = 0x8000_0000_8000_0000
        return all[0] & all[1] & allNegative == allNegative
    }

    @inline(__always)
    private func signs(
        _ four: Int, _ east: SIMD4<Float>, _ north: SIMD4<Float>
    ) -> SIMD4<UInt32> {
        let dx = self.east[four] - east
        let dy = self.north[four] - north
        let beyond = (dx * dx + dy * dy) * sign[four] - square[four]
        return unsafeBitCast(beyond, to: SIMD4<UInt32>.self)
    }

    /// The first circle in `start..<end` on whose required side the point is not.
    @inline(__always)
    func firstViolated(_ localPoint: LocalPoint, from start: Int, to end: Int) -> Int? {
        let east = SIMD4<Float>(repeating: localPoint.east)
        let north = SIMD4<Float>(repeating: localPoint.north)
        // One bit for each circle whose required side the point is not on.
        let last = bits(3, east, north) << 12 | bits(2, east, north) << 8
        let beyond = last | bits(1, east, north) << 4 | bits(0, east, north)
        let index = (beyond & (-1 &<< start)).trailingZeroBitCount
        return index < end ? index : nil
    }

    @inline(__always)
    private func bits(_ four: Int, _ east: SIMD4<Float>, _ north: SIMD4<Float>) -> Int {
        let beyond = (~signs(four, east, north) &>> 31) &<< SIMD4(0, 1, 2, 3)
        return Int(beyond.wrappedSum())
    }

    /// Bounds of the distance from a point to the nearest edge, metres on the map. Valid if the
    /// point is on the required side of every circle or at its centre.
    mutating func nearest(to localPoint: LocalPoint) -> (least: Float, most: Float) {
        let east = SIMD4<Float>(repeating: localPoint.east)
        let north = SIMD4<Float>(repeating: localPoint.north)
        var least = SIMD4<Float>(repeating: .infinity)
        var most = SIMD4<Float>(repeating: .infinity)
        for four in 0..<4 {
            let dx = self.east[four] - east
            let dy = self.north[four] - north
            let away = (dx * dx + dy * dy).squareRoot()
            let toEdge = away - edge[four]
            let nearest = toEdge.replacing(with: -toEdge, where: toEdge .< 0)
            let farthest = nearest + away * stretch[four]
            least.replace(with: nearest, where: nearest .< least)
            most.replace(with: farthest, where: farthest .< most)
        }
        return (least.min(), most.min())
    }
}

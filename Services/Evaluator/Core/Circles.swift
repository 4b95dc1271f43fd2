/// Circles on a map: on which side of them a spot is, of all of them at once.
///
/// What a fix costs is mostly this, so a few instructions ask four of them.
struct Circles: Sendable {
    static let count = 16

    /// Where one is, metres east and north of the map's middle.
    struct Spot: Hashable, Sendable {
        var east: Float
        var north: Float

        @inline(__always)
        func squaredMetres(to other: Spot) -> Float {
            let east = east - other.east
            let north = north - other.north
            return east * east + north * north
        }
    }

    /// One circle and its side that is wanted.
    struct Side: Sendable {
        var middle: Spot
        /// Metres; negative = no spot is on the side.
        var radius: Float
        var isInside: Bool
        /// From the middle to an edge, metres.
        var edge: Float
        /// Whether that edge is a circle around the middle; else it is somewhere so far away.
        var isRound: Bool
    }

    private var east = InlineArray<4, SIMD4<Float>>(repeating: SIMD4(repeating: 0))
    private var north = InlineArray<4, SIMD4<Float>>(repeating: SIMD4(repeating: 0))
    /// 1 where the inside is wanted, −1 where the outside is.
    private var sign = InlineArray<4, SIMD4<Float>>(repeating: SIMD4(repeating: 1))
    /// The square of the radius times the sign; where there is no circle all is on its side.
    private var square = InlineArray<4, SIMD4<Float>>(repeating: SIMD4(repeating: .infinity))

    private var edge = InlineArray<4, SIMD4<Float>>(repeating: SIMD4(repeating: .infinity))
    /// By how much of the way from the middle an edge may be farther away than it is at least.
    private var stretch = InlineArray<4, SIMD4<Float>>(repeating: SIMD4(repeating: 0))

    mutating func set(_ index: Int, _ side: Side) {
        let (four, place) = (index >> 2, index & 3)
        let squared = side.radius < 0 ? -1 : side.radius * side.radius
        let sign: Float = side.isInside || side.radius < 0 ? 1 : -1
        east[four][place] = side.middle.east
        north[four][place] = side.middle.north
        self.sign[four][place] = sign
        square[four][place] = sign * squared
        edge[four][place] = side.edge
        stretch[four][place] = side.isRound ? 0 : 2
    }

    /// Whether a spot is on the wanted side of every circle.
    @inline(__always)
    func hold(_ spot: Spot) -> Bool {
        let east = SIMD4<Float>(repeating: spot.east)
        let north = SIMD4<Float>(repeating: spot.north)
        // Less than 0 on the wanted side: the signs of all are one bit each.
        let one = signs(0, east, north) & signs(1, east, north)
        let other = signs(2, east, north) & signs(3, east, north)
        let all = unsafeBitCast(one & other, to: SIMD2<UInt64>.self)
        let wanted: UInt64 = 0x8000_0000_8000_0000
        return all[0] & all[1] & wanted == wanted
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

    /// The first circle from an index on, before an end, on whose wanted side a spot is not.
    @inline(__always)
    func firstBeyond(_ spot: Spot, from start: Int, to end: Int) -> Int? {
        let east = SIMD4<Float>(repeating: spot.east)
        let north = SIMD4<Float>(repeating: spot.north)
        // A bit for each circle that the spot is beyond.
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

    /// How far the nearest edge is from a spot at least and at most, metres on the map, if the spot
    /// is on the wanted side of every circle, or in its middle.
    mutating func nearest(to spot: Spot) -> (least: Float, most: Float) {
        let east = SIMD4<Float>(repeating: spot.east)
        let north = SIMD4<Float>(repeating: spot.north)
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

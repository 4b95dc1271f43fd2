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
        var index = start
        while index < end {
            let (four, place) = (index >> 2, index & 3)
            let dx = east[four][place] - spot.east
            let dy = north[four][place] - spot.north
            if (dx * dx + dy * dy) * sign[four][place] - square[four][place] >= 0 { return index }
            index += 1
        }
        return nil
    }

    /// How far the nearest edge is from a spot at least and at most, metres on the map, if the spot
    /// is on the wanted side of every circle, or in its middle.
    func nearest(to spot: Spot) -> (least: Float, most: Float) {
        let east = SIMD4<Float>(repeating: spot.east)
        let north = SIMD4<Float>(repeating: spot.north)
        var least = Float.infinity
        var most = Float.infinity
        for four in 0..<4 {
            let dx = self.east[four] - east
            let dy = self.north[four] - north
            let away = (dx * dx + dy * dy).squareRoot()
            let toEdge = away - edge[four]
            let more = away * stretch[four]
            for place in 0..<4 {
                let nearest = toEdge[place].magnitude
                least = min(least, nearest)
                most = min(most, nearest + more[place])
            }
        }
        return (least, most)
    }
}

/// Balls by the cubes that they meet: finds those that hold a point by one look per size of cube.
struct CubeIndex: Sendable {
    /// A ball as it is listed in a cube, in the cube's units from its corner.
    struct Ball {
        var x: Int16
        var y: Int16
        var z: Int16
        /// The region is within this.
        var reach: UInt16
        /// All within this is of the region; 0 if nothing surely is.
        var core: UInt16
        /// Index of the region.
        var place: Int32
    }

    /// Sizes in use, ascending.
    private let sizes: [Int]
    private let table: CubeTable
    /// Cube by cube; in each, ascending by place.
    private let balls: [Ball]

    /// - Parameters:
    ///   - spans: by place
    ///   - cores: by place, metres around the origin that are all inside; 0 or less for none
    init(_ spans: [CubeSpan], cores: [Double]) {
        var table = CubeTable()
        // One region's after the other's, and where each region's end.
        var cubes: [Cube] = []
        var ends: [Int] = []
        ends.reserveCapacity(spans.count)
        for span in spans {
            span.forEachCube { cube in
                table.count(cube.key)
                cubes.append(cube)
            }
            ends.append(cubes.count)
        }
        let end = table.layOut()
        var balls = [Ball](
            repeating: Ball(x: 0, y: 0, z: 0, reach: 0, core: 0, place: 0), count: end)
        // Backwards, because a cube's list is filled from its end.
        for place in spans.indices.reversed() {
            for cube in cubes[(place > 0 ? ends[place - 1] : 0)..<ends[place]] {
                balls[table.take(cube.key)] = CubeIndex.ball(
                    spans[place], core: cores[place], in: cube, place: place)
            }
        }
        sizes = Set(spans.map(\.size)).sorted()
        self.table = table
        self.balls = balls
    }

    /// A unit is 2 to this decimetres: three widths are then less than 2¹⁵ units.
    @inline(__always)
    private static func unitBits(_ size: Int) -> Int64 { max(0, Cube.shift(size) - 13) }

    private static func ball(
        _ span: CubeSpan, core: Double, in cube: Cube, place: Int
    ) -> Ball {
        let bits = unitBits(cube.size)
        let corner = cube.corner
        // Ball and point are rounded down, by less than a unit along each axis.
        let lost: Int64 = 2
        let reach = (Int64(span.reach) >> bits) + 1 + lost
        let core = (Int64(core * 10) >> bits) - 1 - lost
        return Ball(
            x: Int16(truncatingIfNeeded: (Int64(span.middle.x) - corner.x) >> bits),
            y: Int16(truncatingIfNeeded: (Int64(span.middle.y) - corner.y) >> bits),
            z: Int16(truncatingIfNeeded: (Int64(span.middle.z) - corner.z) >> bits),
            reach: UInt16(clamping: reach), core: UInt16(clamping: core), place: Int32(place))
    }

    /// Appends the balls that hold the point, and perhaps some that nearly do.
    func append(near point: EarthPoint, to found: inout [NearRegion]) {
        let point = SpacePoint(point)
        for size in sizes {
            let list = table[Cube(at: point, size: size).key]
            guard !list.isEmpty else { continue }
            let within = Int32(truncatingIfNeeded: Cube.width(size) - 1)
            let bits = Int32(truncatingIfNeeded: CubeIndex.unitBits(size))
            let fromX = (point.x & within) >> bits
            let fromY = (point.y & within) >> bits
            let fromZ = (point.z & within) >> bits
            for index in list {
                let ball = balls[index]
                // 3 × (3 × 2¹³)² is less than 2³¹.
                let dx = Int32(ball.x) &- fromX
                let dy = Int32(ball.y) &- fromY
                let dz = Int32(ball.z) &- fromZ
                let squared = UInt32(bitPattern: dx &* dx &+ dy &* dy &+ dz &* dz)
                if squared <= UInt32(ball.reach) &* UInt32(ball.reach) {
                    let isCore = squared < UInt32(ball.core) &* UInt32(ball.core)
                    found.append(NearRegion(place: ball.place, isSurelyInside: isCore))
                }
            }
        }
    }

    var bytes: Int { table.bytes + balls.count * MemoryLayout<Ball>.stride }
}

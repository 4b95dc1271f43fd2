/// Index of balls by cubes: finds the balls that contain a point with one lookup per cube size.
struct CubeIndex: Sendable {
    /// A ball as listed in a cube, in the cube's units relative to its corner.
    struct Ball {
        var x: Int16
        var y: Int16
        var z: Int16
        /// Radius that contains the region.
        var reach: UInt16
        /// Radius that is completely inside the region; 0 if none is known.
        var core: UInt16
        /// Index of the region.
        var index: Int32
    }

    /// Cube sizes in use, ascending.
    private let sizes: [Int]
    private let table: CubeTable
    /// Balls grouped by cube, ascending by index within a cube.
    private let balls: [Ball]

    /// Builds the index.
    ///
    /// - Parameters:
    ///   - spans: spans by region
    ///   - cores: radii in metres around the origin that are completely inside, by region; 0 or
    ///     less for none
    init(_ spans: [CubeSpan], cores: [Double]) {
        var table = CubeTable()
        // The cubes of all regions in order, and the end of each region's cubes.
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
        let end = table.allocate()
        var balls = [Ball](
            repeating: Ball(x: 0, y: 0, z: 0, reach: 0, core: 0, index: 0), count: end)
        // Backwards, because each cube's list is filled from its end.
        for index in spans.indices.reversed() {
            for cube in cubes[(index > 0 ? ends[index - 1] : 0)..<ends[index]] {
                balls[table.nextFreeEntry(cube.key)] = CubeIndex.ball(
                    spans[index], core: cores[index], in: cube, index: index)
            }
        }
        sizes = Set(spans.map(\.size)).sorted()
        self.table = table
        self.balls = balls
    }

    /// Binary logarithm of the unit in decimetres. Three cube widths are less than 2¹⁵ units.
    @inline(__always)
    private static func unitBits(_ size: Int) -> Int64 { max(0, Cube.shift(size) - 13) }

    private static func ball(
        _ span: CubeSpan, core: Double, in cube: Cube, index: Int
    ) -> Ball {
        let bits = unitBits(cube.size)
        let corner = cube.corner
        // Ball and point are rounded down by less than one unit per axis.
        let lost: Int64 = 2
        let reach = (Int64(span.reach) >> bits) + 1 + lost
        let core = (Int64(core * 10) >> bits) - 1 - lost
        return Ball(
            x: Int16(truncatingIfNeeded: (Int64(span.middle.x) - corner.x) >> bits),
            y: Int16(truncatingIfNeeded: (Int64(span.middle.y) - corner.y) >> bits),
            z: Int16(truncatingIfNeeded: (Int64(span.middle.z) - corner.z) >> bits),
            reach: UInt16(clamping: reach), core: UInt16(clamping: core), index: Int32(index))
    }

    /// Appends the balls that contain the point, and possibly some that nearly do.
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
                    found.append(NearRegion(index: ball.index, isSurelyInside: isCore))
                }
            }
        }
    }

    var bytes: Int { table.bytes + balls.count * MemoryLayout<Ball>.stride }
}

/// Bounding ball of a region in whole decimetres, and the cubes that it intersects.
struct CubeSpan {
    /// Upper bound of all coordinates, decimetres.
    private static let end: Int64 = 1 << 27
    /// Added to each radius to compensate for rounding, decimetres.
    private static let slack: Int64 = 10
    /// Lower bound of the earth's radius of curvature, decimetres.
    private static let radius = 63_300_000.0

    let middle: SpacePoint
    let reach: Int32
    /// Size of the cubes, one to four times the ball's radius.
    let size: Int
    /// Approximate direction to the centre of the earth.
    private let down: SIMD4<Double>

    /// The bounding ball of a shape, enlarged by `extraMetres`.
    init(_ shape: Shape, extraMetres: Double = 0) {
        let origin = shape.plane.origin
        middle = SpacePoint(origin)
        let extra = min(max(extraMetres, 0), Double(CubeSpan.end))
        let asked = Int64(((shape.reach + extra) * 10).rounded(.up)) + CubeSpan.slack
        let reach = Int32(min(max(asked, CubeSpan.slack), CubeSpan.end))
        self.reach = reach
        size = (0..<Cube.sizes).first { Int64(reach) <= Cube.width($0) } ?? Cube.sizes - 1
        let up = SIMD4(origin.x, origin.y, origin.z, 0)
        down = up / (up * up).sum().squareRoot()
    }

    /// Calls the closure for each cube with a place on earth inside the ball.
    ///
    /// Possibly includes some cubes that nearly have one.
    func forEachCube(_ body: (Cube) -> Void) {
        for x in steps(middle.x) {
            for y in steps(middle.y) {
                for z in steps(middle.z) {
                    let cube = Cube(x: x, y: y, z: z, size: size)
                    if isMet(by: cube) { body(cube) }
                }
            }
        }
    }

    /// Range of cubes along one axis, at most three.
    private func steps(_ middle: Int32) -> ClosedRange<Int64> {
        let from = max(Int64(middle) - Int64(reach), 0)
        let to = min(Int64(middle) + Int64(reach), CubeSpan.end - 1)
        let shift = Cube.shift(size)
        return from >> shift...to >> shift
    }

    private func isMet(by cube: Cube) -> Bool {
        let half = Double(Cube.width(size)) / 2
        let corner = cube.corner
        let away =
            SIMD4(
                Double(corner.x - Int64(middle.x)), Double(corner.y - Int64(middle.y)),
                Double(corner.z - Int64(middle.z)), 0) + SIMD4(half, half, half, 0)
        let reach = Double(reach)
        // Distance from the ball's centre to the cube.
        let beyond = pointwiseMax(away.absolute - half, SIMD4(repeating: 0))
        guard (beyond * beyond).sum() <= reach * reach else { return false }
        // Distance from the tangent plane in the ball's centre: limited by the curvature of the
        // earth and its deviation from a sphere.
        let bend = reach * reach / (2 * CubeSpan.radius) + reach * 0.004 + 10
        return (away * down).sum().magnitude <= half * down.absolute.sum() + bend
    }

    /// Indices in an order that keeps neighbours in space close together.
    static func order(_ spans: [CubeSpan]) -> [Int] {
        let keys = spans.enumerated().map { Step(curve: $1.curve, index: $0) }.sorted()
        return keys.map(\.index)
    }

    private struct Step: Comparable {
        var curve: UInt64
        var index: Int

        static func < (left: Step, right: Step) -> Bool {
            left.curve != right.curve ? left.curve < right.curve : left.index < right.index
        }
    }

    /// Position of the centre on a space-filling curve (Morton order).
    var curve: UInt64 {
        CubeSpan.spread(middle.x) << 2 | CubeSpan.spread(middle.y) << 1
            | CubeSpan.spread(middle.z)
    }

    /// Spreads the upper 21 of 27 bits, with two zero bits between neighbours.
    private static func spread(_ coordinate: Int32) -> UInt64 {
        var bits = UInt64(UInt32(coordinate) >> 6) & 0x1F_FFFF
        bits = (bits | bits << 32) & 0x001F_0000_0000_FFFF
        bits = (bits | bits << 16) & 0x001F_0000_FF00_00FF
        bits = (bits | bits << 8) & 0x100F_00F0_0F00_F00F
        bits = (bits | bits << 4) & 0x10C3_0C30_C30C_30C3
        return (bits | bits << 2) & 0x1249_2492_4924_9249
    }
}

/// A cell of the cubic lattice that divides space; each size has its own lattice.
struct Cube {
    /// Number of sizes. Cubes of size 0 are 2¹⁰ decimetres wide, and each next size is four times
    /// as wide. The largest contains the earth.
    static let sizes = 10

    let x: Int64
    let y: Int64
    let z: Int64
    let size: Int

    static func shift(_ size: Int) -> Int64 { 10 + 2 * Int64(size) }

    /// Width in decimetres.
    static func width(_ size: Int) -> Int64 { 1 << shift(size) }

    /// The cube that contains a point.
    @inline(__always)
    init(at point: SpacePoint, size: Int) {
        let shift = Cube.shift(size)
        self.init(
            x: Int64(point.x) >> shift, y: Int64(point.y) >> shift, z: Int64(point.z) >> shift,
            size: size)
    }

    /// Creates a cube.
    ///
    /// - Parameters x, y, z: lattice coordinates in cube widths
    init(x: Int64, y: Int64, z: Int64, size: Int) {
        self.x = x
        self.y = y
        self.z = z
        self.size = size
    }

    /// Lowest corner in decimetres.
    var corner: (x: Int64, y: Int64, z: Int64) {
        let shift = Cube.shift(size)
        return (x << shift, y << shift, z << shift)
    }

    /// Hash key, never 0.
    var key: UInt64 {
        UInt64(size + 1) << 54 | UInt64(x) << 36 | UInt64(y) << 18 | UInt64(z)
    }
}

extension SIMD4<Double> {
    fileprivate var absolute: SIMD4<Double> { pointwiseMax(self, -self) }
}

/// A ball in space and the cubes that meet it, in whole decimetres.
struct CubeSpan {
    /// Coordinates are counted from here, metres: none on earth is below.
    private static let origin = -6_700_000.0
    /// All are below this, decimetres.
    private static let end: Int64 = 1 << 27
    /// Cubes of size 0 are 2¹⁰ decimetres wide, those of the next size twice as much.
    private static let widthBits = 10
    /// The cube of this size holds the earth.
    private static let sizeMax = 17
    /// Added to every reach: more than rounding takes away, decimetres.
    private static let slack: Int64 = 10

    let x: Int32
    let y: Int32
    let z: Int32
    let reach: Int32
    let size: Int

    /// The ball around a shape, larger by so many metres.
    init(_ shape: Shape, extraMetres: Double = 0) {
        let origin = shape.plane.origin
        x = CubeSpan.decimetres(origin.x)
        y = CubeSpan.decimetres(origin.y)
        z = CubeSpan.decimetres(origin.z)
        let extra = min(max(extraMetres, 0), Double(CubeSpan.end))
        let asked = Int64(((shape.reach + extra) * 10).rounded(.up)) + CubeSpan.slack
        let reach = Int32(min(max(asked, CubeSpan.slack), CubeSpan.end))
        self.reach = reach
        size =
            (0...CubeSpan.sizeMax).first { 2 * Int64(reach) <= 1 << CubeSpan.shift($0) }
            ?? CubeSpan.sizeMax
    }

    /// How far a coordinate of a place on earth is from the least, rounded down.
    static func decimetres(_ metres: Double) -> Int32 { Int32((metres - origin) * 10) }

    /// The key of the cube that holds a point.
    static func cube(_ x: Int32, _ y: Int32, _ z: Int32, size: Int) -> UInt64 {
        key(
            UInt64(UInt32(x)) >> shift(size), UInt64(UInt32(y)) >> shift(size),
            UInt64(UInt32(z)) >> shift(size), size: size)
    }

    private static func shift(_ size: Int) -> Int { widthBits + size }

    private static func key(_ x: UInt64, _ y: UInt64, _ z: UInt64, size: Int) -> UInt64 {
        UInt64(size + 1) << 54 | x << 36 | y << 18 | z
    }

    func forEachCube(_ body: (UInt64) -> Void) {
        for x in steps(x) {
            for y in steps(y) {
                for z in steps(z) { body(CubeSpan.key(x, y, z, size: size)) }
            }
        }
    }

    /// The cubes along one axis: one or two.
    private func steps(_ middle: Int32) -> ClosedRange<UInt64> {
        let shift = CubeSpan.shift(size)
        let from = max(Int64(middle) - Int64(reach), 0)
        let to = min(Int64(middle) + Int64(reach), CubeSpan.end - 1)
        return UInt64(from) >> shift...UInt64(to) >> shift
    }

    /// Where the middle is on a curve that goes through all of space: of two that are close
    /// together there, most are close together on the curve.
    var curve: UInt64 {
        CubeSpan.spread(x) << 2 | CubeSpan.spread(y) << 1 | CubeSpan.spread(z)
    }

    /// The upper 21 of 27 bits, two zeros between each and the next.
    private static func spread(_ coordinate: Int32) -> UInt64 {
        var bits = UInt64(UInt32(coordinate) >> 6) & 0x1F_FFFF
        bits = (bits | bits << 32) & 0x001F_0000_0000_FFFF
        bits = (bits | bits << 16) & 0x001F_0000_FF00_00FF
        bits = (bits | bits << 8) & 0x100F_00F0_0F00_F00F
        bits = (bits | bits << 4) & 0x10C3_0C30_C30C_30C3
        return (bits | bits << 2) & 0x1249_2492_4924_9249
    }
}

/// Many regions, by place; finds those that a point may be in without looking at those far away.
///
/// Space is cut into cubes of several sizes. A region is listed in the cubes, eight at most, that
/// meet the ball around it, of the smallest size not smaller than the ball; a point is in one cube
/// of each size. Cubes are of space, not of the map: neither antimeridian nor pole is a special
/// place. All of it is integers, decimetres from the middle of the earth; what is found depends on
/// the regions and the point alone.
///
/// Copies of who has it share it: it never changes.
///
///     let regions = RegionSet(zones.compactMap { Region($0.geometry) })
///     var places: [Int32] = []
///     regions.append(near: EarthPoint(fix.position), to: &places)
public final class RegionSet: Sendable {
    /// A region as it is listed.
    private struct Ball {
        var x: Int32
        var y: Int32
        var z: Int32
        var reach: Int32
        /// Index of the region.
        var place: Int32
    }

    private let shapes: [Shape]
    /// Of all shapes, one after the other.
    private let edges: [Edge]
    /// Sizes in use, ascending.
    private let sizes: [Int]
    private let table: CubeTable
    /// Cube by cube; in each, ascending by place.
    private let balls: [Ball]

    /// Takes time and memory in proportion to the number of regions.
    public init(_ regions: some RandomAccessCollection<Region>) {
        var edges: [Edge] = []
        edges.reserveCapacity(regions.reduce(0) { $0 + $1.edges.count })
        shapes = regions.map { $0.shape.moved($0.edges, to: &edges) }
        self.edges = edges
        let spans = shapes.map(CubeSpan.init)
        var table = CubeTable()
        for span in spans { span.forEachCube { table.count($0) } }
        let end = table.layOut()
        var balls = [Ball](
            repeating: Ball(x: 0, y: 0, z: 0, reach: 0, place: 0), count: end)
        // Backwards, because a cube's list is filled from its end.
        for (place, span) in spans.enumerated().reversed() {
            let ball = Ball(
                x: span.x, y: span.y, z: span.z, reach: span.reach, place: Int32(place))
            span.forEachCube { balls[table.take($0)] = ball }
        }
        sizes = Set(spans.map(\.size)).sorted()
        self.table = table
        self.balls = balls
    }

    /// Appends the indices of all regions that contain the point or are within 50 cm of it, and
    /// perhaps of some that are a little farther; each once, in no order that means anything.
    public func append(near point: EarthPoint, to places: inout [Int32]) {
        let x = CubeSpan.decimetres(point.x)
        let y = CubeSpan.decimetres(point.y)
        let z = CubeSpan.decimetres(point.z)
        for size in sizes {
            for index in table[CubeSpan.cube(x, y, z, size: size)] {
                let ball = balls[index]
                let dx = Int64(ball.x - x)
                let dy = Int64(ball.y - y)
                let dz = Int64(ball.z - z)
                let reach = Int64(ball.reach)
                if dx * dx + dy * dy + dz * dz <= reach * reach { places.append(ball.place) }
            }
        }
    }

    /// As ``Region/isSurelyBeyond(metres:from:)``.
    public func isSurelyBeyond(_ place: Int, metres: Double, from point: EarthPoint) -> Bool {
        shapes[place].isSurelyBeyond(metres: metres, from: point)
    }

    /// As ``Region/signedDistance(from:)``.
    public func signedDistance(_ place: Int, from point: EarthPoint) -> SignedDistance {
        shapes[place].signedDistance(from: point, edges)
    }

    /// As ``Region/inradiusCentimetres``.
    public func inradiusCentimetres(_ place: Int) -> Int32 { shapes[place].inradiusCentimetres }

    /// What finding takes beside the regions, bytes.
    public var bytes: Int { table.bytes + balls.count * MemoryLayout<Ball>.stride }
}

/// A region's ball and the cubes that meet it.
private struct CubeSpan {
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

    init(_ shape: Shape) {
        let origin = shape.plane.origin
        x = CubeSpan.decimetres(origin.x)
        y = CubeSpan.decimetres(origin.y)
        z = CubeSpan.decimetres(origin.z)
        let asked = Int64((shape.reach * 10).rounded(.up)) + CubeSpan.slack
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
}

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
    let shapes: [Shape]
    /// Of all shapes, one after the other.
    let edges: [Edge]
    /// Sizes in use, ascending.
    private let sizes: [Int]
    private let table: CubeTable
    /// Cube by cube; in each, ascending by place.
    private let balls: [BallTree.Ball]
    /// Of the regions as they are, nothing added to their reach.
    let tree: BallTree

    /// Takes time and memory in proportion to the number of regions.
    ///
    /// - Parameter extraReachMetres: by region, how much farther than its edge it is found by
    ///   ``append(near:to:)``, such as its alert distance; nothing where the list ends.
    public init(
        _ regions: some RandomAccessCollection<Region>, extraReachMetres: [Double] = []
    ) {
        var edges: [Edge] = []
        edges.reserveCapacity(regions.reduce(0) { $0 + $1.edges.count })
        shapes = regions.map { $0.shape.moved($0.edges, to: &edges) }
        self.edges = edges
        tree = BallTree(shapes.map { CubeSpan($0) })
        let spans = shapes.enumerated().map { place, shape in
            let extra = place < extraReachMetres.count ? extraReachMetres[place] : 0
            return CubeSpan(shape, extraMetres: extra)
        }
        var table = CubeTable()
        for span in spans { span.forEachCube { table.count($0) } }
        let end = table.layOut()
        var balls = [BallTree.Ball](
            repeating: BallTree.Ball(x: 0, y: 0, z: 0, reach: 0, place: 0), count: end)
        // Backwards, because a cube's list is filled from its end.
        for (place, span) in spans.enumerated().reversed() {
            let ball = BallTree.Ball(
                x: span.x, y: span.y, z: span.z, reach: span.reach, place: Int32(place))
            span.forEachCube { balls[table.take($0)] = ball }
        }
        sizes = Set(spans.map(\.size)).sorted()
        self.table = table
        self.balls = balls
    }

    /// Appends the indices of all regions that contain the point or are within 50 cm of it (and
    /// their extra reach), and perhaps of some that are a little farther; each once, in no order
    /// that means anything.
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
    public var bytes: Int {
        table.bytes + balls.count * MemoryLayout<BallTree.Ball>.stride + tree.bytes
    }
}

import Model

/// A region that a point may be in.
public struct NearRegion: Hashable, Sendable {
    /// Index of the region.
    public var place: Int32
    /// Whether the point is inside, told without looking at edges. False says nothing.
    public var isSurelyInside: Bool

    public init(place: Int32, isSurelyInside: Bool) {
        self.place = place
        self.isSurelyInside = isSurelyInside
    }
}

/// Many regions, by place; finds those that a point may be in without looking at those far away.
///
/// Space is cut into cubes of several sizes. A region is listed in the cubes, a few, that meet the
/// ball around it, of the smallest size not smaller than the ball's radius; a point is in one cube
/// of each size. Cubes are of space, not of the map: neither antimeridian nor pole is a special
/// place. All of it is integers, decimetres from the middle of the earth; what is found depends on
/// the regions and the point alone.
///
/// It never changes: copies of who has it share it.
///
///     let regions = RegionSet(zones.compactMap { Region($0.geometry) })
///     var found: [NearRegion] = []
///     regions.append(near: EarthPoint(fix.position), to: &found)
public final class RegionSet: Sendable {
    let shapes: [Shape]
    /// Of all shapes, one after the other.
    let corners: [Corner]
    private let cubes: CubeIndex
    /// Of the regions as they are, nothing added to their reach; in boxes that hold that, too.
    let tree: BallTree
    /// Metres by region; nothing where the list ends.
    let extraReach: [Double]

    /// Takes time and memory in proportion to the number of regions.
    ///
    /// - Parameter extraReachMetres: by region, how much farther than its edge it is found by
    ///   ``append(near:to:)``, such as its alert distance; empty for nothing anywhere
    public init(
        _ regions: some RandomAccessCollection<Region>, extraReachMetres: [Double] = []
    ) {
        invariant(
            extraReachMetres.isEmpty || extraReachMetres.count == regions.count,
            "an extra reach is given for each region or for none")
        var corners: [Corner] = []
        corners.reserveCapacity(regions.reduce(0) { $0 + $1.corners.count })
        let shapes = regions.map { $0.shape.moved($0.corners, to: &corners) }
        self.shapes = shapes
        self.corners = corners
        extraReach = extraReachMetres.contains { $0 > 0 } ? extraReachMetres : []
        let plain = shapes.map { CubeSpan($0) }
        guard !extraReach.isEmpty else {
            tree = BallTree(plain, extra: [])
            cubes = CubeIndex(plain, cores: shapes.map { $0.core(corners) })
            return
        }
        let spans = zip(shapes, extraReach).map { CubeSpan($0, extraMetres: $1) }
        tree = BallTree(plain, extra: zip(spans, plain).map { $0.reach - $1.reach })
        cubes = CubeIndex(spans, cores: shapes.map { $0.core(corners) })
    }

    /// The order in which regions lie best, as indices: those that are close together on earth are
    /// then close together in memory.
    public static func order(of regions: some Collection<Region>) -> [Int] {
        CubeSpan.order(regions.map { CubeSpan($0.shape) })
    }

    /// Appends all regions that contain the point or are within 50 cm of it (and their extra
    /// reach), and perhaps some that are a little farther; each once, in no order that means
    /// anything.
    public func append(near point: EarthPoint, to found: inout [NearRegion]) {
        cubes.append(near: point, to: &found)
    }

    /// As ``Region/isSurelyBeyond(metres:from:)``.
    public func isSurelyBeyond(_ place: Int, metres: Double, from point: EarthPoint) -> Bool {
        shapes[place].isSurelyBeyond(metres: metres, from: point)
    }

    /// As ``Region/signedDistance(from:)``.
    public func signedDistance(_ place: Int, from point: EarthPoint) -> SignedDistance {
        shapes[place].signedDistance(from: point, corners)
    }

    /// As ``Region/inradiusCentimetres``.
    public func inradiusCentimetres(_ place: Int) -> Int32 { shapes[place].inradiusCentimetres }

    /// What finding takes beside the regions, bytes.
    public var bytes: Int { cubes.bytes + tree.bytes }
}

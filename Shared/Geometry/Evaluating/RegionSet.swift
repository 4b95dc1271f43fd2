import Model

/// A region that may contain a point.
public struct NearRegion: Hashable, Sendable {
    /// Index of the region.
    public var index: Int32
    /// Whether the point is certainly inside, without a check of edges. False proves nothing.
    public var isSurelyInside: Bool

    public init(index: Int32, isSurelyInside: Bool) {
        self.index = index
        self.isSurelyInside = isSurelyInside
    }
}

/// An immutable set of regions with a spatial index.
///
/// Finds the regions that may contain a point without visiting distant ones. Space is divided into
/// cubes of several sizes. A region is listed in the few cubes that its bounding ball intersects,
/// of the smallest size that is not smaller than the ball's radius. A point is in one cube per
/// size. The antimeridian and the poles need no special treatment. The index uses integers,
/// decimetres from the centre of the earth; results depend only on the regions and the point.
///
///     let regions = RegionSet(zones.compactMap { Region($0.geometry) })
///     var found: [NearRegion] = []
///     regions.append(near: EarthPoint(fix.position), to: &found)
public final class RegionSet: Sendable {
    let shapes: [Shape]
    /// Vertices of all shapes in order.
    let corners: [Corner]
    private let cubes: CubeIndex
    /// Tree of the regions. Its balls exclude the extra reach, its boxes include it.
    let tree: BallTree
    /// Extra reach by region in metres, or empty if no region has one.
    let extraReach: [Double]

    /// Builds the index in time and memory proportional to the number of regions.
    ///
    /// - Parameter extraReachMetres: distance from its edge within which ``append(near:to:)`` finds
    ///   a region, such as its alert distance, by region; empty = 0 for all
    public init(
        _ regions: some RandomAccessCollection<Region>, extraReachMetres: [Double] = []
    ) {
        invariant(
            extraReachMetres.isEmpty || extraReachMetres.count == regions.count,
            "extraReachMetres has one value per region or is empty")
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

    /// Indices of regions in an order that keeps neighbours on earth close together in memory.
    public static func order(of regions: some Collection<Region>) -> [Int] {
        CubeSpan.order(regions.map { CubeSpan($0.shape) })
    }

    /// Appends all regions that contain the point or are within 50 cm plus their extra reach of it.
    ///
    /// Possibly appends some that are slightly farther. Each region is appended once, in
    /// unspecified order.
    public func append(near point: EarthPoint, to found: inout [NearRegion]) {
        cubes.append(near: point, to: &found)
    }

    /// ``Region/isSurelyBeyond(metres:from:)`` for one region of the set.
    public func isSurelyBeyond(_ index: Int, metres: Double, from point: EarthPoint) -> Bool {
        shapes[index].isSurelyBeyond(metres: metres, from: point)
    }

    /// ``Region/signedDistance(from:)`` for one region of the set.
    public func signedDistance(_ index: Int, from point: EarthPoint) -> SignedDistance {
        shapes[index].signedDistance(from: point, corners)
    }

    /// ``Region/inradiusCentimetres`` of one region of the set.
    public func inradiusCentimetres(_ index: Int) -> Int32 { shapes[index].inradiusCentimetres }

    /// Memory used by the spatial index, bytes.
    public var bytes: Int { cubes.bytes + tree.bytes }
}

import Model

/// A region of a set with a point's distance from its edge.
public struct RegionDistance: Hashable, Sendable {
    /// Index of the region.
    public var index: Int32
    public var distance: SignedDistance

    public init(index: Int32, distance: SignedDistance) {
        self.index = index
        self.distance = distance
    }
}

extension RegionSet {
    /// Maximum search distance, metres.
    public static let nearestMetresMax = 500_000.0

    /// Appends the indices of all regions that contain the point or are within `metres` of it.
    ///
    /// Possibly appends some that are farther. Each index is appended once, in unspecified order.
    /// The extra reach is ignored here; only ``append(near:to:)`` uses it.
    public func append(near point: EarthPoint, within metres: Double, to indices: inout [Int32]) {
        var search = RadiusSearch(point, metres: metres, indices: indices)
        indices = []
        tree.search(&search)
        indices = search.indices
    }

    /// The region with the nearest edge, seen from inside or outside, and the distance.
    ///
    /// Nil if no edge is within `metres` (500 km at most). Of edges at the same distance in
    /// centimetres, the region with the lowest index counts.
    public func nearest(to point: EarthPoint, withinMetres metres: Double) -> RegionDistance? {
        var search = NearestSearch(self, point, by: .edge, metres: metres, count: 1, found: [])
        tree.searchOutward(&search)
        return search.found.first
    }

    /// Appends the regions with the nearest edges, the nearest first.
    ///
    /// Edges are seen from inside or outside, within `metres` (500 km at most). Ties are resolved
    /// by index.
    ///
    /// - Parameter count: maximum number of regions
    public func appendNearest(
        count: Int, to point: EarthPoint, withinMetres metres: Double,
        into found: inout [RegionDistance]
    ) {
        guard count > 0 else { return }
        var search = NearestSearch(
            self, point, by: .edge, metres: metres, count: count, found: found)
        found = []
        tree.searchOutward(&search)
        found = search.found
    }
}

/// Finds all regions within a radius.
private struct RadiusSearch: BallSearch {
    let point: SpacePoint
    let decimetres: Int64
    var indices: [Int32]

    init(_ point: EarthPoint, metres: Double, indices: [Int32]) {
        self.point = SpacePoint(point)
        // At most to the other side of the earth, plus one metre for rounding.
        decimetres = Int64(min(max(metres, 0), 20_000_000) * 10) + 10
        self.indices = indices
    }

    func admits(_ box: BallTree.Box) -> Bool {
        box.squaredDistance(to: point) <= decimetres * decimetres
    }

    mutating func visit(_ ball: BallTree.Ball) {
        if ball.middle.isWithin(Int64(ball.reach) + decimetres, of: point) {
            indices.append(ball.index)
        }
    }
}

/// Finds the nearest regions.
struct NearestSearch: NearSearch {
    /// The distance to minimize.
    enum Measure {
        /// Distance to the edge from either side.
        case edge
        /// Distance to the region including its extra reach; the deeper inside, the nearer.
        case reach
    }

    private let regions: RegionSet
    private let center: EarthPoint
    let point: SpacePoint
    private let measure: Measure
    /// Current maximum distance, centimetres.
    private(set) var most: Int64
    /// Current maximum distance, rounded up, decimetres.
    private var reach: Int64
    private let count: Int
    /// Found regions, nearest first from index `start`.
    private(set) var found: [RegionDistance]
    private let start: Int

    /// Starts a search.
    ///
    /// - Parameters:
    ///   - metres: maximum distance; 500 km at most
    ///   - count: maximum number of regions
    ///   - found: list to append to
    init(
        _ regions: RegionSet, _ point: EarthPoint, by measure: Measure, metres: Double, count: Int,
        found: [RegionDistance]
    ) {
        self.regions = regions
        center = point
        self.point = SpacePoint(point)
        self.measure = measure
        most = Int64(min(max(metres, 0), RegionSet.nearestMetresMax) * 100)
        reach = NearestSearch.reach(most)
        self.count = count
        self.found = found
        start = found.count
    }

    /// Boxes are compared by chords, which are shorter than arcs: by 130 m at 500 km.
    private static func reach(_ centimetres: Int64) -> Int64 { max(0, centimetres) / 10 + 10 }

    func admits(squaredDecimetres: Int64) -> Bool { squaredDecimetres <= reach * reach }

    /// Sort key: distance in centimetres, then index.
    private func key(_ region: RegionDistance) -> (Int64, Int32) {
        let centimetres = Int64(region.distance.centimetres)
        return switch measure {
        case .edge: (abs(centimetres), region.index)
        case .reach:
            (centimetres - Int64(regions.extraMetres(Int(region.index)) * 100), region.index)
        }
    }

    mutating func visit(_ ball: BallTree.Ball) {
        let extra = measure == .reach ? Int64(regions.extraMetres(Int(ball.index)) * 10) : 0
        guard ball.middle.isWithin(Int64(ball.reach) + extra + reach, of: point) else { return }
        let candidate = RegionDistance(
            index: ball.index, distance: regions.signedDistance(Int(ball.index), from: center))
        let away = key(candidate)
        guard away.0 <= most else { return }
        var index = found.count
        while index > start, away < key(found[index - 1]) { index -= 1 }
        found.insert(candidate, at: index)
        if found.count > start + count { found.removeLast() }
        if found.count == start + count, let last = found.last {
            most = key(last).0
            reach = NearestSearch.reach(most)
        }
    }
}

import Model

/// A region of a set and how far a point is from its edge.
public struct RegionDistance: Hashable, Sendable {
    /// Index of the region.
    public var place: Int32
    public var distance: SignedDistance

    public init(place: Int32, distance: SignedDistance) {
        self.place = place
        self.distance = distance
    }
}

extension RegionSet {
    /// Distances beyond this are not looked for, metres.
    public static let nearestMetresMax = 500_000.0

    /// Appends the indices of all regions that contain the point or are within so many metres of
    /// it, and perhaps of some that are farther; each once, in no order that means anything.
    ///
    /// Regions are as large as they are: their extra reach counts in ``append(near:to:)`` alone.
    public func append(near point: EarthPoint, within metres: Double, to places: inout [Int32]) {
        var search = Around(point, metres: metres, places: places)
        places = []
        tree.search(&search)
        places = search.places
    }

    /// The region whose edge is nearest to the point, seen from inside or outside, and how far it
    /// is; nil if there is none within so many metres (500 km at most). Of edges equally far, to
    /// the centimetre, that of the least index.
    public func nearest(to point: EarthPoint, withinMetres metres: Double) -> RegionDistance? {
        var search = Nearest(self, point, by: .edge, metres: metres, count: 1, found: [])
        tree.searchOutward(&search)
        return search.found.first
    }

    /// Appends the regions whose edges are nearest, as ``nearest(to:withinMetres:)``, the nearest
    /// first.
    ///
    /// - Parameter count: no more than these
    public func appendNearest(
        count: Int, to point: EarthPoint, withinMetres metres: Double,
        into found: inout [RegionDistance]
    ) {
        guard count > 0 else { return }
        var search = Nearest(self, point, by: .edge, metres: metres, count: count, found: found)
        found = []
        tree.searchOutward(&search)
        found = search.found
    }
}

/// All within so many metres.
private struct Around: BallSearch {
    let point: SpacePoint
    let decimetres: Int64
    var places: [Int32]

    init(_ point: EarthPoint, metres: Double, places: [Int32]) {
        self.point = SpacePoint(point)
        // As far as the other side of the earth, and a metre because all is rounded.
        decimetres = Int64(min(max(metres, 0), 20_000_000) * 10) + 10
        self.places = places
    }

    func admits(_ box: BallTree.Box) -> Bool {
        box.squaredDistance(to: point) <= decimetres * decimetres
    }

    mutating func meet(_ ball: BallTree.Ball) {
        if ball.middle.isWithin(Int64(ball.reach) + decimetres, of: point) {
            places.append(ball.place)
        }
    }
}

/// The nearest so far.
struct Nearest: NearSearch {
    /// What is near.
    enum Measure {
        /// The edge, from either side of it.
        case edge
        /// The region with its extra reach: from inside the nearer, the deeper.
        case reach
    }

    private let regions: RegionSet
    private let place: EarthPoint
    let point: SpacePoint
    private let measure: Measure
    /// Farther than this is too far, centimetres.
    private(set) var most: Int64
    /// Decimetres, more than rounding takes away.
    private var reach: Int64
    private let count: Int
    /// The nearest first, from `start` on.
    private(set) var found: [RegionDistance]
    private let start: Int

    /// - Parameters:
    ///   - metres: not those that are farther; 500 km at most
    ///   - count: no more than these
    ///   - found: gets them appended
    init(
        _ regions: RegionSet, _ point: EarthPoint, by measure: Measure, metres: Double, count: Int,
        found: [RegionDistance]
    ) {
        self.regions = regions
        place = point
        self.point = SpacePoint(point)
        self.measure = measure
        most = Int64(min(max(metres, 0), RegionSet.nearestMetresMax) * 100)
        reach = Nearest.reach(most)
        self.count = count
        self.found = found
        start = found.count
    }

    /// The arc of 500 km is 130 m longer than its chord: chords are what boxes are compared by,
    /// and they are shorter.
    private static func reach(_ centimetres: Int64) -> Int64 { max(0, centimetres) / 10 + 10 }

    func admits(squaredDecimetres: Int64) -> Bool { squaredDecimetres <= reach * reach }

    /// How far away it is, centimetres; ties by index.
    private func key(_ region: RegionDistance) -> (Int64, Int32) {
        let centimetres = Int64(region.distance.centimetres)
        return switch measure {
        case .edge: (abs(centimetres), region.place)
        case .reach:
            (centimetres - Int64(regions.extraMetres(Int(region.place)) * 100), region.place)
        }
    }

    mutating func meet(_ ball: BallTree.Ball) {
        let extra = measure == .reach ? Int64(regions.extraMetres(Int(ball.place)) * 10) : 0
        guard ball.middle.isWithin(Int64(ball.reach) + extra + reach, of: point) else { return }
        let candidate = RegionDistance(
            place: ball.place, distance: regions.signedDistance(Int(ball.place), from: place))
        let away = key(candidate)
        guard away.0 <= most else { return }
        var index = found.count
        while index > start, away < key(found[index - 1]) { index -= 1 }
        found.insert(candidate, at: index)
        if found.count > start + count { found.removeLast() }
        if found.count == start + count, let last = found.last {
            most = key(last).0
            reach = Nearest.reach(most)
        }
    }
}

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

    /// By distance from the edge, on either side of it; ties by index.
    fileprivate func isNearer(than other: RegionDistance) -> Bool {
        (distance.centimetres.magnitude, place)
            < (other.distance.centimetres.magnitude, other.place)
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
        var search = Nearest(self, point, metres: metres, count: 1, found: [])
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
        var search = Nearest(self, point, metres: metres, count: count, found: found)
        found = []
        tree.searchOutward(&search)
        found = search.found
    }
}

extension RegionSet {
    /// How far from the point there surely is no edge of any region, nor the line around a region
    /// that is its extra reach away from it, metres; at most so many as asked for.
    ///
    /// Whoever is on one side of all these lines is on the same side after a move of less.
    public func clearance(at point: EarthPoint, withinMetres metres: Double) -> Double {
        var search = Clear(self, point, metres: min(metres, RegionSet.nearestMetresMax))
        tree.searchOutward(&search)
        // Distances are exact within 0.1 %, or 50 cm, here and after the move.
        return max(0, search.metres * 0.998 - 1)
    }
}

/// The least distance from a line so far.
private struct Clear: NearSearch {
    let regions: RegionSet
    let point: EarthPoint
    let x: Int32
    let y: Int32
    let z: Int32
    var metres: Double
    /// Decimetres, more than rounding takes away.
    var reach: Int64

    init(_ regions: RegionSet, _ point: EarthPoint, metres: Double) {
        self.regions = regions
        self.point = point
        x = CubeSpan.decimetres(point.x)
        y = CubeSpan.decimetres(point.y)
        z = CubeSpan.decimetres(point.z)
        self.metres = metres
        reach = Clear.reach(metres)
    }

    private static func reach(_ metres: Double) -> Int64 { Int64(metres * 10) + 10 }

    func admits(squaredDecimetres: Int64) -> Bool { squaredDecimetres <= reach * reach }

    mutating func meet(_ ball: BallTree.Ball) {
        let place = Int(ball.place)
        let extra = regions.extraReach.isEmpty ? 0 : max(0, regions.extraReach[place])
        let dx = Int64(ball.x - x)
        let dy = Int64(ball.y - y)
        let dz = Int64(ball.z - z)
        let limit = Int64(ball.reach) + reach + Int64(extra * 10)
        guard dx * dx + dy * dy + dz * dz <= limit * limit else { return }
        let distance = Double(regions.signedDistance(place, from: point).centimetres) / 100
        metres = min(metres, distance.magnitude)
        if extra > 0 { metres = min(metres, (distance - extra).magnitude) }
        reach = Clear.reach(metres)
    }
}

/// All within so many metres.
private struct Around: BallSearch {
    let x: Int32
    let y: Int32
    let z: Int32
    let metres: Int64
    let squared: Int64
    var places: [Int32]

    init(_ point: EarthPoint, metres: Double, places: [Int32]) {
        x = CubeSpan.decimetres(point.x)
        y = CubeSpan.decimetres(point.y)
        z = CubeSpan.decimetres(point.z)
        // As far as the other side of the earth, and a metre because all is rounded.
        self.metres = Int64(min(max(metres, 0), 20_000_000) * 10) + 10
        squared = self.metres * self.metres
        self.places = places
    }

    func admits(_ box: BallTree.Box) -> Bool {
        box.squaredDistance(x: x, y: y, z: z) <= squared
    }

    mutating func meet(_ ball: BallTree.Ball) {
        let dx = Int64(ball.x - x)
        let dy = Int64(ball.y - y)
        let dz = Int64(ball.z - z)
        let reach = Int64(ball.reach) + metres
        if dx * dx + dy * dy + dz * dz <= reach * reach { places.append(ball.place) }
    }
}

/// The nearest so far.
private struct Nearest: NearSearch {
    let regions: RegionSet
    let point: EarthPoint
    let x: Int32
    let y: Int32
    let z: Int32
    /// Farther than this is too far, centimetres.
    var most: UInt32
    /// Decimetres, more than rounding takes away.
    var reach: Int64
    let count: Int
    /// Ascending from `start` on.
    var found: [RegionDistance]
    let start: Int

    init(
        _ regions: RegionSet, _ point: EarthPoint, metres: Double, count: Int,
        found: [RegionDistance]
    ) {
        self.regions = regions
        self.point = point
        x = CubeSpan.decimetres(point.x)
        y = CubeSpan.decimetres(point.y)
        z = CubeSpan.decimetres(point.z)
        most = UInt32(min(max(metres, 0), RegionSet.nearestMetresMax) * 100)
        reach = Nearest.reach(most)
        self.count = count
        self.found = found
        start = found.count
    }

    /// The arc of 500 km is 130 m longer than its chord: chords are what boxes are compared by,
    /// and they are shorter.
    private static func reach(_ centimetres: UInt32) -> Int64 { Int64(centimetres) / 10 + 10 }

    func admits(squaredDecimetres: Int64) -> Bool { squaredDecimetres <= reach * reach }

    mutating func meet(_ ball: BallTree.Ball) {
        let dx = Int64(ball.x - x)
        let dy = Int64(ball.y - y)
        let dz = Int64(ball.z - z)
        let limit = Int64(ball.reach) + reach
        guard dx * dx + dy * dy + dz * dz <= limit * limit else { return }
        let candidate = RegionDistance(
            place: ball.place, distance: regions.signedDistance(Int(ball.place), from: point))
        guard candidate.distance.centimetres.magnitude <= most else { return }
        if found.count == start + count {
            guard let last = found.last, candidate.isNearer(than: last) else { return }
            found.removeLast()
        }
        var index = found.count
        while index > start, candidate.isNearer(than: found[index - 1]) { index -= 1 }
        found.insert(candidate, at: index)
        if found.count == start + count, let last = found.last {
            most = last.distance.centimetres.magnitude
            reach = Nearest.reach(most)
        }
    }
}

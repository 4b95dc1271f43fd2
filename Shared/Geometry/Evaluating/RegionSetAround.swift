import Model

extension RegionSet {
    /// Appends the regions that are around a point: those that contain it or whose extra reach
    /// does, and the nearest of the others; in no order that means anything.
    ///
    /// Every region that is not appended is, with its extra reach, at least so far away as
    /// returned, metres.
    ///
    /// - Parameters:
    ///   - count: no more than these
    ///   - metres: nor any that are farther away than this, their extra reach taken off
    public func append(
        around point: EarthPoint, count: Int, withinMetres metres: Double,
        to found: inout [RegionDistance]
    ) -> Double {
        let start = found.count
        var search = Surround(
            self, point, metres: min(max(metres, 0), RegionSet.nearestMetresMax), count: count,
            found: found)
        found = []
        tree.searchOutward(&search)
        found = search.found
        // One more than asked for tells how far those are that were not.
        if found.count > start + count { found.removeLast() }
        // Distances are exact within 0.1 %, or 50 cm.
        return Double(search.most) / 100 * 0.999 - 0.5
    }

    /// What is added to a region's reach where it is looked for, metres.
    func extraMetres(_ place: Int) -> Double {
        extraReach.isEmpty ? 0 : max(0, extraReach[place])
    }
}

/// The least distances so far, extra reach taken off.
private struct Surround: NearSearch {
    let regions: RegionSet
    let place: EarthPoint
    let point: SpacePoint
    /// Farther than this is too far, centimetres.
    var most: Int64
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
        place = point
        self.point = SpacePoint(point)
        most = Int64(metres * 100)
        reach = Surround.reach(most)
        self.count = count
        self.found = found
        start = found.count
    }

    private static func reach(_ centimetres: Int64) -> Int64 { max(0, centimetres) / 10 + 10 }

    func admits(squaredDecimetres: Int64) -> Bool { squaredDecimetres <= reach * reach }

    private func key(_ region: RegionDistance) -> Int64 {
        let extra = regions.extraMetres(Int(region.place))
        return Int64(region.distance.centimetres) - Int64(extra * 100)
    }

    mutating func meet(_ ball: BallTree.Ball) {
        let extra = Int64(regions.extraMetres(Int(ball.place)) * 10)
        guard ball.middle.isWithin(Int64(ball.reach) + extra + reach, of: point) else { return }
        let candidate = RegionDistance(
            place: ball.place, distance: regions.signedDistance(Int(ball.place), from: place))
        let away = key(candidate)
        guard away <= most else { return }
        var index = found.count
        while index > start, away < key(found[index - 1]) { index -= 1 }
        found.insert(candidate, at: index)
        guard found.count > start + count else { return }
        if found.count > start + count + 1 { found.removeLast() }
        most = min(most, key(found[found.count - 1]))
        reach = Surround.reach(most)
    }
}

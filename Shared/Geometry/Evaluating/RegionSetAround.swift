import Model

extension RegionSet {
    /// Appends the regions around a point: those that reach it, and the nearest others.
    ///
    /// The extra reach counts. The order is unspecified.
    ///
    /// - Parameters:
    ///   - count: maximum number of regions
    ///   - metres: maximum distance of a region, minus its extra reach
    /// - Returns: lower bound of the distance to all other regions, minus their extra reach, metres
    public func append(
        around point: EarthPoint, count: Int, withinMetres metres: Double,
        to found: inout [RegionDistance]
    ) -> Double {
        // One region more than requested shows how far the omitted ones are.
        var search = NearestSearch(
            self, point, by: .reach, metres: metres, count: count + 1, found: found)
        let countMax = found.count + count
        found = []
        tree.searchOutward(&search)
        found = search.found
        if found.count > countMax { found.removeLast() }
        // Distances have an error of at most 0.1 % or 50 cm.
        return Double(search.most) / 100 * 0.999 - 0.5
    }

    /// Extra reach of a region, metres.
    func extraMetres(_ index: Int) -> Double {
        extraReach.isEmpty ? 0 : max(0, extraReach[index])
    }
}

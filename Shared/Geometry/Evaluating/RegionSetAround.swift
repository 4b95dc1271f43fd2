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
        // One more than asked for tells how far those are that are not appended.
        var search = Nearest(
            self, point, by: .reach, metres: metres, count: count + 1, found: found)
        let wanted = found.count + count
        found = []
        tree.searchOutward(&search)
        found = search.found
        if found.count > wanted { found.removeLast() }
        // Distances are exact within 0.1 %, or 50 cm.
        return Double(search.most) / 100 * 0.999 - 0.5
    }

    /// What is added to a region's reach where it is looked for, metres.
    func extraMetres(_ place: Int) -> Double {
        extraReach.isEmpty ? 0 : max(0, extraReach[place])
    }
}

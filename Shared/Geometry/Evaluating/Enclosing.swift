import Model

extension RegionSet {
    /// Centre of a circle that contains the region.
    public func center(_ index: Int) -> EarthPoint { shapes[index].plane.origin }

    /// Radius of a circle that contains the region, metres.
    public func reachMetres(_ index: Int) -> Double { shapes[index].reach }
}

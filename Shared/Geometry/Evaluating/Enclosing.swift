import Model

extension RegionSet {
    /// The middle of a circle that holds all of a region.
    public func center(_ place: Int) -> EarthPoint { shapes[place].plane.origin }

    /// Radius of that circle, metres.
    public func reachMetres(_ place: Int) -> Double { shapes[place].reach }
}

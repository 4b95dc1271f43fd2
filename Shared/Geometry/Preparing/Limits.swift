/// What a shape may be.
public enum GeometryLimits {
    /// Points of all rings together: a shape and what is prepared of it fit into one record.
    public static let verticesMax = 10_000
    /// Polygons of one shape: an archipelago.
    public static let polygonsMax = 1000
    /// Radius of a circle, and of the circle around a shape's middle that holds all of it, in
    /// centimetres (250 km): as far as one plane is exact.
    public static let reachCentimetresMax: Int32 = 25_000_000
    /// Smallest radius of a circle and half-width of a corridor, centimetres: below 1 m no phone
    /// can tell.
    public static let radiusCentimetresMin: Int32 = 100
    /// How often a corridor's line may cross itself: what it encloses on the way are holes.
    public static let lineCrossingsMax = 1000
    /// Corners that a corridor or an inset is drawn around, those left out that make no difference:
    /// what takes a second.
    public static let cornersMax = 2000
}

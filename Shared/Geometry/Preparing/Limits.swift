/// Limits of shapes.
public enum GeometryLimits {
    /// Maximum points of all rings together. A shape and its prepared geometry fit into one record.
    public static let verticesMax = 10_000
    /// Maximum polygons of one shape, such as an archipelago.
    public static let polygonsMax = 1000
    /// Maximum radius of a circle and of a shape's enclosing circle, centimetres (250 km): the
    /// range in which one plane is accurate.
    public static let reachCentimetresMax: Int32 = 25_000_000
    /// Minimum radius of a circle and half-width of a corridor, centimetres. Phones cannot resolve
    /// less than 1 m.
    public static let radiusCentimetresMin: Int32 = 100
    /// Maximum self-crossings of a corridor's line. Areas that it encloses become holes.
    public static let lineCrossingsMax = 1000
    /// Maximum significant corners of a corridor or an inset; about one second of computation.
    public static let cornersMax = 2000
}

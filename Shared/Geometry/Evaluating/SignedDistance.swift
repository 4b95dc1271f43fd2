/// Distance of a point from a region's true edge.
public struct SignedDistance: Hashable, Sendable, Comparable {
    /// Negative exactly if the region contains the point, even within the last centimetre.
    public let centimetres: Int32

    init(metres: Double, inside: Bool) {
        // Saturates beyond any distance on earth, also for NaN.
        let rounded = metres < 20_000_000 ? Int32((metres * 100).rounded()) : .max
        centimetres = inside ? -max(1, rounded) : max(0, rounded)
    }

    public var isInside: Bool { centimetres < 0 }

    public static func < (left: Self, right: Self) -> Bool { left.centimetres < right.centimetres }
}

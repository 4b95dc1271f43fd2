/// A point in space as non-negative whole decimetres.
struct SpacePoint: Sendable {
    /// Origin of the coordinates in metres, below every place on earth.
    private static let origin = -6_700_000.0

    let x: Int32
    let y: Int32
    let z: Int32

    @inline(__always)
    init(_ point: EarthPoint) {
        x = SpacePoint.decimetres(point.x)
        y = SpacePoint.decimetres(point.y)
        z = SpacePoint.decimetres(point.z)
    }

    /// Distance of a coordinate from the origin, rounded down.
    @inline(__always)
    private static func decimetres(_ metres: Double) -> Int32 { Int32((metres - origin) * 10) }

    /// Whether another point is within `decimetres`.
    @inline(__always)
    func isWithin(_ decimetres: Int64, of other: SpacePoint) -> Bool {
        let dx = Int64(x - other.x)
        let dy = Int64(y - other.y)
        let dz = Int64(z - other.z)
        return dx * dx + dy * dy + dz * dz <= decimetres * decimetres
    }
}

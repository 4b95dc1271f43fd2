/// A place in space, as whole decimetres from where no coordinate on earth is less.
struct SpacePoint: Sendable {
    /// Coordinates are counted from here, metres: none on earth is below.
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

    /// How far a coordinate of a place on earth is from the least, rounded down.
    @inline(__always)
    private static func decimetres(_ metres: Double) -> Int32 { Int32((metres - origin) * 10) }

    /// Whether another place is no farther away than so many decimetres.
    @inline(__always)
    func isWithin(_ decimetres: Int64, of other: SpacePoint) -> Bool {
        let dx = Int64(x - other.x)
        let dy = Int64(y - other.y)
        let dz = Int64(z - other.z)
        return dx * dx + dy * dy + dz * dz <= decimetres * decimetres
    }
}

import Model

/// A flat map of the land around a place: where a coordinate is on it takes two multiplications.
///
/// East and north have the scale that they have in its middle, so that a way is longer or shorter
/// on it than on earth, the more so the farther from the middle and the nearer to a pole;
/// ``share(within:)`` says by how much. It ends at the antimeridian: what is beyond is thrown so
/// far away that nothing near the middle is mistaken for it.
public struct LocalMap: Sendable {
    private static let radiansPerUnit = 3.141_592_653_589_793_238_46 / 1_800_000_000
    /// The earth is nowhere curved more than a ball of this radius, metres.
    private static let radius = 6_330_000.0

    private let latitude: Int64
    private let longitude: Int64
    /// Metres for 10⁻⁷ degrees.
    private let northward: Double
    private let eastward: Double
    /// Of the middle's latitude, a little more.
    private let tangent: Double

    public init(around point: EarthPoint) {
        latitude = Int64(point.coordinate.latitudeE7)
        longitude = Int64(point.coordinate.longitudeE7)
        let sine = Angle.sineCosine(latitude).sine
        let fromAxis = (point.x * point.x + point.y * point.y).squareRoot()
        northward = Ellipsoid.meridianRadius(sine: sine) * LocalMap.radiansPerUnit
        eastward = fromAxis * LocalMap.radiansPerUnit
        // Less than infinite at a pole, where nothing is on the map.
        tangent = point.z.magnitude / max(fromAxis, 1) * 1.02
    }

    /// Metres east and north of the middle.
    @inline(__always)
    public func spot(of coordinate: Coordinate) -> (east: Double, north: Double) {
        (
            Double(Int64(coordinate.longitudeE7) - longitude) * eastward,
            Double(Int64(coordinate.latitudeE7) - latitude) * northward
        )
    }

    /// The share of itself by which the way between two places, both within so many metres of the
    /// middle, is longer or shorter on earth than on the map, at most.
    public func share(within metres: Double) -> Double {
        let angle = metres / LocalMap.radius
        return angle * (tangent + 0.02) + angle * angle * (1 + tangent * tangent)
    }

    /// Within so many metres of the middle ``share(within:)`` is surely no larger than asked for.
    public func metres(keeping share: Double) -> Double {
        let angle = min(
            share / 2 / (tangent + 0.02), (share / 2).squareRoot() / (1 + tangent))
        return angle * LocalMap.radius
    }
}

extension RegionSet {
    /// The radius of a region that is a circle, metres; nil for any other.
    public func radiusMetres(_ place: Int) -> Double? {
        shapes[place].isCircle ? shapes[place].radius : nil
    }
}

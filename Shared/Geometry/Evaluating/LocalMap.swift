import Model

/// A flat local map around a point that projects coordinates with two multiplications.
///
/// Both axes have the scale of the centre, so distances deviate from those on earth, more so
/// farther from the centre and nearer to a pole; ``share(within:)`` limits the deviation. The map
/// ends at the antimeridian: coordinates beyond it are projected so far away that they cannot be
/// mistaken for nearby ones.
public struct LocalMap: Sendable {
    private static let radiansPerUnit = 3.141_592_653_589_793_238_46 / 1_800_000_000
    /// Lower bound of the earth's radius of curvature, metres.
    private static let radius = 6_330_000.0

    private let latitude: Int64
    private let longitude: Int64
    /// Metres per 10⁻⁷ degrees.
    private let northward: Double
    private let eastward: Double
    /// Tangent of the centre's latitude, rounded up.
    private let tangent: Double

    public init(around point: EarthPoint) {
        latitude = Int64(point.coordinate.latitudeE7)
        longitude = Int64(point.coordinate.longitudeE7)
        let sine = Angle.sineCosine(latitude).sine
        let fromAxis = (point.x * point.x + point.y * point.y).squareRoot()
        northward = Ellipsoid.meridianRadius(sine: sine) * LocalMap.radiansPerUnit
        eastward = fromAxis * LocalMap.radiansPerUnit
        // Finite even at a pole, where the map is empty.
        tangent = point.z.magnitude / max(fromAxis, 1) * 1.02
    }

    /// Metres east and north of the centre.
    @inline(__always)
    public func point(of coordinate: Coordinate) -> (east: Double, north: Double) {
        (
            Double(Int64(coordinate.longitudeE7) - longitude) * eastward,
            Double(Int64(coordinate.latitudeE7) - latitude) * northward
        )
    }

    /// Maximum relative deviation of distances on the map from those on earth.
    ///
    /// - Parameter metres: distance from the centre within which both places are
    public func share(within metres: Double) -> Double {
        let angle = metres / LocalMap.radius
        return angle * (tangent + 0.02) + angle * angle * (1 + tangent * tangent)
    }

    /// Radius around the centre within which ``share(within:)`` does not exceed `share`, metres.
    public func metres(keeping share: Double) -> Double {
        let angle = min(
            share / 2 / (tangent + 0.02), (share / 2).squareRoot() / (1 + tangent))
        return angle * LocalMap.radius
    }
}

extension RegionSet {
    /// Radius of a circular region in metres; nil for other regions.
    public func radiusMetres(_ index: Int) -> Double? {
        shapes[index].isCircle ? shapes[index].radius : nil
    }
}

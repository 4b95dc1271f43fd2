/// Constants of the WGS 84 ellipsoid.
enum Ellipsoid {
    /// Semi-major axis in metres.
    static let equatorialRadius = 6_378_137.0
    static let flattening = 1 / 298.257_223_563
    /// First eccentricity squared.
    static let eccentricitySquared = flattening * (2 - flattening)

    /// Radius of curvature in the prime vertical, metres: length of the normal to the axis.
    static func normalLength(sine: Double) -> Double {
        equatorialRadius / (1 - eccentricitySquared * sine * sine).squareRoot()
    }

    /// Radius of curvature in the meridian, metres.
    static func meridianRadius(sine: Double) -> Double {
        let root = (1 - eccentricitySquared * sine * sine).squareRoot()
        return equatorialRadius * (1 - eccentricitySquared) / (root * root * root)
    }

    /// Depth at which a point's normal meets the axis, per metre of the point's height.
    ///
    /// Both are measured from the equatorial plane.
    static let footPerHeight = eccentricitySquared / (1 - eccentricitySquared)
}

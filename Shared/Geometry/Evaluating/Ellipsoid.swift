/// WGS 84.
enum Ellipsoid {
    /// Semi-major axis in metres.
    static let equatorialRadius = 6_378_137.0
    static let flattening = 1 / 298.257_223_563
    /// First eccentricity squared.
    static let eccentricitySquared = flattening * (2 - flattening)

    /// Radius of curvature in the prime vertical, metres: length of the normal down to the axis.
    static func normalLength(sine: Double) -> Double {
        equatorialRadius / (1 - eccentricitySquared * sine * sine).squareRoot()
    }

    /// Radius of curvature in the meridian, metres.
    static func meridianRadius(sine: Double) -> Double {
        let root = (1 - eccentricitySquared * sine * sine).squareRoot()
        return equatorialRadius * (1 - eccentricitySquared) / (root * root * root)
    }

    /// How far below the equator's plane the normal of a point meets the axis, for each metre that
    /// the point is above it.
    static let footPerHeight = eccentricitySquared / (1 - eccentricitySquared)
}

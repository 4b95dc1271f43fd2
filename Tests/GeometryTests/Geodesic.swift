import Glibc
import Model

/// Vincenty's formulae (1975) on WGS 84: a slow reference independent of the tested code.
enum Geodesic {
    private static let a = 6_378_137.0
    private static let f = 1 / 298.257_223_563
    private static let b = a * (1 - f)

    /// Distance in metres and initial azimuth in degrees; not for antipodes.
    static func inverse(_ one: Coordinate, _ two: Coordinate) -> (metres: Double, azimuth: Double) {
        inverse(one.latitude, one.longitude, two.latitude, two.longitude)
    }

    static func inverse(
        _ lat1: Double, _ lon1: Double, _ lat2: Double, _ lon2: Double
    ) -> (metres: Double, azimuth: Double) {
        let u1 = atan((1 - f) * tan(lat1 * .pi / 180))
        let u2 = atan((1 - f) * tan(lat2 * .pi / 180))
        let l = remainder(lon2 - lon1, 360) * .pi / 180
        var lambda = l
        var sinSigma = 0.0
        var cosSigma = 1.0
        var sigma = 0.0
        var cosSquaredAlpha = 0.0
        var cos2Middle = 0.0
        for _ in 0..<200 {
            let east = cos(u2) * sin(lambda)
            let north = cos(u1) * sin(u2) - sin(u1) * cos(u2) * cos(lambda)
            sinSigma = sqrt(east * east + north * north)
            if sinSigma == 0 { return (0, 0) }
            cosSigma = sin(u1) * sin(u2) + cos(u1) * cos(u2) * cos(lambda)
            sigma = atan2(sinSigma, cosSigma)
            let sinAlpha = cos(u1) * cos(u2) * sin(lambda) / sinSigma
            cosSquaredAlpha = 1 - sinAlpha * sinAlpha
            cos2Middle =
                cosSquaredAlpha > 1e-14 ? cosSigma - 2 * sin(u1) * sin(u2) / cosSquaredAlpha : 0
            let c = f / 16 * cosSquaredAlpha * (4 + f * (4 - 3 * cosSquaredAlpha))
            let previous = lambda
            let inner = cos2Middle + c * cosSigma * (-1 + 2 * cos2Middle * cos2Middle)
            lambda = l + (1 - c) * f * sinAlpha * (sigma + c * sinSigma * inner)
            if abs(lambda - previous) < 1e-15 { break }
        }
        let (bigA, delta) = series(cosSquaredAlpha, sinSigma, cosSigma, cos2Middle)
        let east = cos(u2) * sin(lambda)
        let north = cos(u1) * sin(u2) - sin(u1) * cos(u2) * cos(lambda)
        return (b * bigA * (sigma - delta), atan2(east, north) * 180 / .pi)
    }

    /// The point at a distance in metres and an azimuth in degrees.
    static func direct(
        _ lat: Double, _ lon: Double, azimuth: Double, metres: Double
    ) -> (latitude: Double, longitude: Double) {
        let alpha = azimuth * .pi / 180
        let u1 = atan((1 - f) * tan(lat * .pi / 180))
        let sigma1 = atan2(tan(u1), cos(alpha))
        let sinAlpha = cos(u1) * sin(alpha)
        let cosSquaredAlpha = 1 - sinAlpha * sinAlpha
        var sigma = 0.0
        var cos2Middle = 0.0
        var (bigA, delta) = series(cosSquaredAlpha, 0, 1, 0)
        for _ in 0..<100 {
            let previous = sigma
            sigma = metres / (b * bigA) + delta
            cos2Middle = cos(2 * sigma1 + sigma)
            (bigA, delta) = series(cosSquaredAlpha, sin(sigma), cos(sigma), cos2Middle)
            if abs(sigma - previous) < 1e-15 { break }
        }
        let t = sin(u1) * sin(sigma) - cos(u1) * cos(sigma) * cos(alpha)
        let up = sin(u1) * cos(sigma) + cos(u1) * sin(sigma) * cos(alpha)
        let latitude = atan2(up, (1 - f) * sqrt(sinAlpha * sinAlpha + t * t))
        let lambda = atan2(
            sin(sigma) * sin(alpha), cos(u1) * cos(sigma) - sin(u1) * sin(sigma) * cos(alpha))
        let c = f / 16 * cosSquaredAlpha * (4 + f * (4 - 3 * cosSquaredAlpha))
        let inner = cos2Middle + c * cos(sigma) * (-1 + 2 * cos2Middle * cos2Middle)
        let l = lambda - (1 - c) * f * sinAlpha * (sigma + c * sin(sigma) * inner)
        return (latitude * 180 / .pi, remainder(lon + l * 180 / .pi, 360))
    }

    private static func series(
        _ cosSquaredAlpha: Double, _ sinSigma: Double, _ cosSigma: Double, _ cos2Middle: Double
    ) -> (a: Double, delta: Double) {
        let u = cosSquaredAlpha * (a * a - b * b) / (b * b)
        let bigA = 1 + u / 16384 * (4096 + u * (-768 + u * (320 - 175 * u)))
        let bigB = u / 1024 * (256 + u * (-128 + u * (74 - 47 * u)))
        let m = cos2Middle
        let last =
            bigB / 6 * m * (-3 + 4 * sinSigma * sinSigma) * (-3 + 4 * m * m)
        let delta =
            bigB * sinSigma * (m + bigB / 4 * (cosSigma * (-1 + 2 * m * m) - last))
        return (bigA, delta)
    }
}

extension Coordinate {
    /// The point at a distance in metres and an azimuth in degrees, rounded to 10⁻⁷ degrees.
    func moved(azimuth: Double, metres: Double) -> Coordinate {
        let (north, east) = Geodesic.direct(latitude, longitude, azimuth: azimuth, metres: metres)
        return Coordinate(latitude: north, longitude: east)!
    }

    static func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
        Coordinate(latitude: latitude, longitude: longitude)!
    }
}

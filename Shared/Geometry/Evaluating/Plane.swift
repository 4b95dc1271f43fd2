import Model

/// A zone's local plane: tangent to the ellipsoid at the zone's origin.
///
/// Points are projected from the intersection of the origin's normal with the earth's axis.
/// Straight lines of the plane are then shortest paths on the ellipsoid, with an error of at most 5
/// cm for an edge of 100 km. Lengths grow with the distance from the origin, radially by 1 + ρ² and
/// tangentially by √(1 + ρ²), where ρ = distance ÷ earth's radius; ``trueLength(fromX:y:dx:dy:)``
/// corrects for that.
struct Plane: Sendable {
    /// Factor of the encoded sines and cosines, 2⁵².
    static let scale = 4_503_599_627_370_496.0
    /// Version of the format; the first coefficient of a geometry.
    static let format: Int64 = 1

    /// Compact parameters of a plane.
    struct Seed: Sendable {
        let origin: Coordinate
        fileprivate let latitude: (sine: Double, cosine: Double)
        fileprivate let longitude: (sine: Double, cosine: Double)

        /// Returns nil for an unknown format and for values that are not sines and cosines. The
        /// values come from the wire and must not cause arithmetic overflow.
        init?(origin: Coordinate, coefficients: [Int64]) {
            guard coefficients.count == 5, coefficients[0] == Plane.format, origin.isOnEarth
            else { return nil }
            self.init(origin: origin, known: coefficients)
            for angle in [latitude, longitude] {
                let square = angle.sine * angle.sine + angle.cosine * angle.cosine
                guard (square - 1).magnitude < 1e-6 else { return nil }
            }
        }

        fileprivate init(origin: Coordinate, known coefficients: [Int64]) {
            self.origin = origin
            func share(_ index: Int) -> Double { Double(coefficients[index]) / Plane.scale }
            latitude = (share(1), share(2))
            longitude = (share(3), share(4))
        }
    }

    let origin: EarthPoint
    /// Length of the origin's normal to the axis, metres.
    let normal: Double
    /// Curvature along the meridian, 1/m.
    private let northCurvature: Double
    /// Height of the intersection of the normal and the axis: (0, 0, foot).
    private let foot: Double
    private let sineLatitude: Double
    private let cosineLatitude: Double
    private let sineLongitude: Double
    private let cosineLongitude: Double

    /// The format's version, then sine and cosine of the origin's latitude and longitude × 2⁵².
    static func coefficients(at origin: Coordinate) -> [Int64] {
        let latitude = Angle.sineCosine(Int64(origin.latitudeE7))
        let longitude = Angle.sineCosine(Int64(origin.longitudeE7))
        let parts = [latitude.sine, latitude.cosine, longitude.sine, longitude.cosine]
        return [format] + parts.map { Int64(($0 * scale).rounded()) }
    }

    init(at origin: Coordinate) {
        self.init(Seed(origin: origin, known: Plane.coefficients(at: origin)))
    }

    @inline(__always)
    init(_ seed: Seed) {
        origin = EarthPoint(seed.origin, latitude: seed.latitude, longitude: seed.longitude)
        (sineLatitude, cosineLatitude) = seed.latitude
        (sineLongitude, cosineLongitude) = seed.longitude
        normal = Ellipsoid.normalLength(sine: sineLatitude)
        northCurvature = 1 / Ellipsoid.meridianRadius(sine: sineLatitude)
        foot = -Ellipsoid.footPerHeight * origin.z
    }

    /// Projects a point to metres east and north of the origin. Valid within 1,000 km.
    func project(_ point: EarthPoint) -> (x: Double, y: Double) {
        let dz = point.z - foot
        let outward = point.x * cosineLongitude + point.y * sineLongitude
        let up = cosineLatitude * outward + sineLatitude * dz
        let factor = normal / up
        return (
            (point.y * cosineLongitude - point.x * sineLongitude) * factor,
            (cosineLatitude * dz - sineLatitude * outward) * factor
        )
    }

    /// Length on the ellipsoid of the plane's vector (dx, dy) at (x, y), metres.
    func trueLength(fromX x: Double, y: Double, dx: Double, dy: Double) -> Double {
        let middleX = x + dx / 2
        let middleY = y + dy / 2
        let squared = middleX * middleX + middleY * middleY
        let length = dx * dx + dy * dy
        guard squared > 0 else { return length.squareRoot() }
        let along = dx * middleX + dy * middleY
        let radial = along * along / squared
        let stretch = 1 + squared / (normal * normal)
        return (radial / (stretch * stretch) + (length - radial) / stretch).squareRoot()
    }

    /// Length on the ellipsoid from the origin to a point at a straight distance of `chord` metres.
    func arc(to point: EarthPoint, chord: Double) -> Double {
        let (x, y) = project(point)
        return arc(toX: x, y: y, chord: chord)
    }

    /// Length on the ellipsoid from the origin to the point projected to (x, y).
    func arc(toX x: Double, y: Double, chord: Double) -> Double {
        let squared = x * x + y * y
        guard squared > 0 else { return chord }
        let curvature = (y * y * northCurvature + x * x / normal) / squared
        let angle = chord * curvature
        let s = angle * angle
        return chord * (1 + s / 24 + 3 * s * s / 640)
    }
}

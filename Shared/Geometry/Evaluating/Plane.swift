import Model

/// The local plane of a zone: it touches the ellipsoid at the zone's origin, and points are thrown
/// onto it from where the origin's normal meets the earth's axis.
///
/// Thrown so, the straight lines of the plane are the shortest ways on the ellipsoid: 5 cm off at
/// most for an edge of 100 km, nothing for a short one. Lengths grow with the distance from the
/// origin, by 1 + ρ² along it and √(1 + ρ²) across it, ρ = distance ÷ earth's radius;
/// ``trueLength(fromX:y:dx:dy:)`` takes that back.
struct Plane: Sendable {
    /// Sines and cosines are shipped × 2⁵².
    static let scale = 4_503_599_627_370_496.0
    /// First coefficient of every geometry of this format.
    static let format: Int64 = 1

    /// All that a plane follows from, in little memory.
    struct Seed: Sendable {
        let origin: Coordinate
        fileprivate let latitude: (sine: Double, cosine: Double)
        fileprivate let longitude: (sine: Double, cosine: Double)

        /// Nil for coefficients of another format, and for those that are no sines and cosines:
        /// they come from the wire, and no arithmetic may be led beyond its range.
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
    /// Length of the origin's normal down to the axis, metres.
    let normal: Double
    /// Curvature along the meridian, 1/m.
    private let northCurvature: Double
    /// The normal's foot on the axis: (0, 0, foot).
    private let foot: Double
    private let sineLatitude: Double
    private let cosineLatitude: Double
    private let sineLongitude: Double
    private let cosineLongitude: Double

    /// Format, then sine and cosine of the origin's latitude and of its longitude × 2⁵².
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

    /// Metres east and north of the origin in the plane; only for points within 1,000 km.
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

    /// Length on the ellipsoid of the vector (dx, dy) of the plane that starts at (x, y), metres.
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

    /// Length on the ellipsoid from the origin to a point that is `chord` metres away straight.
    func arc(to point: EarthPoint, chord: Double) -> Double {
        let (x, y) = project(point)
        return arc(toX: x, y: y, chord: chord)
    }

    /// As ``arc(to:chord:)``, to the point that is seen at (x, y).
    func arc(toX x: Double, y: Double, chord: Double) -> Double {
        let squared = x * x + y * y
        guard squared > 0 else { return chord }
        let curvature = (y * y * northCurvature + x * x / normal) / squared
        let angle = chord * curvature
        let s = angle * angle
        return chord * (1 + s / 24 + 3 * s * s / 640)
    }
}

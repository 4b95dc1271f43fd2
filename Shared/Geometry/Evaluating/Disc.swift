import Model

/// A disc on the earth that is asked by coordinates alone, with a few multiplications.
///
/// A point that it holds is surely in the disc; one that it does not may be all the same, the more
/// so near a pole and across the antimeridian.
public struct Disc: Hashable, Sendable {
    /// Metres for 10⁻⁷ degrees north, nowhere more: at the poles.
    private static let metresPerLatitude = 0.011_169_4
    private static let radiansPerUnit = 3.141_592_653_589_793_238_46 / 1_800_000_000

    private let middle: Coordinate
    /// Square metres; negative for a disc that holds nothing.
    private let squaredRadius: Double
    /// Metres for 10⁻⁷ degrees east, nowhere more in the disc, squared.
    private let squaredPerLongitude: Double

    /// Holds nothing.
    public static let empty = Disc()

    private init() {
        middle = Coordinate(latitudeE7: 0, longitudeE7: 0)
        squaredRadius = -1
        squaredPerLongitude = 0
    }

    /// - Parameter metres: of the radius; for less than 0 the disc is empty
    public init(around point: EarthPoint, metres: Double) {
        guard metres >= 0 else {
            self = .empty
            return
        }
        middle = point.coordinate
        squaredRadius = metres * metres
        // A place is at most so much farther from the axis as it is away.
        let fromAxis = (point.x * point.x + point.y * point.y).squareRoot() + metres
        let perLongitude = fromAxis * Disc.radiansPerUnit
        squaredPerLongitude = perLongitude * perLongitude
    }

    @inline(__always)
    public func holds(_ coordinate: Coordinate) -> Bool {
        squaredMetres(middle, coordinate) <= squaredRadius
    }

    /// Square of a distance that two places, both of which the disc holds, surely do not exceed,
    /// square metres: a line that is straight on a map of latitude and longitude is longer than
    /// the shortest way.
    @inline(__always)
    public func squaredMetres(_ one: Coordinate, _ other: Coordinate) -> Double {
        let north = Double(Int64(one.latitudeE7) - Int64(other.latitudeE7))
        let east = Double(Int64(one.longitudeE7) - Int64(other.longitudeE7))
        let perLatitude = Disc.metresPerLatitude
        return north * north * (perLatitude * perLatitude) + east * east * squaredPerLongitude
    }
}

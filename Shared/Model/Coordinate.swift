/// A WGS 84 position in units of 10⁻⁷ degrees (about 11 mm).
public struct Coordinate: Hashable, Sendable, Codable {
    /// −900,000,000 to 900,000,000.
    public var latitudeE7: Int32
    /// −1,800,000,000 to 1,800,000,000.
    public var longitudeE7: Int32

    public init(latitudeE7: Int32, longitudeE7: Int32) {
        self.latitudeE7 = latitudeE7
        self.longitudeE7 = longitudeE7
    }

    /// Rounds degrees to 10⁻⁷. Nil outside ±90 / ±180 and for NaN.
    public init?(latitude: Double, longitude: Double) {
        guard latitude >= -90, latitude <= 90, longitude >= -180, longitude <= 180 else {
            return nil
        }
        latitudeE7 = Int32(nearest: latitude * 1e7)
        longitudeE7 = Int32(nearest: longitude * 1e7)
    }

    /// Whether it is 0° N, 0° E, which software often stores in place of a missing position.
    public var isZero: Bool { latitudeE7 == 0 && longitudeE7 == 0 }
    /// Whether latitude or longitude is exactly 0, which apps often send in place of a missing one.
    public var hasZero: Bool { latitudeE7 == 0 || longitudeE7 == 0 }

    /// Degrees north.
    public var latitude: Double { Double(latitudeE7) / 1e7 }
    /// Degrees east.
    public var longitude: Double { Double(longitudeE7) / 1e7 }

    private enum CodingKeys: String, CodingKey { case lat, lon }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let latitude = try container.decode(Double.self, forKey: .lat)
        let longitude = try container.decode(Double.self, forKey: .lon)
        guard let value = Coordinate(latitude: latitude, longitude: longitude) else {
            throw DecodingError.dataCorruptedError(
                forKey: .lat, in: container,
                debugDescription: "outside -90…90 degrees north, -180…180 degrees east")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(latitude, forKey: .lat)
        try container.encode(longitude, forKey: .lon)
    }
}

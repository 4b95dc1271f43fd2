import Geometry
import Model
import TestSupport
import Testing

@Suite struct DistanceTests {
    private static let latitudes = [0, 3.139, -33.9, 51.5, 69.6, -77.8, 85]

    /// From GeographicLib 2.1, metres.
    private static let geographicLib: [(Double, Double, Double, Double, Double)] = [
        (0.0, -63.4202047, -0.0002638, -63.4205694, 49.9907),
        (0.0, 12.9175216, 0.0570951, 12.853752, 9500.0028),
        (0.0, -166.501563, 1.4883893, -167.1564889, 179_999.9953),
        (1.5, 45.8759601, 0.9863996, 46.0499017, 59_999.9933),
        (-33.9, 171.451838, -33.9004316, 171.451682, 50.0005),
        (-33.9, -68.9465433, -34.1168964, -68.3515227, 60_000.0008),
        (45.0, 50.0088488, 45.0003129, 50.0083931, 50.0016),
        (45.0, -158.5435788, 44.9765868, -158.6594347, 9499.9975),
        (45.0, -66.9070187, 46.3848729, -65.7088518, 179_999.9999),
        (60.2, 105.9766133, 60.2028263, 105.9937269, 1000.0015),
        (-72.0, -165.8853875, -71.7298921, -164.3925295, 60_000.0010),
        (84.9, 135.1720123, 84.9001745, 135.1673748, 49.9983),
        (84.9, 28.7622735, 84.9818074, 28.498067, 9500.0029),
        (84.9, -9.3245985, 85.5101284, 8.6291376, 180_000.0002),
    ]

    @Test func `the reference of these tests agrees with GeographicLib`() {
        for (lat1, lon1, lat2, lon2, metres) in Self.geographicLib {
            let found = Geodesic.inverse(lat1, lon1, lat2, lon2).metres
            #expect(abs(found - metres) < 0.001)
        }
    }

    @Test func `a circle's distance is GeographicLib's distance minus the radius`() throws {
        for (lat1, lon1, lat2, lon2, metres) in Self.geographicLib {
            let shape = ZoneShape.circle(center: .at(lat1, lon1), radiusCentimetres: 2000)
            let region = try #require(Region(prepare(shape)))
            let found = region.signedDistance(from: EarthPoint(.at(lat2, lon2)))
            #expect(abs(Double(found.centimetres) / 100 + 20 - metres) <= 0.02)
        }
    }

    @Test(arguments: latitudes)
    func `circles of every size are accurate to 3 cm near their edge`(latitude: Double) throws {
        var random = SeededGenerator(seed: UInt64(latitude.magnitude * 10))
        for _ in 0..<60 {
            let middle = Coordinate.at(latitude, random.number(-180...180))
            let radius = random.number(1...200_000)
            let shape = ZoneShape.circle(
                center: middle, radiusCentimetres: Int32(radius * 100))
            let region = try #require(Region(prepare(shape)))
            let point = middle.moved(
                azimuth: random.number(0...360),
                metres: max(0, radius + random.number(-10_000...10_000)))
            let expected =
                Geodesic.inverse(middle, point).metres - Double(Int32(radius * 100)) / 100
            let found = region.signedDistance(from: EarthPoint(point))
            #expect(abs(Double(found.centimetres) / 100 - expected) < 0.03)
            #expect(region.contains(EarthPoint(point)) == (expected < 0))
        }
    }

    @Test(arguments: latitudes)
    func `distances to polygons of a town's size agree with geodesics within 5 cm`(
        latitude: Double
    ) throws {
        try measure(latitude, size: 200...10_000, cases: 25, allowed: { 0.05 + $0 * 0.00001 })
    }

    @Test(arguments: latitudes)
    func `distances to polygons of a district's size agree within 0.1 % or 0.5 m`(
        latitude: Double
    ) throws {
        try measure(latitude, size: 10_000...200_000, cases: 25, allowed: { max(0.5, $0 * 0.001) })
    }

    /// Random polygons, each with near and distant points.
    private func measure(
        _ latitude: Double, size: ClosedRange<Double>, cases: Int, allowed: (Double) -> Double
    ) throws {
        var random = SeededGenerator(seed: UInt64(latitude.magnitude * 10 + size.upperBound))
        for _ in 0..<cases {
            let middle = Coordinate.at(latitude, random.number(-180...180))
            let metres = random.number(size)
            let polygon = random.polygon(around: middle, metres: metres)
            let region = try #require(Region(prepare(.polygons([polygon]))))
            for _ in 0..<4 {
                let point = middle.moved(
                    azimuth: random.number(0...360), metres: random.number(0...metres + 10_000))
                let expected = Oracle.distance(point, to: [polygon])
                let found = region.signedDistance(from: EarthPoint(point))
                let difference = abs(abs(Double(found.centimetres)) / 100 - expected)
                #expect(difference <= allowed(expected), "\(latitude) \(metres) \(expected)")
                guard expected > 0.5 else { continue }
                #expect(found.isInside == Oracle.contains(point, in: [polygon]))
            }
        }
    }

    @Test func `distant points get a lower bound, and the fast rejection is correct`() throws {
        let shape = ZoneShape.circle(center: .at(3, 101), radiusCentimetres: 100_000)
        let region = try #require(Region(prepare(shape)))
        for point in [Coordinate.at(3, -79), .at(-3, -78.9), .at(80, 0), .at(20, 101)] {
            let found = region.signedDistance(from: EarthPoint(point))
            #expect(found.centimetres >= 50_000_000)
            #expect(region.isSurelyBeyond(metres: 10_000, from: EarthPoint(point)))
            #expect(!region.contains(EarthPoint(point)))
        }
        let near = Coordinate.at(3, 101).moved(azimuth: 70, metres: 1990)
        #expect(!region.isSurelyBeyond(metres: 1000, from: EarthPoint(near)))
    }
}

import Geometry
import Model
import TestSupport
import Testing

@Suite struct LocalMapTests {
    @Test(arguments: [0.0, 3.1, -16.9, 45, -60, 75, 89])
    func `distances on the map match those on earth within the reported deviation`(
        latitude: Double
    ) throws {
        var random = SeededGenerator(seed: UInt64(latitude.magnitude))
        let middle = EarthPoint(try #require(Coordinate(latitude: latitude, longitude: 101.7)))
        let map = LocalMap(around: middle)
        let reach = min(map.metres(keeping: 0.001), 10_000)
        #expect(map.share(within: reach) <= 0.001)
        var count = 0
        while count < 500 {
            let positions = (0..<2).map { _ in
                // Wide enough at every latitude; positions that are too far are skipped.
                let units = Int32(reach / 0.0111)
                let wide = Int32(min(Double(units) * (latitude.magnitude > 80 ? 60 : 4), 5e8))
                return Coordinate(
                    latitudeE7: middle.coordinate.latitudeE7
                        + .random(in: -units...units, using: &random),
                    longitudeE7: middle.coordinate.longitudeE7
                        + .random(in: -wide...wide, using: &random))
            }
            let points = positions.map { map.point(of: $0) }
            guard points.allSatisfy({ $0.east * $0.east + $0.north * $0.north < reach * reach })
            else { continue }
            count += 1
            let east = points[0].east - points[1].east
            let north = points[0].north - points[1].north
            let drawn = (east * east + north * north).squareRoot()
            let real = EarthPoint(positions[0]).straightMetres(to: EarthPoint(positions[1]))
            #expect((drawn - real).magnitude <= drawn * map.share(within: reach) + 0.02)
        }
    }

    @Test func `points beyond the antimeridian are far away, and no point is near a pole`() throws {
        let east = EarthPoint(try #require(Coordinate(latitude: 10, longitude: 179.999)))
        let point = LocalMap(around: east).point(
            of: try #require(Coordinate(latitude: 10, longitude: -179.999)))
        #expect(point.east < -1_000_000)
        let pole = EarthPoint(try #require(Coordinate(latitude: 90, longitude: 0)))
        #expect(LocalMap(around: pole).metres(keeping: 0.001) < 10)
    }
}

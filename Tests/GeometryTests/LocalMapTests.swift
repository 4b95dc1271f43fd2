import Geometry
import Model
import TestSupport
import Testing

@Suite struct LocalMapTests {
    @Test(arguments: [0.0, 3.1, -16.9, 45, -60, 75, 89])
    func `ways on the map are as long as on earth, but for the share that it tells`(
        latitude: Double
    ) throws {
        var random = SeededGenerator(seed: UInt64(latitude.magnitude))
        let middle = EarthPoint(try #require(Coordinate(latitude: latitude, longitude: 101.7)))
        let map = LocalMap(around: middle)
        let reach = min(map.metres(keeping: 0.001), 10_000)
        #expect(map.share(within: reach) <= 0.001)
        var count = 0
        while count < 500 {
            let places = (0..<2).map { _ in
                // More than wide enough at every latitude; those that are too far are left out.
                let units = Int32(reach / 0.0111)
                let wide = Int32(min(Double(units) * (latitude.magnitude > 80 ? 60 : 4), 5e8))
                return Coordinate(
                    latitudeE7: middle.coordinate.latitudeE7
                        + .random(in: -units...units, using: &random),
                    longitudeE7: middle.coordinate.longitudeE7
                        + .random(in: -wide...wide, using: &random))
            }
            let spots = places.map { map.spot(of: $0) }
            guard spots.allSatisfy({ $0.east * $0.east + $0.north * $0.north < reach * reach })
            else { continue }
            count += 1
            let east = spots[0].east - spots[1].east
            let north = spots[0].north - spots[1].north
            let drawn = (east * east + north * north).squareRoot()
            let real = EarthPoint(places[0]).straightMetres(to: EarthPoint(places[1]))
            #expect((drawn - real).magnitude <= drawn * map.share(within: reach) + 0.02)
        }
    }

    @Test func `what is beyond the antimeridian is far away, and nothing is near at a pole`() throws
    {
        let east = EarthPoint(try #require(Coordinate(latitude: 10, longitude: 179.999)))
        let spot = LocalMap(around: east).spot(
            of: try #require(Coordinate(latitude: 10, longitude: -179.999)))
        #expect(spot.east < -1_000_000)
        let pole = EarthPoint(try #require(Coordinate(latitude: 90, longitude: 0)))
        #expect(LocalMap(around: pole).metres(keeping: 0.001) < 10)
    }
}

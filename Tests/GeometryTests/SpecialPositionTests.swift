import Geometry
import Model
import TestSupport
import Testing

/// Special cases of maps: antimeridian, poles, shared borders.
@Suite struct SpecialPositionTests {
    private static let half: Int32 = 1_800_000_000

    private func region(_ polygons: [Polygon]) throws -> Region {
        try #require(Region(prepare(.polygons(polygons))))
    }

    private func square(west: Double, south: Double, east: Double, north: Double) -> Polygon {
        Polygon(outer: [
            .at(south, west), .at(south, east), .at(north, east), .at(north, west),
        ])
    }

    @Test func `a polygon across the antimeridian is one piece`() throws {
        let fiji = try region([square(west: 179.9, south: -17, east: -179.9, north: -16.8)])
        for longitude in [179.95, 180, -180, -179.95] {
            #expect(fiji.contains(EarthPoint(.at(-16.9, longitude))))
        }
        for longitude in [179.89, -179.89, 0] {
            #expect(!fiji.contains(EarthPoint(.at(-16.9, longitude))))
        }
        let middle = fiji.signedDistance(from: EarthPoint(.at(-16.9, 180)))
        #expect(abs(middle.centimetres + 1_065_600) < 2000)
    }

    @Test func `a polygon split at the antimeridian behaves like one that is not`() throws {
        let whole = try region([square(west: 179.9, south: -17, east: -179.9, north: -16.8)])
        let cut = try region([
            square(west: 179.9, south: -17, east: 180, north: -16.8),
            square(west: -180, south: -17, east: -179.9, north: -16.8),
        ])
        for longitude in [179.95, 179.9999999, 180, -180, -179.9999, -179.98, 179.8] {
            let point = EarthPoint(.at(-16.9, longitude))
            let difference =
                whole.signedDistance(from: point).centimetres
                - cut.signedDistance(from: point).centimetres
            // The split adds vertices, so top and bottom bulge slightly less towards the pole.
            #expect(abs(difference) < 200)
            #expect(whole.contains(point) == cut.contains(point))
        }
    }

    @Test func `the antimeridian does not affect a circle`() throws {
        let shape = ZoneShape.circle(center: .at(-16.9, 179.999), radiusCentimetres: 100_000)
        let region = try #require(Region(prepare(shape)))
        #expect(region.contains(EarthPoint(.at(-16.9, -179.995))))
        #expect(!region.contains(EarthPoint(.at(-16.9, -179.98))))
    }

    @Test(arguments: [1.0, -1.0])
    func `a ring around a pole contains the pole and every longitude`(sign: Double) throws {
        var random = SeededGenerator(seed: 90)
        let outer = stride(from: -180.0, to: 180, by: 30).map { Coordinate.at(sign * 89, $0) }
        let hole = stride(from: -180.0, to: 180, by: 60).map { Coordinate.at(sign * 89.9, $0) }
        let disc = try region([Polygon(outer: outer)])
        let band = try region([Polygon(outer: outer, holes: [hole])])
        #expect(disc.contains(EarthPoint(.at(sign * 90, 77))))
        #expect(!band.contains(EarthPoint(.at(sign * 90, 77))))
        for _ in 0..<300 {
            let point = Coordinate.at(sign * random.number(88...90), random.number(-180...180))
            let away = 90 - abs(point.latitude)
            guard abs(away - 0.98) > 0.03, abs(away - 0.095) > 0.01 else { continue }
            #expect(disc.contains(EarthPoint(point)) == (away < 1))
            #expect(band.contains(EarthPoint(point)) == (away < 1 && away > 0.1))
        }
    }

    @Test func `a polygon with a vertex on the pole is a wedge`() throws {
        let wedge = try region([
            Polygon(outer: [.at(90, 10), .at(89, -50), .at(89, 50)])
        ])
        for (latitude, longitude, inside) in [
            (89.6, 30.0, true), (89.6, 5, true), (89.6, -45, true), (89.6, 70, false),
            (89.6, -170, false), (88.9, 0, false),
        ] {
            #expect(wedge.contains(EarthPoint(.at(latitude, longitude))) == inside)
        }
    }

    @Test func `a hole is outside, and its edge counts`() throws {
        let outer = square(west: 101, south: 3, east: 101.1, north: 3.1).outer
        let hole = square(west: 101.04, south: 3.04, east: 101.06, north: 3.06).outer
        let region = try region([Polygon(outer: outer, holes: [hole])])
        #expect(!region.contains(EarthPoint(.at(3.05, 101.05))))
        #expect(region.contains(EarthPoint(.at(3.05, 101.03))))
        let inHole = region.signedDistance(from: EarthPoint(.at(3.05, 101.05)))
        #expect(abs(inHole.centimetres - 110_575) < 700)
    }

    @Test func `an edge is the shortest path, not a parallel`() throws {
        // At 60° N, halfway along 10 km of a parallel, the geodesic is 3.4 m further north.
        let region = try region([
            Polygon(outer: [.at(60, 10), .at(60, 10.18), .at(59.9, 10.09)])
        ])
        #expect(region.contains(EarthPoint(.at(60.00002, 10.09))))
        #expect(!region.contains(EarthPoint(.at(60.00004, 10.09))))
    }

    @Test func `neighbours share their border without gap or overlap`() throws {
        var random = SeededGenerator(seed: 12)
        // A fan of triangles around a point: each border belongs to two.
        for latitude in [2.5, -45, 70] {
            let middle = Coordinate.at(latitude, 102.3)
            let rim = random.ring(around: middle, points: 8, metres: 20_000...90_000)
            let fan = try rim.indices.map { index in
                try region([Polygon(outer: [middle, rim[index], rim[(index + 1) % rim.count]])])
            }
            var points = rim + [middle]
            for index in rim.indices {
                for _ in 0..<200 {
                    let edge = Geodesic.inverse(middle, rim[index])
                    let along = middle.moved(
                        azimuth: edge.azimuth, metres: edge.metres * random.number(0...0.999))
                    // Within a few units of 11 mm of the border.
                    points.append(along.nudged(by: Int32.random(in: -2...2, using: &random)))
                }
            }
            for point in points where !rim.contains(point) {
                #expect(fan.count { $0.contains(EarthPoint(point)) } == 1)
            }
        }
    }

    @Test func `the distance is negative exactly if the point is inside`() throws {
        var random = SeededGenerator(seed: 5)
        let middle = Coordinate.at(3.139, 101.6869)
        let polygon = random.polygon(around: middle, metres: 300)
        let region = try region([polygon])
        for corner in polygon.outer {
            for _ in 0..<100 {
                let point = EarthPoint(
                    corner.moved(azimuth: random.number(0...360), metres: random.number(0...0.05)))
                #expect(region.signedDistance(from: point).isInside == region.contains(point))
            }
        }
    }
}

extension Coordinate {
    fileprivate func nudged(by units: Int32) -> Coordinate {
        Coordinate(latitudeE7: latitudeE7 + units, longitudeE7: longitudeE7)
    }
}

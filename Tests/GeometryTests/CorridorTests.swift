import Geometry
import Model
import Shapes
import TestSupport
import Testing

@Suite struct CorridorTests {
    private func corridor(
        _ line: [(Double, Double)], metres: Int32, inset: Int32 = 0
    ) throws -> PreparedGeometry {
        let shape = ZoneShape.corridor(
            line: line.map { .at($0.0, $0.1) }, halfWidthCentimetres: metres * 100)
        return try prepareChecked(shape, insetCentimetres: inset * 100)
    }

    private func problem(_ line: [Coordinate], centimetres: Int32 = 5000) -> GeometryProblem? {
        do throws(GeometryProblem) {
            _ = try prepareChecked(.corridor(line: line, halfWidthCentimetres: centimetres))
            return nil
        } catch {
            return error
        }
    }

    private func metres(_ prepared: PreparedGeometry, _ point: Coordinate) throws -> Double {
        let region = try #require(Region(prepared))
        return Double(region.signedDistance(from: EarthPoint(point)).centimetres) / 100
    }

    /// Positions where maps have discontinuities, and ordinary ones.
    private static let positions: [(Double, Double)] = [
        (3.139, 101.6869), (0, 0), (-16.9, 180), (-16.9, -179.9999), (69.6, 18.9), (89.99, 40),
        (90, 0), (-90, 0), (-89.9999, -120),
    ]

    @Test(arguments: positions)
    func `a straight corridor has round ends and its width`(latitude: Double, longitude: Double)
        throws
    {
        let middle = Coordinate.at(latitude, longitude)
        let one = middle.moved(azimuth: 60, metres: 3000)
        let other = middle.moved(azimuth: 240, metres: 3000)
        let prepared = try prepareChecked(
            .corridor(line: [one, other], halfWidthCentimetres: 20_000))
        #expect(prepared.polygons.count == 1 && prepared.polygons[0].count == 1)
        #expect(abs(prepared.inradiusCentimetres - 20_000) < 250)
        let beyond = one.moved(
            azimuth: Geodesic.inverse(one, other).azimuth + 180, metres: 250)
        #expect(try abs(metres(prepared, beyond) - 50) < 0.25)
        #expect(try abs(metres(prepared, one) + 200) < 0.25)
        for azimuth in [Geodesic.inverse(one, other).azimuth + 90, 0] {
            let aside = one.moved(azimuth: azimuth, metres: 1000)
            let expected = Oracle.distance(aside, to: [Polygon(outer: [one, other])]) - 200
            #expect(try abs(metres(prepared, aside) - expected) < 0.25)
        }
    }

    @Test func `a corridor across a pole is one piece`() throws {
        for sign in [1.0, -1.0] {
            let prepared = try corridor([(sign * 89.99, 30), (sign * 89.99, -150)], metres: 100)
            #expect(prepared.polygons.count == 1)
            #expect(try abs(metres(prepared, .at(sign * 90, 0)) + 100) < 0.25)
            let aside = Coordinate.at(sign * 90, 0).moved(
                azimuth: sign > 0 ? 180 - 120 : 120, metres: 300)
            #expect(try abs(metres(prepared, aside) - 200) < 0.25)
        }
    }

    @Test func `a corridor around an area does not contain it`() throws {
        let loop = [(3.0, 101.0), (3.0, 101.02), (3.02, 101.02), (3.02, 101.0), (3.0, 101.0)]
        let prepared = try corridor(loop, metres: 50)
        #expect(prepared.polygons.map(\.count) == [2])
        #expect(try metres(prepared, .at(3.01, 101.01)) > 1000)
        #expect(try corridor(loop, metres: 2000).polygons.map(\.count) == [1])
    }

    @Test func `a line may cross itself and turn back`() throws {
        let eight = [(3.0, 101.0), (3.02, 101.02), (3.02, 101.0), (3.0, 101.02)]
        #expect(try corridor(eight, metres: 30).polygons.map(\.count) == [2])
        let back = [(3.0, 101.0), (3.0, 101.01), (3.0, 101.0)]
        let there = [(3.0, 101.0), (3.0, 101.01)]
        #expect(try corridor(back, metres: 30) == corridor(there, metres: 30))
    }

    @Test func `a corridor with an inset is narrower, with a negative one wider`() throws {
        let line = [(3.0, 101.0), (3.0, 101.05), (3.05, 101.05)]
        for (inset, width) in [(0, 200), (150, 50), (-100, 300), (-5000, 5200)] as [(Int32, Double)]
        {
            let prepared = try corridor(line, metres: 200, inset: inset)
            for point in [Coordinate.at(3.0, 101.0), .at(3.0, 101.02), .at(3.05, 101.05)] {
                #expect(try abs(metres(prepared, point) + width) < max(0.3, width / 900))
            }
        }
        do throws(GeometryProblem) {
            let points = line.map { Coordinate.at($0.0, $0.1) }
            _ = try prepareChecked(
                .corridor(line: points, halfWidthCentimetres: 20_000), insetCentimetres: 25_000)
            Issue.record("an inset beyond the half-width was accepted")
        } catch {
            #expect(error.code == "inset-too-large")
            #expect(error.description == "an inset of 250 m leaves nothing of the shape")
            #expect(error.hint.contains("Use at most"))
        }
    }

    @Test func `problems of a corridor are reported with the point`() {
        let here = Coordinate.at(3, 101)
        let there = Coordinate.at(3.01, 101.01)
        let wrong = Coordinate(latitudeE7: 1_010_000_000, longitudeE7: 31_000_000)
        #expect(problem([]) == .tooFewLinePoints(count: 0))
        #expect(problem([here]) == .tooFewLinePoints(count: 1))
        for centimetres: Int32 in [.min, -1, 0, 99] {
            #expect(
                problem([here, there], centimetres: centimetres)
                    == .halfWidthTooSmall(centimetres: centimetres))
        }
        #expect(
            problem([here, there], centimetres: .max) == .halfWidthTooLarge(centimetres: .max))
        func position(_ vertex: Int, _ coordinate: Coordinate) -> ShapePosition {
            ShapePosition(polygon: 0, ring: nil, vertex: vertex, coordinate: coordinate)
        }
        let swapped = problem([here, there, wrong])
        #expect(swapped == .outOfRange(position(2, wrong)))
        #expect(swapped?.hint.contains("swapped") == true)
        let twice = problem([here, there, there])
        #expect(twice == .repeatedPoint(position(2, there)))
        #expect(twice?.description == "point 2 of the line repeats the point before it")
        #expect(problem([.at(3, 180), .at(3, -180)])?.code == "repeated-point")
        #expect(problem([.at(3, 101), .at(3, 106)])?.code == "too-large")
        #expect(problem([.at(3, 101), .at(3, 105.4)], centimetres: 2_000_000)?.code == "too-large")
        #expect(problem([.at(3, 101), .at(3, 105.4)], centimetres: 100_000) == nil)
    }

    @Test func `a line of many points is drawn; too many points or a scribble are rejected`() throws
    {
        var random = SeededGenerator(seed: 7)
        let way = (0..<10_000).map { index in
            Coordinate.at(3 + Double(index) / 10_000, 101 + random.number(0...0.00002))
        }
        #expect(problem(Array(way.prefix(2000)), centimetres: 10_000) == nil)
        #expect(problem(way, centimetres: 2000)?.code == "too-many-corners")
        #expect(problem(way + way) == .tooManyPoints(count: 20_000))
        let scribble = (0..<1000).map { _ in
            Coordinate.at(3 + random.number(0...0.1), 101 + random.number(0...0.1))
        }
        #expect(problem(scribble, centimetres: 100) == .lineTangled)
        let comb = (0..<1900).map { index in
            let column = Double((index + 1) / 2)
            return Coordinate.at(3 + Double(index % 4 / 2) / 10, 101 + column / 1500)
        }
        #expect(problem(comb, centimetres: 2000)?.code == "outline-too-long")
    }
}

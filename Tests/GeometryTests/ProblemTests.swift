import Geometry
import Model
import Shapes
import TestSupport
import Testing

/// Invalid shapes are rejected with the location of the problem.
@Suite struct ProblemTests {
    private func problem(_ shape: ZoneShape) -> GeometryProblem? {
        do throws(GeometryProblem) {
            _ = try prepareChecked(shape)
            return nil
        } catch {
            return error
        }
    }

    private func problem(_ points: [(Double, Double)], holes: [[(Double, Double)]] = [])
        -> GeometryProblem?
    {
        problem(.polygons([polygon(points, holes: holes)]))
    }

    private func polygon(_ points: [(Double, Double)], holes: [[(Double, Double)]] = []) -> Polygon
    {
        func ring(_ points: [(Double, Double)]) -> [Coordinate] { points.map { .at($0.0, $0.1) } }
        return Polygon(outer: ring(points), holes: holes.map(ring))
    }

    private let square = [(3.0, 101.0), (3.0, 101.1), (3.1, 101.1), (3.1, 101.0)]

    private func inner(_ low: Double, _ high: Double) -> [(Double, Double)] {
        [
            (3 + low, 101 + low), (3 + low, 101 + high), (3 + high, 101 + high),
            (3 + high, 101 + low),
        ]
    }

    @Test func `latitude 91 is rejected with its point`() {
        let wrong = Coordinate(latitudeE7: 910_000_000, longitudeE7: 0)
        let ring = [Coordinate.at(3, 101), .at(3, 102), wrong]
        #expect(
            problem(.polygons([Polygon(outer: ring)]))
                == .outOfRange(ShapePosition(polygon: 0, ring: 0, vertex: 2, coordinate: wrong)))
        #expect(
            problem(.circle(center: wrong, radiusCentimetres: 1000))
                == .outOfRange(ShapePosition(polygon: 0, ring: 0, vertex: 0, coordinate: wrong)))
    }

    @Test func `a radius must be from 1 m to 250 km`() {
        let center = Coordinate.at(3, 101)
        for radius: Int32 in [-5, 0, 99] {
            #expect(
                problem(.circle(center: center, radiusCentimetres: radius))
                    == .radiusTooSmall(centimetres: radius))
        }
        #expect(
            problem(.circle(center: center, radiusCentimetres: 25_000_001))
                == .radiusTooLarge(centimetres: 25_000_001))
        #expect(problem(.circle(center: center, radiusCentimetres: 25_000_000)) == nil)
    }

    @Test func `a ring needs three points`() {
        #expect(problem(.polygons([])) == .noPolygon)
        #expect(
            problem([]) == .tooFewPoints(nil, polygon: 0, ring: 0, count: 0))
        guard
            case .tooFewPoints(let position, 0, 1, 2)? = problem(
                square, holes: [[(3.01, 101.01), (3.02, 101.02)]])
        else { return #expect(Bool(false), "not refused") }
        #expect(position?.coordinate == .at(3.01, 101.01))
        guard
            case .tooFewPoints(_, 0, 0, 2)? = problem([(3, 101), (3.1, 101), (3, 101), (3.1, 101)])
        else { return #expect(Bool(false), "two points are not a ring") }
    }

    @Test func `a ring that crosses itself is rejected with the crossing`() throws {
        let found = problem([(3, 101), (3.1, 101.1), (3.1, 101), (3, 101.1)])
        guard case .crossesItself(let edge, let other, let location)? = found else {
            return #expect(Bool(false), "\(String(describing: found))")
        }
        #expect([edge.vertex, other.vertex].sorted() == [0, 2])
        #expect(abs(location.latitude - 3.05) < 0.0001)
        #expect(abs(location.longitude - 101.05) < 0.0001)
        #expect(found?.description.contains("101") == false)
    }

    @Test func `a ring that touches itself or turns back is rejected`() {
        // The fifth point is on the first edge.
        let touching = problem([
            (3, 101), (3, 101.1), (3.1, 101.1), (3.1, 101.05), (3, 101.05), (3.1, 101),
        ])
        #expect(touching?.code == "ring-crosses-itself")
        let spike = problem([
            (3, 101), (3, 101.1), (3.1, 101.1), (3.2, 101.1), (3.1, 101.1), (3.1, 101),
        ])
        #expect(spike?.code == "ring-crosses-itself")
    }

    @Test func `repeated points and lines are rejected`() {
        #expect(problem(square + [square[0]])?.position?.vertex == 0)
        #expect(problem(square + [square[0]])?.code == "repeated-point")
        #expect(problem([(3, 101), (3, 101), (3.1, 101.1), (3.1, 101)])?.position?.vertex == 1)
        #expect(problem([(3, 101), (3.1, 101), (3.2, 101)])?.code == "no-area")
        #expect(problem([(3, 101), (3.1, 101), (3.2, 101), (3.15, 101)])?.code == "no-area")
        #expect(problem([(3, 101), (3, 101.000001), (3.000001, 101)])?.code == "no-area")
        // Along a parallel the shortest paths deviate by a few millimetres.
        #expect(problem([(3, 101), (3, 101.01), (3, 101.02)])?.code == "no-area")
        #expect(problem([(60, 179.95), (60, -179.95), (60, -179.9)])?.code == "no-area")
        #expect(problem([(89, 0), (89, 120), (89, -120)]) == nil)
    }

    @Test func `an edge across a pole is rejected`() {
        let found = problem([(89.9, 10), (89.9, -170), (89.8, 100)])
        #expect(found?.code == "edge-over-pole")
        #expect(found?.position?.vertex == 0)
    }

    @Test func `holes must be inside, and rings must not cross`() {
        #expect(problem(square, holes: [inner(0.02, 0.05)]) == nil)
        let outside = problem(square, holes: [inner(0.2, 0.3)])
        #expect(outside?.code == "hole-outside")
        #expect(outside?.position?.ring == 1)
        let crossing = problem(square, holes: [inner(0.02, 0.2)])
        #expect(crossing?.code == "rings-cross")
        #expect(
            problem(square, holes: [inner(0.02, 0.08), inner(0.03, 0.04)])?.code == "holes-overlap")
        let same = problem(square, holes: [inner(0.02, 0.08), inner(0.02, 0.08)])
        #expect(same?.code == "holes-overlap" && same?.position?.ring == 1)
        #expect(same?.description == "hole 1 of polygon 0 and hole 2 overlap")
        #expect(problem(square, holes: [square])?.code == "hole-fills-polygon")
    }

    @Test func `rings that share part of an edge are rejected with point and location`() {
        let along = problem(square, holes: [[(3.02, 101), (3.05, 101), (3.04, 101.02)]])
        #expect(along?.code == "invalid")
        #expect(along?.position?.coordinate != nil)
        #expect(along?.description.contains("near point") == true)
        #expect(along?.coordinate.map { abs($0.longitude - 101) < 0.0001 } == true)
    }

    @Test func `swapped coordinates are reported as such`() {
        let swapped = Coordinate(latitudeE7: 1_010_000_000, longitudeE7: 30_000_000)
        let circle = ZoneShape.circle(center: swapped, radiusCentimetres: 1000)
        #expect(problem(circle)?.hint.contains("swapped") == true)
        let wrong = Coordinate(latitudeE7: 1_010_000_000, longitudeE7: 1_010_000_000)
        let other = ZoneShape.circle(center: wrong, radiusCentimetres: 1000)
        #expect(problem(other)?.hint.contains("swapped") == false)
    }

    @Test func `polygons of a shape may touch but not overlap`() {
        let one = polygon(square)
        let beside = polygon([(3, 101.1), (3, 101.2), (3.1, 101.2), (3.1, 101.1)])
        #expect(problem(.polygons([one, beside])) == nil)
        #expect(problem(.polygons([one, polygon(inner(0.02, 0.03))]))?.code == "polygons-overlap")
        #expect(problem(.polygons([polygon(inner(0.02, 0.03)), one]))?.code == "polygons-overlap")
        #expect(problem(.polygons([one, polygon(inner(0.02, 0.3))]))?.code == "rings-cross")
        #expect(problem(.polygons([one, one]))?.code == "polygons-overlap")
        let filled = polygon(square, holes: [inner(0.02, 0.05)])
        #expect(problem(.polygons([filled, polygon(inner(0.02, 0.05))])) == nil)
        let island = polygon(inner(0.03, 0.04))
        let lake = polygon(square, holes: [inner(0.02, 0.05)])
        #expect(problem(.polygons([lake, island])) == nil)
    }

    @Test func `shapes that are too large or have too many points are rejected`() throws {
        let found = problem([(0, 101), (0, 105), (4, 105), (4, 101)])
        #expect(found?.code == "too-large")
        var random = SeededGenerator(seed: 1)
        let ring = random.ring(around: .at(3, 101), points: 10_001, metres: 5000...5001)
        #expect(problem(.polygons([Polygon(outer: ring)])) == .tooManyPoints(count: 10_001))
        let many = (0...1000).map { index in
            polygon([
                (Double(index) / 1000, 101), (Double(index) / 1000, 101.0003),
                (Double(index) / 1000 + 0.0005, 101.0001),
            ])
        }
        #expect(problem(.polygons(many)) == .tooManyPolygons(count: 1001))
        #expect(problem(.polygons(Array(many.dropLast()))) == nil)
    }

    @Test func `a geometry in an unknown format is rejected`() throws {
        var prepared = try prepare(.circle(center: .at(3, 101), radiusCentimetres: 1000))
        prepared.coefficients[0] = 2
        #expect(Region(prepared) == nil)
    }
}

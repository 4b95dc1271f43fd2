import Geometry
import Model
import Shapes
import Testing

/// Rings at the antimeridian and the poles, with positions inside and outside.
@Suite struct CornerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var outer: [(Double, Double)]
        var hole: [(Double, Double)] = []
        var inside: [(Double, Double)]
        var outside: [(Double, Double)]
    }

    static let cases = [
        Case(
            testDescription: "over the antimeridian, as longitudes of either sign",
            outer: [(-17, 179.5), (-17, -179.5), (-16, -179.5), (-16, 179.5)],
            inside: [(-16.5, 180), (-16.5, -180), (-16.5, 179.6), (-16.5, -179.6)],
            outside: [(-16.5, 179.4), (-16.5, -179.4), (-16.5, 0), (-15.9, 180)]),
        Case(
            testDescription: "an edge along the antimeridian, from the west, written as 180",
            outer: [(-17, 179.5), (-17, 180), (-16, 180), (-16, 179.5)],
            inside: [(-16.5, 179.9999999), (-16.5, 179.51)],
            outside: [(-16.5, -179.9999998), (-16.5, 179.49), (-16.5, -179.6)]),
        Case(
            testDescription: "an edge along the antimeridian, from the east, written as -180",
            outer: [(-17, -180), (-17, -179.5), (-16, -179.5), (-16, -180)],
            inside: [(-16.5, -179.9999998), (-16.5, -179.51)],
            outside: [(-16.5, 179.9999998), (-16.5, -179.49), (-16.5, 179.6)]),
        Case(
            testDescription: "an edge along the antimeridian, from the east, written as 180",
            outer: [(-17, 180), (-17, -179.5), (-16, -179.5), (-16, 180)],
            inside: [(-16.5, -179.9999998), (-16.5, -179.51)],
            outside: [(-16.5, 179.9999998), (-16.5, 179.6)]),
        Case(
            testDescription: "corners on the antimeridian only",
            outer: [(1, 180), (0, -179), (-1, -180), (0, 179)],
            inside: [(0, 180), (0, 179.1), (0, -179.1), (0.9, -180)],
            outside: [(0.6, 179.5), (-0.6, -179.5), (1.1, 180), (0, 178.9)]),
        Case(
            testDescription: "a hole over the antimeridian in a ring that is not",
            outer: [(50, 179), (50, -179), (51, -179), (51, 179)],
            hole: [(50.4, 179.9), (50.4, -179.9), (50.6, -179.9), (50.6, 179.9)],
            inside: [(50.3, 180), (50.5, 179.8), (50.5, -179.8), (50.7, -180)],
            outside: [(50.5, 180), (50.5, -179.95), (50.5, 179.95), (51.1, 180)]),
        Case(
            testDescription: "around the north pole",
            outer: [(89, 0), (89, 90), (89, 180), (89, -90)],
            inside: [(90, 0), (90, 123), (89.9, -45), (89.3, 45), (89.99, 180)],
            outside: [(88.9, 0), (89.2, 45), (88.9, 180), (-90, 0), (-89.9, 45)]),
        Case(
            testDescription: "around the south pole, with a hole around it",
            outer: [(-89, 0), (-89, 90), (-89, 180), (-89, -90)],
            hole: [(-89.9, 30), (-89.9, 150), (-89.9, -90)],
            inside: [(-89.5, 0), (-89.5, 90), (-89.5, 179.9999), (-89.4, -179.9999)],
            outside: [(-90, 0), (-90, 77), (-89.97, 180), (-88.9, 90), (89.5, 0)]),
        Case(
            testDescription: "a corner on the north pole",
            outer: [(90, 0), (89, -45), (89, 45)],
            inside: [(89.9, 0), (89.9, 40), (89.9, -40), (89.4, 0)],
            outside: [(89.9, 50), (89.9, -50), (89.9, 180), (88.9, 0), (89.999, 90)]),
        Case(
            testDescription: "a corner on the south pole, over the antimeridian",
            outer: [(-90, 77), (-89, 135), (-89, -135)],
            inside: [(-89.9, 180), (-89.9, -140), (-89.9, 140), (-89.4, -180)],
            outside: [(-89.9, 130), (-89.9, -130), (-89.9, 0), (-88.9, 180)]),
        Case(
            testDescription: "beside the north pole, on three sides of it",
            outer: [
                (89.5, 0), (89.5, 60), (89.5, 120), (89.5, 180), (89.9, 180), (89.9, 90),
                (89.9, 0),
            ],
            inside: [(89.7, 1), (89.7, 60), (89.7, 120), (89.7, 179)],
            outside: [(90, 0), (89.99, 90), (89.7, -1), (89.7, -90), (89.7, -179)]),
        Case(
            testDescription: "on the equator and the meridian of Greenwich",
            outer: [(-1, -1), (-1, 1), (1, 1), (1, -1)],
            inside: [(0, 0), (0.9, 0.9), (-0.9, -0.9), (0, -0.9999)],
            outside: [(0, 180), (0, -1.0001), (1.001, 0), (0, 1.0001)]),
    ]

    private func positions(_ pairs: [(Double, Double)]) -> [Coordinate] {
        pairs.map { .at($0.0, $0.1) }
    }

    @Test(arguments: cases)
    func `a ring's orientation and first point do not matter`(_ test: Case) throws {
        let outer = positions(test.outer)
        let holes = test.hole.isEmpty ? [] : [positions(test.hole)]
        for start in outer.indices {
            let turned = Array(outer[start...] + outer[..<start])
            for ring in [turned, turned.reversed()] {
                let shape = ZoneShape.polygons([Polygon(outer: ring, holes: holes)])
                for inset: Int32 in [0, 100, -100] {
                    let region = try #require(
                        Region(prepareChecked(shape, insetCentimetres: inset)))
                    // An inset of 1 m only affects positions near the edge.
                    for position in positions(test.inside)
                    where inset <= 0 || Oracle.distance(position, to: [Polygon(outer: ring)]) > 2 {
                        #expect(region.contains(EarthPoint(position)), "\(position) \(inset)")
                        #expect(region.signedDistance(from: EarthPoint(position)).isInside)
                    }
                    for position in positions(test.outside)
                    where inset >= 0 || Oracle.distance(position, to: [Polygon(outer: ring)]) > 2 {
                        #expect(!region.contains(EarthPoint(position)), "\(position) \(inset)")
                        #expect(!region.signedDistance(from: EarthPoint(position)).isInside)
                    }
                }
            }
        }
    }
}

import Geometry
import Model
import Shapes
import TestSupport
import Testing

@Suite struct InsetTests {
    private func square(_ metres: Double, at middle: Coordinate = .at(3, 101)) -> [Coordinate] {
        [45.0, 135, 225, 315].map { middle.moved(azimuth: $0, metres: metres / 2.squareRoot()) }
    }

    private func prepared(_ polygons: [Polygon], inset: Int32) throws -> PreparedGeometry {
        try prepareChecked(.polygons(polygons), insetCentimetres: inset * 100)
    }

    private func problem(_ shape: ZoneShape, _ centimetres: Int32) -> GeometryProblem? {
        do throws(GeometryProblem) {
            _ = try prepareChecked(shape, insetCentimetres: centimetres)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a circle's radius shrinks by the inset`() throws {
        let circle = ZoneShape.circle(center: .at(3, 101), radiusCentimetres: 10_000)
        for (inset, radius) in [(0, 10_000), (4000, 6000), (-3000, 13_000), (9900, 100)]
            as [(Int32, Int32)]
        {
            let prepared = try prepareChecked(circle, insetCentimetres: inset)
            #expect(prepared.radiusCentimetres == radius)
            #expect(prepared.inradiusCentimetres == radius)
        }
        #expect(problem(circle, 9901) == .insetTooLarge(centimetres: 9901, most: 9900))
        #expect(problem(circle, .max) == .insetTooLarge(centimetres: .max, most: 9900))
        #expect(problem(circle, 9901)?.hint == "Use at most 99 m.")
        #expect(problem(circle, .min)?.code == "radius-too-large")
        let small = ZoneShape.circle(center: .at(3, 101), radiusCentimetres: 100)
        #expect(problem(small, 1) == .insetTooLarge(centimetres: 1, most: nil))
        #expect(problem(small, 1)?.hint == "Remove the inset; the shape is too narrow for any.")
    }

    @Test func `a square shrinks to a square and grows with round corners`() throws {
        let polygon = Polygon(outer: square(1000))
        let small = try prepared([polygon], inset: 200)
        #expect(small.polygons.map { $0.map(\.count) } == [[4]])
        #expect(abs(small.inradiusCentimetres - 30_000) < 310)
        let large = try #require(Region(prepared([polygon], inset: -200)))
        let corner = polygon.outer[0]
        for (metres, inside) in [(199.7, true), (200.3, false)] {
            #expect(
                large.contains(EarthPoint(corner.moved(azimuth: 45, metres: metres))) == inside)
        }
    }

    @Test func `a shape may split into pieces, and pieces may merge`() throws {
        let left = square(1000)
        let right = square(1000, at: .at(3, 101.02))
        let bridge = Polygon(outer: [
            left[0], .at(3.0005, 101.005), .at(3.0005, 101.015), right[3], right[0],
            right[1], right[2],
            .at(2.9995, 101.015), .at(2.9995, 101.005), left[1], left[2], left[3],
        ])
        #expect(try prepared([bridge], inset: 0).polygons.count == 1)
        #expect(try prepared([bridge], inset: 100).polygons.count == 2)
        let two = [Polygon(outer: left), Polygon(outer: right)]
        #expect(try prepared(two, inset: -500).polygons.count == 2)
        #expect(try prepared(two, inset: -700).polygons.count == 1)
    }

    @Test func `a hole grows when the shape shrinks, and closes when it grows`() throws {
        let polygon = Polygon(outer: square(2000), holes: [square(200)])
        let region = try #require(Region(prepared([polygon], inset: 100)))
        let middle = EarthPoint(.at(3, 101))
        #expect(abs(region.signedDistance(from: middle).centimetres - 20_000) < 30)
        #expect(try prepared([polygon], inset: -90).polygons.map(\.count) == [2])
        #expect(try prepared([polygon], inset: -110).polygons.map(\.count) == [1])
    }

    @Test func `a border shared by polygons does not move`() throws {
        let west: [Coordinate] = [.at(3, 101), .at(3.01, 101), .at(3.01, 101.01), .at(3, 101.01)]
        let east: [Coordinate] = [
            .at(3, 101.01), .at(3.01, 101.01), .at(3.01, 101.02), .at(3, 101.02),
        ]
        let both = try prepared([Polygon(outer: west), Polygon(outer: east)], inset: 100)
        #expect(both.polygons.count == 1)
        #expect(try #require(Region(both)).contains(EarthPoint(.at(3.005, 101.01))))
    }

    @Test func `an inset that leaves nothing is rejected with a possible one`() throws {
        var random = SeededGenerator(seed: 44)
        for size in [3.0, 10, 100, 5000, 100_000] {
            let ring = random.ring(around: .at(48, 11), points: 7, metres: size / 2...size)
            let shape = ZoneShape.polygons([Polygon(outer: ring)])
            let inradius = try prepareChecked(shape).inradiusCentimetres
            guard case .insetTooLarge(_, let most)? = problem(shape, inradius + inradius / 20 + 100)
            else {
                Issue.record("accepted: \(size)")
                continue
            }
            if let most { #expect(problem(shape, most) == nil, "\(size)") }
            #expect((most != nil) == (inradius > 100))
        }
    }

    @Test func `a shape must not grow beyond one plane or into too many points`() {
        let shape = ZoneShape.polygons([Polygon(outer: square(10_000))])
        #expect(problem(shape, -24_000_000) == nil)
        #expect(problem(shape, -26_000_000)?.code == "too-large")
        #expect(problem(shape, .min)?.code == "too-large")
        var random = SeededGenerator(seed: 3)
        let star = random.ring(around: .at(3, 101), points: 1900, metres: 3000...20_000)
        #expect(problem(.polygons([Polygon(outer: star)]), 0) == nil)
        #expect(problem(.polygons([Polygon(outer: star)]), -5000)?.code == "outline-too-long")
    }
}

import Geometry
import Model
import Shapes
import TestSupport
import Testing

/// Checks prepared shapes with the geometry library.
@Suite struct LibraryTests {
    @Test func `inscribed circles agree with GEOS`() throws {
        var random = SeededGenerator(seed: 21)
        for _ in 0..<60 {
            let middle = Coordinate.at(random.number(-80...80), random.number(-180...180))
            let polygon = random.polygon(around: middle, metres: random.number(30...30_000))
            let prepared = try prepareChecked(.polygons([polygon]))
            let expected = try Double(#require(inscribedRadius(of: prepared)))
            let own = Double(prepared.inradiusCentimetres)
            #expect(own <= expected + 11)
            #expect(own >= expected * 0.99 - 11)
        }
    }

    @Test func `GEOS agrees about random rings, crossing or not`() throws {
        var random = SeededGenerator(seed: 22)
        var refused = 0
        for _ in 0..<400 {
            let middle = Coordinate.at(random.number(-70...70), random.number(-180...180))
            let count = Int.random(in: 3...7, using: &random)
            let ring = (0..<count).map { _ in
                middle.moved(azimuth: random.number(0...360), metres: random.number(0...5000))
            }
            let shape = ZoneShape.polygons([Polygon(outer: ring)])
            do throws(GeometryProblem) {
                let prepared = try prepare(shape)
                #expect(fault(of: prepared) == nil)
            } catch {
                refused += 1
                #expect(error.code == "ring-crosses-itself")
            }
        }
        #expect(refused > 50 && refused < 350)
    }
}

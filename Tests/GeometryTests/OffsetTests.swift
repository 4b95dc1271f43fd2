import Geometry
import Glibc
import Model
import Shapes
import TestSupport
import Testing

/// Compares corridors and insets with their definition, by distance from a line or depth
/// inside, using an independent reference.
@Suite struct OffsetTests {
    /// Documented tolerance of a drawn edge, plus 5 cm for the distance.
    private func allowed(_ metres: Double) -> Double { max(0.1, metres * 0.001) + 0.05 }

    /// Pieces and holes below one square metre are omitted; none contains a circle of this
    /// radius, metres.
    private let speck = 0.57

    /// Ten thousand queries; a million with LONG_TESTS in the environment.
    private let shapes = getenv("LONG_TESTS") == nil ? 500 : 50_000

    @Test func `a corridor contains what is near its line, everywhere on earth`() throws {
        var worst = 0.0
        var insides = 0
        var specks = 0
        for seed in 0..<shapes {
            var random = SeededGenerator(seed: UInt64(seed) + 2_000_000)
            let middle = random.middle()
            let size = exp(random.number(log(20)...log(20_000)))
            let line = (0..<Int.random(in: 2...7, using: &random)).map { _ in
                middle.moved(azimuth: random.number(0...360), metres: random.number(0...size))
            }
            let width = exp(random.number(log(2)...log(max(5, size / 2))))
            let shape = ZoneShape.corridor(
                line: line, halfWidthCentimetres: Int32(width * 100))
            let metres = Double(Int32(width * 100)) / 100
            let region = try #require(Region(prepareChecked(shape)), "seed \(seed)")
            let back = line.dropFirst().dropLast().reversed()
            let dense = DenseRings(Polygon(outer: line + back))
            for _ in 0..<20 {
                let point = random.point(near: line, within: 0...2 * metres)
                let beyond = dense.measure(point).metres - metres
                let found = region.signedDistance(from: EarthPoint(point))
                if found.isInside { insides += 1 }
                guard found.isInside != (beyond < 0) || beyond > 0 else { continue }
                if found.isInside, beyond > allowed(metres), beyond < speck {
                    specks += 1
                    continue
                }
                let difference =
                    found.isInside
                    ? beyond.magnitude
                    : abs(Double(found.centimetres) / 100 - beyond)
                worst = max(worst, difference / allowed(metres))
                if difference > allowed(metres) {
                    Issue.record("seed \(seed): \(metres) \(beyond) \(found)")
                }
            }
        }
        tell("corridors", asked: shapes * 20, insides: insides, worst: worst)
        #expect(worst <= 1 && specks * 10_000 <= shapes * 20)
        #expect(insides > shapes * 4 && insides < shapes * 16)
    }

    @Test func `an inset leaves what is deeper inside, and a negative one grows`() throws {
        var worst = 0.0
        var asked = 0
        var insides = 0
        var specks = 0
        for seed in 0..<shapes {
            var random = SeededGenerator(seed: UInt64(seed) + 3_000_000)
            let middle = random.middle()
            let size = exp(random.number(log(20)...log(20_000)))
            let polygon = random.polygon(around: middle, metres: size)
            let inset = random.number(-size / 2...size / 3)
            let shape = ZoneShape.polygons([polygon])
            let centimetres = Int32(inset * 100)
            guard let prepared = try left(of: shape, centimetres), let region = Region(prepared)
            else { continue }
            let dense = DenseRings(polygon)
            let moved = Double(centimetres) / 100
            for _ in 0..<20 {
                let point = random.point(near: polygon, within: size / 2, at: abs(moved))
                let expected = dense.measure(point)
                let beyond = (expected.isInside ? -expected.metres : expected.metres) + moved
                let found = region.signedDistance(from: EarthPoint(point))
                asked += 1
                if found.isInside { insides += 1 }
                guard found.isInside != (beyond < 0) else { continue }
                if abs(beyond) > allowed(moved.magnitude), abs(beyond) < speck {
                    specks += 1
                    continue
                }
                worst = max(worst, abs(beyond) / allowed(moved.magnitude))
                if abs(beyond) > allowed(moved.magnitude) {
                    Issue.record("seed \(seed): \(moved) \(expected) \(found)")
                }
            }
        }
        tell("insets", asked: asked, insides: insides, worst: worst)
        #expect(worst <= 1 && specks * 10_000 <= shapes * 20)
        #expect(asked > shapes * 10)
        #expect(insides > asked / 5 && insides < asked * 4 / 5)
    }

    /// Nil if nothing is left. The inset suggested by the error then leaves something.
    private func left(
        of shape: ZoneShape, _ centimetres: Int32
    ) throws -> PreparedGeometry? {
        do throws(GeometryProblem) {
            return try prepareChecked(shape, insetCentimetres: centimetres)
        } catch {
            guard case .insetTooLarge(centimetres, let most) = error else { throw error }
            if let most {
                #expect(most < centimetres)
                _ = try prepareChecked(shape, insetCentimetres: most)
            }
            return nil
        }
    }
}

extension SeededGenerator {
    /// Near one of some points, or on the path between two neighbours.
    fileprivate mutating func point(
        near points: [Coordinate], within metres: ClosedRange<Double>
    ) -> Coordinate {
        let index = Int.random(in: points.indices, using: &self)
        let edge = Geodesic.inverse(points[index], points[(index + 1) % points.count])
        let between = points[index].moved(
            azimuth: edge.azimuth, metres: edge.metres * number(0...1))
        return between.moved(azimuth: number(0...360), metres: number(metres))
    }

    /// Near the outline or the centre, or at a given distance from an edge.
    fileprivate mutating func point(
        near polygon: Polygon, within metres: Double, at distance: Double
    ) -> Coordinate {
        let rings = [polygon.outer] + polygon.holes
        let ring = rings.randomElement(using: &self) ?? polygon.outer
        guard Bool.random(using: &self) else { return point(near: ring, within: 0...metres) }
        return point(near: ring, within: max(0, distance * 0.99 - 0.2)...distance * 1.01 + 0.2)
    }
}

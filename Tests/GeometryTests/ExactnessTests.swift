import Geometry
import Glibc
import Model
import Shapes
import TestSupport
import Testing

/// Accuracy of `Region` compared with independent implementations.
@Suite struct ExactnessTests {
    /// Documented accuracy up to 10 km from an edge.
    private func allowed(_ metres: Double) -> Double { max(0.5, metres * 0.001) }

    /// Achieved accuracy: 2 cm, without the rounding to 10⁻⁷ degrees.
    private func kept(_ metres: Double) -> Double { 0.02 + metres * 0.00001 }

    @Test func `distances and containment agree with GeographicLib`() throws {
        var region: Region?
        var circles = 0
        var questions = 0
        for line in GeodesicTable.lines.split(separator: "\n") {
            let words = line.split(separator: " ")
            let numbers = try words.dropFirst().map { try #require(Int32($0)) }
            func position(_ index: Int) -> Coordinate {
                Coordinate(latitudeE7: numbers[index], longitudeE7: numbers[index + 1])
            }
            switch words[0] {
            case "C":
                circles += 1
                let shape = ZoneShape.circle(center: position(0), radiusCentimetres: 50_000)
                let circle = try #require(Region(prepare(shape)))
                let found = circle.signedDistance(from: EarthPoint(position(2)))
                let expected = Double(numbers[4]) / 1000 - 500
                #expect(abs(Double(found.centimetres) / 100 - expected) < kept(expected), "\(line)")
                #expect(found.isInside == (expected < 0))
            case "P":
                let ring = stride(from: 0, to: numbers.count, by: 2).map(position)
                region = try Region(prepare(.polygons([Polygon(outer: ring)])))
            case "K": region = nil
            default:
                guard let polygon = region else { continue }
                questions += 1
                let point = EarthPoint(position(0))
                let found = polygon.signedDistance(from: point)
                let metres = Double(numbers[2]) / 1000
                let expected = numbers[3] == 1 ? -metres : metres
                #expect(abs(Double(found.centimetres) / 100 - expected) < kept(metres), "\(line)")
                #expect(polygon.contains(point) == (expected < 0) || metres < 0.02, "\(line)")
            }
        }
        #expect(circles == 63 && questions == 180)
    }

    @Test func `corridors agree with GeographicLib`() throws {
        var region: Region?
        var halfWidth = 0.0
        var questions = 0
        for line in GeodesicTable.lines.split(separator: "\n") {
            let words = line.split(separator: " ")
            let numbers = try words.dropFirst().map { try #require(Int32($0)) }
            func position(_ index: Int) -> Coordinate {
                Coordinate(latitudeE7: numbers[index], longitudeE7: numbers[index + 1])
            }
            if words[0] == "K" {
                halfWidth = Double(numbers[0])
                let line = stride(from: 1, to: numbers.count, by: 2).map(position)
                let shape = ZoneShape.corridor(line: line, halfWidthCentimetres: numbers[0] * 100)
                region = try Region(prepareChecked(shape))
            }
            guard words[0] == "Q", let region else { continue }
            questions += 1
            let beyond = Double(numbers[2]) / 1000 - halfWidth
            let found = region.signedDistance(from: EarthPoint(position(0)))
            // Tolerance of a drawn edge, plus 5 cm for the distance.
            let drawn = max(0.1, halfWidth / 1000) + 0.05
            #expect((beyond < 0) == (numbers[3] == 1))
            #expect(found.isInside == (beyond < 0) || beyond.magnitude < drawn, "\(line)")
            guard beyond > 0 else { continue }
            #expect(abs(Double(found.centimetres) / 100 - beyond) < drawn, "\(line)")
        }
        #expect(questions == 36)
    }

    @Test func `the dense reference agrees with the slow one`() {
        var random = SeededGenerator(seed: 30)
        for _ in 0..<40 {
            let middle = Coordinate.at(random.number(-89.9...89.9), random.number(-180...180))
            let size = random.number(50...10_000)
            let polygon = random.polygon(around: middle, metres: size)
            let dense = DenseRings(polygon)
            let point = middle.moved(
                azimuth: random.number(0...360), metres: random.number(0...size + 5000))
            let metres = Oracle.distance(point, to: [polygon])
            let expected = dense.measure(point)
            #expect(abs(expected.metres - metres) < 0.01 + metres * 0.000001)
            #expect(expected.isInside == Oracle.contains(point, in: [polygon]) || metres < 0.01)
        }
    }

    /// Ten thousand cases; a million with LONG_TESTS in the environment.
    @Test func `distance and containment agree with densified edges everywhere on earth`() throws {
        let polygons = getenv("LONG_TESTS") == nil ? 500 : 50_000
        var worst = 0.0
        var insides = 0
        for seed in 0..<polygons {
            var random = SeededGenerator(seed: UInt64(seed) + 1_000_000)
            let middle = random.middle()
            let size = exp(random.number(log(20)...log(10_000)))
            let polygon = random.polygon(around: middle, metres: size)
            let region = try #require(Region(prepare(.polygons([polygon]))), "seed \(seed)")
            let dense = DenseRings(polygon)
            for _ in 0..<20 {
                let point = random.point(of: polygon, around: middle, size: size)
                let expected = dense.measure(point)
                let found = region.signedDistance(from: EarthPoint(point))
                let difference = abs(abs(Double(found.centimetres)) / 100 - expected.metres)
                worst = max(worst, difference / allowed(expected.metres))
                // Checked without #expect unless it fails: a million expectations would dominate
                // the time.
                guard difference <= allowed(expected.metres) else {
                    #expect(difference <= allowed(expected.metres), "seed \(seed)")
                    continue
                }
                let isInside = region.contains(EarthPoint(point))
                if isInside { insides += 1 }
                guard isInside == expected.isInside, found.isInside == isInside else {
                    #expect(expected.metres < 0.02, "seed \(seed): \(expected)")
                    continue
                }
            }
        }
        tell("polygons", asked: polygons * 20, insides: insides, worst: worst)
        #expect(insides > polygons * 4 && insides < polygons * 16)
        // Far better than documented.
        #expect(worst < 0.2, "\(worst)")
    }
}

/// Prints the result of a long run.
///
/// - Parameter worst: largest error as a fraction of the tolerance
func tell(_ what: String, asked: Int, insides: Int, worst: Double) {
    guard getenv("LONG_TESTS") != nil else { return }
    print("\(what): \(asked) questions, \(insides) inside, largest error \(worst) of the allowed")
}

extension SeededGenerator {
    /// Anywhere, more often near the antimeridian and the poles.
    mutating func middle() -> Coordinate {
        switch Int.random(in: 0..<5, using: &self) {
        case 0: .at(number(-1...1), number(-180...180))
        case 1: .at(number(-70...70), Bool.random(using: &self) ? 180 : -179.999)
        case 2: .at((Bool.random(using: &self) ? 1 : -1) * number(88...90), number(-180...180))
        default: .at(number(-88...88), number(-180...180))
        }
    }

    /// Around the shape, within 10 km of the edge, or near one of its vertices.
    fileprivate mutating func point(
        of polygon: Polygon, around middle: Coordinate, size: Double
    ) -> Coordinate {
        switch Int.random(in: 0..<3, using: &self) {
        case 0:
            let corner = polygon.outer.randomElement(using: &self) ?? middle
            return corner.moved(azimuth: number(0...360), metres: number(0...size / 20))
        case 1: return middle.moved(azimuth: number(0...360), metres: number(0...size))
        default: return middle.moved(azimuth: number(0...360), metres: number(0...size + 9000))
        }
    }
}

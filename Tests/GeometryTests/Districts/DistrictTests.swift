import Geometry
import Glibc
import Model
import Shapes
import TestSupport
import Testing

/// Real borders: 160 districts with shores and islands, drawn independently.
@Suite(
    .enabled(
        if: District.isThere,
        "needs malaysia_districts.geojson in ../shared/data or in the folder that TEST_DATA names"))
struct DistrictTests {
    private static let questions = getenv("LONG_TESTS") == nil ? 10_000 : 1_000_000

    /// District, problem, and its polygon, ring and point.
    private static let faults: [(String, String, [Int])] = [
        ("Kluang, JHR", "repeated-point", [0, 1, 0]),
        ("Tangkak, JHR", "repeated-point", [0, 1, 0]),
        ("Timur Laut, PNG", "repeated-point", [1, 2, 1]),
        ("Ranau, SBH", "repeated-point", [0, 1, 2]),
        ("Raub, PHG", "no-area", [0, 1, 0]),
        ("Sandakan, SBH", "repeated-point", [17, 14, 3]),
        ("Kota Kinabalu, SBH", "repeated-point", [4, 1, 1]),
        ("Kota Setar, KDH", "repeated-point", [0, 1, 0]),
        ("Penampang, SBH", "repeated-point", [0, 1, 0]),
    ]

    @Test func `every district is a zone or is rejected for an error in the data`() throws {
        let districts = try District.all()
        #expect(districts.count == 160)
        var refused: [(String, String, [Int])] = []
        for district in districts {
            do throws(GeometryProblem) {
                _ = try prepareChecked(.polygons(district.polygons))
            } catch {
                let position = error.position
                refused.append(
                    (
                        district.name, error.code,
                        [
                            position?.polygon ?? -1, position?.ring ?? -1, position?.vertex ?? -1,
                        ]
                    ))
            }
            let cleaned = try prepareChecked(.polygons(district.cleaned.polygons))
            #expect(cleaned.polygons.count <= district.polygons.count)
        }
        #expect(refused.map { "\($0)" } == Self.faults.map { "\($0)" })
    }

    @Test func `a border that two districts share is identical in both`() throws {
        let districts = try District.all().map(\.cleaned)
        let regions = try districts.map { try #require(Region(prepare(.polygons($0.polygons)))) }
        var sides: [Border: [Int]] = [:]
        for (number, district) in districts.enumerated() {
            for border in district.borders { sides[border, default: []].append(number) }
        }
        let shared = sides.filter { $0.value.count == 2 && $0.value[0] != $0.value[1] }
        var random = SeededGenerator(seed: 160)
        var wrong = 0
        for (border, around) in shared {
            for _ in 0..<4 {
                let point = EarthPoint(border.point(&random))
                if around.count(where: { regions[$0].contains(point) }) != 1 { wrong += 1 }
            }
        }
        #expect(shared.count == 10_783)
        #expect(wrong == 0)
    }

    @Test func `exactly one of the fitted districts contains a point on land`() throws {
        let coverage = Coverage(try District.all().map(\.cleaned))
        let regions = try coverage.districts.map {
            try #require(Region(prepareChecked(.polygons($0.polygons))))
        }
        var random = SeededGenerator(seed: 161)
        var wrong = 0
        for _ in 0..<Self.questions / 2 {
            guard let border = coverage.inner.randomElement(using: &random) else { break }
            let point = EarthPoint(border.point(&random))
            if regions.count(where: { $0.contains(point) }) != 1 { wrong += 1 }
        }
        #expect(coverage.inner.count > 15_000)
        let shapes = coverage.districts.map(PlanarDistrict.init)
        var onLand = 0
        for _ in 0..<Self.questions {
            let point = random.point(among: coverage.districts)
            let isOnLand = shapes.contains { $0.contains(point) }
            let here = EarthPoint(point)
            let count = regions.count { $0.contains(here) }
            if isOnLand { onLand += 1 }
            guard count != (isOnLand ? 1 : 0) else { continue }
            // On a flat map an edge of 20 km deviates 1 m from the shortest path.
            let shore = regions.map { $0.signedDistance(from: here).centimetres.magnitude }.min()
            if shore ?? 0 > 300 || count > 1 { wrong += 1 }
        }
        #expect(onLand > Self.questions / 2)
        #expect(wrong == 0)
    }

    /// The data were simplified district by district: of 26,976 borders 10,783 are the same in two
    /// districts, elsewhere neighbours overlap (60 km² of 330,000) or leave gaps.
    @Test func `unmodified districts overlap and have gaps like the data`() throws {
        let districts = try District.all().map(\.cleaned)
        let regions = try districts.map { try #require(Region(prepare(.polygons($0.polygons)))) }
        let shapes = districts.map(PlanarDistrict.init)
        var random = SeededGenerator(seed: 162)
        var counts = [0, 0, 0, 0]
        for _ in 0..<Self.questions {
            let point = random.point(among: districts)
            let here = EarthPoint(point)
            var count = 0
            for (region, shape) in zip(regions, shapes) {
                let isInside = region.contains(here)
                if isInside { count += 1 }
                guard isInside != shape.contains(point) else { continue }
                #expect(region.signedDistance(from: here).centimetres.magnitude < 300)
            }
            counts[min(count, 3)] += 1
        }
        #expect(counts[1] > Self.questions / 2)
        #expect(counts[2] + counts[3] < Self.questions / 500, "\(counts)")
    }
}

extension SeededGenerator {
    /// Between two points of the outline of a district's largest part.
    fileprivate mutating func point(among districts: [District]) -> Coordinate {
        let district = districts[Int.random(in: districts.indices, using: &self)]
        let ring =
            district.polygons.map(\.outer).max { $0.count < $1.count } ?? [Coordinate.at(0, 0)]
        let border = Border(
            ring[Int.random(in: ring.indices, using: &self)],
            ring[Int.random(in: ring.indices, using: &self)])
        return border.point(&self)
    }
}

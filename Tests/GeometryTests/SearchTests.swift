import Geometry
import Glibc
import Model
import TestSupport
import Testing

/// A search in a set of regions finds the same regions as a linear scan.
@Suite struct SearchTests {
    /// Centre in degrees, distance of zones from it in metres, and their radii.
    private static let worlds: [World] = [
        World(3.139, 101.7, spread: 30_000, radii: 1...500),
        World(-16.9, 180, spread: 20_000, radii: 1...5000),
        World(90, 0, spread: 20_000, radii: 1...900),
        World(-89.95, 33, spread: 20_000, radii: 1...20_000),
        World(0, 0, spread: 19_000_000, radii: 1...250_000),
        World(51.5, -0.1, spread: 50_000, radii: 200_000...250_000),
        World(0, 0, spread: 0, radii: 100...100),
        World(45, 90, spread: 1000, radii: 20...80),
    ]

    @Test func `the extra reach extends a region`() throws {
        for (number, world) in Self.worlds.enumerated() {
            var random = SeededGenerator(seed: UInt64(number) + 10)
            let regions = try random.regions(of: world, count: 200)
            let extra = regions.map { _ in
                Bool.random(using: &random) ? random.number(0...3000) : 0
            }
            let set = RegionSet(regions, extraReachMetres: extra)
            for _ in 0..<200 {
                let point = EarthPoint(random.position(of: world))
                var near: [NearRegion] = []
                set.append(near: point, to: &near)
                let found = near.map(\.index)
                #expect(found.count == Set(found).count)
                for near in near where near.isSurelyInside {
                    #expect(regions[Int(near.index)].contains(point), "world \(number)")
                }
                for (index, region) in regions.enumerated() {
                    let isFound = found.contains(Int32(index))
                    let centimetres = region.signedDistance(from: point).centimetres
                    let isNear = Double(centimetres) <= extra[index] * 100
                    #expect(isFound || !isNear, "world \(number): \(centimetres)")
                    let most = extra[index] + (extra[index] + world.radii.upperBound) / 250 + 2
                    let isFar = region.isSurelyBeyond(metres: most, from: point)
                    #expect(!isFound || !isFar, "world \(number): \(centimetres)")
                }
            }
        }
    }

    @Test func `all regions within a distance are found once, and none far beyond`() throws {
        for (number, world) in Self.worlds.enumerated() {
            var random = SeededGenerator(seed: UInt64(number) + 20)
            let regions = try random.regions(of: world, count: 150)
            let set = RegionSet(regions)
            for _ in 0..<100 {
                let point = EarthPoint(random.position(of: world))
                let metres = exp(random.number(0...log(200_000)))
                var found: [Int32] = [-7]
                set.append(near: point, within: metres, to: &found)
                #expect(found.removeFirst() == -7)
                #expect(found.count == Set(found).count)
                for (index, region) in regions.enumerated() {
                    let isFound = found.contains(Int32(index))
                    let centimetres = region.signedDistance(from: point).centimetres
                    #expect(isFound || Double(centimetres) > metres * 100, "world \(number)")
                    let isFar = region.isSurelyBeyond(metres: metres + 3, from: point)
                    #expect(!isFound || !isFar, "world \(number): \(centimetres)")
                }
            }
        }
    }

    @Test func `the nearest regions are found in order, from either side of their edges`()
        throws
    {
        var inside = 0
        for (number, world) in Self.worlds.enumerated() {
            var random = SeededGenerator(seed: UInt64(number) + 30)
            let regions = try random.regions(of: world, count: 150)
            let set = RegionSet(regions)
            for _ in 0..<100 {
                let point = EarthPoint(random.position(of: world))
                let metres = exp(random.number(0...log(500_000)))
                let all = regions.enumerated().map { index, region in
                    RegionDistance(
                        index: Int32(index), distance: region.signedDistance(from: point))
                }.filter {
                    Double($0.distance.centimetres.magnitude) <= (metres * 100).rounded(.down)
                }
                .sorted {
                    ($0.distance.centimetres.magnitude, $0.index)
                        < ($1.distance.centimetres.magnitude, $1.index)
                }
                inside += all.first?.distance.isInside == true ? 1 : 0
                #expect(set.nearest(to: point, withinMetres: metres) == all.first)
                let earlier = RegionDistance(
                    index: 9, distance: regions[9].signedDistance(from: point))
                for count in [0, 1, 3, 20, 1000] {
                    var found = [earlier]
                    set.appendNearest(
                        count: count, to: point, withinMetres: metres, into: &found)
                    #expect(found == [earlier] + all.prefix(count), "world \(number)")
                }
            }
        }
        #expect(inside > 50)
    }

    @Test func `an empty set has no near or crossed regions`() {
        let set = RegionSet([])
        let here = EarthPoint(.at(3, 101))
        var found: [Int32] = []
        set.append(near: here, within: 1_000_000, to: &found)
        set.append(crossedBy: here, to: EarthPoint(.at(4, 101)), to: &found)
        #expect(found.isEmpty)
        #expect(set.nearest(to: here, withinMetres: .infinity) == nil)
    }

    @Test func `every region on a path is found, and few others`() throws {
        var passed = 0
        var found: [Int32] = []
        var needless = 0
        for (number, world) in Self.worlds.enumerated() {
            var random = SeededGenerator(seed: UInt64(number) + 40)
            let regions = try random.regions(of: world, count: 150)
            let set = RegionSet(regions)
            for _ in 0..<100 {
                let start = random.position(of: world)
                let end = start.moved(
                    azimuth: random.number(0...360), metres: exp(random.number(0...log(100_000))))
                let from = EarthPoint(start)
                let to = EarthPoint(end)
                found = []
                set.append(crossedBy: from, to: to, to: &found)
                #expect(found.count == Set(found).count)
                for (index, region) in regions.enumerated() {
                    let isFound = found.contains(Int32(index))
                    let isCrossed = region.isCrossed(from: from, to: to)
                    #expect(set.isCrossed(index, from: from, to: to) == isCrossed)
                    #expect(isFound || !isCrossed, "world \(number)")
                    #expect(isFound || !region.contains(from), "world \(number)")
                    #expect(isFound || !region.contains(to), "world \(number)")
                    passed += isCrossed ? 1 : 0
                    let holdsEnd = region.contains(from) || region.contains(to)
                    needless += isFound && !isCrossed && !holdsEnd ? 1 : 0
                }
            }
        }
        #expect(passed > 500 && needless < passed * 3, "\(passed), \(needless)")
    }
}

/// Compares crossings of a region with dense samples of the path.
@Suite struct CrossingTests {
    /// A few thousand; many with LONG_TESTS in the environment.
    private var ways: Int { getenv("LONG_TESTS") == nil ? 400 : 20_000 }

    @Test func `a path of up to 10 km agrees with its samples`() throws {
        var crossed = 0
        var missed = 0
        for seed in 0..<ways {
            var random = SeededGenerator(seed: UInt64(seed) + 7_000_000)
            let middle = Coordinate.at(random.number(-89...89), random.number(-180...180))
            let size = exp(random.number(log(20)...log(5000)))
            let shape: ZoneShape =
                Bool.random(using: &random)
                ? .circle(center: middle, radiusCentimetres: Int32(size * 100))
                : .polygons([random.polygon(around: middle, metres: size)])
            let region = try #require(Region(prepare(shape)), "seed \(seed)")
            for _ in 0..<4 {
                let start = middle.moved(
                    azimuth: random.number(0...360), metres: random.number(0...size * 2))
                let way = Geodesic.inverse(
                    start,
                    middle.moved(
                        azimuth: random.number(0...360), metres: random.number(0...size * 2)))
                let least = leastDistance(region, from: start, way)
                let end = start.moved(azimuth: way.azimuth, metres: way.metres)
                let from = EarthPoint(start)
                let to = EarthPoint(end)
                let isCrossed = region.isCrossed(from: from, to: to)
                #expect(isCrossed == region.isCrossed(from: to, to: from), "seed \(seed)")
                if region.contains(from) || region.contains(to) {
                    #expect(!isCrossed, "seed \(seed)")
                } else if least < -0.5 {
                    #expect(isCrossed, "seed \(seed): \(least)")
                    crossed += 1
                } else if least > 0.5 {
                    #expect(!isCrossed, "seed \(seed): \(least)")
                    missed += 1
                }
            }
        }
        #expect(crossed > ways / 10 && missed > ways / 2, "\(crossed), \(missed)")
    }

    /// The minimum signed distance of samples on the path, metres.
    private func leastDistance(
        _ region: Region, from start: Coordinate, _ way: (metres: Double, azimuth: Double)
    ) -> Double {
        let pieces = 200
        var distances = (0...pieces).map { piece in
            distance(region, start, way, at: way.metres * Double(piece) / Double(pieces))
        }
        // Refines around the minimum.
        let least = distances.indices.min { distances[$0] < distances[$1] } ?? 0
        let step = way.metres / Double(pieces)
        for piece in 0...pieces {
            let share = Double(piece) / Double(pieces) * 2 - 1
            let metres = min(max(step * (Double(least) + share), 0), way.metres)
            distances.append(distance(region, start, way, at: metres))
        }
        return distances.min() ?? .infinity
    }

    private func distance(
        _ region: Region, _ start: Coordinate, _ way: (metres: Double, azimuth: Double),
        at metres: Double
    ) -> Double {
        let position = EarthPoint(start.moved(azimuth: way.azimuth, metres: metres))
        return Double(region.signedDistance(from: position).centimetres) / 100
    }

    @Test func `a path along an edge, through a vertex, of length zero`() throws {
        let square = Polygon(outer: [.at(0, 0), .at(0, 0.01), .at(0.01, 0.01), .at(0.01, 0)])
        let region = try #require(Region(prepare(.polygons([square]))))
        func isCrossed(_ a: (Double, Double), _ b: (Double, Double)) -> Bool {
            region.isCrossed(from: EarthPoint(.at(a.0, a.1)), to: EarthPoint(.at(b.0, b.1)))
        }
        #expect(isCrossed((0.005, -0.001), (0.005, 0.011)))
        #expect(isCrossed((-0.001, -0.001), (0.011, 0.011)))
        #expect(!isCrossed((-0.0001, -0.001), (-0.0001, 0.011)))
        #expect(!isCrossed((0.02, -0.001), (0.02, 0.011)))
        // Collinear, but ends before the edge.
        #expect(!isCrossed((0.005, -0.002), (0.005, -0.001)))
        // Leaving or entering is not a crossing.
        #expect(!isCrossed((0.005, 0.005), (0.005, 0.011)))
        #expect(!isCrossed((0.005, 0.011), (0.005, 0.005)))
        #expect(!isCrossed((0.005, 0.005), (0.005, 0.006)))
        // Length zero, and beyond the range of one plane.
        #expect(!isCrossed((0.02, 0.02), (0.02, 0.02)))
        #expect(!isCrossed((0.005, -8), (0.005, 8)))
    }

    @Test func `a path from a hole crosses the region around it`() throws {
        let ring = Polygon(
            outer: [.at(0, 0), .at(0, 0.01), .at(0.01, 0.01), .at(0.01, 0)],
            holes: [[.at(0.004, 0.004), .at(0.004, 0.006), .at(0.006, 0.006), .at(0.006, 0.004)]])
        let region = try #require(Region(prepare(.polygons([ring]))))
        func isCrossed(_ a: (Double, Double), _ b: (Double, Double)) -> Bool {
            region.isCrossed(from: EarthPoint(.at(a.0, a.1)), to: EarthPoint(.at(b.0, b.1)))
        }
        // From the hole to the outside; and within the hole.
        #expect(isCrossed((0.005, 0.005), (0.005, 0.011)))
        #expect(!isCrossed((0.005, 0.0045), (0.005, 0.0055)))
    }
}

private struct World {
    let middle: Coordinate
    let spread: Double
    let radii: ClosedRange<Double>

    init(_ north: Double, _ east: Double, spread: Double, radii: ClosedRange<Double>) {
        middle = .at(north, east)
        self.spread = spread
        self.radii = radii
    }
}

extension RandomNumberGenerator {
    fileprivate mutating func position(of world: World) -> Coordinate {
        world.middle.moved(
            azimuth: number(0...360), metres: number(0...world.spread + world.radii.upperBound))
    }

    /// Every third a polygon.
    fileprivate mutating func regions(of world: World, count: Int) throws -> [Region] {
        try (0..<count).map { number in
            let position = world.middle.moved(
                azimuth: self.number(0...360), metres: self.number(0...max(world.spread, 0.1)))
            let radius = self.number(world.radii)
            if number % 3 == 0, radius > 60, abs(position.latitude) < 88 {
                let polygon = polygon(around: position, metres: min(radius, 100_000))
                return try #require(Region(prepare(.polygons([polygon]))))
            }
            let shape = ZoneShape.circle(center: position, radiusCentimetres: Int32(radius * 100))
            return try #require(Region(prepare(shape)))
        }
    }
}

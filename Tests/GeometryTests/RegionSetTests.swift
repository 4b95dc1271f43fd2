import Geometry
import Model
import TestSupport
import Testing

@Suite struct RegionSetTests {
    /// Centre in degrees, distance of zones from it in metres, and their radii.
    private static let worlds: [(Double, Double, Double, ClosedRange<Double>)] = [
        (3.139, 101.7, 30_000, 1...500), (-16.9, 180, 20_000, 1...5000), (90, 0, 20_000, 1...900),
        (-89.95, 33, 20_000, 1...20_000), (0, 0, 19_000_000, 1...250_000),
        (45, 90, 19_000_000, 100...200), (51.5, -0.1, 50_000, 240_000...250_000),
        (0, 0, 0, 100...100), (60, 20, 100_000, 40...60_000),
    ]

    @Test func `every region that contains a point is found once, and no distant one`() throws {
        var surely = 0
        for (number, world) in Self.worlds.enumerated() {
            var random = SeededGenerator(seed: UInt64(number))
            let middle = Coordinate.at(world.0, world.1)
            let regions = try (0..<500).map { _ in
                try random.region(around: middle, metres: world.2, radius: world.3)
            }
            let grid = RegionSet(regions)
            var found: [NearRegion] = []
            for _ in 0..<300 {
                let metres = random.number(0...world.2 + world.3.upperBound)
                let point = EarthPoint(
                    middle.moved(azimuth: random.number(0...360), metres: metres))
                found.removeAll(keepingCapacity: true)
                grid.append(near: point, to: &found)
                let indices = Set(found.map(\.index))
                #expect(found.count == indices.count)
                for near in found where near.isSurelyInside {
                    surely += 1
                    #expect(regions[Int(near.index)].contains(point), "world \(number)")
                }
                for (index, region) in regions.enumerated() {
                    if !region.isSurelyBeyond(metres: 0.5, from: point) {
                        #expect(indices.contains(Int32(index)), "world \(number)")
                    }
                    if region.isSurelyBeyond(metres: 2 + world.3.upperBound / 250, from: point) {
                        #expect(!indices.contains(Int32(index)), "world \(number)")
                    }
                }
            }
            #expect(grid.bytes < 500 * 600, "world \(number): \(grid.bytes)")
        }
        #expect(surely > 1000)
    }

    @Test func `a ball's edge is found at every cube boundary`() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let middle = Coordinate.at(random.number(-90...90), random.number(-180...180))
            let region = try random.region(around: middle, metres: 1, radius: 1...200_000)
            let grid = RegionSet([region])
            let reach = Double(region.inradiusCentimetres) / 100
            let edge = middle.moved(azimuth: random.number(0...360), metres: reach * 0.999)
            var found: [NearRegion] = []
            grid.append(near: EarthPoint(edge), to: &found)
            let isIn = !region.isSurelyBeyond(metres: 0.5, from: EarthPoint(edge))
            #expect(found.map(\.index) == [0] || !isIn)
        }
    }

    @Test func `an empty set and regions of maximum reach work`() throws {
        var found: [NearRegion] = []
        RegionSet([]).append(near: EarthPoint(.at(3, 101)), to: &found)
        #expect(found.isEmpty)
        var prepared = try prepare(.circle(center: .at(0, 0), radiusCentimetres: 1000))
        prepared.reachCentimetres = .max
        let all = try #require(Region(prepared))
        prepared.reachCentimetres = .min
        #expect(Region(prepared) == nil, "impossible")
        prepared.reachCentimetres = 0
        let none = try #require(Region(prepared))
        for position in [Coordinate.at(0, 0), .at(0, 180), .at(90, 0), .at(-90, 0), .at(0, -90)] {
            found = []
            RegionSet([none, all, all]).append(near: EarthPoint(position), to: &found)
            #expect(found.map(\.index).filter { $0 > 0 }.sorted() == [1, 2])
        }
    }
}

extension RandomNumberGenerator {
    fileprivate mutating func region(
        around middle: Coordinate, metres: Double, radius: ClosedRange<Double>
    ) throws -> Region {
        let position = middle.moved(azimuth: number(0...360), metres: number(0...max(metres, 0.1)))
        let centimetres = Int32(number(radius) * 100)
        let prepared = try prepare(.circle(center: position, radiusCentimetres: centimetres))
        return try #require(Region(prepared))
    }
}

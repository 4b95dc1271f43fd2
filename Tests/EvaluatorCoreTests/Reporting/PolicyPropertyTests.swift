import Geometry
import Model
import TestSupport
import Testing

@testable import EvaluatorCore

@Suite struct PolicyPropertyTests {
    /// Zones of one walk: close together or far apart, small or as large as countries.
    private func zones(_ random: inout SeededGenerator) -> [ConfiguredZone] {
        let spread = pick([0.02, 0.2, 2, 9], &random)
        let count = pick([0, 1, 3, 21, 22, 60], &random)
        let size = pick([300.0, 5000, 80_000], &random)
        return (0..<count).map { number in
            let middle = place(around: World.middle, degrees: spread, &random)
            if number % 3 > 0 {
                return .round(
                    UInt64(number + 1), radius: Int32.random(in: 20...Int32(size), using: &random),
                    at: middle)
            }
            let corners = [(-1.0, -1.0), (-1, 2), (0.2, 0.1), (2, 1)].map { north, east in
                Coordinate(
                    latitude: middle.latitude + north * size / 300_000,
                    longitude: middle.longitude + east * size / 300_000) ?? middle
            }
            return .make(UInt64(number + 1), .polygons([Polygon(outer: corners)]))
        }
    }

    private func pick<Element>(_ all: [Element], _ random: inout SeededGenerator) -> Element {
        all[Int.random(in: all.indices, using: &random)]
    }

    private func place(
        around middle: Coordinate, degrees: Double, _ random: inout SeededGenerator
    ) -> Coordinate {
        Coordinate(
            latitude: middle.latitude + .random(in: -degrees...degrees, using: &random),
            longitude: middle.longitude + .random(in: -degrees...degrees, using: &random))
            ?? middle
    }

    @Test func `policies never depend on which points were searched before`() throws {
        var modes: [ReportingMode: Int] = [:]
        var searches = (lazy: 0, eager: 0)
        for seed in 0..<150 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let configured = zones(&random)
            var lazy = PolicyStage(configured)
            var eager = PolicyStage(configured)
            eager.alwaysSearches = true
            var here = place(
                around: configured.first?.geometry.origin ?? World.middle,
                degrees: pick([0.01, 0.1, 1, 4], &random), &random)
            let step = pick([0.00002, 0.001, 0.02, 0.2], &random)
            for number in 0..<150 {
                let length = number % 10 == 0 ? step * 10 : step
                here = place(around: here, degrees: length, &random)
                let speed = number % 3 == 0 ? Double.random(in: 0...30, using: &random) : nil
                let emitted = lazy.report(at: here, speed: speed)
                try #require(emitted == eager.report(at: here, speed: speed), "\(seed), \(number)")
                if let emitted { modes[emitted.mode, default: 0] += 1 }
            }
            searches.lazy += lazy.searches
            searches.eager += eager.searches
        }
        // The walks are realistic, and most points were not searched.
        for mode in [ReportingMode.standard, .significant, .region] {
            #expect(modes[mode, default: 0] > 50)
        }
        #expect(searches.lazy * 2 < searches.eager)
    }

    @Test func `the nearest zones equal those of a full scan`() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<30 {
            let configured = zones(&random)
            let owners = [0, 1, 2].map { owner in
                ActiveZones.evaluated(configured.filter { Int($0.id.raw.low) % 3 == owner })
            }
            let excluded = Set(configured.filter { _ in .random(using: &random) }.map(\.id))
            let isRelevant = { (zone: ActiveZone) in !excluded.contains(zone.id) }
            let point = EarthPoint(place(around: World.middle, degrees: 2, &random))
            let all = configured.compactMap { zone -> (UInt32, ZoneID)? in
                guard let region = Region(zone.geometry), !excluded.contains(zone.id) else {
                    return nil
                }
                let centimetres = region.signedDistance(from: point).centimetres.magnitude
                return centimetres <= 50_000_000 ? (centimetres, zone.id) : nil
            }.sorted { $0 < $1 }
            for count in [1, 5, 21] {
                var probe = ZoneProbe()
                probe.begin(count: count)
                for owner in owners { probe.add(owner, around: point, isRelevant: isRelevant) }
                #expect(probe.zones.map(\.zone) == all.prefix(count).map { $0.1 })
            }
        }
    }
}

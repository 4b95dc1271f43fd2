import Geometry
import Model
import TestSupport
import Testing

@testable import EvaluatorCore

@Suite struct PolicyPropertyTests {
    /// Zones of one walk: near each other or far apart, small or as large as countries.
    private func zones(_ random: inout SeededGenerator) -> [PlacedZone] {
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

    @Test func `what is told never depends on which places were looked at`() throws {
        var modes: [ReportingMode: Int] = [:]
        var looks = (lazy: 0, eager: 0)
        for seed in 0..<150 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let placed = zones(&random)
            var lazy = PolicyStage(placed)
            var eager = PolicyStage(placed)
            eager.forgets = true
            var here = place(
                around: placed.first?.geometry.origin ?? World.middle,
                degrees: pick([0.01, 0.1, 1, 4], &random), &random)
            let step = pick([0.00002, 0.001, 0.02, 0.2], &random)
            for number in 0..<150 {
                let length = number % 10 == 0 ? step * 10 : step
                here = place(around: here, degrees: length, &random)
                let speed = number % 3 == 0 ? Double.random(in: 0...30, using: &random) : nil
                let told = lazy.report(at: here, speed: speed)
                try #require(told == eager.report(at: here, speed: speed), "\(seed), \(number)")
                if let told { modes[told.mode, default: 0] += 1 }
            }
            looks.lazy += lazy.looks
            looks.eager += eager.looks
        }
        // The walks are worth the name, and most of them was not looked at.
        for mode in [ReportingMode.standard, .significant, .region] {
            #expect(modes[mode, default: 0] > 50)
        }
        #expect(looks.lazy * 2 < looks.eager)
    }

    @Test func `the nearest zones are those that going through all finds`() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<30 {
            let placed = zones(&random)
            let owners = [0, 1, 2].map { owner in
                JudgedZones.judged(placed.filter { Int($0.id.raw.low) % 3 == owner })
            }
            let refused = Set(placed.filter { _ in .random(using: &random) }.map(\.id))
            let isRelevant = { (zone: JudgedZone) in !refused.contains(zone.id) }
            let point = EarthPoint(place(around: World.middle, degrees: 2, &random))
            let all = placed.compactMap { zone -> (UInt32, ZoneID)? in
                guard let region = Region(zone.geometry), !refused.contains(zone.id) else {
                    return nil
                }
                let centimetres = region.signedDistance(from: point).centimetres.magnitude
                return centimetres <= 50_000_000 ? (centimetres, zone.id) : nil
            }.sorted { $0 < $1 }
            for count in [1, 5, 21] {
                var survey = ZoneSurvey()
                survey.begin(count: count)
                for owner in owners { survey.add(owner, around: point, isRelevant: isRelevant) }
                #expect(survey.zones.map(\.zone) == all.prefix(count).map { $0.1 })
            }
        }
    }
}

import Geometry
import Model
import TestSupport
import Testing

@testable import EvaluatorCore

@Suite struct PolicyTests {
    @Test(arguments: [
        (2.9, 50), (3.0, 30), (4.4, 40), (5.0, 50), (5.6, 60), (10, 100), (27.8, 280), (0, 50),
        (4.5, 50), (4.49, 40), (5.5, 50), (5.51, 60), (1000, 10_000),
    ])
    func `the distance filter follows the speed`(speed: Double, metres: Int32) {
        let rules = ReportingRules()
        let centimetres = Int32((speed * 100).rounded())
        #expect(rules.filter(after: nil, speed: centimetres) == metres)
        #expect(rules.filter(after: 50, speed: centimetres) == metres)
        // The same speed again changes nothing.
        #expect(rules.filter(after: metres, speed: centimetres) == metres)
    }

    @Test func `a filter within ten percent stays, and an unknown speed changes nothing`() {
        let rules = ReportingRules()
        #expect(rules.filter(after: 100, speed: 1100) == 100)
        #expect(rules.filter(after: 100, speed: 1101) == 110)
        #expect(rules.filter(after: 100, speed: 900) == 100)
        #expect(rules.filter(after: 100, speed: 899) == 90)
        #expect(rules.filter(after: 280, speed: nil) == 280)
        #expect(rules.filter(after: 280, speed: -1) == 280)
        #expect(rules.filter(after: 280, speed: 299) == 50)
        #expect(rules.filter(after: 280, speed: .max) == 214_748_360)
    }

    @Test func `reports become denser near an edge`() {
        var stage = PolicyStage([.round(radius: 200)])
        let near = stage.report(north: 249)
        #expect(near?.mode == .standard)
        #expect(near?.distanceFilterMetres == 50)
        #expect(near?.intervalSeconds == 180)
        #expect(near?.contactTimeoutSeconds == 1800)
        let far = stage.report(north: 251)
        #expect(far?.mode == .significant)
        #expect(far?.distanceFilterMetres == nil)
        #expect(far?.intervalSeconds == 180)
        #expect(stage.report(north: 5198) == nil)
        let region = stage.report(north: 5202)
        #expect(region?.mode == .region)
        #expect(region?.intervalSeconds == 1800)
        #expect(region?.contactTimeoutSeconds == 1800)
        #expect(
            region?.regions == [
                WatchedRegion(
                    zone: ConfiguredZone.round().id, center: World.middle, radiusMetres: 5200)
            ])
        #expect(stage.report(north: 5199)?.mode == .significant)
        // The edge counts from inside, too.
        #expect(stage.report(north: 100) == nil)
        #expect(stage.report(north: 151)?.mode == .standard)
    }

    @Test func `in standard mode the filter is sent again only if it changed`() {
        var stage = PolicyStage([.round(radius: 200)])
        #expect(stage.report(north: 200, speed: 10)?.distanceFilterMetres == 100)
        #expect(stage.report(north: 210, speed: 10.9) == nil)
        #expect(stage.report(north: 200) == nil)
        #expect(stage.report(north: 210, speed: 12)?.distanceFilterMetres == 120)
        #expect(stage.report(north: 600, speed: 12)?.mode == .significant)
        // It starts with the smallest again.
        #expect(stage.report(north: 200)?.distanceFilterMetres == 50)
    }

    @Test func `without zones only the reporting interval matters`() {
        var stage = PolicyStage([])
        let policy = stage.report(north: 0)
        #expect(policy?.mode == .region)
        #expect(policy?.regions == [])
        #expect(policy?.intervalSeconds == 1800)
        #expect(stage.report(north: 49_000) == nil)
        #expect(stage.searches == 1)
        #expect(stage.report(north: 400_000) == nil)
        #expect(stage.reconfigure([.round()])?.regions.count == 1)
    }

    @Test func `zones within 10 km or twice the closest distance are watched`() {
        let north = { (metres: Double) in
            Coordinate(latitude: metres / 110_574.276, longitude: World.middle.longitude)
                ?? World.middle
        }
        var stage = PolicyStage([
            .round(1, radius: 100, at: north(0)), .round(2, radius: 100, at: north(-2000)),
            .round(3, radius: 100, at: north(-7000)), .round(4, radius: 100, at: north(-8950)),
        ])
        let ten = stage.report(north: 6900)
        #expect(ten?.regions.map(\.zone.raw.low) == [1, 2])
        // The third one is close now, but that is sent only after a move by a tenth of the distance
        // to the first.
        #expect(stage.report(north: 7300) == nil)
        #expect(stage.report(north: 7700)?.regions.map(\.zone.raw.low) == [1, 2, 3])
        // The closest is 9,000 m away, the last one 17,950.
        #expect(stage.report(north: 9100)?.regions.map(\.zone.raw.low) == [1, 2, 3, 4])
    }

    @Test func `at most twenty regions are watched, nearest first`() {
        let zones = (1...60).map { number in
            ConfiguredZone.round(
                UInt64(number), radius: 100,
                at: Coordinate(
                    latitude: -Double((number * 7) % 60) * 0.0005,
                    longitude: World.middle.longitude) ?? World.middle)
        }
        var stage = PolicyStage(zones)
        let regions = stage.report(north: 6000)?.regions ?? []
        #expect(regions.count == 20)
        let latitudes = regions.map(\.center.latitudeE7)
        #expect(latitudes == latitudes.sorted(by: >))
        #expect(latitudes.first == 0)
        #expect(latitudes.last == -95_000)
    }

    @Test func `a region is 150 % of the zone's radius, or 5 km more`() {
        var stage = PolicyStage([.round(1, radius: 9000)])
        #expect(stage.report(north: 20_000)?.regions.map(\.radiusMetres) == [14_000])
        stage = PolicyStage([.round(1, radius: 20_000)])
        #expect(stage.report(north: 50_000)?.regions.map(\.radiusMetres) == [30_000])
    }

    @Test func `a phone already inside a region reports significant changes`() {
        var stage = PolicyStage([.round(1, radius: 20_000)])
        #expect(stage.report(north: 50_000)?.mode == .region)
        #expect(stage.report(north: 30_010) == nil)
        let inside = stage.report(north: 29_900)
        #expect(inside?.mode == .significant)
        #expect(inside?.regions == [])
        #expect(stage.report(north: 24_900) == nil)
        #expect(stage.report(north: 20_040)?.mode == .standard)
        // Deep inside the zone, too.
        #expect(stage.report(north: 10_000)?.mode == .significant)
    }

    @Test func `an emergency overrides every mode, and its end restores the previous one`() {
        var stage = PolicyStage([.round()])
        #expect(stage.report(north: 20_000)?.mode == .region)
        let event = stage.emergency(true)
        #expect(event?.mode == .event)
        #expect(event?.intervalSeconds == 60)
        #expect(event?.contactTimeoutSeconds == 180)
        #expect(event?.regions == [])
        #expect(stage.report(north: 200) == nil)
        #expect(stage.emergency(false)?.mode == .standard)
    }

    @Test func `an emergency of a phone without a fix ends, too`() {
        var stage = PolicyStage([.round()])
        #expect(stage.emergency(false) == nil)
        #expect(stage.emergency(true)?.mode == .event)
        #expect(stage.emergency(false)?.mode == .significant)
        #expect(stage.emergency(false) == nil)
    }

    @Test func `a new primary device gets the policy`() {
        var stage = PolicyStage([.round()])
        #expect(stage.report(north: 20_000)?.device == World.phone)
        let other = stage.changeDevice(World.tablet)
        #expect(other?.device == World.tablet)
        #expect(other?.mode == .region)
        #expect(stage.changeDevice(World.tablet) == nil)
    }

    @Test func `changed zones update the policy immediately`() {
        var stage = PolicyStage([.round()])
        #expect(stage.report(north: 20_000)?.regions.count == 1)
        #expect(stage.reconfigure([.round()]) == nil)
        #expect(stage.reconfigure([.round(radius: 300)])?.regions.map(\.radiusMetres) == [5300])
        #expect(stage.reconfigure([.round(radius: 300), .round(2)])?.regions.count == 2)
        let here = Coordinate(latitude: 20_000 / 110_574.276, longitude: 101.6869)
        #expect(stage.reconfigure([.round(at: here ?? World.middle)])?.mode == .significant)
    }

    @Test func `no search happens while nothing can change`() {
        var stage = PolicyStage([.round(radius: 200)])
        _ = stage.report(north: 1200)
        for step in 0..<100 { _ = stage.report(north: 1200 - Double(step) * 7) }
        #expect(stage.searches == 1)
        #expect(stage.report(north: 245)?.mode == .standard)
        #expect(stage.report(north: 260)?.mode == .significant)
    }
}

import EvaluatorCore
import Model
import TestSupport
import Testing

/// Approaching a zone, and crossing it between two fixes.
@Suite struct NearTests {
    private func zone(_ kind: ZoneKind = .safe, alert: Int = 100) -> ConfiguredZone {
        .round(kind: kind).with { $0.alertDistanceMetres = alert }
    }

    @Test(arguments: [
        // Near, inside, near without an approach, away, near again.
        ("O-n-I-n-O-n|", ".-A-E-X-R-A|"),
        // A presence found near is initial.
        ("n-O-n|", "~-R-A|"),
        ("n-n-n|", "~-.-.|"),
        ("O-o-i-I-O|", ".-A-.-E-X|"),
        ("I-O-n|", "!-X-A|"),
    ])
    func `approaching a safe zone is reported once`(line: String, expected: String) {
        var world = World(zones: [zone()])
        #expect(world.timeline(line) == expected)
    }

    @Test func `near ends only beyond the alert distance and the margin`() {
        var world = World(zones: [zone()])
        _ = world.report(north: 500)
        #expect(world.report(north: 301).marbles.isEmpty)
        #expect(world.report(north: 299.9).marbles == "A")
        // 100 m plus 20 m: a fix at 319 m is still near; the suppression is reported once.
        let held = world.report(north: 319)
        #expect(held.suppressed.map(\.reason) == [.withinMargin])
        #expect(held.suppressed.first?.after == .near)
        #expect(world.report(north: 318).isEmpty)
        #expect(world.report(north: 299).isEmpty)
        // By two fixes, because it is not beyond by 40 m.
        #expect(world.report(north: 321).suppressed.map(\.reason) == [.unconfirmed])
        let receded = world.report(north: 321)
        #expect(receded.map(\.kind) == [.zoneLeftVicinity, .deadlineCancelled])
        #expect(receded.crossings.map(\.reason) == [.beyondAlertDistance])
        #expect(receded.crossings.map(\.marginCentimetres) == [2000])
        #expect(world.report(north: 299.9).marbles == "A")
    }

    @Test func `an approach has a distance and a reason`() throws {
        var world = World(zones: [zone(.alert)])
        _ = world.report(north: 500)
        let outputs = world.report(north: 260)
        #expect(outputs.map(\.kind).contains(.zoneApproached))
        let crossing = try #require(outputs.crossings.first)
        #expect(crossing.before == .outside && crossing.after == .near && !crossing.inside)
        #expect(crossing.reason == .withinAlertDistance)
        #expect(abs(crossing.distanceCentimetres - 6000) < 10)
        let entry = try #require(world.report(north: 199).crossings.first)
        #expect(entry.before == .near && entry.after == .inside)
    }

    @Test func `indexed zones are near at the same distance`() {
        let away = Coordinate(latitudeE7: 500_000_000, longitudeE7: 0)
        let others = (100..<140 as Range<UInt64>).map { ConfiguredZone.round($0, at: away) }
        var world = World(zones: [zone(alert: 5000)] + others)
        _ = world.report(north: 9000)
        #expect(world.report(north: 5190, after: 600).marbles == "A")
        #expect(world.report(north: 5190).isEmpty)
        // Within alert distance plus margin, beyond the indexed range.
        #expect(world.report(north: 5219).marbles.isEmpty)
        #expect(world.report(north: 5221).marbles.isEmpty)
        #expect(world.report(north: 5221).marbles == "R")
        #expect(world.report(north: 5199).marbles == "A")
    }

    @Test func `a zone that loses its alert distance has nobody near`() {
        var world = World(zones: [zone()])
        #expect(world.report(north: 250).marbles == "~")
        #expect(world.configure([.round()]).marbles == "?")
        #expect(world.configure([zone()]).marbles == "~")
    }

    private func crossed(_ kind: ZoneKind = .safe) -> ConfiguredZone {
        .round(kind: kind).with { $0.transitions = [.enter, .exit, .cross] }
    }

    @Test func `a path through a zone enters and leaves it`() {
        var world = World(zones: [crossed()])
        _ = world.report(north: 400)
        let outputs = world.report(north: -400)
        #expect(outputs.marbles == "EX")
        #expect(outputs.crossings.allSatisfy { $0.interpolated && $0.reason == .passedThrough })
        #expect(outputs.crossings.map(\.after) == [.inside, .outside])
        #expect(Set(outputs.map(\.id)).count == 2)
        // Past it and back through it.
        #expect(world.report(north: -400, east: 300).isEmpty)
        #expect(world.report(north: 400, east: 300).isEmpty)
        #expect(world.report(north: -400, east: -100).marbles == "EX")
    }

    @Test func `a path crosses only from beyond the margin to beyond the margin`() {
        // 10 m of accuracy and 20 m of hysteresis: 20 m.
        for (from, to, marbles) in [
            (400.0, -219.0, ""), (219, -400, ""), (221, -221, "EX"),
        ] {
            var world = World(zones: [crossed()])
            _ = world.report(north: from)
            #expect(world.report(north: to).marbles == marbles, "\(from) to \(to)")
        }
    }

    @Test func `noise along an edge crosses nothing`() {
        var random = SeededGenerator(seed: 11)
        var world = World(zones: [crossed()])
        for _ in 0..<400 {
            let around = { Double.random(in: -30...30, using: &random) }
            let outputs = world.report(
                north: 150 + around(), east: 150 + around(), accuracy: 20, after: 10)
            #expect(outputs.crossings.allSatisfy { !$0.interpolated })
        }
    }

    @Test func `only zones with the cross transition are crossed`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 400)
        #expect(world.report(north: -400).isEmpty)
    }

    @Test func `a path of more than 5 min crosses nothing`() {
        for (after, marbles) in [(300, "EX"), (301, "")] as [(Int64, String)] {
            var world = World(zones: [crossed()])
            _ = world.report(north: 400)
            #expect(world.report(north: -400, after: after).marbles == marbles)
        }
    }

    @Test func `an entered zone is not crossed`() {
        var world = World(zones: [crossed()])
        _ = world.report(north: 400)
        #expect(world.report(north: 0).marbles == "E")
        #expect(world.report(north: -400, speed: 2).marbles == "X")
        // Kept inside by the margin, then farther on the other side: left, not crossed.
        _ = world.report(north: 0, speed: 9)
        _ = world.report(north: 215)
        #expect(world.report(north: -400, speed: 2).marbles == "X")
    }

    @Test func `a person who passes through and stops nearby is near`() {
        var world = World(zones: [crossed().with { $0.alertDistanceMetres = 100 }])
        _ = world.report(north: 400)
        let outputs = world.report(north: -290)
        #expect(outputs.marbles == "EX")
        #expect(outputs.crossings.map(\.after) == [.inside, .near])
        #expect(world.report(north: -290).isEmpty)
    }

    @Test func `indexed zones are crossed, too`() {
        let away = Coordinate(latitudeE7: 500_000_000, longitudeE7: 0)
        let others = (100..<140 as Range<UInt64>).map { ConfiguredZone.round($0, at: away) }
        var world = World(zones: [crossed()] + others)
        _ = world.report(north: 9000)
        #expect(world.report(north: -9000, after: 300).marbles == "EX")
    }
}

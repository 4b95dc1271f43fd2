import EvaluatorCore
import Model
import TestSupport
import Testing

/// Coming near a zone, and passing through it between two fixes.
@Suite struct NearTests {
    private func zone(_ kind: ZoneKind = .safe, alert: Int = 100) -> PlacedZone {
        .round(kind: kind).with { $0.alertDistanceMetres = alert }
    }

    @Test(arguments: [
        // Near, in, out to near without approaching, away, and near again.
        ("O-n-I-n-O-n|", ".-A-E-X-R-A|"),
        // Found near is initial.
        ("n-O-n|", "~-R-A|"),
        ("n-n-n|", "~-.-.|"),
        ("O-o-i-I-O|", ".-A-.-E-X|"),
        ("I-O-n|", "!-X-A|"),
    ])
    func `who comes near a safe zone approaches it once`(line: String, expected: String) {
        var world = World(zones: [zone()])
        #expect(world.timeline(line) == expected)
    }

    @Test func `near ends beyond the alert distance and the margin, not before`() {
        var world = World(zones: [zone()])
        _ = world.report(north: 500)
        #expect(world.report(north: 301).marbles.isEmpty)
        #expect(world.report(north: 299.9).marbles == "A")
        // 100 m and 20 m: a fix at 319 m is near still, and that is told once.
        let held = world.report(north: 319)
        #expect(held.withheld.map(\.reason) == [.withinMargin])
        #expect(held.withheld.first?.after == .near)
        #expect(world.report(north: 318).isEmpty)
        #expect(world.report(north: 299).isEmpty)
        // And by two fixes, because it is not beyond by 40 m.
        #expect(world.report(north: 321).withheld.map(\.reason) == [.unconfirmed])
        let receded = world.report(north: 321)
        #expect(receded.map(\.kind) == [.zoneReceded, .clockUnwanted])
        #expect(receded.crossings.map(\.reason) == [.beyondAlertDistance])
        #expect(receded.crossings.map(\.marginCentimetres) == [2000])
        #expect(world.report(north: 299.9).marbles == "A")
    }

    @Test func `an approach tells distance and reason`() throws {
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

    @Test func `zones that are looked up are near from as far away`() {
        let away = Coordinate(latitudeE7: 500_000_000, longitudeE7: 0)
        let others = (100..<140 as Range<UInt64>).map { PlacedZone.round($0, at: away) }
        var world = World(zones: [zone(alert: 5000)] + others)
        _ = world.report(north: 9000)
        #expect(world.report(north: 5190, after: 600).marbles == "A")
        #expect(world.report(north: 5190).isEmpty)
        // Inside the alert distance and margin, beyond what is looked up.
        #expect(world.report(north: 5219).marbles.isEmpty)
        #expect(world.report(north: 5221).marbles.isEmpty)
        #expect(world.report(north: 5221).marbles == "R")
        #expect(world.report(north: 5199).marbles == "A")
    }

    @Test func `a zone that loses its alert distance has nobody near`() {
        var world = World(zones: [zone()])
        #expect(world.report(north: 250).marbles == "~")
        #expect(world.place([.round()]).marbles == "?")
        #expect(world.place([zone()]).marbles == "~")
    }

    private func crossed(_ kind: ZoneKind = .safe) -> PlacedZone {
        .round(kind: kind).with { $0.transitions = [.enter, .exit, .cross] }
    }

    @Test func `the way through a zone enters and leaves it`() {
        var world = World(zones: [crossed()])
        _ = world.report(north: 400)
        let outputs = world.report(north: -400)
        #expect(outputs.marbles == "EX")
        #expect(outputs.crossings.allSatisfy { $0.interpolated && $0.reason == .passedThrough })
        #expect(outputs.crossings.map(\.after) == [.inside, .outside])
        #expect(Set(outputs.map(\.id)).count == 2)
        // Past it, and back through it.
        #expect(world.report(north: -400, east: 300).isEmpty)
        #expect(world.report(north: 400, east: 300).isEmpty)
        #expect(world.report(north: -400, east: -100).marbles == "EX")
    }

    @Test func `a way is a crossing only from beyond the margin to beyond the margin`() {
        // 10 m of accuracy and 20 m of hysteresis: 20 m.
        for (from, to, marbles) in [
            (400.0, -219.0, ""), (219, -400, ""), (221, -221, "EX"),
        ] {
            var world = World(zones: [crossed()])
            _ = world.report(north: from)
            #expect(world.report(north: to).marbles == marbles, "\(from) to \(to)")
        }
    }

    @Test func `noise along an edge passes through nothing`() {
        var random = SeededGenerator(seed: 11)
        var world = World(zones: [crossed()])
        for _ in 0..<400 {
            let around = { Double.random(in: -30...30, using: &random) }
            let outputs = world.report(
                north: 150 + around(), east: 150 + around(), accuracy: 20, after: 10)
            #expect(outputs.crossings.allSatisfy { !$0.interpolated })
        }
    }

    @Test func `only zones that ask for it are crossed`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 400)
        #expect(world.report(north: -400).isEmpty)
    }

    @Test func `a way of more than 5 min says nothing`() {
        for (after, marbles) in [(300, "EX"), (301, "")] as [(Int64, String)] {
            var world = World(zones: [crossed()])
            _ = world.report(north: 400)
            #expect(world.report(north: -400, after: after).marbles == marbles)
        }
    }

    @Test func `one that is entered is not crossed`() {
        var world = World(zones: [crossed()])
        _ = world.report(north: 400)
        #expect(world.report(north: 0).marbles == "E")
        #expect(world.report(north: -400, speed: 2).marbles == "X")
        // Held inside by the margin, then farther on the other side: left, not crossed.
        _ = world.report(north: 0, speed: 9)
        _ = world.report(north: 215)
        #expect(world.report(north: -400, speed: 2).marbles == "X")
    }

    @Test func `who passes through and is near is near`() {
        var world = World(zones: [crossed().with { $0.alertDistanceMetres = 100 }])
        _ = world.report(north: 400)
        let outputs = world.report(north: -290)
        #expect(outputs.marbles == "EX")
        #expect(outputs.crossings.map(\.after) == [.inside, .near])
        #expect(world.report(north: -290).isEmpty)
    }

    @Test func `zones that are looked up are crossed, too`() {
        let away = Coordinate(latitudeE7: 500_000_000, longitudeE7: 0)
        let others = (100..<140 as Range<UInt64>).map { PlacedZone.round($0, at: away) }
        var world = World(zones: [crossed()] + others)
        _ = world.report(north: 9000)
        #expect(world.report(north: -9000, after: 300).marbles == "EX")
    }
}

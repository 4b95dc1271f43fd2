import EvaluatorCore
import Geometry
import Model
import Testing

@Suite struct ZoneTests {
    @Test(arguments: [
        ("O-O|", ".-.|"),
        ("O-I-I|", ".-E-.|"),
        ("I-I-O-O|", "!-.-X-.|"),
        ("O-i-o-i-I-i-o-i-O|", ".-.-.-.-E-.-.-.-X|"),
        ("I-o-i-o-O-o-i-I|", "!-.-.-.-X-.-.-E|"),
        ("i-o-O|", "!-.-X|"),
        ("o-i-I|", ".-.-E|"),
    ])
    func `safe zones count beyond the margin`(line: String, expected: String) {
        var world = World(zones: [.round()])
        #expect(world.timeline(line) == expected)
    }

    @Test(arguments: [
        ("O-o-i-o-i-O|", ".-.-E-.-.-X|"),
        ("O-I-O|", ".-E-X|"),
        ("i-O|", "!-X|"),
        ("o-i|", ".-E|"),
    ])
    func `alert zones count at the edge`(line: String, expected: String) {
        var world = World(zones: [.round(kind: .alert)])
        #expect(world.timeline(line) == expected)
    }

    @Test func `an alert zone is entered exactly on its edge, a safe one is not`() {
        // 18,095 units of 10⁻⁷ degrees are 4 mm more than the radius.
        let shape = ZoneShape.circle(center: World.middle, radiusCentimetres: 20_008)
        let north = 18_095 * 0.011_057_427_6
        for (kind, answer) in [(ZoneKind.alert, "E"), (.safe, "")] {
            var world = World(zones: [.make(1, shape, kind: kind)])
            #expect(world.report(north: 201).marbles.isEmpty)
            let outputs = world.report(north: north)
            #expect(outputs.marbles == answer)
            #expect(outputs.crossings.allSatisfy { $0.distanceCentimetres == 0 })
        }
    }

    @Test func `a crossing has person, zone, distance and reason`() throws {
        var world = World(zones: [.round()])
        _ = world.report(north: 400)
        let outputs = world.report(north: 100, accuracy: 20)
        let crossing = try #require(outputs.crossings.first)
        #expect(crossing.person == World.person)
        #expect(crossing.device == World.phone)
        #expect(crossing.circle == World.circle)
        #expect(crossing.zoneName == "Zone 1")
        #expect(crossing.inside)
        #expect(crossing.reason == .insideBeyondMargin)
        #expect(abs(crossing.distanceCentimetres + 10_000) < 10)
        #expect(crossing.marginCentimetres == 4000)
        #expect(crossing.fix.time == world.now)
        #expect(outputs[0].time == world.now)
        let exit = try #require(world.report(north: 300, speed: 2).crossings.first)
        #expect(exit.reason == .outsideBeyondMargin)
        #expect(exit.marginCentimetres == 2000)
    }

    @Test func `the margin is the larger of hysteresis and accuracy`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        #expect(world.report(north: 270, accuracy: 36).marbles.isEmpty)
        #expect(world.report(north: 270, accuracy: 34).marbles.isEmpty)
        #expect(world.report(north: 270, accuracy: 34).marbles == "X")
    }

    @Test func `an unknown accuracy counts as 50 m`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        #expect(world.report(north: 299, accuracy: 0).marbles.isEmpty)
        #expect(world.report(north: 301, accuracy: 0).marbles.isEmpty)
        #expect(world.report(north: 301, accuracy: 0).marbles == "X")
    }

    @Test(arguments: [(99.0, 198.0), (101, 200), (199, 200)])
    func `an accuracy that fits the zone requires at most 200 m`(accuracy: Double, margin: Double) {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        let held = world.report(north: 199.5 + margin, accuracy: accuracy)
        #expect(held.suppressed.map(\.reason) == [.withinMargin])
        #expect(world.report(north: 200.5 + margin, accuracy: accuracy).marbles.isEmpty)
        #expect(world.report(north: 200.5 + margin, accuracy: accuracy).marbles == "X")
    }

    @Test func `a person not far beyond the margin leaves by two consecutive fixes`() {
        // 30 m of accuracy: beyond 60 m by two fixes, beyond 120 m by one of a walking person.
        let emitted: [(fixes: [Double], marbles: String)] = [
            ([261, 261], ".X"), ([261, 259, 261, 262], "...X"), ([261, 199, 261], "..."),
            ([319, 0, 319], "..."), ([321], "X"), ([259, 321], ".X"), ([261, 400], ".X"),
        ]
        for (fixes, marbles) in emitted {
            var world = World(zones: [.round()])
            _ = world.report(north: 0)
            var found = ""
            for north in fixes {
                let outputs = world.report(north: north, accuracy: 30, speed: 2)
                found += outputs.marbles.isEmpty ? "." : outputs.marbles
            }
            #expect(found == marbles, "\(fixes)")
        }
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        let held = world.report(north: 261, accuracy: 30).suppressed
        #expect(held.map(\.reason) == [.unconfirmed])
        #expect(held.map(\.after) == [.inside] && held.map(\.marginCentimetres) == [12_000])
        #expect(world.report(north: 261, accuracy: 30).crossings.map(\.marginCentimetres) == [6000])
    }

    @Test func `an edit and a suspect's timeout need no second fix`() {
        var edited = World(zones: [.round(radius: 400)])
        _ = edited.report(north: 240, accuracy: 15)
        #expect(edited.configure([.round()]).crossings.map(\.reason) == [.zoneChanged])
        // 480 m in a second, and nothing after it; 90 m beyond the edge.
        var silent = World(zones: [.round()])
        _ = silent.report(north: -190, accuracy: 1)
        _ = silent.report(north: 290, accuracy: 30, after: 1)
        #expect(silent.wait(seconds: 1800).crossings.map(\.reason) == [.silence])
    }

    @Test func `a hysteresis above the accuracy limit is respected`() {
        var world = World(zones: [.round(hysteresis: 400)])
        _ = world.report(north: 0)
        #expect(world.report(north: 599).marbles.isEmpty)
        #expect(world.report(north: 601, speed: 2).marbles == "X")
    }

    @Test func `entering a small zone needs at most a quarter of its inradius`() {
        var world = World(zones: [.round(radius: 40)])
        _ = world.report(north: 300)
        #expect(world.report(north: 30.5, accuracy: 50).marbles.isEmpty)
        // The margin is more than half the inradius: two fixes enter.
        #expect(world.report(north: 29.5, accuracy: 50).marbles.isEmpty)
        let entry = world.report(north: 29.5, accuracy: 50)
        #expect(entry.marbles == "E")
        #expect(entry.crossings.first?.marginCentimetres == 1000)
        #expect(world.report(north: 29.5, accuracy: 50).isEmpty)
        // Leaving it needs the whole margin, by two fixes.
        #expect(world.report(north: 139, accuracy: 50).marbles.isEmpty)
        #expect(world.report(north: 141, accuracy: 50).marbles.isEmpty)
        #expect(world.report(north: 141, accuracy: 50).marbles == "X")
    }

    @Test func `the first decision is initial, whatever the margin`() {
        var inside = World(zones: [.round()])
        let found = inside.report(north: 199, accuracy: 100)
        #expect(found.marbles == "!")
        #expect(found.crossings.first?.reason == .initial)
        var outside = World(zones: [.round()])
        #expect(outside.report(north: 201, accuracy: 100).isEmpty)
        #expect(outside.report(north: 100).marbles == "E")
    }

    @Test func `a late fix never changes presence`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        world.advance(seconds: 600)
        #expect(world.report(north: 900, late: true).marbles.isEmpty)
        #expect(world.report(north: 900, after: 0, age: 661).marbles.isEmpty)
        #expect(world.report(north: 900, after: 0, age: 599, speed: 2).marbles == "X")
        #expect(world.report(north: 0, after: 0, age: 600).marbles.isEmpty)
    }

    @Test func `a fix with the same time as the last one is evaluated`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 230)
        #expect(world.report(north: 190).marbles.isEmpty)
        #expect(world.report(north: 170, after: 0).marbles == "E")
    }

    @Test func `polygons with holes are entered, and left into the hole`() {
        func square(_ metres: Double) -> [Coordinate] {
            [(-1.0, -1.0), (-1, 1), (1, 1), (1, -1)].map { north, east in
                Coordinate(
                    latitudeE7: Int32(north * metres / 0.011057439),
                    longitudeE7: World.middle.longitudeE7 + Int32(east * metres / 0.0111319491))
            }
        }
        let shape = ZoneShape.polygons([Polygon(outer: square(1000), holes: [square(300)])])
        var world = World(zones: [.make(1, shape)])
        #expect(world.report(north: 1500).marbles.isEmpty)
        #expect(world.report(north: 800).marbles == "E")
        #expect(world.report(north: 290).marbles.isEmpty)
        #expect(world.report(north: 200, speed: 2).marbles == "X")
        #expect(world.report(north: 0, east: -600, speed: 20).marbles == "E")
    }

    @Test func `zones are reported in order: own ones, then by circle and id`() {
        let second = CircleID(ID128(high: 1, low: 2))
        var world = World(zones: [.round(5), .round(3)], circles: [second, World.circle])
        _ = world.configure([.round(4)], of: second)
        _ = world.configure(circles: [second, World.circle], own: [.round(9)])
        let emitted = world.report(north: 0).crossings
        #expect(emitted.map(\.zone.raw.low) == [9, 3, 5, 4])
        #expect(emitted.map(\.circle) == [nil, World.circle, World.circle, second])
    }

    @Test func `a person without circles and an unknown one have no zones`() {
        var world = World(zones: [.round()], circles: [])
        #expect(world.report(north: 0).marbles.isEmpty)
        var empty = World(zones: [.round()])
        empty.state = PartitionState()
        #expect(empty.report(north: 0).isEmpty)
    }
}

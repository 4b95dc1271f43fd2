import EvaluatorCore
import Model
import Testing

/// Fixes that contradict earlier ones.
@Suite struct SuspectTests {
    @Test func `a spike changes nothing and is reported once`() {
        var world = World(zones: [.round()])
        #expect(world.report(north: 0).marbles == "!")
        let spike = world.report(north: 2000, after: 10)
        #expect(spike.marbles.isEmpty)
        #expect(spike.suppressed.map(\.reason) == [.suspect])
        #expect(spike.suppressed.map(\.after) == [.inside])
        #expect(world.report(north: 10, after: 10).marbles.isEmpty)
        #expect(world.report(north: 900, speed: 2).marbles == "X")
    }

    @Test func `a fix that agrees with the suspect makes both trusted`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.report(north: 2000, after: 10)
        let agreed = world.report(north: 2010, after: 10)
        #expect(agreed.marbles == "X")
        #expect(agreed.crossings.first?.reason == .outsideBeyondMargin)
        #expect(agreed.crossings.first?.distanceCentimetres ?? 0 > 179_000)
        #expect(world.deadlines.isEmpty)
    }

    @Test func `a train at 97 m/s is trusted when three fixes agree`() {
        let stations = [ConfiguredZone.round(), .round(2, at: World.middle.north(by: 60_000))]
        var world = World(zones: stations)
        #expect(world.report(north: 0).marbles == "!")
        var marbles = ""
        for minute in 1...10 {
            let outputs = world.report(north: Double(minute) * 5820)
            marbles += outputs.marbles.isEmpty ? "." : outputs.marbles
        }
        #expect(marbles == ".X........")
        // It stops: 1.8 km in a minute agree with the last fix.
        #expect(world.report(north: 60_000).marbles == "E")
    }

    @Test func `contradicting suspects replace each other and are reported once`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        #expect(world.report(north: 2000, after: 10).suppressed.count == 1)
        #expect(world.report(north: -4000, after: 10).suppressed.isEmpty)
        #expect(world.report(north: 8000, after: 10).suppressed.isEmpty)
        #expect(world.report(north: 0, after: 10).marbles.isEmpty)
        // Reported again once a fix has agreed.
        #expect(world.report(north: 2000, after: 10).suppressed.count == 1)
    }

    @Test func `70 m/s is possible, more is not`() {
        for (metres, reason) in [(720.0, CrossingReason.unconfirmed), (722, .suspect)] {
            var world = World(zones: [.round()])
            _ = world.report(north: 0)
            // 10 m of accuracy each are taken off: 700 m in 10 s.
            let leap = world.report(north: metres - 0.5, after: 10, speed: 2)
            #expect(leap.suppressed.map(\.reason) == [reason])
        }
    }

    @Test func `the path may not exceed both reported speeds by much`() {
        // Three times 2 m/s plus 15 m/s: 21 m/s, 210 m in 10 s, plus both accuracies.
        for (metres, reason) in [(229.0, CrossingReason.unconfirmed), (231, .suspect)] {
            var world = World(zones: [.round(radius: 100)])
            _ = world.report(north: 0, speed: 1)
            let leap = world.report(north: metres, after: 10, speed: 2)
            #expect(leap.marbles == "" && leap.suppressed.map(\.reason) == [reason])
        }
        // Only one reports a speed, or reports it as unknown.
        for speed in [nil, -1.0] {
            var world = World(zones: [.round(radius: 100)])
            _ = world.report(north: 0, speed: 1)
            let held = world.report(north: 500, after: 10, speed: speed).suppressed
            #expect(held.map(\.reason) == [.unconfirmed])
        }
    }

    @Test func `a person who stood at both ends of a long path may have moved fast between`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0, speed: 0)
        let train = world.report(north: 25_000, after: 1200, speed: 0)
        #expect(train.marbles == "X")
        var brief = World(zones: [.round()])
        _ = brief.report(north: 0, speed: 0)
        let leap = brief.report(north: 1000, after: 60, speed: 0)
        #expect(leap.suppressed.map(\.reason) == [.suspect])
    }

    @Test func `the path to a suspect crosses nothing`() {
        let zone = ConfiguredZone.round().with { $0.transitions = [.cross] }
        var world = World(zones: [zone])
        _ = world.report(north: -3000)
        #expect(world.report(north: 3000, after: 10).marbles.isEmpty)
        #expect(world.report(north: 3000, after: 10).marbles.isEmpty)
        #expect(world.report(north: -300, after: 60).marbles == "EX")
        var silent = World(zones: [zone])
        _ = silent.report(north: -3000)
        _ = silent.report(north: 3000, after: 10)
        #expect(silent.wait(seconds: 3600).marbles.isEmpty)
    }

    @Test func `a suspect without followers is trusted after 30 min`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.report(north: 9000, after: 10)
        #expect(world.wait(seconds: 1799).isEmpty)
        let trusted = world.wait(seconds: 1)
        #expect(trusted.marbles == "X")
        #expect(trusted.crossings.first?.reason == .silence)
        #expect(world.report(north: 9000).isEmpty)
    }

    @Test func `in an emergency a suspect is trusted after 3 min, even if it begins later`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.report(north: 9000, after: 10)
        world.advance(seconds: 100)
        let signal = EmergencySignal(
            id: EmergencyID(ID128(high: 5, low: 1)), person: World.person, trigger: .panic,
            raised: world.now, received: world.now, countdownEnds: world.now)
        let emitted = world.handle(.inputSignal(signal))
        #expect(emitted.emergencyChanges.first?.suspect == true)
        #expect(world.wait(seconds: 79).isEmpty)
        #expect(world.wait(seconds: 1).marbles == "X")
        // It is trusted now.
        let joined = EmergencySignal(
            id: EmergencyID(ID128(high: 5, low: 2)), person: World.person, trigger: .panic,
            raised: world.now, received: world.now, countdownEnds: world.now)
        #expect(world.handle(.inputSignal(joined)).emergencyChanges.first?.suspect == false)
    }

    @Test func `an emergency trusts an overdue suspect immediately`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.report(north: 9000, after: 10)
        world.advance(seconds: 300)
        let signal = EmergencySignal(
            id: EmergencyID(ID128(high: 5, low: 1)), person: World.person, trigger: .panic,
            raised: world.now, received: world.now, countdownEnds: world.now)
        #expect(world.handle(.inputSignal(signal)).marbles == "X")
    }

    @Test func `the first fix of another device is trusted anywhere`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.report(north: 9000, after: 10)
        _ = world.configure(primary: World.tablet)
        #expect(world.deadlines.isEmpty)
        #expect(world.report(north: 20_000, after: 1, device: World.tablet).marbles == "?")
    }

    @Test func `a very inaccurate fix is never suspect`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        let held = world.report(north: 3000, accuracy: 3000, after: 1).suppressed
        #expect(held.map(\.reason) == [.withinMargin])
    }

    @Test func `a series within the margin is reported once`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 500)
        #expect(world.report(north: 190).suppressed.map(\.reason) == [.withinMargin])
        #expect(world.report(north: 185).isEmpty)
        #expect(world.report(north: 210).isEmpty)
        #expect(world.report(north: 190).suppressed.count == 1)
        #expect(world.report(north: 100).marbles == "E")
        let held = world.report(north: 219).suppressed
        #expect(held.map(\.after) == [.inside] && held.map(\.marginCentimetres) == [2000])
        #expect(world.report(north: 219).isEmpty)
    }

    @Test func `zones that end while a suspect becomes trusted do not affect the policy`() {
        var world = World(zones: [.round()])
        for _ in 0..<4 { _ = world.report(north: 0) }
        #expect(world.policies.last?.mode == .significant)
        for _ in 0..<3 {
            _ = world.report(north: 0, after: 4)
            #expect(world.report(north: 3000, after: 4).contains { $0.kind == .zoneSuppressed })
        }
        // The deadline is lost in transit: the next record makes the suspect trusted.
        world.advance(seconds: 7200)
        #expect(world.configure(circles: []).contains { $0.kind == .zoneExited })
        #expect(world.policies.last?.mode == .region)
        #expect(world.policies.last?.regions == [])
    }
}

extension Coordinate {
    fileprivate func north(by metres: Double) -> Coordinate {
        Coordinate(
            latitudeE7: latitudeE7 + Int32(metres * 1e7 / 110_574.276), longitudeE7: longitudeE7)
    }
}

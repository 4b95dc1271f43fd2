import EvaluatorCore
import Model
import Testing

/// Fixes that contradict those before them.
@Suite struct SuspectTests {
    @Test func `a spike changes nothing, and is told once`() {
        var world = World(zones: [.round()])
        #expect(world.report(north: 0).marbles == "!")
        let spike = world.report(north: 2000, after: 10)
        #expect(spike.marbles.isEmpty)
        #expect(spike.withheld.map(\.reason) == [.suspect])
        #expect(spike.withheld.map(\.after) == [.inside])
        #expect(world.report(north: 10, after: 10).marbles.isEmpty)
        #expect(world.report(north: 900, speed: 2).marbles == "X")
    }

    @Test func `a fix that agrees with the suspect makes both count`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.report(north: 2000, after: 10)
        let agreed = world.report(north: 2010, after: 10)
        #expect(agreed.marbles == "X")
        #expect(agreed.crossings.first?.reason == .outsideBeyondMargin)
        #expect(agreed.crossings.first?.distanceCentimetres ?? 0 > 179_000)
        #expect(world.clocks.isEmpty)
    }

    @Test func `a train at 97 m a second is believed when three fixes agree`() {
        let stations = [PlacedZone.round(), .round(2, at: World.middle.north(by: 60_000))]
        var world = World(zones: stations)
        #expect(world.report(north: 0).marbles == "!")
        var marbles = ""
        for minute in 1...10 {
            let outputs = world.report(north: Double(minute) * 5820)
            marbles += outputs.marbles.isEmpty ? "." : outputs.marbles
        }
        #expect(marbles == ".X........")
        // It comes to a stop: 1.8 km in a minute agree with the last fix.
        #expect(world.report(north: 60_000).marbles == "E")
    }

    @Test func `fixes that contradict each other take each other's place, and are told once`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        #expect(world.report(north: 2000, after: 10).withheld.count == 1)
        #expect(world.report(north: -4000, after: 10).withheld.isEmpty)
        #expect(world.report(north: 8000, after: 10).withheld.isEmpty)
        #expect(world.report(north: 0, after: 10).marbles.isEmpty)
        // Told again once a fix agreed.
        #expect(world.report(north: 2000, after: 10).withheld.count == 1)
    }

    @Test func `70 m a second is possible, more is not`() {
        for (metres, reason) in [(720.0, CrossingReason.unconfirmed), (722, .suspect)] {
            var world = World(zones: [.round()])
            _ = world.report(north: 0)
            // 10 m of accuracy each are taken off: 700 m in 10 s.
            let leap = world.report(north: metres - 0.5, after: 10, speed: 2)
            #expect(leap.withheld.map(\.reason) == [reason])
        }
    }

    @Test func `speeds that both tell are not exceeded by much`() {
        // Three times 2 m/s and 15 m/s: 21 m/s, 210 m in 10 s, and both accuracies.
        for (metres, reason) in [(229.0, CrossingReason.unconfirmed), (231, .suspect)] {
            var world = World(zones: [.round(radius: 100)])
            _ = world.report(north: 0, speed: 1)
            let leap = world.report(north: metres, after: 10, speed: 2)
            #expect(leap.marbles == "" && leap.withheld.map(\.reason) == [reason])
        }
        // Only one tells, or tells that it does not know.
        for speed in [nil, -1.0] {
            var world = World(zones: [.round(radius: 100)])
            _ = world.report(north: 0, speed: 1)
            let held = world.report(north: 500, after: 10, speed: speed).withheld
            #expect(held.map(\.reason) == [.unconfirmed])
        }
    }

    @Test func `who stood at both ends of a long way may have gone fast between`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0, speed: 0)
        let train = world.report(north: 25_000, after: 1200, speed: 0)
        #expect(train.marbles == "X")
        var brief = World(zones: [.round()])
        _ = brief.report(north: 0, speed: 0)
        let leap = brief.report(north: 1000, after: 60, speed: 0)
        #expect(leap.withheld.map(\.reason) == [.suspect])
    }

    @Test func `nobody crossed anything on the way to a suspect`() {
        let zone = PlacedZone.round().with { $0.transitions = [.cross] }
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

    @Test func `a suspect that nothing follows is believed after 30 min`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.report(north: 9000, after: 10)
        #expect(world.wait(seconds: 1799).isEmpty)
        let believed = world.wait(seconds: 1)
        #expect(believed.marbles == "X")
        #expect(believed.crossings.first?.reason == .silence)
        #expect(world.report(north: 9000).isEmpty)
    }

    @Test func `in an emergency after 3 min, also where it begins later`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.report(north: 9000, after: 10)
        world.pass(seconds: 100)
        let signal = EmergencySignal(
            id: EmergencyID(ID128(high: 5, low: 1)), person: World.person, trigger: .panic,
            raised: world.now, received: world.now, countdownEnds: world.now)
        let told = world.handle(.inputSignal(signal))
        #expect(told.news.first?.suspect == true)
        #expect(world.wait(seconds: 79).isEmpty)
        #expect(world.wait(seconds: 1).marbles == "X")
        // It is the trusted one now.
        let joined = EmergencySignal(
            id: EmergencyID(ID128(high: 5, low: 2)), person: World.person, trigger: .panic,
            raised: world.now, received: world.now, countdownEnds: world.now)
        #expect(world.handle(.inputSignal(joined)).news.first?.suspect == false)
    }

    @Test func `an emergency that begins late believes at once what is overdue`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.report(north: 9000, after: 10)
        world.pass(seconds: 300)
        let signal = EmergencySignal(
            id: EmergencyID(ID128(high: 5, low: 1)), person: World.person, trigger: .panic,
            raised: world.now, received: world.now, countdownEnds: world.now)
        #expect(world.handle(.inputSignal(signal)).marbles == "X")
    }

    @Test func `another device's first fix is believed wherever it is`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.report(north: 9000, after: 10)
        _ = world.place(leading: World.tablet)
        #expect(world.clocks.isEmpty)
        #expect(world.report(north: 20_000, after: 1, device: World.tablet).marbles == "?")
    }

    @Test func `a hopeless accuracy makes no suspects`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        let held = world.report(north: 3000, accuracy: 3000, after: 1).withheld
        #expect(held.map(\.reason) == [.withinMargin])
    }

    @Test func `what the margin holds back is told once a series`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 500)
        #expect(world.report(north: 190).withheld.map(\.reason) == [.withinMargin])
        #expect(world.report(north: 185).isEmpty)
        #expect(world.report(north: 210).isEmpty)
        #expect(world.report(north: 190).withheld.count == 1)
        #expect(world.report(north: 100).marbles == "E")
        let held = world.report(north: 219).withheld
        #expect(held.map(\.after) == [.inside] && held.map(\.marginCentimetres) == [2000])
        #expect(world.report(north: 219).isEmpty)
    }

    @Test func `zones that end while a suspect is believed are not what the phone is told`() {
        var world = World(zones: [.round()])
        for _ in 0..<4 { _ = world.report(north: 0) }
        #expect(world.hints.last?.mode == .significant)
        for _ in 0..<3 {
            _ = world.report(north: 0, after: 4)
            #expect(world.report(north: 3000, after: 4).contains { $0.kind == .zoneWithheld })
        }
        // The clock is lost on its way: what comes first makes the suspect trusted.
        world.pass(seconds: 7200)
        #expect(world.place(circles: []).contains { $0.kind == .zoneExited })
        #expect(world.hints.last?.mode == .region)
        #expect(world.hints.last?.regions == [])
    }
}

extension Coordinate {
    fileprivate func north(by metres: Double) -> Coordinate {
        Coordinate(
            latitudeE7: latitudeE7 + Int32(metres * 1e7 / 110_574.276), longitudeE7: longitudeE7)
    }
}

import EvaluatorCore
import Model
import Testing

/// Leaving a zone, and single fixes that wrongly say so.
@Suite struct LeavingTests {
    /// A zone of 100 m with the person in its centre, and a fix 200 m beyond the edge that claims
    /// an accuracy of 1.7 m.
    private func spike(after seconds: Int64, speed: Double?) -> (World, [Event]) {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0, accuracy: 1.7, speed: speed)
        let outputs = world.report(north: 300, accuracy: 1.7, after: seconds, speed: speed)
        return (world, outputs)
    }

    @Test(arguments: [5, 30, 55, 180] as [Int64], [nil, -1, 0, 0.9] as [Double?])
    func `one wrong fix makes nobody leave and return`(seconds: Int64, speed: Double?) {
        // After 3 min without speeds, 300 m counts as leaving for a minute.
        if seconds == 180, speed ?? -1 < 0 { return }
        var (world, outputs) = spike(after: seconds, speed: speed)
        #expect(outputs.marbles.isEmpty)
        // 300 m in 5 s are suspect, whether or not both fixes report standing.
        let isSuspect = seconds == 5 && (speed ?? -1) >= 0
        #expect(outputs.suppressed.map(\.reason) == [isSuspect ? .suspect : .unconfirmed])
        #expect(outputs.suppressed.map(\.before) == [.inside])
        #expect(outputs.suppressed.map(\.after) == [.inside])
        // The next report arrives at the idle interval or sooner.
        #expect(world.wait(seconds: seconds).isEmpty)
        let back = world.report(north: 5, accuracy: 1.7, after: 0, speed: speed)
        #expect(back.marbles.isEmpty && world.deadlines.isEmpty)
        #expect(world.wait(seconds: 3600).isEmpty)
    }

    @Test func `a walking person leaves by one fix that is far enough outside`() {
        let (world, outputs) = spike(after: 180, speed: 1.2)
        #expect(outputs.crossings.map(\.reason) == [.outsideBeyondMargin])
        #expect(outputs.marbles == "X" && world.deadlines.isEmpty)
        // 20 m of hysteresis exceed four times the accuracy.
        for (north, marbles) in [(119.0, ""), (121, "X")] {
            var world = World(zones: [.round(radius: 100)])
            _ = world.report(north: 0, accuracy: 1.7)
            #expect(world.report(north: north, accuracy: 1.7, speed: 1).marbles == marbles)
        }
    }

    @Test func `four times the accuracy is far enough, however inaccurate`() {
        for (north, marbles) in [(2199.0, ""), (2201, "X")] {
            var world = World(zones: [.round()])
            _ = world.report(north: 0)
            let outputs = world.report(north: north, accuracy: 500, after: 600, speed: 9)
            #expect(outputs.marbles == marbles)
        }
    }

    @Test func `without a reported speed a person leaves by the second fix`() {
        var (world, _) = spike(after: 180, speed: nil)
        let outputs = world.report(north: 310, accuracy: 1.7, after: 50)
        #expect(outputs.map(\.kind) == [.zoneExited, .deadlineCancelled])
        #expect(outputs.crossings.map(\.reason) == [.outsideBeyondMargin])
        #expect(abs((outputs.crossings.first?.distanceCentimetres ?? 0) - 21_000) < 100)
    }

    @Test func `a person without further fixes leaves by the deadline`() throws {
        var (world, held) = spike(after: 180, speed: nil)
        #expect(held.map(\.kind) == [.zoneSuppressed, .deadlineScheduled])
        let taken = world.now
        #expect(world.deadlines.map(\.due) == [taken + .seconds(60)])
        #expect(world.wait(seconds: 59).isEmpty)
        let outputs = world.wait(seconds: 1)
        #expect(outputs.map(\.kind) == [.zoneExited])
        let exit = try #require(outputs.crossings.first)
        #expect(exit.reason == .uncontradicted)
        #expect(exit.before == .inside && exit.after == .outside)
        #expect(exit.fix.time == taken && exit.report == held.suppressed.first?.report)
        #expect(exit.distanceCentimetres == held.suppressed.first?.distanceCentimetres)
        #expect(world.report(north: 310, accuracy: 1.7).isEmpty)
        #expect(world.report(north: 0, accuracy: 1.7).marbles == "E")
    }

    @Test func `a late deadline and an earlier report emit the same`() {
        var (late, _) = spike(after: 60, speed: nil)
        var early = late
        let byDeadline = late.wait(seconds: 900, late: 500)
        let byReport = early.report(north: 0, accuracy: 1.7, after: 200)
        #expect(byDeadline.marbles == "X" && byReport.marbles == "XE")
        #expect(byDeadline.first?.id == byReport.first?.id)
    }

    @Test func `late, repeated and other phones' fixes confirm nothing`() {
        var (world, _) = spike(after: 60, speed: nil)
        #expect(world.report(north: 310, after: 5, late: true).isEmpty)
        #expect(world.report(north: 310, after: 5, age: 11).isEmpty)
        #expect(world.report(north: 310, after: 5, device: World.tablet).isEmpty)
        #expect(world.report(north: 300, accuracy: 1.7, after: 5, age: 20).isEmpty)
        // Nor do they postpone it.
        #expect(world.wait(seconds: 39).isEmpty)
        #expect(world.wait(seconds: 1).marbles == "X")
    }

    @Test func `a backlog is decided as if it had arrived in time`() {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0, after: 2000)
        _ = world.report(north: 300, after: 0, age: 900)
        // Offline for ten minutes: outside, outside, back inside, received at once.
        let emitted = [300.0, 310, 0].enumerated().map { place, north in
            world.report(north: north, after: place == 0 ? 2000 : 0, age: 600 - Int64(place) * 180)
        }
        #expect(emitted.map(\.marbles) == ["", "X", "E"])
    }

    @Test func `a suspect postpones leaving until it is resolved`() {
        var (world, _) = spike(after: 60, speed: nil)
        #expect(world.report(north: 9000, after: 10).isEmpty)
        #expect(world.wait(seconds: 600).marbles.isEmpty)
        // It was wrong, too: the fix before it is continued.
        #expect(world.report(north: 305, after: 10).marbles == "X")
        var (home, _) = spike(after: 60, speed: nil)
        _ = home.report(north: 9000, after: 10)
        #expect(home.report(north: 0, after: 10).marbles.isEmpty)
        #expect(home.wait(seconds: 3600).isEmpty)
    }

    @Test func `a suspect that is suppressed again when trusted is reported twice`() {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0)
        let suspect = world.report(north: 900, after: 10)
        #expect(suspect.suppressed.map(\.reason) == [.suspect])
        // Other zones are evaluated by the trusted fix, which agrees with the known presence.
        _ = world.configure(own: [.round(3, radius: 5)])
        let trusted = world.report(north: 900, after: 2)
        #expect(trusted.suppressed.map(\.reason) == [.unconfirmed, .unconfirmed])
        #expect(trusted.marbles == "XX")
        #expect(Set((suspect + trusted).map(\.id)).count == (suspect + trusted).count)
    }

    @Test func `leaving the vicinity of a zone follows the same rules`() throws {
        let zone = ConfiguredZone.round(radius: 100).with { $0.alertDistanceMetres = 100 }
        var world = World(zones: [zone])
        #expect(world.report(north: 150).marbles == "~")
        let held = world.report(north: 400)
        #expect(held.suppressed.map(\.reason) == [.unconfirmed])
        #expect(held.suppressed.map(\.after) == [.near])
        #expect(world.report(north: 150).marbles.isEmpty)
        _ = world.report(north: 400)
        let receded = world.wait(seconds: 200).crossings
        #expect(receded.map(\.reason) == [.uncontradicted])
        #expect(receded.map(\.before) == [.near] && receded.map(\.after) == [.outside])
    }

    @Test func `an alarm keeps ringing until the exit is confirmed`() {
        var world = World(zones: [.round(radius: 100, kind: .alert)])
        _ = world.report(north: 900)
        #expect(world.report(north: 0).contains { $0.kind == .alarmStarted })
        #expect(world.report(north: 5).contains { $0.kind == .alarmRepeated })
        #expect(world.report(north: 300, after: 30).map(\.kind) == [.zoneSuppressed])
        #expect(world.wait(seconds: 74).map(\.kind).filter { $0 == .alarmRepeated }.count == 1)
        let ended = world.wait(seconds: 1).map(\.kind)
        #expect(ended.prefix(2) == [.zoneExited, .alarmEnded])
        #expect(world.deadlines.isEmpty)
    }

    @Test func `a removed, edited, closed or unshared zone ends the wait`() {
        func emitted(_ change: (inout World) -> [Event]) -> String {
            var (world, _) = spike(after: 60, speed: nil)
            world.advance(seconds: 10)
            return (change(&world) + world.wait(seconds: 3600)).marbles
        }
        #expect(emitted { $0.configure([]) }.isEmpty)
        #expect(emitted { $0.configure(unshared: [UnsharedCircle(circle: World.circle)]) }.isEmpty)
        #expect(emitted { $0.configure(optOuts: [.number(1)]) }.isEmpty)
        #expect(
            emitted { $0.handle(.inputPersonRemoved(PersonRemoval(person: World.person))) } == "")
        // The enlarged zone contains the fix.
        #expect(emitted { $0.configure([.round(radius: 400)]) }.isEmpty)
        #expect(emitted { $0.configure([.round(radius: 290)]) }.isEmpty)
        // Another zone, or an irrelevant edit: the wait continues.
        #expect(emitted { $0.configure([.round(radius: 100), .round(2, radius: 10)]) } == "X")
        #expect(emitted { $0.configure([.round(radius: 150)]) } == "X")
        #expect(emitted { $0.configure(own: [.round(3, radius: 5)]) } == "X")
        // A zone of another kind counts as another zone.
        #expect(emitted { $0.configure([.round(radius: 100, kind: .alert)]) }.isEmpty)
    }

    @Test func `a new primary phone decides by its own fix`() {
        var (world, _) = spike(after: 60, speed: nil)
        _ = world.configure(primary: World.tablet)
        #expect(world.report(north: 0, after: 30, device: World.tablet).marbles.isEmpty)
        #expect(world.wait(seconds: 3600).isEmpty)
    }

    @Test func `a new owner continues the wait`() throws {
        var (world, _) = spike(after: 60, speed: nil)
        let configuration: [EventBody] = [
            .inputCircle(
                ConfiguredCircle(circle: World.circle, zones: [.round(radius: 100)])),
            .inputPerson(
                ConfiguredPerson(
                    person: World.person, primaryDevice: nil, circles: [World.circle], zones: [])),
        ]
        let before = world.state.encodedState()
        try world.restore(configuration)
        #expect(world.state.encodedState() == before)
        #expect(world.wait(seconds: 200).crossings.map(\.reason) == [.uncontradicted])
    }

    @Test func `a fix without usable accuracy decides nothing`() {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0)
        for _ in 0..<3 {
            #expect(world.report(north: 664, accuracy: 3000, after: 180).marbles.isEmpty)
        }
        #expect(world.wait(seconds: 3600).isEmpty)
        #expect(world.report(north: 0).marbles.isEmpty)
    }
}

import EvaluatorCore
import Model
import Testing

/// Who leaves a zone, and who is only said to by one fix.
@Suite struct LeavingTests {
    /// A zone of 100 m, its person in the middle, and a fix 200 m beyond the edge that is 1.7 m
    /// exact, as it says.
    private func spike(after seconds: Int64, speed: Double?) -> (World, [Event]) {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0, accuracy: 1.7, speed: speed)
        let outputs = world.report(north: 300, accuracy: 1.7, after: seconds, speed: speed)
        return (world, outputs)
    }

    @Test(arguments: [5, 30, 55, 180] as [Int64], [nil, -1, 0, 0.9] as [Double?])
    func `nobody leaves and comes back by one fix that is wrong`(seconds: Int64, speed: Double?) {
        // After 3 min without speeds, 300 m away is as good as gone, for a minute.
        if seconds == 180, speed ?? -1 < 0 { return }
        var (world, outputs) = spike(after: seconds, speed: speed)
        #expect(outputs.marbles.isEmpty)
        // 300 m in 5 s are a suspect where both tell that they stand, and where they do not.
        let isSuspect = seconds == 5 && (speed ?? -1) >= 0
        #expect(outputs.withheld.map(\.reason) == [isSuspect ? .suspect : .unconfirmed])
        #expect(outputs.withheld.map(\.before) == [.inside])
        #expect(outputs.withheld.map(\.after) == [.inside])
        // The next report comes when phones report while nothing happens, or sooner.
        #expect(world.wait(seconds: seconds).isEmpty)
        let back = world.report(north: 5, accuracy: 1.7, after: 0, speed: speed)
        #expect(back.marbles.isEmpty && world.clocks.isEmpty)
        #expect(world.wait(seconds: 3600).isEmpty)
    }

    @Test func `who walks out has left by one fix that is far enough out`() {
        let (world, outputs) = spike(after: 180, speed: 1.2)
        #expect(outputs.crossings.map(\.reason) == [.outsideBeyondMargin])
        #expect(outputs.marbles == "X" && world.clocks.isEmpty)
        // 20 m of hysteresis are more than four times the accuracy.
        for (north, marbles) in [(119.0, ""), (121, "X")] {
            var world = World(zones: [.round(radius: 100)])
            _ = world.report(north: 0, accuracy: 1.7)
            #expect(world.report(north: north, accuracy: 1.7, speed: 1).marbles == marbles)
        }
    }

    @Test func `four times the accuracy is far enough, however bad it is`() {
        for (north, marbles) in [(2199.0, ""), (2201, "X")] {
            var world = World(zones: [.round()])
            _ = world.report(north: 0)
            let outputs = world.report(north: north, accuracy: 500, after: 600, speed: 9)
            #expect(outputs.marbles == marbles)
        }
    }

    @Test func `who walks out without a word about speed has left by the second fix`() {
        var (world, _) = spike(after: 180, speed: nil)
        let outputs = world.report(north: 310, accuracy: 1.7, after: 50)
        #expect(outputs.map(\.kind) == [.zoneExited, .clockUnwanted])
        #expect(outputs.crossings.map(\.reason) == [.outsideBeyondMargin])
        #expect(abs((outputs.crossings.first?.distanceCentimetres ?? 0) - 21_000) < 100)
    }

    @Test func `who is heard of no more has left by the clock`() throws {
        var (world, held) = spike(after: 180, speed: nil)
        #expect(held.map(\.kind) == [.zoneWithheld, .clockWanted])
        let taken = world.now
        #expect(world.clocks.map(\.due) == [taken + .seconds(60)])
        #expect(world.wait(seconds: 59).isEmpty)
        let outputs = world.wait(seconds: 1)
        #expect(outputs.map(\.kind) == [.zoneExited])
        let exit = try #require(outputs.crossings.first)
        #expect(exit.reason == .uncontradicted)
        #expect(exit.before == .inside && exit.after == .outside)
        #expect(exit.fix.time == taken && exit.report == held.withheld.first?.report)
        #expect(exit.distanceCentimetres == held.withheld.first?.distanceCentimetres)
        #expect(world.report(north: 310, accuracy: 1.7).isEmpty)
        #expect(world.report(north: 0, accuracy: 1.7).marbles == "E")
    }

    @Test func `a clock that comes late and a report that comes first tell the same`() {
        var (late, _) = spike(after: 60, speed: nil)
        var early = late
        let byClock = late.wait(seconds: 900, late: 500)
        let byReport = early.report(north: 0, accuracy: 1.7, after: 200)
        #expect(byClock.marbles == "X" && byReport.marbles == "XE")
        #expect(byClock.first?.id == byReport.first?.id)
    }

    @Test func `late fixes, those of other phones and the same one again confirm nothing`() {
        var (world, _) = spike(after: 60, speed: nil)
        #expect(world.report(north: 310, after: 5, late: true).isEmpty)
        #expect(world.report(north: 310, after: 5, age: 11).isEmpty)
        #expect(world.report(north: 310, after: 5, device: World.tablet).isEmpty)
        #expect(world.report(north: 300, accuracy: 1.7, after: 5, age: 20).isEmpty)
        // Nor do they put it off.
        #expect(world.wait(seconds: 39).isEmpty)
        #expect(world.wait(seconds: 1).marbles == "X")
    }

    @Test func `a backlog is decided as it would have been`() {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0, after: 2000)
        _ = world.report(north: 300, after: 0, age: 900)
        // Out of reach for ten minutes: out, out, and back in, received at once.
        let told = [300.0, 310, 0].enumerated().map { place, north in
            world.report(north: north, after: place == 0 ? 2000 : 0, age: 600 - Int64(place) * 180)
        }
        #expect(told.map(\.marbles) == ["", "X", "E"])
    }

    @Test func `a suspect puts it off until it is known what to believe`() {
        var (world, _) = spike(after: 60, speed: nil)
        #expect(world.report(north: 9000, after: 10).isEmpty)
        #expect(world.wait(seconds: 600).marbles.isEmpty)
        // It was a spike, too: the one before it is followed.
        #expect(world.report(north: 305, after: 10).marbles == "X")
        var (home, _) = spike(after: 60, speed: nil)
        _ = home.report(north: 9000, after: 10)
        #expect(home.report(north: 0, after: 10).marbles.isEmpty)
        #expect(home.wait(seconds: 3600).isEmpty)
    }

    @Test func `a suspect that is held back once more when it is believed is told twice`() {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0)
        let suspect = world.report(north: 900, after: 10)
        #expect(suspect.withheld.map(\.reason) == [.suspect])
        // Other zones are looked at by the trusted fix, which agrees with what is known.
        _ = world.place(own: [.round(3, radius: 5)])
        let believed = world.report(north: 900, after: 2)
        #expect(believed.withheld.map(\.reason) == [.unconfirmed, .unconfirmed])
        #expect(believed.marbles == "XX")
        #expect(Set((suspect + believed).map(\.id)).count == (suspect + believed).count)
    }

    @Test func `going away from near a zone is no different`() throws {
        let zone = PlacedZone.round(radius: 100).with { $0.alertDistanceMetres = 100 }
        var world = World(zones: [zone])
        #expect(world.report(north: 150).marbles == "~")
        let held = world.report(north: 400)
        #expect(held.withheld.map(\.reason) == [.unconfirmed])
        #expect(held.withheld.map(\.after) == [.near])
        #expect(world.report(north: 150).marbles.isEmpty)
        _ = world.report(north: 400)
        let receded = world.wait(seconds: 200).crossings
        #expect(receded.map(\.reason) == [.uncontradicted])
        #expect(receded.map(\.before) == [.near] && receded.map(\.after) == [.outside])
    }

    @Test func `an alarm rings on until it is known that its person has left`() {
        var world = World(zones: [.round(radius: 100, kind: .alert)])
        _ = world.report(north: 900)
        #expect(world.report(north: 0).contains { $0.kind == .alarmStarted })
        #expect(world.report(north: 5).contains { $0.kind == .alarmRepeated })
        #expect(world.report(north: 300, after: 30).map(\.kind) == [.zoneWithheld])
        #expect(world.wait(seconds: 74).map(\.kind).filter { $0 == .alarmRepeated }.count == 1)
        let ended = world.wait(seconds: 1).map(\.kind)
        #expect(ended.prefix(2) == [.zoneExited, .alarmEnded])
        #expect(world.clocks.isEmpty)
    }

    @Test func `a zone that goes, changes, closes or is not shared with waits for nobody`() {
        func told(_ change: (inout World) -> [Event]) -> String {
            var (world, _) = spike(after: 60, speed: nil)
            world.pass(seconds: 10)
            return (change(&world) + world.wait(seconds: 3600)).marbles
        }
        #expect(told { $0.place([]) }.isEmpty)
        #expect(told { $0.place(unshared: [UnsharedCircle(circle: World.circle)]) }.isEmpty)
        #expect(told { $0.place(refused: [.number(1)]) }.isEmpty)
        #expect(told { $0.handle(.inputPersonRemoved(PersonRemoval(person: World.person))) } == "")
        // Larger, it holds where the fix was.
        #expect(told { $0.place([.round(radius: 400)]) }.isEmpty)
        #expect(told { $0.place([.round(radius: 290)]) }.isEmpty)
        // Another one, or nothing that matters: it goes on waiting.
        #expect(told { $0.place([.round(radius: 100), .round(2, radius: 10)]) } == "X")
        #expect(told { $0.place([.round(radius: 150)]) } == "X")
        #expect(told { $0.place(own: [.round(3, radius: 5)]) } == "X")
        // A zone of another kind is another zone.
        #expect(told { $0.place([.round(radius: 100, kind: .alert)]) }.isEmpty)
    }

    @Test func `a phone that leads from then on is asked itself`() {
        var (world, _) = spike(after: 60, speed: nil)
        _ = world.place(leading: World.tablet)
        #expect(world.report(north: 0, after: 30, device: World.tablet).marbles.isEmpty)
        #expect(world.wait(seconds: 3600).isEmpty)
    }

    @Test func `whoever takes over meanwhile knows of it`() throws {
        var (world, _) = spike(after: 60, speed: nil)
        let configuration: [EventBody] = [
            .inputCircle(
                PlacedCircle(circle: World.circle, zones: [.round(radius: 100)])),
            .inputPerson(
                PlacedPerson(
                    person: World.person, leadingDevice: nil, circles: [World.circle], zones: [])),
        ]
        let before = world.state.encodedState()
        try world.restore(configuration)
        #expect(world.state.encodedState() == before)
        #expect(world.wait(seconds: 200).crossings.map(\.reason) == [.uncontradicted])
    }

    @Test func `a fix that can say nothing decides nothing`() {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0)
        for _ in 0..<3 {
            #expect(world.report(north: 664, accuracy: 3000, after: 180).marbles.isEmpty)
        }
        #expect(world.wait(seconds: 3600).isEmpty)
        #expect(world.report(north: 0).marbles.isEmpty)
    }
}

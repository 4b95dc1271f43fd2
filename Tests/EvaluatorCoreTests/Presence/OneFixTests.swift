import EvaluatorCore
import Model
import Testing

/// Effects of one fix that may be wrong while no other has arrived.
@Suite struct OneFixTests {
    /// 09:00 UTC, 400 s after the start of a world.
    private let nine = Timestamp(seconds: 1_760_000_400)

    /// Open from 08:00 to 09:00.
    private func school(_ change: (inout ConfiguredZone) -> Void = { _ in }) -> ConfiguredZone {
        ConfiguredZone.round(radius: 100).with { zone in
            zone.schedule = ZoneSchedule(windows: [ZoneWindow(start: 4800, end: 4860)])
            change(&zone)
        }
    }

    // MARK: Stays

    @Test func `a stay does not dwell while its end is in doubt`() {
        let zone = ConfiguredZone.round(radius: 100).with { $0.dwellSeconds = 60 }
        var world = World(zones: [zone])
        #expect(world.report(north: 0).marbles == "!")
        #expect(world.report(north: 700, after: 50).suppressed.map(\.reason) == [.unconfirmed])
        // A person 600 m away is no longer there.
        var home = world
        #expect(world.wait(seconds: 59).marbles.isEmpty)
        #expect(world.wait(seconds: 1).marbles == "X")
        #expect(world.wait(seconds: 3600).isEmpty)
        // It was wrong: the stay has become long enough meanwhile.
        #expect(home.wait(seconds: 30).marbles.isEmpty)
        let back = home.report(north: 0, after: 0)
        #expect(back.marbles == "D")
        #expect(back.crossings.map(\.distanceCentimetres) == [-10_000])
        #expect(home.wait(seconds: 3600).isEmpty)
    }

    // MARK: Schedules

    @Test func `leaving just before the schedule closes is confirmed by the closing`() throws {
        var world = World(zones: [school()])
        #expect(world.report(north: 0).marbles == "!")
        #expect(world.report(north: 300, after: 240).suppressed.map(\.reason) == [.unconfirmed])
        let closed = world.wait(seconds: 100)
        #expect(world.now == nine)
        #expect(closed.marbles == "X" && world.cleared.isEmpty)
        let exit = try #require(closed.crossings.first)
        #expect(exit.reason == .uncontradicted && exit.before == .inside)
        #expect(exit.fix.time == nine - .seconds(100))
        #expect(world.report(north: 600).isEmpty && world.report(north: 900).isEmpty)
    }

    @Test func `a late deadline and an early report emit the same exit`() {
        var world = World(zones: [school { $0.alertDistanceMetres = 300 }])
        _ = world.report(north: 0)
        _ = world.report(north: 300, after: 240)
        var other = world
        let byClock = world.wait(seconds: 300, late: 150)
        let byReport = other.report(north: 0, after: 200)
        #expect(byClock.marbles == "X" && byReport.marbles == "X")
        #expect(byClock.first?.id == byReport.first?.id)
        // Outside the zone they are near it until it closes.
        #expect(world.cleared.map(\.before) == [.near])
        #expect(other.cleared.map(\.before) == [.near])
    }

    @Test func `a schedule edited to be closed confirms leaving, too`() {
        var world = World(zones: [school()])
        _ = world.report(north: 0)
        _ = world.report(north: 300)
        let over = school { $0.schedule?.windows = [ZoneWindow(start: 4800, end: 4810)] }
        #expect(world.configure([over]).marbles == "X")
        // The enlarged zone contains the fix.
        var held = World(zones: [school()])
        _ = held.report(north: 0)
        _ = held.report(north: 300)
        let wide = ConfiguredZone.round(radius: 400).with { $0.schedule = over.schedule }
        #expect(held.configure([wide]).marbles.isEmpty)
        #expect(held.cleared.map(\.before) == [.inside])
    }

    @Test func `closing confirms no exit that a fix or suspect contradicts`() {
        var back = World(zones: [school()])
        _ = back.report(north: 0)
        _ = back.report(north: 300, after: 240)
        _ = back.report(north: 0, after: 50)
        #expect(back.wait(seconds: 3600).marbles.isEmpty)
        #expect(back.cleared.map(\.before) == [.inside])
        var suspect = World(zones: [school()])
        _ = suspect.report(north: 0)
        _ = suspect.report(north: 300, after: 240)
        _ = suspect.report(north: 90_000, after: 50)
        #expect(suspect.wait(seconds: 3600).marbles.isEmpty)
        #expect(suspect.cleared.map(\.before) == [.inside])
    }

    // MARK: Absence

    /// By 09:00.
    private let awaited = ConfiguredZone.round(radius: 100).with { $0.absentByMinute = 540 }

    @Test func `a person whose newest fix is inside is not absent`() {
        var world = World(zones: [awaited])
        _ = world.report(north: 3000, accuracy: 10, after: 0)
        // 20 m inside are not enough to enter.
        for _ in 0..<3 { #expect(world.report(north: 80, accuracy: 30).marbles.isEmpty) }
        #expect(world.wait(seconds: 400).marbles.isEmpty)
        // 10 m outside counts as absent.
        var other = World(zones: [awaited])
        _ = other.report(north: 3000, accuracy: 10, after: 0)
        _ = other.report(north: 110, accuracy: 30)
        #expect(other.wait(seconds: 400).marbles == "M")
    }

    @Test func `a suspect inside does not prevent an absence`() {
        var world = World(zones: [awaited])
        _ = world.report(north: 3000, after: 380, speed: 0)
        #expect(world.report(north: 0, after: 5, speed: 0).suppressed.map(\.reason) == [.suspect])
        let missed = world.wait(seconds: 100)
        #expect(missed.marbles == "M" && missed.absences.map(\.hasContact) == [true])
        // A person who stands before and after cannot move that far in 105 s.
        #expect(world.report(north: 0, after: 0, speed: 0).marbles == "")
        #expect(world.report(north: 0, speed: 0).marbles == "E")
    }

    @Test func `a person with only an old fix inside is absent without contact`() {
        var world = World(zones: [awaited.with { $0.absentByMinute = 560 }])
        _ = world.report(north: 3000, after: 0)
        #expect(world.report(north: 80, accuracy: 30, after: 380).marbles.isEmpty)
        #expect(world.wait(seconds: 1300).absences.map(\.hasContact) == [false])
    }

    @Test func `a person who left by one fix is absent`() {
        var world = World(zones: [awaited])
        #expect(world.report(north: 0).marbles == "!")
        #expect(world.report(north: 300, accuracy: 30, after: 240).marbles.isEmpty)
        let missed = world.wait(seconds: 100)
        #expect(missed.marbles == "M" && missed.absences.map(\.hasContact) == [true])
        #expect(world.wait(seconds: 200).marbles == "X")
        // The same for a person who left when the schedule closed.
        var school = World(zones: [school { $0.absentByMinute = 540 }])
        _ = school.report(north: 0)
        _ = school.report(north: 300, after: 240)
        #expect(school.wait(seconds: 100).marbles == "XM")
    }

    // MARK: Arrivals

    @Test func `a stay begun by one fix is ended by one fix`() {
        for kind in ZoneKind.allCases {
            var world = World(zones: [.round(radius: 100, kind: kind)])
            _ = world.report(north: 350)
            #expect(world.report(north: 0, accuracy: 1.7, after: 180).marbles == "E")
            let back = world.report(north: 350, after: 180)
            #expect(back.crossings.map(\.reason) == [.outsideBeyondMargin])
            #expect(back.marbles == "X" && back.suppressed.isEmpty)
        }
    }

    @Test func `of two simultaneous fixes the second does not end what the first began`() {
        for kind in ZoneKind.allCases {
            var world = World(zones: [.round(radius: 30, kind: kind)])
            _ = world.report(north: 350)
            #expect(world.report(north: 0).marbles == "E")
            let twin = world.report(north: 75, after: 0)
            #expect(twin.marbles.isEmpty)
            #expect(twin.suppressed.map(\.reason) == [.unconfirmed])
            // The next fix decides, or the end of the wait.
            var (home, away) = (world, world)
            #expect(home.report(north: 0).marbles.isEmpty)
            #expect(home.report(north: 75).suppressed.map(\.reason) == [.unconfirmed])
            #expect(away.report(north: 75).crossings.map(\.reason) == [.outsideBeyondMargin])
            #expect(world.wait(seconds: 200).crossings.map(\.reason) == [.uncontradicted])
        }
    }

    @Test func `an alarm started by one wrong fix ends with the next`() {
        var world = World(zones: [.round(radius: 100, kind: .alert)])
        for _ in 0..<3 { _ = world.report(north: 350, after: 180) }
        #expect(world.report(north: 0, accuracy: 1.7, after: 180).kinds.contains(.alarmStarted))
        // Another fix after one or two minutes.
        #expect(world.wait(seconds: 179).kinds.filter { $0 == .alarmRepeated }.count == 2)
        #expect(world.report(north: 350, after: 1).kinds.contains(.alarmEnded))
        #expect(world.wait(seconds: 3600).isEmpty)
    }

    @Test func `a confirmed stay needs two fixes to end`() {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 350)
        #expect(world.report(north: 0).marbles == "E")
        #expect(world.report(north: 10).isEmpty)
        #expect(world.report(north: 350).suppressed.map(\.reason) == [.unconfirmed])
        #expect(world.report(north: 10, after: 50).marbles.isEmpty)
        // A fix within the margin confirms nothing, nor do late fixes, other phones, and
        // simultaneous ones.
        var other = World(zones: [.round(radius: 100)])
        _ = other.report(north: 350)
        #expect(other.report(north: 0).marbles == "E")
        #expect(other.report(north: 110).suppressed.map(\.reason) == [.withinMargin])
        #expect(other.report(north: 0, late: true).isEmpty)
        #expect(other.report(north: 0, device: World.tablet).isEmpty)
        #expect(other.report(north: 1, after: 0, age: 180).isEmpty)
        #expect(other.report(north: 350, after: 60).marbles == "X")
        // An initial presence does not rest on one fix.
        var found = World(zones: [.round(radius: 100)])
        #expect(found.report(north: 0).marbles == "!")
        #expect(found.report(north: 350).marbles.isEmpty)
    }

    @Test func `nearness by one fix is ended by one`() {
        let zone = ConfiguredZone.round(radius: 100).with { $0.alertDistanceMetres = 100 }
        var world = World(zones: [zone])
        _ = world.report(north: 900)
        #expect(world.report(north: 150).marbles == "A")
        #expect(world.report(north: 900).marbles == "R")
        #expect(world.report(north: 150).marbles == "A")
        #expect(world.report(north: 155).isEmpty)
        #expect(world.report(north: 900).suppressed.map(\.reason) == [.unconfirmed])
        // One fix inside adds to confirmed nearness: one far away ends neither.
        #expect(world.report(north: 155, after: 50).marbles.isEmpty)
        #expect(world.report(north: 0).marbles == "E")
        #expect(world.report(north: 900).suppressed.map(\.reason) == [.unconfirmed])
    }

    @Test func `a new owner knows that a stay rests on one fix`() throws {
        for hasTwin in [false, true] {
            var world = World(zones: [.round(radius: 100)])
            _ = world.report(north: 350)
            _ = world.report(north: 75)
            if hasTwin {
                let twin = world.report(north: 165, accuracy: 20, after: 0)
                #expect(twin.suppressed.map(\.reason) == [.unconfirmed])
            }
            let before = world.state.encodedState()
            try world.restore([
                .inputCircle(ConfiguredCircle(circle: World.circle, zones: [.round(radius: 100)])),
                .inputPerson(
                    ConfiguredPerson(
                        person: World.person, primaryDevice: nil, circles: [World.circle],
                        zones: [])),
            ])
            #expect(world.state.encodedState() == before)
            #expect(world.report(north: 350).marbles == "X")
        }
    }

    // MARK: Phones that report seldom

    @Test(
        arguments: [
            (60, 200), (180, 200), (300, 333), (400, 444), (600, 500), (1800, 500), (7200, 500),
        ] as [(Int64, Int64)])
    func `the wait for a second fix follows the phone's interval`(
        interval: Int64, wait: Int64
    ) {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0)
        _ = world.report(north: 0, after: 30)
        #expect(world.report(north: 190, accuracy: 30, after: interval).marbles.isEmpty)
        var home = world
        #expect(world.wait(seconds: wait - 1).marbles.isEmpty)
        #expect(world.wait(seconds: 1).marbles == "X")
        // A phone with a long fixed interval leaves nothing by one fix.
        guard interval < wait else { return }
        #expect(home.wait(seconds: interval - 1).marbles.isEmpty)
        #expect(home.report(north: 0, after: 1).marbles.isEmpty)
        #expect(home.wait(seconds: 7200).isEmpty)
    }

    @Test func `a long interval decays with later fixes`() {
        for (count, wait) in [(1, 500), (5, 500), (80, 200)] as [(Int, Int64)] {
            var world = World(zones: [.round(radius: 100)])
            _ = world.report(north: 0)
            _ = world.report(north: 0, after: 1800)
            for _ in 0..<count { _ = world.report(north: 0) }
            _ = world.report(north: 190, accuracy: 30)
            #expect(world.wait(seconds: wait - 1).marbles.isEmpty)
            #expect(world.wait(seconds: 1).marbles == "X", "after \(count)")
        }
    }

    @Test func `a stay begun by one fix is not ended by one after a long gap`() {
        for kind in ZoneKind.allCases {
            var world = World(zones: [.round(radius: 100, kind: kind)])
            _ = world.report(north: 900)
            #expect(world.report(north: 0, after: 180).marbles == "E")
            var (soon, gone) = (world, world)
            #expect(soon.report(north: 350, after: 200).marbles == "X")
            #expect(world.report(north: 350, after: 201).suppressed.map(\.reason) == [.unconfirmed])
            #expect(world.report(north: 0, after: 50).marbles.isEmpty)
            // A real exit is confirmed by two fixes.
            #expect(gone.report(north: 350, after: 7200).marbles.isEmpty)
            #expect(gone.report(north: 350).marbles == "X")
        }
    }

    @Test func `in an emergency waits are short`() {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0)
        let signal = EmergencySignal(
            id: EmergencyID(ID128(high: 5, low: 1)), person: World.person, trigger: .panic,
            raised: world.now, received: world.now, countdownEnds: world.now)
        _ = world.handle(.inputSignal(signal))
        #expect(world.report(north: 190, accuracy: 30, after: 1800).marbles.isEmpty)
        #expect(world.wait(seconds: 199).marbles.isEmpty)
        #expect(world.wait(seconds: 1).marbles == "X")
    }
}

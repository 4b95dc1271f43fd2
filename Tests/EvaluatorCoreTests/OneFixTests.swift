import EvaluatorCore
import Model
import Testing

/// What follows from one fix that may be wrong, as long as no other has come.
@Suite struct OneFixTests {
    /// 09:00 UTC, 400 s after the beginning of a world.
    private let nine = Timestamp(seconds: 1_760_000_400)

    /// Open from 08:00 to 09:00.
    private func school(_ change: (inout PlacedZone) -> Void = { _ in }) -> PlacedZone {
        PlacedZone.round(radius: 100).with { zone in
            zone.schedule = ZoneSchedule(windows: [ZoneWindow(start: 4800, end: 4860)])
            change(&zone)
        }
    }

    // MARK: Stays

    @Test func `a stay does not count while it is not known whether it goes on`() {
        let zone = PlacedZone.round(radius: 100).with { $0.dwellSeconds = 60 }
        var world = World(zones: [zone])
        #expect(world.report(north: 0).marbles == "!")
        #expect(world.report(north: 700, after: 50).withheld.map(\.reason) == [.unconfirmed])
        // Who is 600 m away is not still there.
        var home = world
        #expect(world.wait(seconds: 59).marbles.isEmpty)
        #expect(world.wait(seconds: 1).marbles == "X")
        #expect(world.wait(seconds: 3600).isEmpty)
        // It was wrong: the stay has been long enough meanwhile.
        #expect(home.wait(seconds: 30).marbles.isEmpty)
        let back = home.report(north: 0, after: 0)
        #expect(back.marbles == "D")
        #expect(back.crossings.map(\.distanceCentimetres) == [-10_000])
        #expect(home.wait(seconds: 3600).isEmpty)
    }

    // MARK: Schedules

    @Test func `who leaves just before the schedule closes has left when it closes`() throws {
        var world = World(zones: [school()])
        #expect(world.report(north: 0).marbles == "!")
        #expect(world.report(north: 300, after: 240).withheld.map(\.reason) == [.unconfirmed])
        let closed = world.wait(seconds: 100)
        #expect(world.now == nine)
        #expect(closed.marbles == "X" && world.forgotten.isEmpty)
        let exit = try #require(closed.crossings.first)
        #expect(exit.reason == .uncontradicted && exit.before == .inside)
        #expect(exit.fix.time == nine - .seconds(100))
        #expect(world.report(north: 600).isEmpty && world.report(north: 900).isEmpty)
    }

    @Test func `a late clock and an early report tell that exit alike`() {
        var world = World(zones: [school { $0.alertDistanceMetres = 300 }])
        _ = world.report(north: 0)
        _ = world.report(north: 300, after: 240)
        var other = world
        let byClock = world.wait(seconds: 300, late: 150)
        let byReport = other.report(north: 0, after: 200)
        #expect(byClock.marbles == "X" && byReport.marbles == "X")
        #expect(byClock.first?.id == byReport.first?.id)
        // Out of the zone they are near it, until it closes.
        #expect(world.forgotten.map(\.before) == [.near])
        #expect(other.forgotten.map(\.before) == [.near])
    }

    @Test func `a schedule that is edited to be over lets people leave, too`() {
        var world = World(zones: [school()])
        _ = world.report(north: 0)
        _ = world.report(north: 300)
        let over = school { $0.schedule?.windows = [ZoneWindow(start: 4800, end: 4810)] }
        #expect(world.place([over]).marbles == "X")
        // Larger by that edit, it holds where the fix was.
        var held = World(zones: [school()])
        _ = held.report(north: 0)
        _ = held.report(north: 300)
        let wide = PlacedZone.round(radius: 400).with { $0.schedule = over.schedule }
        #expect(held.place([wide]).marbles.isEmpty)
        #expect(held.forgotten.map(\.before) == [.inside])
    }

    @Test func `nobody leaves by closing whom a fix or a suspect contradicts`() {
        var back = World(zones: [school()])
        _ = back.report(north: 0)
        _ = back.report(north: 300, after: 240)
        _ = back.report(north: 0, after: 50)
        #expect(back.wait(seconds: 3600).marbles.isEmpty)
        #expect(back.forgotten.map(\.before) == [.inside])
        var suspect = World(zones: [school()])
        _ = suspect.report(north: 0)
        _ = suspect.report(north: 300, after: 240)
        _ = suspect.report(north: 90_000, after: 50)
        #expect(suspect.wait(seconds: 3600).marbles.isEmpty)
        #expect(suspect.forgotten.map(\.before) == [.inside])
    }

    // MARK: Absence

    /// By 09:00.
    private let awaited = PlacedZone.round(radius: 100).with { $0.absentByMinute = 540 }

    @Test func `nobody is missed whom the newest fix sees there`() {
        var world = World(zones: [awaited])
        _ = world.report(north: 3000, accuracy: 10, after: 0)
        // 20 m inside are too few to have entered.
        for _ in 0..<3 { #expect(world.report(north: 80, accuracy: 30).marbles.isEmpty) }
        #expect(world.wait(seconds: 400).marbles.isEmpty)
        // 10 m outside nobody is there.
        var other = World(zones: [awaited])
        _ = other.report(north: 3000, accuracy: 10, after: 0)
        _ = other.report(north: 110, accuracy: 30)
        #expect(other.wait(seconds: 400).marbles == "M")
    }

    @Test func `a suspect there changes nothing about who is missed`() {
        var world = World(zones: [awaited])
        _ = world.report(north: 3000, after: 380, speed: 0)
        #expect(world.report(north: 0, after: 5, speed: 0).withheld.map(\.reason) == [.suspect])
        let missed = world.wait(seconds: 100)
        #expect(missed.marbles == "M" && missed.absences.map(\.hasContact) == [true])
        // Nobody comes so far in 105 s who stands before and after.
        #expect(world.report(north: 0, after: 0, speed: 0).marbles == "")
        #expect(world.report(north: 0, speed: 0).marbles == "E")
    }

    @Test func `whom an old fix saw there is missed for want of contact`() {
        var world = World(zones: [awaited.with { $0.absentByMinute = 560 }])
        _ = world.report(north: 3000, after: 0)
        #expect(world.report(north: 80, accuracy: 30, after: 380).marbles.isEmpty)
        #expect(world.wait(seconds: 1300).absences.map(\.hasContact) == [false])
    }

    @Test func `who has left by one fix is missed`() {
        var world = World(zones: [awaited])
        #expect(world.report(north: 0).marbles == "!")
        #expect(world.report(north: 300, accuracy: 30, after: 240).marbles.isEmpty)
        let missed = world.wait(seconds: 100)
        #expect(missed.marbles == "M" && missed.absences.map(\.hasContact) == [true])
        #expect(world.wait(seconds: 200).marbles == "X")
        // So is who has left when the schedule closes.
        var school = World(zones: [school { $0.absentByMinute = 540 }])
        _ = school.report(north: 0)
        _ = school.report(north: 300, after: 240)
        #expect(school.wait(seconds: 100).marbles == "XM")
    }

    // MARK: Arrivals

    @Test func `what one fix began one fix ends`() {
        for kind in ZoneKind.allCases {
            var world = World(zones: [.round(radius: 100, kind: kind)])
            _ = world.report(north: 350)
            #expect(world.report(north: 0, accuracy: 1.7, after: 180).marbles == "E")
            let back = world.report(north: 350, after: 180)
            #expect(back.crossings.map(\.reason) == [.outsideBeyondMargin])
            #expect(back.marbles == "X" && back.withheld.isEmpty)
        }
    }

    @Test func `of two fixes of one moment the second does not end what the first began`() {
        for kind in ZoneKind.allCases {
            var world = World(zones: [.round(radius: 30, kind: kind)])
            _ = world.report(north: 350)
            #expect(world.report(north: 0).marbles == "E")
            let twin = world.report(north: 75, after: 0)
            #expect(twin.marbles.isEmpty)
            #expect(twin.withheld.map(\.reason) == [.unconfirmed])
            // The next one decides, or that none comes.
            var (home, away) = (world, world)
            #expect(home.report(north: 0).marbles.isEmpty)
            #expect(home.report(north: 75).withheld.map(\.reason) == [.unconfirmed])
            #expect(away.report(north: 75).crossings.map(\.reason) == [.outsideBeyondMargin])
            #expect(world.wait(seconds: 200).crossings.map(\.reason) == [.uncontradicted])
        }
    }

    @Test func `an alarm that one wild fix started ends with the next`() {
        var world = World(zones: [.round(radius: 100, kind: .alert)])
        for _ in 0..<3 { _ = world.report(north: 350, after: 180) }
        #expect(world.report(north: 0, accuracy: 1.7, after: 180).kinds.contains(.alarmStarted))
        // A minute, two, and then there is another fix.
        #expect(world.wait(seconds: 179).kinds.filter { $0 == .alarmRepeated }.count == 2)
        #expect(world.report(north: 350, after: 1).kinds.contains(.alarmEnded))
        #expect(world.wait(seconds: 3600).isEmpty)
    }

    @Test func `what a second fix agrees with takes two to end`() {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 350)
        #expect(world.report(north: 0).marbles == "E")
        #expect(world.report(north: 10).isEmpty)
        #expect(world.report(north: 350).withheld.map(\.reason) == [.unconfirmed])
        #expect(world.report(north: 10, after: 50).marbles.isEmpty)
        // The margin agrees with nothing, nor do late fixes, other phones and the same moment.
        var other = World(zones: [.round(radius: 100)])
        _ = other.report(north: 350)
        #expect(other.report(north: 0).marbles == "E")
        #expect(other.report(north: 110).withheld.map(\.reason) == [.withinMargin])
        #expect(other.report(north: 0, late: true).isEmpty)
        #expect(other.report(north: 0, device: World.tablet).isEmpty)
        #expect(other.report(north: 1, after: 0, age: 180).isEmpty)
        #expect(other.report(north: 350, after: 60).marbles == "X")
        // Who was found there did not come by one fix.
        var found = World(zones: [.round(radius: 100)])
        #expect(found.report(north: 0).marbles == "!")
        #expect(found.report(north: 350).marbles.isEmpty)
    }

    @Test func `being near by one fix ends by one`() {
        let zone = PlacedZone.round(radius: 100).with { $0.alertDistanceMetres = 100 }
        var world = World(zones: [zone])
        _ = world.report(north: 900)
        #expect(world.report(north: 150).marbles == "A")
        #expect(world.report(north: 900).marbles == "R")
        #expect(world.report(north: 150).marbles == "A")
        #expect(world.report(north: 155).isEmpty)
        #expect(world.report(north: 900).withheld.map(\.reason) == [.unconfirmed])
        // One fix inside adds to nearness that is sure: one far away ends neither.
        #expect(world.report(north: 155, after: 50).marbles.isEmpty)
        #expect(world.report(north: 0).marbles == "E")
        #expect(world.report(north: 900).withheld.map(\.reason) == [.unconfirmed])
    }

    @Test func `whoever takes over knows that a stay rests on one fix`() throws {
        for hasTwin in [false, true] {
            var world = World(zones: [.round(radius: 100)])
            _ = world.report(north: 350)
            _ = world.report(north: 75)
            if hasTwin {
                let twin = world.report(north: 165, accuracy: 20, after: 0)
                #expect(twin.withheld.map(\.reason) == [.unconfirmed])
            }
            let before = world.state.encodedState()
            try world.restore([
                .inputCircle(PlacedCircle(circle: World.circle, zones: [.round(radius: 100)])),
                .inputPerson(
                    PlacedPerson(
                        person: World.person, leadingDevice: nil, circles: [World.circle],
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
    func `a second fix is waited for as long as the phone was silent`(
        interval: Int64, wait: Int64
    ) {
        var world = World(zones: [.round(radius: 100)])
        _ = world.report(north: 0)
        _ = world.report(north: 0, after: 30)
        #expect(world.report(north: 190, accuracy: 30, after: interval).marbles.isEmpty)
        var home = world
        #expect(world.wait(seconds: wait - 1).marbles.isEmpty)
        #expect(world.wait(seconds: 1).marbles == "X")
        // One that reports by the clock, though seldom, leaves nothing by one fix.
        guard interval < wait else { return }
        #expect(home.wait(seconds: interval - 1).marbles.isEmpty)
        #expect(home.report(north: 0, after: 1).marbles.isEmpty)
        #expect(home.wait(seconds: 7200).isEmpty)
    }

    @Test func `a long silence is forgotten with the fixes after it`() {
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

    @Test func `whom one fix brought home does not leave by one that comes after a long silence`() {
        for kind in ZoneKind.allCases {
            var world = World(zones: [.round(radius: 100, kind: kind)])
            _ = world.report(north: 900)
            #expect(world.report(north: 0, after: 180).marbles == "E")
            var (soon, gone) = (world, world)
            #expect(soon.report(north: 350, after: 200).marbles == "X")
            #expect(world.report(north: 350, after: 201).withheld.map(\.reason) == [.unconfirmed])
            #expect(world.report(north: 0, after: 50).marbles.isEmpty)
            // Who has gone indeed has gone by two.
            #expect(gone.report(north: 350, after: 7200).marbles.isEmpty)
            #expect(gone.report(north: 350).marbles == "X")
        }
    }

    @Test func `in an emergency nobody waits for long`() {
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

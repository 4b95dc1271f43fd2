import EvaluatorCore
import Model
import Testing

/// Zones that count at times, and people who are missed at times.
@Suite struct ScheduleTests {
    /// Begins on Thursday, 2025-10-09, 08:53:20 UTC; the zone is open on Thursdays from 09:00 to
    /// 10:00.
    private func scheduled(_ kind: ZoneKind = .safe, _ number: UInt64 = 1) -> PlacedZone {
        .round(number, kind: kind).with {
            $0.schedule = ZoneSchedule(windows: [ZoneWindow(start: 4860, end: 4920)])
        }
    }

    private let nine = Timestamp(seconds: 1_760_000_400)

    @Test func `a zone that opens finds who is there, and forgets them when it closes`() {
        var world = World(zones: [scheduled()])
        #expect(world.report(north: 0).marbles.isEmpty)
        #expect(world.clocks.map(\.due) == [nine])
        let opened = world.wait(seconds: 340)
        #expect(world.now == nine)
        #expect(opened.marbles == "!")
        #expect(opened.crossings.first?.reason == .scheduleOpened)
        #expect(opened.crossings.first?.before == .unknown)
        #expect(world.wait(seconds: 3600).marbles.isEmpty)
        #expect(world.forgotten.map(\.reason) == [.scheduleClosed])
        #expect(world.forgotten.map(\.before) == [.inside])
        // Closed: nobody leaves it, nobody comes.
        #expect(world.report(north: 900, speed: 2).marbles.isEmpty)
        #expect(world.clocks.isEmpty)
        #expect(world.report(north: 0).marbles.isEmpty)
        // A week later.
        #expect(world.wait(seconds: 7 * 86_400).marbles == "!")
    }

    @Test func `an early report decides as the clock does`() {
        var world = World(zones: [scheduled()])
        _ = world.report(north: 0)
        world.pass(seconds: 240)
        #expect(world.report(north: 900, after: 100, speed: 2).marbles == "!X")
        var late = World(zones: [scheduled()])
        _ = late.report(north: 0)
        _ = late.wait(seconds: 340)
        #expect(late.report(north: 0, after: 3600).marbles.isEmpty)
        #expect(late.report(north: 900).marbles.isEmpty)
    }

    @Test func `whoever left before it opens is not found there`() {
        var world = World(zones: [scheduled()])
        _ = world.report(north: 0)
        #expect(world.report(north: 900, speed: 2).map(\.kind) == [.clockUnwanted])
        #expect(world.wait(seconds: 7200).isEmpty)
    }

    // MARK: In doubt when it opens

    /// At 09:00, when the zone opens: the person is in the middle of it, but the last fix, half a
    /// minute before, says otherwise.
    private func opened(
        _ zone: PlacedZone, to north: Double = 700, accuracy: Double = 10, times: Int = 1,
        speed: Double? = nil
    ) -> World {
        var world = World(zones: [zone])
        _ = world.report(north: 0)
        for _ in 0..<times {
            _ = world.report(
                north: north, accuracy: accuracy, after: 310 / Int64(times), speed: speed)
        }
        #expect(world.wait(seconds: 30).crossings.isEmpty)
        #expect(world.now == nine)
        return world
    }

    @Test func `whom one fix has thrown out of a closed zone is found in it by the next`() {
        for (north, accuracy) in [(700.0, 2000.0), (800, 100), (215, 10), (700, 60)] {
            var world = opened(scheduled(), to: north, accuracy: accuracy)
            let found = world.report(north: 0)
            #expect(found.marbles == "!", "\(north) m, \(accuracy) m")
            #expect(found.crossings.map(\.reason) == [.scheduleOpened])
            #expect(found.crossings.map(\.before) == [.unknown])
            #expect(world.report(north: 700, speed: 2).marbles == "X")
        }
        var alert = opened(scheduled(.alert))
        #expect(alert.report(north: 0).contains { $0.kind == .alarmStarted })
    }

    @Test func `who has gone before it opened is not, and comes as from anywhere`() {
        var one = opened(scheduled())
        let second = one.report(north: 700)
        #expect(second.crossings.isEmpty && second.withheld.isEmpty)
        #expect(one.report(north: 0).marbles == "E")
        var two = opened(scheduled(), times: 2)
        #expect(two.report(north: 0).marbles == "E")
        var sure = opened(scheduled(), speed: 2)
        #expect(sure.report(north: 0, speed: 25).marbles == "E")
        // Of whom nothing more is heard, nothing is told.
        var silent = opened(scheduled())
        #expect(silent.wait(seconds: 86_400).marbles.isEmpty)
        #expect(silent.clocks.isEmpty && silent.forgotten.isEmpty)
    }

    @Test func `who was seen outside long enough comes back by entering`() {
        // The second fix comes after a minute; for 60 s it is in doubt.
        let times: [(before: Int64, after: Int64, marbles: String)] = [
            (300, 0, "E"), (300, 600, "E"), (30, 29, "!"), (30, 30, "E"), (30, 600, "E"),
        ]
        for (before, after, marbles) in times {
            var world = World(zones: [scheduled()])
            world.now = nine - .seconds(before + 60)
            _ = world.report(north: 0, after: 0)
            _ = world.report(north: 700, after: 60)
            var late = world
            #expect(world.wait(seconds: before + after).crossings.isEmpty)
            #expect(world.report(north: 0, after: 0).marbles == marbles, "\(before), \(after)")
            #expect(late.report(north: 0, after: before + after).marbles == marbles)
        }
    }

    @Test func `who is near when the doubt ends is found near`() {
        var world = opened(scheduled(.alert).with { $0.alertDistanceMetres = 600 })
        let found = world.wait(seconds: 400)
        #expect(found.marbles == "~")
        #expect(found.crossings.map(\.reason) == [.scheduleOpened])
        #expect(found.crossings.map(\.before) == [.unknown])
        #expect(world.report(north: 0).marbles == "E")
    }

    @Test func `a suspect puts the end of a doubt off`() {
        var world = opened(scheduled())
        _ = world.report(north: 90_000, after: 10)
        #expect(world.wait(seconds: 900).crossings.isEmpty)
        #expect(world.report(north: 0).marbles == "!")
    }

    @Test func `a doubt outlives suspects, edits and another evaluator`() throws {
        var world = opened(scheduled())
        let suspect = world.report(north: 90_000, after: 10)
        #expect(suspect.crossings.isEmpty && suspect.withheld.isEmpty)
        let edited = scheduled().with { $0.dwellSeconds = 3000 }
        #expect(world.place([edited]).isEmpty)
        let before = world.state.encodedState()
        try world.restore([
            .inputCircle(PlacedCircle(circle: World.circle, zones: [edited])),
            .inputPerson(
                PlacedPerson(
                    person: World.person, leadingDevice: nil, circles: [World.circle], zones: [])),
        ])
        #expect(world.state.encodedState() == before)
        #expect(world.report(north: 0).marbles == "!")
        #expect(world.wait(seconds: 3000).marbles == "D")
        // One that holds where the last fix was finds the person there.
        var large = opened(scheduled())
        #expect(large.place([.round(radius: 900)]).marbles == "!")
    }

    @Test func `a zone that closes around a vague fix opens in doubt, too`() {
        var world = World(zones: [scheduled()])
        _ = world.report(north: 0, after: 460)
        _ = world.report(north: 700, accuracy: 2000, after: 3480)
        #expect(world.wait(seconds: 7 * 86_400 - 600).marbles.isEmpty)
        #expect(world.report(north: 0).marbles == "!")
    }

    @Test func `who may not be there is missed`() {
        let zone = scheduled().with { $0.absentByMinute = 540 }
        var world = World(zones: [zone])
        _ = world.report(north: 0)
        _ = world.report(north: 700, accuracy: 60, after: 310)
        #expect(world.wait(seconds: 30).marbles == "M")
        #expect(world.report(north: 0).marbles == "!")
    }

    @Test func `an open zone is entered and left as any other`() {
        var world = World(zones: [scheduled()])
        world.pass(seconds: 400)
        #expect(world.report(north: 500).isEmpty)
        #expect(world.report(north: 0).marbles == "E")
        #expect(world.report(north: 500, speed: 2).marbles == "X")
    }

    @Test func `a zone that was moved away opens without whom another device left there`() {
        var world = World(zones: [scheduled()])
        _ = world.report(north: 0)
        _ = world.place(leading: World.tablet)
        let away = Coordinate(latitudeE7: 100_000_000, longitudeE7: 1_016_869_000)
        let moved = PlacedZone.round(at: away).with { $0.schedule = scheduled().schedule }
        #expect(world.place([moved]).marbles.isEmpty)
        #expect(world.wait(seconds: 400).marbles.isEmpty)
        #expect(world.clocks.isEmpty)
    }

    @Test func `a schedule that is edited counts at once`() {
        var world = World(zones: [scheduled()])
        _ = world.report(north: 0)
        #expect(world.place([.round()]).marbles == "!")
        #expect(world.place([scheduled()]).marbles.isEmpty)
        #expect(world.report(north: 900).marbles.isEmpty)
    }

    @Test func `a stay counts from the opening on, and ends with the closing`() {
        let zone = scheduled().with { $0.dwellSeconds = 1800 }
        var world = World(zones: [zone])
        _ = world.report(north: 0)
        #expect(world.wait(seconds: 340).marbles == "!")
        #expect(world.wait(seconds: 1799).marbles.isEmpty)
        #expect(world.wait(seconds: 1).marbles == "D")
        let longer = scheduled().with { $0.dwellSeconds = 3601 }
        var other = World(zones: [longer])
        _ = other.report(north: 0)
        #expect(other.wait(seconds: 86_400).marbles == "!")
    }

    // MARK: Absence

    /// By 09:00.
    private func awaited(_ number: UInt64 = 1) -> PlacedZone {
        .round(number).with { $0.absentByMinute = 540 }
    }

    @Test func `who is not there by then is missed, every day`() throws {
        var world = World(zones: [awaited()])
        #expect(world.clocks.map(\.due) == [nine])
        _ = world.report(north: 900, after: 100)
        let missed = world.wait(seconds: 300)
        #expect(missed.marbles == "M")
        guard case .zoneAbsent(let absence)? = missed.first?.body else {
            Issue.record("nobody is missed")
            return
        }
        #expect(absence.by == nine && absence.hasContact)
        #expect(absence.fix?.time == nine - .seconds(300))
        #expect(absence.zone == .number(1) && absence.circle == World.circle)
        let later = world.wait(seconds: 86_400)
        #expect(later.marbles == "M")
        #expect(Set((missed + later).map(\.id)).count == missed.count + later.count)
    }

    @Test func `who is there is not missed`() {
        var world = World(zones: [awaited()])
        _ = world.report(north: 0)
        #expect(world.wait(seconds: 3600).marbles.isEmpty)
    }

    @Test func `contact is a fix of the last 15 min, to the second`() {
        for (age, hasContact) in [(900, true), (901, false)] as [(Int64, Bool)] {
            var world = World(zones: [awaited()])
            world.now = nine - .seconds(2000)
            _ = world.report(north: 900, after: 2000 - age)
            #expect(world.wait(seconds: 2000).absences.map(\.hasContact) == [hasContact])
        }
        var silent = World(zones: [awaited()])
        let absences = silent.wait(seconds: 500).absences
        #expect(absences.map(\.hasContact) == [false] && absences[0].fix == nil)
    }

    @Test func `an early report tells of the absence before it tells of the arrival`() {
        var world = World(zones: [awaited()])
        _ = world.report(north: 900)
        #expect(world.report(north: 0, after: 400).marbles == "ME")
    }

    @Test func `only on days on which a window begins`() {
        // Friday.
        let zone = awaited().with {
            $0.schedule = ZoneSchedule(windows: [ZoneWindow(start: 6300, end: 6400)])
        }
        var world = World(zones: [zone])
        #expect(world.wait(seconds: 86_400).absences.isEmpty)
        #expect(world.wait(seconds: 86_400).absences.count == 1)
        #expect(world.wait(seconds: 5 * 86_400).absences.isEmpty)
    }

    @Test func `who is inside before the window begins is not missed`() {
        let zone = scheduled().with { $0.absentByMinute = 530 }
        var world = World(zones: [zone])
        world.now = nine - .seconds(1200)
        _ = world.report(north: 0)
        #expect(world.wait(seconds: 900).absences.isEmpty)
    }

    @Test func `nobody is missed in a zone that does not judge them`() {
        var world = World(zones: [awaited()])
        #expect(world.place(refused: [.number(1)]).map(\.kind) == [.clockUnwanted])
        #expect(world.wait(seconds: 3600).isEmpty)
        _ = world.place(unshared: [UnsharedCircle(circle: World.circle)])
        #expect(world.wait(seconds: 86_400).isEmpty)
    }
}

extension [Event] {
    var absences: [ZoneAbsence] {
        compactMap { if case .zoneAbsent(let absence) = $0.body { absence } else { nil } }
    }
}

import EvaluatorCore
import Model
import Testing

/// Zones with schedules and absence deadlines.
@Suite struct ScheduleTests {
    /// Starts on Thursday, 2025-10-09, 08:53:20 UTC; the zone is open on Thursdays from 09:00 to
    /// 10:00.
    private func scheduled(_ kind: ZoneKind = .safe, _ number: UInt64 = 1) -> ConfiguredZone {
        .round(number, kind: kind).with {
            $0.schedule = ZoneSchedule(windows: [ZoneWindow(start: 4860, end: 4920)])
        }
    }

    private let nine = Timestamp(seconds: 1_760_000_400)

    @Test func `opening establishes presence, and closing clears it`() {
        var world = World(zones: [scheduled()])
        #expect(world.report(north: 0).marbles.isEmpty)
        #expect(world.deadlines.map(\.due) == [nine])
        let opened = world.wait(seconds: 340)
        #expect(world.now == nine)
        #expect(opened.marbles == "!")
        #expect(opened.crossings.first?.reason == .scheduleOpened)
        #expect(opened.crossings.first?.before == .unknown)
        #expect(world.wait(seconds: 3600).marbles.isEmpty)
        #expect(world.cleared.map(\.reason) == [.scheduleClosed])
        #expect(world.cleared.map(\.before) == [.inside])
        // Closed: nobody leaves or enters.
        #expect(world.report(north: 900, speed: 2).marbles.isEmpty)
        #expect(world.deadlines.isEmpty)
        #expect(world.report(north: 0).marbles.isEmpty)
        // A week later.
        #expect(world.wait(seconds: 7 * 86_400).marbles == "!")
    }

    @Test func `an early report decides like the deadline`() {
        var world = World(zones: [scheduled()])
        _ = world.report(north: 0)
        world.advance(seconds: 240)
        #expect(world.report(north: 900, after: 100, speed: 2).marbles == "!X")
        var late = World(zones: [scheduled()])
        _ = late.report(north: 0)
        _ = late.wait(seconds: 340)
        #expect(late.report(north: 0, after: 3600).marbles.isEmpty)
        #expect(late.report(north: 900).marbles.isEmpty)
    }

    @Test func `a person who left before the opening is not found`() {
        var world = World(zones: [scheduled()])
        _ = world.report(north: 0)
        #expect(world.report(north: 900, speed: 2).map(\.kind) == [.deadlineCancelled])
        #expect(world.wait(seconds: 7200).isEmpty)
    }

    // MARK: In doubt when it opens

    /// At 09:00, when the zone opens: the person is in its centre, but the last fix, half a minute
    /// before, says otherwise.
    private func opened(
        _ zone: ConfiguredZone, to north: Double = 700, accuracy: Double = 10, times: Int = 1,
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

    @Test func `a person displaced by one fix while closed is found by the next`() {
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

    @Test func `a person who left before the opening enters normally`() {
        var one = opened(scheduled())
        let second = one.report(north: 700)
        #expect(second.crossings.isEmpty && second.suppressed.isEmpty)
        #expect(one.report(north: 0).marbles == "E")
        var two = opened(scheduled(), times: 2)
        #expect(two.report(north: 0).marbles == "E")
        var sure = opened(scheduled(), speed: 2)
        #expect(sure.report(north: 0, speed: 25).marbles == "E")
        // Without further fixes nothing is emitted.
        var silent = opened(scheduled())
        #expect(silent.wait(seconds: 86_400).marbles.isEmpty)
        #expect(silent.deadlines.isEmpty && silent.cleared.isEmpty)
    }

    @Test func `a person outside long enough returns by entering`() {
        // The second fix arrives after a minute; it is in doubt for 60 s.
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

    @Test func `a person near at the end of the doubt is found near`() {
        var world = opened(scheduled(.alert).with { $0.alertDistanceMetres = 600 })
        let found = world.wait(seconds: 400)
        #expect(found.marbles == "~")
        #expect(found.crossings.map(\.reason) == [.scheduleOpened])
        #expect(found.crossings.map(\.before) == [.unknown])
        #expect(world.report(north: 0).marbles == "E")
    }

    @Test func `a suspect postpones the end of a doubt`() {
        var world = opened(scheduled())
        _ = world.report(north: 90_000, after: 10)
        #expect(world.wait(seconds: 900).crossings.isEmpty)
        #expect(world.report(north: 0).marbles == "!")
    }

    @Test func `a doubt survives suspects, edits and a new owner`() throws {
        var world = opened(scheduled())
        let suspect = world.report(north: 90_000, after: 10)
        #expect(suspect.crossings.isEmpty && suspect.suppressed.isEmpty)
        let edited = scheduled().with { $0.dwellSeconds = 3000 }
        #expect(world.configure([edited]).isEmpty)
        let before = world.state.encodedState()
        try world.restore([
            .inputCircle(ConfiguredCircle(circle: World.circle, zones: [edited])),
            .inputPerson(
                ConfiguredPerson(
                    person: World.person, primaryDevice: nil, circles: [World.circle], zones: [])),
        ])
        #expect(world.state.encodedState() == before)
        #expect(world.report(north: 0).marbles == "!")
        #expect(world.wait(seconds: 3000).marbles == "D")
        // A zone that contains the last fix finds the person there.
        var large = opened(scheduled())
        #expect(large.configure([.round(radius: 900)]).marbles == "!")
    }

    @Test func `a zone that closes around an inaccurate fix opens in doubt, too`() {
        var world = World(zones: [scheduled()])
        _ = world.report(north: 0, after: 460)
        _ = world.report(north: 700, accuracy: 2000, after: 3480)
        #expect(world.wait(seconds: 7 * 86_400 - 600).marbles.isEmpty)
        #expect(world.report(north: 0).marbles == "!")
    }

    @Test func `a person in doubt is absent`() {
        let zone = scheduled().with { $0.absentByMinute = 540 }
        var world = World(zones: [zone])
        _ = world.report(north: 0)
        _ = world.report(north: 700, accuracy: 60, after: 310)
        #expect(world.wait(seconds: 30).marbles == "M")
        #expect(world.report(north: 0).marbles == "!")
    }

    @Test func `an open zone is entered and left like any other`() {
        var world = World(zones: [scheduled()])
        world.advance(seconds: 400)
        #expect(world.report(north: 500).isEmpty)
        #expect(world.report(north: 0).marbles == "E")
        #expect(world.report(north: 500, speed: 2).marbles == "X")
    }

    @Test func `a moved zone does not open with another device's presence`() {
        var world = World(zones: [scheduled()])
        _ = world.report(north: 0)
        _ = world.configure(primary: World.tablet)
        let away = Coordinate(latitudeE7: 100_000_000, longitudeE7: 1_016_869_000)
        let moved = ConfiguredZone.round(at: away).with { $0.schedule = scheduled().schedule }
        #expect(world.configure([moved]).marbles.isEmpty)
        #expect(world.wait(seconds: 400).marbles.isEmpty)
        #expect(world.deadlines.isEmpty)
    }

    @Test func `an edited schedule takes effect immediately`() {
        var world = World(zones: [scheduled()])
        _ = world.report(north: 0)
        #expect(world.configure([.round()]).marbles == "!")
        #expect(world.configure([scheduled()]).marbles.isEmpty)
        #expect(world.report(north: 900).marbles.isEmpty)
    }

    @Test func `a stay counts from the opening and ends with the closing`() {
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
    private func awaited(_ number: UInt64 = 1) -> ConfiguredZone {
        .round(number).with { $0.absentByMinute = 540 }
    }

    @Test func `a missing person is absent every day`() throws {
        var world = World(zones: [awaited()])
        #expect(world.deadlines.map(\.due) == [nine])
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

    @Test func `a present person is not absent`() {
        var world = World(zones: [awaited()])
        _ = world.report(north: 0)
        #expect(world.wait(seconds: 3600).marbles.isEmpty)
    }

    @Test func `a fix of the last 15 min proves contact, to the second`() {
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

    @Test func `an early report emits the absence before the arrival`() {
        var world = World(zones: [awaited()])
        _ = world.report(north: 900)
        #expect(world.report(north: 0, after: 400).marbles == "ME")
    }

    @Test func `absence counts only on days on which a window begins`() {
        // Friday.
        let zone = awaited().with {
            $0.schedule = ZoneSchedule(windows: [ZoneWindow(start: 6300, end: 6400)])
        }
        var world = World(zones: [zone])
        #expect(world.wait(seconds: 86_400).absences.isEmpty)
        #expect(world.wait(seconds: 86_400).absences.count == 1)
        #expect(world.wait(seconds: 5 * 86_400).absences.isEmpty)
    }

    @Test func `a person inside before the window begins is not absent`() {
        let zone = scheduled().with { $0.absentByMinute = 530 }
        var world = World(zones: [zone])
        world.now = nine - .seconds(1200)
        _ = world.report(north: 0)
        #expect(world.wait(seconds: 900).absences.isEmpty)
    }

    @Test func `absence is not evaluated in zones that do not apply`() {
        var world = World(zones: [awaited()])
        #expect(world.configure(optOuts: [.number(1)]).map(\.kind) == [.deadlineCancelled])
        #expect(world.wait(seconds: 3600).isEmpty)
        _ = world.configure(unshared: [UnsharedCircle(circle: World.circle)])
        #expect(world.wait(seconds: 86_400).isEmpty)
    }
}

extension [Event] {
    var absences: [ZoneAbsence] {
        compactMap { if case .zoneAbsent(let absence) = $0.body { absence } else { nil } }
    }
}

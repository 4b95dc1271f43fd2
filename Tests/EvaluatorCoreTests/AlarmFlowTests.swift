import Model
import Testing

@testable import EvaluatorCore

/// Alarms and messages as they follow from fixes, configuration and time.
@Suite struct AlarmFlowTests {
    private func pit(
        _ number: UInt64 = 1, radius: Int32 = 200, priority: Int = 100, near: Int = 0,
        messages: [UInt64] = []
    ) -> PlacedZone {
        var zone = PlacedZone.round(number, radius: radius, kind: .alert, hysteresis: 0)
        zone.priority = priority
        zone.category = "works"
        zone.alertDistanceMetres = near
        zone.alarm = ZoneAlarm(vibrates: false, sound: "horn")
        zone.messages = messages.map { MessageID(ID128(high: 6, low: $0)) }
        return zone
    }

    private func arm(_ armed: Bool, _ world: inout World) -> [Event] {
        world.handle(.inputArming(Arming(person: World.person, armed: armed, at: world.now)))
    }

    private func sleep(_ zone: ZoneID? = nil, _ world: inout World) -> [Event] {
        world.handle(
            .inputAlarmAnswer(
                AlarmAnswer(person: World.person, zone: zone, action: .sleep, at: world.now)))
    }

    @Test func `entering an alert zone tells all that a phone needs to ring`() throws {
        var world = World(zones: [pit()])
        _ = world.report(north: 900)
        let outputs = world.report(north: 100)
        #expect(outputs.kinds == [.zoneEntered, .alarmStarted, .clockWanted])
        let news = try #require(outputs.alarms.first)
        #expect(news.person == World.person)
        #expect(news.zone == pit().id)
        #expect(news.zoneName == "Zone 1")
        #expect(news.category == "works")
        #expect(news.priority == 100)
        #expect(news.circle == World.circle)
        #expect(!news.vibrates)
        #expect(news.sound == "horn")
        #expect(news.presence == .inside)
        #expect(news.rings == 1)
        #expect(!news.initial)
        #expect(news.speaks)
        #expect(news.end == nil)
        #expect(news.fix.time == world.now)
    }

    @Test func `it rings each minute by the clock, until the person leaves`() {
        var world = World(zones: [pit()])
        _ = world.report(north: 900)
        let started = world.report(north: 100)
        let rings = world.wait(seconds: 130)
        #expect(rings.alarms.map(\.rings) == [2, 3])
        #expect(Set(rings.alarms.map(\.alarm)) == Set(started.alarms.map(\.alarm)))
        #expect(Set(rings.map(\.id)).count == rings.count)
        let ended = world.report(north: 900, after: 5, speed: 2)
        #expect(ended.kinds == [.zoneExited, .alarmEnded, .clockUnwanted])
        #expect(ended.alarms[0].end == .exit)
        #expect(ended.alarms[0].presence == .outside)
        #expect(world.wait(seconds: 600).isEmpty)
    }

    @Test func `a late clock and a report in its place ring alike, and once`() {
        var late = World(zones: [pit()])
        var punctual = World(zones: [pit()])
        for north in [900.0, 100] {
            _ = late.report(north: north)
            _ = punctual.report(north: north)
        }
        #expect(late.wait(seconds: 400, late: 300).alarms.map(\.rings) == [2])
        #expect(punctual.report(north: 100, after: 400).alarms.map(\.rings) == [2])
    }

    @Test func `a fix makes it ring by the clock for another half an hour`() {
        var world = World(zones: [pit().with { $0.alarm.cycleSeconds = 3600 }])
        _ = world.report(north: 900)
        _ = world.report(north: 100)
        // Nobody is known to be there then, so far.
        #expect(world.clocks.isEmpty)
        for _ in 0..<4 { #expect(world.report(north: 100, after: 600).alarms.isEmpty) }
        #expect(world.clocks.count == 1)
        #expect(world.wait(seconds: 1200).alarms.map(\.rings) == [2])
    }

    @Test func `after a first fix that was old it rings on with the next one`() {
        var world = World(zones: [pit()])
        #expect(world.report(north: 100, age: 1770).kinds.contains(.alarmStarted))
        #expect(world.clocks.isEmpty)
        #expect(world.report(north: 100, after: 10).alarms.isEmpty)
        #expect(world.wait(seconds: 110).alarms.map(\.rings) == [2, 3])
    }

    @Test func `without fixes it rings for half an hour`() {
        var world = World(zones: [pit()])
        _ = world.report(north: 900)
        _ = world.report(north: 100)
        #expect(world.wait(seconds: 7200).alarms.count == 30)
        #expect(world.clocks.isEmpty)
        #expect(world.report(north: 100).kinds == [.alarmRepeated, .clockWanted])
    }

    @Test func `what comes of other zones while no fix comes does not hush an alarm`() {
        func end(staying seconds: Int) -> [AlarmNews] {
            let day = 3 * 1440
            // It is Thursday, 2025-10-09, 08:53:20; it opens when the last fix is old.
            let opening = pit(2).with {
                $0.schedule = ZoneSchedule(windows: [ZoneWindow(start: day + 566, end: day + 660)])
            }
            let home = PlacedZone.round(3).with { $0.dwellSeconds = seconds }
            var world = World(zones: [pit().with { $0.alarm.cycleSeconds = 1900 }, opening, home])
            _ = world.report(north: 900)
            #expect(world.report(north: 100).alarms.map(\.rings) == [1])
            let silence = world.wait(seconds: 3000)
            #expect(silence.alarms.isEmpty, "an alarm is owed, and a ring is due")
            #expect(silence.marbles == (seconds > 0 ? "!D" : "!"))
            return world.report(north: 900, speed: 2).alarms
        }
        for ended in [end(staying: 0), end(staying: 2400)] {
            #expect(ended.map(\.zone) == [pit().id])
            #expect(ended.map(\.speaks) == [true])
        }
    }

    @Test func `an alarm that was told to sleep ends without a sound, whatever old fix comes`() {
        var world = World(zones: [pit()])
        _ = world.report(north: 900)
        _ = world.report(north: 100)
        _ = sleep(nil, &world)
        #expect(world.report(north: 100, after: 2410, age: 1900).alarms.isEmpty)
        let ended = world.report(north: 900, after: 5, age: 1810, speed: 2).alarms
        #expect(ended.map(\.end) == [.exit])
        #expect(ended.map(\.speaks) == [false])
    }

    @Test func `near is enough, and going in is no other alarm`() {
        var world = World(zones: [pit(near: 300)])
        _ = world.report(north: 900)
        let near = world.report(north: 400)
        #expect(near.kinds == [.zoneApproached, .alarmStarted, .clockWanted])
        #expect(near.alarms[0].presence == .near)
        #expect(world.report(north: 100, after: 10).kinds == [.zoneEntered])
        #expect(world.report(north: 400, after: 10, speed: 2).kinds == [.zoneExited])
        #expect(world.report(north: 900, after: 30, speed: 30).alarms.map(\.end) == [.exit])
    }

    @Test func `a way through an alert zone alarms nobody who is out again`() {
        var crossed = pit()
        crossed.transitions.append(.cross)
        var world = World(zones: [crossed])
        _ = world.report(north: 900)
        #expect(world.report(north: -900).kinds == [.zoneEntered, .zoneExited])
    }

    @Test func `whoever is found inside is alarmed, and told so`() {
        var world = World(zones: [pit()])
        let found = world.report(north: 100)
        #expect(found.kinds == [.zoneInitial, .alarmStarted, .clockWanted])
        #expect(found.alarms[0].initial)
    }

    @Test func `disarmed nothing rings, arming finds whoever is there`() {
        var world = World(zones: [pit()])
        _ = world.report(north: 100)
        let disarmed = arm(false, &world)
        #expect(disarmed.kinds == [.alarmEnded, .clockUnwanted])
        #expect(disarmed.alarms[0].end == .disarmed)
        #expect(disarmed.alarms[0].presence == .inside)
        #expect(world.report(north: 900, speed: 2).kinds == [.zoneExited])
        #expect(world.report(north: 100).kinds == [.zoneEntered])
        let armed = arm(true, &world)
        #expect(armed.kinds == [.alarmStarted, .clockWanted])
        #expect(armed.alarms[0].initial)
    }

    @Test func `armed after the last fix is old, the next one alarms`() {
        var world = World(zones: [pit()])
        _ = arm(false, &world)
        _ = world.report(north: 100)
        world.pass(seconds: 1801)
        #expect(arm(true, &world).isEmpty)
        #expect(world.report(north: 100).alarms.map(\.initial) == [true])
    }

    @Test func `zones that come, go and change around somebody`() {
        var world = World()
        _ = world.report(north: 100)
        #expect(world.place([pit()]).alarms.map(\.initial) == [true])
        let changed = world.place([pit(radius: 50)])
        #expect(changed.alarms.map(\.end) == [.zoneChanged])
        #expect(world.place([pit()]).alarms.count == 1)
        #expect(world.place([pit(2)]).alarms.map(\.end) == [nil, .removed].reversed())
        #expect(world.place(circles: []).alarms.map(\.end) == [.removed])
        #expect(world.clocks.isEmpty)
    }

    @Test func `a removed person's alarm ends`() {
        var world = World(zones: [pit()])
        _ = world.report(north: 100)
        let removed = world.handle(.inputPersonRemoved(PersonRemoval(person: World.person)))
        #expect(removed.alarms.map(\.end) == [.removed])
        #expect(world.hints.count == 1)
    }

    @Test func `an alarm follows the schedule of its zone`() {
        var zone = pit()
        // It is Thursday, 2025-10-09, 08:53:20.
        let day = 3 * 1440
        zone.clock = ZoneClock(timeZone: "UTC")
        zone.schedule = ZoneSchedule(windows: [ZoneWindow(start: day + 540, end: day + 600)])
        var world = World(zones: [zone])
        #expect(world.report(north: 100).alarms.isEmpty)
        let opened = world.wait(seconds: 600)
        #expect(opened.kinds.first == .zoneInitial)
        #expect(opened.alarms.map(\.initial) == [true, false, false, false, false])
        for _ in 0..<6 { _ = world.report(north: 100, after: 600) }
        #expect(world.wait(seconds: 0).isEmpty)
        #expect(arm(true, &world).isEmpty)
    }

    @Test func `the most urgent speaks, and sleep hands over`() {
        var world = World(zones: [pit(1, priority: 5), pit(2, priority: 9)])
        let both = world.report(north: 100)
        #expect(both.alarms.map(\.speaks) == [true, false])
        #expect(both.alarms.map(\.rings) == [1, 0])
        let handed = sleep(pit(1).id, &world)
        #expect(handed.alarms.map(\.zone) == [pit(2).id])
        #expect(sleep(nil, &world).kinds == [.clockUnwanted])
        #expect(world.wait(seconds: 599).isEmpty)
        #expect(world.report(north: 100, after: 1).alarms.map(\.zone) == [pit(1).id])
    }

    @Test func `zones that fire together name their messages in one event`() {
        var home = PlacedZone.round(3, hysteresis: 0)
        home.messages = [MessageID(ID128(high: 6, low: 2)), MessageID(ID128(high: 6, low: 9))]
        home.priority = 7
        var world = World(zones: [pit(1, priority: 50, messages: [4, 2]), home, pit(2)])
        _ = world.report(north: 900)
        let outputs = world.report(north: 0)
        let due = outputs.due
        #expect(due.count == 1)
        #expect(due.first?.zones.map(\.raw.low) == [3, 1])
        #expect(due.first?.zoneNames == ["Zone 3", "Zone 1"])
        #expect(due.first?.messages.map(\.raw.low) == [2, 4, 9])
        #expect(due.first?.fix.time == world.now)
        #expect(world.wait(seconds: 60).due.isEmpty)
        let left = world.report(north: 900, speed: 2).due
        #expect(left.map(\.transitions) == [[.exit]], "an alarm's end sends nothing")
        #expect(left.first?.zoneNames == ["Zone 3"])
    }

    @Test func `a safe zone sends its messages for the transitions that it says matter`() {
        func fired(_ transitions: [Transition]) -> [[Transition]] {
            var home = PlacedZone.round(1, hysteresis: 0)
            home.messages = [MessageID(ID128(high: 6, low: 2))]
            home.alertDistanceMetres = 300
            home.dwellSeconds = 60
            home.transitions = transitions
            var world = World(zones: [home])
            var due: [DueMessages] = []
            for north in [900.0, 300, 0] { due += world.report(north: north).due }
            due += world.wait(seconds: 60).due
            due += world.report(north: 900, speed: 2).due
            return due.map(\.transitions)
        }
        #expect(fired([.enter]) == [[.enter]])
        #expect(fired([.exit]) == [[.exit]])
        #expect(fired([.approach, .dwell]) == [[.approach], [.dwell]])
        #expect(fired([.enter, .exit]) == [[.enter], [.exit]])
        #expect(fired([]).isEmpty)
    }

    @Test func `what time has brought before a record is told apart from what the record brings`() {
        var opening = pit(1, messages: [4])
        // It is Thursday, 2025-10-09, 08:53:20.
        opening.schedule = ZoneSchedule(windows: [ZoneWindow(start: 4860, end: 4920)])
        var world = World(zones: [opening])
        _ = world.report(north: 0)
        // It is open before its clock has come.
        world.pass(seconds: 500)
        let outputs = world.place([opening, pit(2, messages: [5])])
        #expect(outputs.due.map { $0.messages.map(\.raw.low) } == [[4], [5]])
        #expect(Set(outputs.map(\.id)).count == outputs.count)
    }

    @Test func `a message is due by an alarm also where somebody is found, by a safe zone not`() {
        var home = PlacedZone.round(3)
        home.messages = [MessageID(ID128(high: 6, low: 2))]
        var world = World(zones: [home])
        #expect(world.report(north: 0).due.isEmpty)
        world = World(zones: [pit(messages: [1])])
        #expect(world.report(north: 0).due.count == 1)
        _ = arm(false, &world)
        _ = world.report(north: 900)
        #expect(world.report(north: 0).due.isEmpty)
    }

    @Test func `hints follow fixes, zones, emergencies and the leader`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 20_000, speed: 1)
        #expect(world.hints.map(\.mode) == [.region])
        _ = world.report(north: 1000, after: 3600)
        #expect(world.hints.last?.mode == .significant)
        let signal = EmergencySignal(
            id: EmergencyID(ID128(high: 5, low: 1)), person: World.person, trigger: .panic,
            raised: world.now, received: world.now, countdownEnds: world.now, fix: nil)
        _ = world.handle(.inputSignal(signal))
        #expect(world.hints.last?.mode == .event)
        _ = world.handle(
            .inputResolution(
                EmergencyAnswer(
                    emergency: signal.id, person: World.person, by: nil, at: world.now)))
        #expect(world.hints.last?.mode == .significant)
        _ = world.place([.round(radius: 980)])
        #expect(world.hints.last?.mode == .standard)
        _ = world.place(leading: World.tablet)
        #expect(world.hints.last?.device == World.tablet)
        #expect(world.hints.count == 6)
        // What does not judge the person is not near.
        _ = world.place(leading: World.tablet, refused: [PlacedZone.round().id])
        #expect(world.hints.last?.mode == .region)
    }
}

extension [Event] {
    fileprivate var alarms: [AlarmNews] {
        compactMap { event in
            switch event.body {
            case .alarmStarted(let news), .alarmRepeated(let news), .alarmEnded(let news): news
            default: nil
            }
        }
    }

    fileprivate var due: [DueMessages] {
        compactMap { if case .messagesDue(let due) = $0.body { due } else { nil } }
    }
}

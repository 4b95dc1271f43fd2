import Model
import Testing

@testable import EvaluatorCore

/// Alarms and messages caused by fixes, configuration and time.
@Suite struct AlarmFlowTests {
    private func pit(
        _ number: UInt64 = 1, radius: Int32 = 200, priority: Int = 100, near: Int = 0,
        messages: [UInt64] = []
    ) -> ConfiguredZone {
        var zone = ConfiguredZone.round(number, radius: radius, kind: .alert, hysteresis: 0)
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

    @Test func `the alarm of an entered zone contains everything a phone needs to ring`() throws {
        var world = World(zones: [pit()])
        _ = world.report(north: 900)
        let outputs = world.report(north: 100)
        #expect(outputs.kinds == [.zoneEntered, .alarmStarted, .deadlineScheduled])
        let change = try #require(outputs.alarms.first)
        #expect(change.person == World.person)
        #expect(change.zone == pit().id)
        #expect(change.zoneName == "Zone 1")
        #expect(change.category == "works")
        #expect(change.priority == 100)
        #expect(change.circle == World.circle)
        #expect(!change.vibrates)
        #expect(change.sound == "horn")
        #expect(change.presence == .inside)
        #expect(change.rings == 1)
        #expect(!change.initial)
        #expect(change.isAudible)
        #expect(change.end == nil)
        #expect(change.fix.time == world.now)
    }

    @Test func `an alarm rings every minute by time until the person leaves`() {
        var world = World(zones: [pit()])
        _ = world.report(north: 900)
        let started = world.report(north: 100)
        let rings = world.wait(seconds: 130)
        #expect(rings.alarms.map(\.rings) == [2, 3])
        #expect(Set(rings.alarms.map(\.alarm)) == Set(started.alarms.map(\.alarm)))
        #expect(Set(rings.map(\.id)).count == rings.count)
        let ended = world.report(north: 900, after: 5, speed: 2)
        #expect(ended.kinds == [.zoneExited, .alarmEnded, .deadlineCancelled])
        #expect(ended.alarms[0].end == .exit)
        #expect(ended.alarms[0].presence == .outside)
        #expect(world.wait(seconds: 600).isEmpty)
    }

    @Test func `a late deadline and an earlier report ring once, identically`() {
        var late = World(zones: [pit()])
        var punctual = World(zones: [pit()])
        for north in [900.0, 100] {
            _ = late.report(north: north)
            _ = punctual.report(north: north)
        }
        #expect(late.wait(seconds: 400, late: 300).alarms.map(\.rings) == [2])
        #expect(punctual.report(north: 100, after: 400).alarms.map(\.rings) == [2])
    }

    @Test func `each fix extends ringing by time for half an hour`() {
        var world = World(zones: [pit().with { $0.alarm.cycleSeconds = 3600 }])
        _ = world.report(north: 900)
        _ = world.report(north: 100)
        // By then nobody is known to be there.
        #expect(world.deadlines.isEmpty)
        for _ in 0..<4 { #expect(world.report(north: 100, after: 600).alarms.isEmpty) }
        #expect(world.deadlines.count == 1)
        #expect(world.wait(seconds: 1200).alarms.map(\.rings) == [2])
    }

    @Test func `after an old first fix ringing starts with the next one`() {
        var world = World(zones: [pit()])
        #expect(world.report(north: 100, age: 1770).kinds.contains(.alarmStarted))
        #expect(world.deadlines.isEmpty)
        #expect(world.report(north: 100, after: 10).alarms.isEmpty)
        #expect(world.wait(seconds: 110).alarms.map(\.rings) == [2, 3])
    }

    @Test func `without fixes ringing stops after half an hour`() {
        var world = World(zones: [pit()])
        _ = world.report(north: 900)
        _ = world.report(north: 100)
        #expect(world.wait(seconds: 7200).alarms.count == 30)
        #expect(world.deadlines.isEmpty)
        #expect(world.report(north: 100).kinds == [.alarmRepeated, .deadlineScheduled])
    }

    @Test func `changes in other zones do not silence an alarm while no fix arrives`() {
        func end(staying seconds: Int) -> [AlarmChange] {
            let day = 3 * 1440
            // Thursday, 2025-10-09, 08:53:20. The zone opens when the last fix is old.
            let opening = pit(2).with {
                $0.schedule = ZoneSchedule(windows: [ZoneWindow(start: day + 566, end: day + 660)])
            }
            let home = ConfiguredZone.round(3).with { $0.dwellSeconds = seconds }
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
            #expect(ended.map(\.isAudible) == [true])
        }
    }

    @Test func `a sleeping alarm ends silently, even by an old fix`() {
        var world = World(zones: [pit()])
        _ = world.report(north: 900)
        _ = world.report(north: 100)
        _ = sleep(nil, &world)
        #expect(world.report(north: 100, after: 2410, age: 1900).alarms.isEmpty)
        let ended = world.report(north: 900, after: 5, age: 1810, speed: 2).alarms
        #expect(ended.map(\.end) == [.exit])
        #expect(ended.map(\.isAudible) == [false])
    }

    @Test func `being near starts the alarm, and entering does not start another`() {
        var world = World(zones: [pit(near: 300)])
        _ = world.report(north: 900)
        let near = world.report(north: 400)
        #expect(near.kinds == [.zoneApproached, .alarmStarted, .deadlineScheduled])
        #expect(near.alarms[0].presence == .near)
        #expect(world.report(north: 100, after: 10).kinds == [.zoneEntered])
        #expect(world.report(north: 400, after: 10, speed: 2).kinds == [.zoneExited])
        #expect(world.report(north: 900, after: 30, speed: 30).alarms.map(\.end) == [.exit])
    }

    @Test func `passing through an alert zone raises no alarm`() {
        var crossed = pit()
        crossed.transitions.append(.cross)
        var world = World(zones: [crossed])
        _ = world.report(north: 900)
        #expect(world.report(north: -900).kinds == [.zoneEntered, .zoneExited])
    }

    @Test func `a person found inside is alarmed with an initial alarm`() {
        var world = World(zones: [pit()])
        let found = world.report(north: 100)
        #expect(found.kinds == [.zonePresenceEstablished, .alarmStarted, .deadlineScheduled])
        #expect(found.alarms[0].initial)
    }

    @Test func `nothing rings while disarmed, and arming finds the person inside`() {
        var world = World(zones: [pit()])
        _ = world.report(north: 100)
        let disarmed = arm(false, &world)
        #expect(disarmed.kinds == [.alarmEnded, .deadlineCancelled])
        #expect(disarmed.alarms[0].end == .disarmed)
        #expect(disarmed.alarms[0].presence == .inside)
        #expect(world.report(north: 900, speed: 2).kinds == [.zoneExited])
        #expect(world.report(north: 100).kinds == [.zoneEntered])
        let armed = arm(true, &world)
        #expect(armed.kinds == [.alarmStarted, .deadlineScheduled])
        #expect(armed.alarms[0].initial)
    }

    @Test func `arming with an old last fix alarms by the next fix`() {
        var world = World(zones: [pit()])
        _ = arm(false, &world)
        _ = world.report(north: 100)
        world.advance(seconds: 1801)
        #expect(arm(true, &world).isEmpty)
        #expect(world.report(north: 100).alarms.map(\.initial) == [true])
    }

    @Test func `zones are added, removed and edited around a person`() {
        var world = World()
        _ = world.report(north: 100)
        #expect(world.configure([pit()]).alarms.map(\.initial) == [true])
        let changed = world.configure([pit(radius: 50)])
        #expect(changed.alarms.map(\.end) == [.zoneChanged])
        #expect(world.configure([pit()]).alarms.count == 1)
        #expect(world.configure([pit(2)]).alarms.map(\.end) == [nil, .removed].reversed())
        #expect(world.configure(circles: []).alarms.map(\.end) == [.removed])
        #expect(world.deadlines.isEmpty)
    }

    @Test func `the alarm of a removed person ends`() {
        var world = World(zones: [pit()])
        _ = world.report(north: 100)
        let removed = world.handle(.inputPersonRemoved(PersonRemoval(person: World.person)))
        #expect(removed.alarms.map(\.end) == [.removed])
        #expect(world.policies.count == 1)
    }

    @Test func `an alarm follows the schedule of its zone`() {
        var zone = pit()
        // Thursday, 2025-10-09, 08:53:20.
        let day = 3 * 1440
        zone.clock = ZoneClock(timeZone: "UTC")
        zone.schedule = ZoneSchedule(windows: [ZoneWindow(start: day + 540, end: day + 600)])
        var world = World(zones: [zone])
        #expect(world.report(north: 100).alarms.isEmpty)
        let opened = world.wait(seconds: 600)
        #expect(opened.kinds.first == .zonePresenceEstablished)
        #expect(opened.alarms.map(\.initial) == [true, false, false, false, false])
        for _ in 0..<6 { _ = world.report(north: 100, after: 600) }
        #expect(world.wait(seconds: 0).isEmpty)
        #expect(arm(true, &world).isEmpty)
    }

    @Test func `the most urgent alarm is audible, and sleep passes that on`() {
        var world = World(zones: [pit(1, priority: 5), pit(2, priority: 9)])
        let both = world.report(north: 100)
        #expect(both.alarms.map(\.isAudible) == [true, false])
        #expect(both.alarms.map(\.rings) == [1, 0])
        let handed = sleep(pit(1).id, &world)
        #expect(handed.alarms.map(\.zone) == [pit(2).id])
        #expect(sleep(nil, &world).kinds == [.deadlineCancelled])
        #expect(world.wait(seconds: 599).isEmpty)
        #expect(world.report(north: 100, after: 1).alarms.map(\.zone) == [pit(1).id])
    }

    @Test func `zones triggered together report their messages in one event`() {
        var home = ConfiguredZone.round(3, hysteresis: 0)
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

    @Test func `a safe zone sends messages only for its configured transitions`() {
        func expired(_ transitions: [Transition]) -> [[Transition]] {
            var home = ConfiguredZone.round(1, hysteresis: 0)
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
        #expect(expired([.enter]) == [[.enter]])
        #expect(expired([.exit]) == [[.exit]])
        #expect(expired([.approach, .dwell]) == [[.approach], [.dwell]])
        #expect(expired([.enter, .exit]) == [[.enter], [.exit]])
        #expect(expired([]).isEmpty)
    }

    @Test func `changes by time have other ids than changes by the record after them`() {
        var opening = pit(1, messages: [4])
        // Thursday, 2025-10-09, 08:53:20.
        opening.schedule = ZoneSchedule(windows: [ZoneWindow(start: 4860, end: 4920)])
        var world = World(zones: [opening])
        _ = world.report(north: 0)
        // It is open before its deadline has arrived.
        world.advance(seconds: 500)
        let outputs = world.configure([opening, pit(2, messages: [5])])
        #expect(outputs.due.map { $0.messages.map(\.raw.low) } == [[4], [5]])
        #expect(Set(outputs.map(\.id)).count == outputs.count)
    }

    @Test func `an initial alarm sends messages, an initial presence in a safe zone does not`() {
        var home = ConfiguredZone.round(3)
        home.messages = [MessageID(ID128(high: 6, low: 2))]
        var world = World(zones: [home])
        #expect(world.report(north: 0).due.isEmpty)
        world = World(zones: [pit(messages: [1])])
        #expect(world.report(north: 0).due.count == 1)
        _ = arm(false, &world)
        _ = world.report(north: 900)
        #expect(world.report(north: 0).due.isEmpty)
    }

    @Test func `reporting policies follow fixes, zones, emergencies and the primary device`() {
        var world = World(zones: [.round()])
        _ = world.report(north: 20_000, speed: 1)
        #expect(world.policies.map(\.mode) == [.region])
        _ = world.report(north: 1000, after: 3600)
        #expect(world.policies.last?.mode == .significant)
        let signal = EmergencySignal(
            id: EmergencyID(ID128(high: 5, low: 1)), person: World.person, trigger: .panic,
            raised: world.now, received: world.now, countdownEnds: world.now, fix: nil)
        _ = world.handle(.inputSignal(signal))
        #expect(world.policies.last?.mode == .event)
        _ = world.handle(
            .inputResolution(
                EmergencyAnswer(
                    emergency: signal.id, person: World.person, by: nil, at: world.now)))
        #expect(world.policies.last?.mode == .significant)
        _ = world.configure([.round(radius: 980)])
        #expect(world.policies.last?.mode == .standard)
        _ = world.configure(primary: World.tablet)
        #expect(world.policies.last?.device == World.tablet)
        #expect(world.policies.count == 6)
        // A zone that does not apply to the person is not near.
        _ = world.configure(primary: World.tablet, optOuts: [ConfiguredZone.round().id])
        #expect(world.policies.last?.mode == .region)
    }
}

extension [Event] {
    fileprivate var alarms: [AlarmChange] {
        compactMap { event in
            switch event.body {
            case .alarmStarted(let change), .alarmRepeated(let change), .alarmEnded(let change):
                change
            default: nil
            }
        }
    }

    fileprivate var due: [DueMessages] {
        compactMap { if case .messagesDue(let due) = $0.body { due } else { nil } }
    }
}

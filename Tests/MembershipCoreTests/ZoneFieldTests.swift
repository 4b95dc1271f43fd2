import Directory
import MembershipCore
import Model
import Testing

/// Fields that need one another, whatever order they come in.
@Suite struct ZoneFieldTests {
    private let scene = Scene(circle: true)
    private let family = ZoneOwner.circle(circle(1))

    private func patch(_ change: (inout ZonePatch) -> Void) -> ZonePatch {
        var patch = zonePatch("School")
        change(&patch)
        return patch
    }

    private func create(_ change: (inout ZonePatch) -> Void) -> Answer {
        scene.ask(anna, .createZone(family, zone(1), patch(change)))
    }

    private func update(_ change: (inout ZonePatch) -> Void) -> Answer {
        var patch = ZonePatch()
        change(&patch)
        return scene.ask(anna, .updateZone(family, zone(1), patch))
    }

    @Test func `what is told needs its measure`() {
        for (transition, word) in [
            (Transition.approach, "alertDistance"), (.dwell, "dwell"), (.absent, "absentBy"),
        ] {
            let refusal = create { $0.transitions = [.enter, transition] }.refusal
            #expect(refusal?.reason == .invalid)
            #expect(refusal?.field == "properties.transitions[1]")
            #expect(refusal?.hint?.contains(word) == true)
        }
        let zone = create {
            $0.transitions = [.approach, .dwell, .absent, .cross]
            $0.alertDistanceMetres = 200
            $0.dwellSeconds = 600
            $0.absentByMinute = 480
            $0.clock = ZoneClock(timeZone: "UTC")
        }.zone
        #expect(zone?.transitions == [.approach, .dwell, .absent, .cross])
    }

    @Test func `a measure brings its transition along, and takes it away again`() {
        #expect(create { $0.dwellSeconds = 600 }.zone?.transitions == [.enter, .exit, .dwell])
        let near = update {
            $0.alertDistanceMetres = 100
            $0.absentByMinute = 480
            $0.clock = ZoneClock(timeZone: "UTC")
        }.zone
        #expect(near?.transitions == [.enter, .exit, .dwell, .approach, .absent])
        let less = update {
            $0.dwellSeconds = 0
            $0.absentByMinute = .some(nil)
        }.zone
        #expect(less?.transitions == [.enter, .exit, .approach])
        #expect(less?.clock == nil)
        #expect(update { $0.transitions = [.exit] }.zone?.alertDistanceMetres == 100)
    }

    @Test func `a clock is there exactly when something goes by it`() {
        #expect(create { $0.absentByMinute = 480 }.refusal?.field == "properties.timeZone")
        let schedule = ZoneSchedule(windows: [ZoneWindow(start: 0, end: 60)])
        #expect(
            create { $0.schedule = schedule }.refusal?.field == "properties.schedule.timeZone")
        let clock = ZoneClock(timeZone: "UTC")
        #expect(create { $0.clock = clock }.refusal?.field == "properties.timeZone")
        let zone = create {
            $0.schedule = schedule
            $0.clock = clock
        }.zone
        #expect(zone?.clock == clock)
        // Another schedule goes by the clock that is there.
        let later = ZoneSchedule(windows: [ZoneWindow(start: 60, end: 120)])
        #expect(update { $0.schedule = later }.zone?.clock == clock)
        let always = update { $0.schedule = .some(nil) }.zone
        #expect(always?.schedule == nil)
        #expect(always?.clock == nil)
    }

    @Test func `only members are told, and one who was may stay`() {
        let refusal = create {
            $0.audience = ZoneAudience(roles: [], people: [person(3), person(9)])
        }.refusal
        #expect(refusal?.field == "properties.audience.people[1]")
        let both = ZoneAudience(roles: [.admin], people: [person(2), person(3)])
        #expect(create { $0.audience = both }.zone?.audience == both)
        scene.ask(citra, .removeMember(circle(1), person(3)))
        #expect(update { $0.priority = 5 }.zone?.priority == 5)
        #expect(update { $0.audience = both }.zone?.audience == both)
        let only = ZoneAudience(roles: [], people: [person(3)])
        #expect(update { $0.audience = only }.zone?.audience == only)
        #expect(update { $0.audience = .some(nil) }.zone?.audience == nil)
    }

    @Test func `many zones are created together or not at all`() {
        let good = (1...3).map { NewZone(id: zone($0), patch: zonePatch("Z\($0)")) }
        var bad = good
        bad[2].patch.transitions = [.dwell]
        let refusal = scene.ask(anna, .createZones(family, bad)).refusal
        #expect(refusal?.item == 2)
        #expect(refusal?.field == "properties.transitions[0]")
        bad[1].patch.drawing = nil
        #expect(scene.ask(anna, .createZones(family, bad)).refusal?.item == 1)
        #expect(scene.core.directory.zones(of: family).isEmpty)
        guard case .zones(let zones) = scene.ask(anna, .createZones(family, good)) else {
            Issue.record("no zones")
            return
        }
        #expect(zones.map(\.name) == ["Z1", "Z2", "Z3"])
        #expect(scene.core.directory.zones(of: family) == zones)
        #expect(scene.published.count == 3)
        let more = (4...60).map { NewZone(id: zone($0), patch: zonePatch("Z\($0)")) }
        let full = scene.ask(anna, .createZones(family, more)).refusal
        #expect(full?.reason == .conflict)
        #expect(full?.detail.contains("50 zones of a circle") == true)
    }

    @Test func `long schedules and names fill a circle's record before it is too long`() {
        let windows = (0..<Limits.scheduleWindowsMax).map {
            ZoneWindow(start: $0 * 100, end: $0 * 100 + 50)
        }
        let long = zonePatch(String(repeating: "😀", count: Limits.nameCharactersMax)) {
            $0.schedule = ZoneSchedule(
                windows: windows, exceptions: Array(0..<Int32(Limits.scheduleExceptionsMax)))
            $0.clock = ZoneClock(
                timeZone: "Europe/Berlin",
                offsets: (0..<28).map { ZoneOffset(at: $0 * 15_000_000, offset: 3600) })
        }
        let zones = (1...400).map { NewZone(id: zone($0), patch: long) }
        let refusal = scene.ask(.operator, .createZones(family, zones)).refusal
        #expect(refusal?.reason == .conflict)
        #expect(refusal?.detail.contains("KiB") == true)
        #expect(refusal?.item ?? 0 > 150)
    }

    @Test func `other offsets of a time zone go into the zones that use it`() {
        _ = create {
            $0.absentByMinute = 480
            $0.clock = ZoneClock(timeZone: "Europe/Berlin", firstOffset: 3600)
        }
        scene.ask(anna, .createZone(family, zone(2), zonePatch("Home")))
        let new = ZoneClock(timeZone: "Europe/Berlin", firstOffset: 7200)
        func renew() -> [EventBody] {
            var effects: [Effect] = []
            let others = ZoneClock(timeZone: "Asia/Tokyo", firstOffset: 32_400)
            scene.core.handle(.clocks([others, new]), at: scene.now, into: &effects)
            return effects.compactMap { if case .record(let body) = $0 { body } else { nil } }
        }
        let events = renew()
        guard events.count == 1, case .zoneChanged(let zone) = events[0] else {
            Issue.record("one zone is prepared anew: \(events)")
            return
        }
        #expect(zone.clock == new)
        #expect(zone.version == 2)
        #expect(renew().isEmpty)
    }
}

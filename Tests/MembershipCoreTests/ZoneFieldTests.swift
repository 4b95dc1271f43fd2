import Directory
import MembershipCore
import Model
import Testing
import ZoneFiles

/// Fields that depend on each other, in any order.
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

    @Test func `a transition requires its measure`() {
        for (transition, word) in [
            (Transition.approach, "alertDistance"), (.dwell, "dwell"), (.absent, "absentBy"),
        ] {
            let rejection = create { $0.transitions = [.enter, transition] }.rejection
            #expect(rejection?.reason == .invalid)
            #expect(rejection?.field == "properties.transitions[1]")
            #expect(rejection?.hint?.contains(word) == true)
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

    @Test func `setting a measure adds its transition, and removing it removes the transition`() {
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

    @Test func `a zone has a clock exactly if a schedule or absentBy needs it`() {
        #expect(create { $0.absentByMinute = 480 }.rejection?.field == "properties.timeZone")
        let schedule = ZoneSchedule(windows: [ZoneWindow(start: 0, end: 60)])
        #expect(
            create { $0.schedule = schedule }.rejection?.field == "properties.schedule.timeZone")
        let clock = ZoneClock(timeZone: "UTC")
        #expect(create { $0.clock = clock }.rejection?.field == "properties.timeZone")
        let zone = create {
            $0.schedule = schedule
            $0.clock = clock
        }.zone
        #expect(zone?.clock == clock)
        // A new schedule uses the existing clock.
        let later = ZoneSchedule(windows: [ZoneWindow(start: 60, end: 120)])
        #expect(update { $0.schedule = later }.zone?.clock == clock)
        let always = update { $0.schedule = .some(nil) }.zone
        #expect(always?.schedule == nil)
        #expect(always?.clock == nil)
    }

    @Test func `an audience has members only, and former members may stay`() {
        let rejection = create {
            $0.audience = ZoneAudience(roles: [], people: [person(3), person(9)])
        }.rejection
        #expect(rejection?.field == "properties.audience.people[1]")
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
        let rejection = scene.ask(anna, .createZones(family, bad)).rejection
        #expect(rejection?.item == 2)
        #expect(rejection?.field == "properties.transitions[0]")
        bad[1].patch.drawing = nil
        #expect(scene.ask(anna, .createZones(family, bad)).rejection?.item == 1)
        #expect(scene.core.directory.zones(of: family).isEmpty)
        guard case .zones(let zones) = scene.ask(anna, .createZones(family, good)) else {
            Issue.record("no zones")
            return
        }
        #expect(zones.map(\.name) == ["Z1", "Z2", "Z3"])
        #expect(scene.core.directory.zones(of: family) == zones)
        #expect(scene.published.count == 3)
        let more = (4...60).map { NewZone(id: zone($0), patch: zonePatch("Z\($0)")) }
        let full = scene.ask(anna, .createZones(family, more)).rejection
        #expect(full?.reason == .conflict)
        #expect(full?.detail.contains("50 zones of a circle") == true)
    }

    @Test func `long schedules and names are rejected before a circle's record is too large`() {
        let windows = (0..<ZoneLimits.scheduleWindowsMax).map {
            ZoneWindow(start: $0 * 100, end: $0 * 100 + 50)
        }
        let long = zonePatch(String(repeating: "😀", count: Limits.nameCharactersMax)) {
            $0.schedule = ZoneSchedule(
                windows: windows, exceptions: Array(0..<Int32(ZoneLimits.scheduleExceptionsMax)))
            $0.clock = ZoneClock(
                timeZone: "Europe/Berlin",
                offsets: (0..<28).map { ZoneOffset(at: $0 * 15_000_000, offset: 3600) })
        }
        let zones = (1...400).map { NewZone(id: zone($0), patch: long) }
        let rejection = scene.ask(.operator, .createZones(family, zones)).rejection
        #expect(rejection?.reason == .conflict)
        #expect(rejection?.detail.contains("KiB") == true)
        #expect(rejection?.item ?? 0 > 150)
    }

    @Test func `changed offsets of a time zone update the zones that use it`() {
        _ = create {
            $0.absentByMinute = 480
            $0.clock = ZoneClock(timeZone: "Europe/Berlin", firstOffset: 3600)
        }
        scene.ask(anna, .createZone(family, zone(2), zonePatch("Home")))
        let new = ZoneClock(timeZone: "Europe/Berlin", firstOffset: 7200)
        func renew() -> [EventBody] {
            var effects: [Effect] = []
            let others = ZoneClock(timeZone: "Asia/Tokyo", firstOffset: 32_400)
            scene.core.handle(.zoneClocks([others, new]), at: scene.now, into: &effects)
            return effects.compactMap { if case .record(let body) = $0 { body } else { nil } }
        }
        let events = renew()
        guard events.count == 1, case .zoneChanged(let zone) = events[0] else {
            Issue.record("one zone is prepared again: \(events)")
            return
        }
        #expect(zone.clock == new)
        #expect(zone.version == 2)
        #expect(renew().isEmpty)
    }
}

import Model
import Testing

@testable import EvaluatorCore

/// Alert zones that raise an emergency.
@Suite struct ZoneEmergencyTests {
    private let quarry = AlarmZone.alarming(1, raising: true)

    @Test func `one is raised once per stay, when the person is inside`() {
        var stage = AlarmStage()
        #expect(stage.report(in: [], near: [quarry]).marbles == "S1", "near is only an alarm")
        #expect(stage.report(in: [quarry]).marbles == "H1")
        #expect(stage.report(in: [quarry]).isEmpty)
        #expect(stage.report(in: []).marbles == "E1")
        #expect(stage.report(in: [quarry]).marbles == "S1 H1", "another stay")
        #expect(AlarmStage.plain(in: .alarming(1)) == "S1", "other zones raise none")
    }

    @Test func `none is raised while the alarms are disarmed, one when they are armed inside`() {
        var stage = AlarmStage()
        _ = stage.arm(false)
        #expect(stage.report(in: [quarry]).isEmpty)
        #expect(stage.arm(true).marbles == "!1 H1")
    }

    private func inside(_ outputs: [Event]) -> [EmergencyChange] {
        outputs.compactMap {
            switch $0.body {
            case .emergencyCountdown(let change), .emergencyOpened(let change),
                .emergencyJoined(let change):
                change
            default: nil
            }
        }
    }

    private let zone = ConfiguredZone.round(kind: .alert)
        .with { $0.alarm.raisesEmergency = true }

    @Test func `it counts down for a minute, then opens`() throws {
        var world = World(zones: [zone])
        _ = world.report(north: 2000)
        let countdown = try #require(inside(world.report(north: 0)).first)
        #expect(countdown.state == .countdown && countdown.trigger == .zone)
        #expect(countdown.countdownEnds == world.now + .seconds(60))
        #expect(inside(world.wait(seconds: 59)).isEmpty)
        let opened = try #require(inside(world.wait(seconds: 1)).first)
        #expect(opened.state == .open && opened.emergency == countdown.emergency)
    }

    @Test func `coming back from beside the zone raises another one, unless one is open`() throws {
        var world = World(zones: [zone.with { $0.alertDistanceMetres = 1000 }])
        _ = world.report(north: 2000)
        let first = try #require(inside(world.report(north: 0)).first)
        _ = world.wait(seconds: 60)
        #expect(inside(world.report(north: 600)).isEmpty, "near")
        #expect(inside(world.report(north: 0)).isEmpty, "one is open")
        _ = world.report(north: 600)
        let end = EmergencyAnswer(
            emergency: first.emergency, person: World.person,
            by: PersonID(ID128(high: 2, low: 2)), at: world.now, note: nil)
        _ = world.handle(.inputResolution(end))
        let second = try #require(inside(world.report(north: 0)).first)
        #expect(second.emergency != first.emergency && second.state == .countdown)
    }

    @Test func `it survives a change of the evaluator, and is not raised twice`() throws {
        let configuration: [EventBody] = [
            .inputCircle(ConfiguredCircle(circle: World.circle, zones: [zone])),
            .inputPerson(
                ConfiguredPerson(
                    person: World.person, primaryDevice: nil, circles: [World.circle], zones: [])),
        ]
        var world = World(zones: [zone])
        _ = world.report(north: 2000)
        #expect(inside(world.report(north: 0)).count == 1)
        try world.restore(configuration)
        #expect(inside(world.report(north: 5, after: 20)).isEmpty)
        #expect(inside(world.wait(seconds: 40)).map(\.state) == [.open])
    }
}

extension AlarmStage {
    fileprivate static func plain(in zone: AlarmZone) -> String {
        var stage = AlarmStage()
        return stage.report(in: [zone]).marbles
    }
}

import Model
import NotifierCore
import Testing

/// Positions that ingest publishes while an emergency is open.
@Suite struct `Positions of followed people` {
    private func fix(_ seconds: Int64) -> Fix { Town.fix(at: World.start + .seconds(seconds)) }

    private func position(
        _ fixes: [Fix], battery: UInt8? = 40
    ) -> FollowedPosition {
        FollowedPosition(
            person: Town.aisha.id, emergency: Town.emergency(1), fixes: fixes, battery: battery,
            charging: false, impairments: [.powerSave])
    }

    private func signal(raised: Timestamp = World.start) -> EmergencySignal {
        EmergencySignal(
            id: Town.emergency(1), person: Town.aisha.id, trigger: .watchExpired, raised: raised,
            received: raised, countdownEnds: raised)
    }

    @Test func `the trail is stored, battery and impairments with its newest fix`() {
        var world = World()
        world.receive(.sosPosition(position([fix(-20), fix(-10), fix(0)])))
        #expect(world.followedPositions.map(\.fix) == [fix(-20), fix(-10), fix(0)])
        #expect(world.followedPositions.map(\.battery) == [nil, nil, 40])
        #expect(world.followedPositions.map(\.impairments) == [nil, nil, [.powerSave]])
    }

    /// No evaluator runs: the notifier opens the emergency and gets newer positions from ingest.
    @Test func `a fallback of an expired watch shows the newest position in later messages`() {
        var world = World()
        world.receive(.watchExpired(signal()))
        world.receive(.sosPosition(position([fix(-600), fix(-300)])))
        world.pass(.seconds(10))
        world.receive(.sosPosition(position([fix(9)], battery: 8)))
        #expect(world.emergency(Town.emergency(1))?.isFallback == true)
        #expect(world.emergency(Town.emergency(1))?.fix == fix(9))
        #expect(world.emergency(Town.emergency(1))?.battery == 8)
        world.receive(.sosPosition(position([fix(3)])))
        #expect(world.emergency(Town.emergency(1))?.fix == fix(9), "an older one changes nothing")
    }

    @Test func `an ended emergency keeps its position`() {
        var world = World()
        world.receive(.watchExpired(signal()))
        world.pass(.seconds(10))
        world.receive(.sosPosition(position([fix(9)])))
        world.handle(
            .resolve(
                Command(
                    request: 1, emergency: Town.emergency(1), principal: .operator)))
        world.receive(.sosPosition(position([fix(60)])))
        #expect(world.emergency(Town.emergency(1))?.fix == fix(9))
    }

    @Test func `how a device reports is stored until the device is removed`() {
        var world = World()
        let device = DeviceID(ID128(high: 2, low: 1))
        let reporting = DeviceReporting(
            person: Town.aisha.id, device: device, isFirst: true, app: "owntracks",
            lastReport: World.start, impairments: [])
        world.receive(.deviceReporting(reporting))
        #expect(world.reporting == [device: reporting])
        world.change(.deviceRemoved(DeviceRemoval(device: device)))
        #expect(world.reporting.isEmpty)
    }
}

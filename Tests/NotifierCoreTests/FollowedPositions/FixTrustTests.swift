import Model
import NotifierCore
import Testing

/// Positions that contradict those before them.
@Suite struct `Suspect positions` {
    /// - Parameter north: metres
    private func fix(_ seconds: Int64, north: Double, speed: Int32? = nil) -> Fix {
        Fix(
            time: World.start + .seconds(seconds),
            position: Coordinate(latitude: 3.139 + north / 110_570, longitude: 101.6869)!,
            accuracyCentimetres: 1000, speedCentimetresPerSecond: speed)
    }

    private func marks(_ fixes: [Fix]) -> [Bool] { FixTrust.mark(fixes).map(\.isSuspect) }

    @Test func `a spike is suspect, those around it are not`() {
        #expect(
            marks([fix(0, north: 0), fix(10, north: 50_000), fix(20, north: 20)])
                == [false, true, false])
    }

    @Test func `a spike stays one if the next fix could come from it, but need not`() {
        #expect(
            marks([fix(0, north: 0), fix(1, north: 1000), fix(30, north: 40)])
                == [false, true, false])
    }

    @Test func `a jump that the next fix confirms is none`() {
        #expect(
            marks([fix(0, north: 0), fix(10, north: 50_000), fix(20, north: 50_020)])
                == [false, false, false])
    }

    @Test func `a train and an aeroplane that says its speed are none`() {
        #expect(marks([fix(0, north: 0), fix(10, north: 690)]) == [false, false])
        #expect(
            marks([fix(0, north: 0, speed: 25_000), fix(10, north: 2500, speed: 25_000)])
                == [false, false])
        #expect(marks([fix(0, north: 0), fix(10, north: 2500)]) == [false, true])
    }

    private func position(_ fixes: [Fix]) -> FollowedPosition {
        FollowedPosition(
            person: Town.aisha.id, emergency: Town.emergency(1), fixes: fixes, battery: 30)
    }

    private func lastText(_ world: World) -> String {
        world.sent.last { $0.address == "+60111000003" || $0.address == "+60111000002" }?.text ?? ""
    }

    @Test func `texts mark a suspect position until another one agrees`() {
        var world = World()
        var change = Town.change()
        change.fix = fix(0, north: 0)
        world.receive(.emergencyOpened(change))
        #expect(!lastText(world).contains("doubtful"))
        world.receive(.sosPosition(position([fix(5, north: 50_000)])))
        #expect(world.emergency(Town.emergency(1))?.isSuspect == true)
        world.pass(.seconds(130))
        #expect(lastText(world).contains("Position doubtful"))
        world.receive(.sosPosition(position([fix(130, north: 40)])))
        #expect(world.emergency(Town.emergency(1))?.isSuspect == nil)
    }

    @Test func `what an evaluator found suspect is marked`() {
        var world = World()
        var change = Town.change()
        change.suspect = true
        world.receive(.emergencyOpened(change))
        #expect(lastText(world).contains("Position doubtful"))
        let positions = PersonPositions(
            of: world.emergency(Town.emergency(1))!, stored: [])
        #expect(positions.newest?.isSuspect == true)
    }

    @Test func `the trail at the opening tells whether the position is one`() {
        var world = World()
        var change = Town.change()
        change.fix = fix(0, north: 50_000)
        world.receive(.emergencyOpened(change))
        world.receive(
            .sosPosition(
                position([fix(-40, north: 0), fix(-20, north: 10), fix(0, north: 50_000)])))
        #expect(world.emergency(Town.emergency(1))?.isSuspect == true)
    }
}

import EvaluatorCore
import Model
import Testing

@Suite struct CanaryTests {
    @Test func `a canary is given up and leaves nothing behind`() throws {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        let nobody = PersonID(ID128(high: 0, low: 7))
        let canary = WantedClock(
            id: ClockID(ID128(high: 6, low: 1)), rule: .canary, person: nobody, due: world.now)
        let before = world.state.encodedState()
        let answer = world.handle(.inputClock(FiredClock(clock: canary, fired: world.now)))
        #expect(answer.map(\.body) == [.clockUnwanted(canary)])
        #expect(world.state.encodedState() == before)
        #expect(world.state.peopleCount == 1)
    }
}

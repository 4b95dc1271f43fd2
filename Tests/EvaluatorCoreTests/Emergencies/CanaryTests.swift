import EvaluatorCore
import Model
import Testing

@Suite struct CanaryTests {
    @Test func `a canary is cancelled and leaves no state`() throws {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        let nobody = PersonID(ID128(high: 0, low: 7))
        let canary = Deadline(
            id: DeadlineID(ID128(high: 6, low: 1)), kind: .canary, person: nobody, due: world.now)
        let before = world.state.encodedState()
        let answer = world.handle(
            .inputDeadline(ExpiredDeadline(deadline: canary, expired: world.now)))
        #expect(answer.map(\.body) == [.deadlineCancelled(canary)])
        #expect(world.state.encodedState() == before)
        #expect(world.state.peopleCount == 1)
    }
}

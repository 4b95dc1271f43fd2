import Model
import Testing
import Web

@testable import MembershipDaemon

@Suite struct `A response that waits for ingest` {
    private func awaiting(_ sequences: UInt64...) -> AwaitedAnswers {
        var awaited = AwaitedAnswers()
        for sequence in sequences {
            awaited.append(
                AwaitedAnswers.Awaited(
                    request: sequence, sequence: sequence, deadline: Timestamp(seconds: 2),
                    response: { Response.text($0 ? "active" : "not yet") }))
        }
        return awaited
    }

    @Test func `is sent when ingest has acknowledged the change, or at its deadline`() {
        var awaited = awaiting(1, 2)
        let first = awaited.ready(at: .zero, acknowledged: 1)
        #expect(first.map(\.0.request) == [1] && first.allSatisfy(\.isActive))
        awaited.committed()
        #expect(awaited.ready(at: Timestamp(seconds: 1), acknowledged: 1).isEmpty)
        awaited.committed()
        let second = awaited.ready(at: Timestamp(seconds: 2), acknowledged: 1)
        #expect(second.map(\.0.request) == [2] && !second.contains(where: \.isActive))
        awaited.committed()
        #expect(awaited.requests.isEmpty && awaited.deadline == nil)
    }

    @Test func `waits again when its turn is rolled back`() {
        var awaited = awaiting(1, 2)
        _ = awaited.ready(at: .zero, acknowledged: 1)
        awaited.rolledBack(to: 1)
        #expect(awaited.requests == [1], "the change of the second went with the turn")
        awaited.committed()
        #expect(awaited.ready(at: .zero, acknowledged: 1).map(\.0.request) == [1])
    }
}

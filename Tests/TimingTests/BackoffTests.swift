import Model
import TestSupport
import Testing
import Timing

@Suite struct `A backoff` {
    private let backoff = Backoff(first: .seconds(2), longest: .seconds(60))

    @Test func `doubles up to its limit`() {
        let longest = [1, 2, 3, 4, 5, 6, 7, 100, .max].map {
            backoff.delay(after: $0, jitter: .max).microseconds
        }
        #expect(
            zip(longest, [2, 4, 8, 16, 32, 60, 60, 60, 60]).allSatisfy {
                $0 == Int64($1) * 1_000_000 - 1
            })
    }

    @Test func `spreads over the second half of the delay`() {
        var chance = SeededGenerator(seed: 7)
        let waits = (0..<1000).map { _ in backoff.delay(after: 2, jitter: chance.next()) }
        #expect(waits.allSatisfy { $0 >= .seconds(2) && $0 < .seconds(4) })
        #expect(Set(waits).count > 900)
        #expect(backoff.delay(after: 2, jitter: 0) == .seconds(2))
        #expect(backoff.delay(after: 0, jitter: 5) == backoff.delay(after: 1, jitter: 5))
    }

    @Test func `stays at a limit that is reached at once`() {
        let steady = Backoff(first: .seconds(5), longest: .seconds(5))
        #expect(steady.delay(after: 9, jitter: 0) == .milliseconds(2500))
    }
}

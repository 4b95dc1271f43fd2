import Model
import Parsing
import Testing

@testable import JagaCLI

@Suite struct `A tail with --pii` {
    private struct Refused: Error {}

    /// Recorded accesses, in order.
    private final class Log {
        var people: [Set<PersonID>] = []
        var isAway = false
        var now = Timestamp(seconds: 3600 * 500_000)
    }

    private let anna = PersonID(ID128(high: 1, low: 1))
    private let ben = PersonID(ID128(high: 1, low: 2))
    private let where1: JSON = ["data": ["fix": ["lat": 1.5, "lon": 2.5]]]

    private func session(_ log: Log) -> AccessSession {
        AccessSession(
            now: { log.now },
            record: { people in
                if log.isAway { throw Refused() }
                log.people.append(people)
            })
    }

    @Test func `records an access once per person and hour, before a position is shown`() {
        let log = Log()
        let session = session(log)
        for _ in 0..<3 {
            #expect(session.mayShow(where1, about: anna))
            #expect(session.mayShow(where1, about: ben))
        }
        #expect(log.people == [[anna], [ben]])
        log.now = log.now + .seconds(3600)
        #expect(session.mayShow(where1, about: anna))
        #expect(log.people == [[anna], [ben], [anna]])
    }

    @Test func `records nothing for events without positions`() {
        let log = Log()
        let session = session(log)
        #expect(session.mayShow(["data": ["state": "open"]], about: anna))
        #expect(log.people.isEmpty)
    }

    @Test func `masks positions while the access cannot be recorded`() {
        let log = Log()
        let session = session(log)
        log.isAway = true
        #expect(!session.mayShow(where1, about: anna))
        #expect(session.mayShow(["data": ["state": "open"]], about: anna))
        log.isAway = false
        #expect(session.mayShow(where1, about: anna))
    }
}

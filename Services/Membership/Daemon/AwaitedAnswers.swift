import Hosting
import Model
import Web

/// Responses with a new credential, delayed until phones can use it: until ingest has acknowledged
/// the directory up to the change, or until ``patience`` has passed.
struct AwaitedAnswers {
    static let patience: Duration = .seconds(2)

    struct Awaited {
        var request: UInt64
        /// Sequence of the change's last record in the directory stream.
        var sequence: UInt64
        var deadline: Timestamp
        /// Renders the response, given whether ingest already accepts the credential.
        var response: (_ isActive: Bool) -> Response
        var key: IdempotencyStore.Key?
    }

    /// In order of arrival, so deadlines ascend.
    private var waiting: [Awaited] = []
    /// How many of the first were answered in this turn, which may be rolled back.
    private var answered = 0

    var count: Int { waiting.count }

    /// Deadline of the oldest response.
    var deadline: Timestamp? { waiting.first?.deadline }

    mutating func append(_ awaited: Awaited) { waiting.append(awaited) }

    /// Requests that wait for their response.
    var requests: Set<UInt64> { Set(waiting.map(\.request)) }

    /// Restores responses of the rolled-back turn, and removes those whose change was rolled back.
    ///
    /// - Parameter end: the last sequence of the directory that is committed
    mutating func rolledBack(to end: UInt64) {
        answered = 0
        waiting.removeAll { $0.sequence > end }
    }

    /// Returns the responses that are due. They are removed when the turn is committed.
    ///
    /// - Parameter acknowledged: the sequence up to which ingest knows the directory
    mutating func ready(at now: Timestamp, acknowledged: UInt64) -> [(Awaited, isActive: Bool)] {
        answered = waiting.prefix { $0.sequence <= acknowledged || $0.deadline <= now }.count
        return waiting.prefix(answered).map { ($0, isActive: $0.sequence <= acknowledged) }
    }

    /// Removes the responses of the committed turn.
    mutating func committed() {
        waiting.removeFirst(answered)
        answered = 0
    }
}

import Model
import Web

/// Responses of committed turns that leave at a fixed time after their turn.
///
/// A PIN and a duress PIN lead to different work. The time of a response must not show which
/// of the two was entered.
struct DelayedResponses {
    private var waiting: [(due: Timestamp, id: UInt64, response: Response)] = []

    /// Adds a response. Those of one delay come in the order of their due times.
    mutating func add(_ response: Response, to id: UInt64, due: Timestamp) {
        let index = waiting.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
        waiting.insert((due, id, response), at: index)
    }

    /// Removes and returns the responses that are due.
    mutating func popDue(at now: Timestamp) -> [(id: UInt64, response: Response)] {
        let due = waiting.prefix { $0.due <= now }
        waiting.removeFirst(due.count)
        return due.map { ($0.id, $0.response) }
    }

    /// Removes and returns all responses, at the end of the process.
    mutating func popAll() -> [(id: UInt64, response: Response)] { popDue(at: .distantFuture) }

    /// When the next response is due; nil = none waits.
    var nextDue: Timestamp? { waiting.first?.due }
}

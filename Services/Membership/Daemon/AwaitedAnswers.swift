import Hosting
import Model
import Web

/// Answers that show a new credential and wait until phones can use it: until ingest has said that
/// it knows the directory up to there, or a while has passed.
struct AwaitedAnswers {
    static let patience: Duration = .seconds(2)

    struct Awaited {
        var request: UInt64
        /// Number in the directory stream of the last record of the change.
        var sequence: UInt64
        var deadline: Timestamp
        /// The answer, told whether the credential is known where phones report.
        var response: (_ isActive: Bool) -> Response
        var key: KeptAnswers.Key?
    }

    /// In the order in which they came, so deadlines ascend.
    private var waiting: [Awaited] = []
    /// The first so many are answered in this turn, which may be taken back.
    private var answered = 0

    var count: Int { waiting.count }

    /// When the first one has waited long enough.
    var deadline: Timestamp? { waiting.first?.deadline }

    mutating func append(_ awaited: Awaited) { waiting.append(awaited) }

    /// Whose requests wait.
    var requests: Set<UInt64> { Set(waiting.map(\.request)) }

    /// The turn was taken back: those that it answered wait again, and those whose change went with
    /// it are forgotten; what lasts of the directory ends before them.
    mutating func rolledBack(to end: UInt64) {
        answered = 0
        waiting.removeAll { $0.sequence > end }
    }

    /// Those that need wait no longer; they go when the turn is committed.
    ///
    /// - Parameter heard: how far ingest knows the directory
    mutating func ready(at now: Timestamp, heard: UInt64) -> [(Awaited, isActive: Bool)] {
        answered = waiting.prefix { $0.sequence <= heard || $0.deadline <= now }.count
        return waiting.prefix(answered).map { ($0, isActive: $0.sequence <= heard) }
    }

    /// What was answered is on its way.
    mutating func committed() {
        waiting.removeFirst(answered)
        answered = 0
    }
}

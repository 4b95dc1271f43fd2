import Hosting
import Model
import Runtime

/// Writes erased people to a list outside of the store, so that restoring an older store does not
/// bring them back.
struct Erasures {
    private let list: ErasedList
    /// People removed in the current turn, or not written to the list yet.
    private var pending: [PersonID] = []
    /// Whether the last write failed; a failure is logged once.
    private var hasFailed = false

    /// - Parameter home: the suite's home folder
    init(home: String) { list = ErasedList(home: home) }

    /// Adds a person who is removed in this turn.
    mutating func append(_ person: PersonID) { pending.append(person) }

    /// Forgets the people of a rolled-back turn.
    mutating func rollBack() { pending.removeAll() }

    /// Writes people of committed turns to the list. A failed write is repeated in the next turn.
    mutating func write(at now: Timestamp, log: Log) {
        guard !pending.isEmpty else { return }
        do throws(SystemError) {
            try list.add(pending, at: now)
            pending.removeAll()
            hasFailed = false
        } catch {
            if !hasFailed { log.error(error, ["list": "erased people"]) }
            hasFailed = true
        }
    }

    /// People in the list. Those who are in the directory came back with an older store.
    func people() throws(SystemError) -> [PersonID] { try list.read().map(\.person) }
}

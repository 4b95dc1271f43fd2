import Hosting
import Model
import Runtime

/// Keeps on record who was removed for good, outside of the store: so that nobody comes back with a
/// store of before.
struct Erasures {
    private let list: ErasedList
    /// Removed in a turn that is not over, or not in the list yet.
    private var leaving: [PersonID] = []
    /// The list could not be written, and that was said.
    private var hasFailed = false

    /// - Parameter home: the suite's home folder
    init(home: String) { list = ErasedList(home: home) }

    /// Somebody is removed in this turn.
    mutating func note(_ person: PersonID) { leaving.append(person) }

    /// The turn was taken back.
    mutating func forget() { leaving.removeAll() }

    /// Puts those of the turns before into the list; what cannot be written now is later.
    mutating func write(at now: Timestamp, log: Log) {
        guard !leaving.isEmpty else { return }
        do throws(SystemError) {
            try list.add(leaving, at: now)
            leaving.removeAll()
            hasFailed = false
        } catch {
            if !hasFailed { log.error(error, ["list": "people who were erased"]) }
            hasFailed = true
        }
    }

    /// Who is in the list; whoever of them is in the directory came back with an older store.
    func people() throws(SystemError) -> [PersonID] { try list.read().map(\.person) }
}

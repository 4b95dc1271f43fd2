import Directory
import Model
import TimerCore

/// Deadlines of accounts, which the timer schedules itself: the directory has their dates, so no
/// service needs to publish them, and a restored timer knows them at once.
struct AccountDeadlines {
    private let rows: DeadlineRows

    init(_ rows: DeadlineRows) { self.rows = rows }

    /// The inputs that follow from a change of the directory.
    ///
    /// - Parameter replica: before the change
    func inputs(of event: Event, in replica: Replica) throws -> [Input] {
        switch event.body {
        case .personChanged(let person):
            try changes(
                from: replica.person(person.id), to: person, trace: event.trace)
        case .personRemoved(let removal):
            replica.person(removal.person)?.accountDeadlines.map { .deadlineCancelled($0.id) } ?? []
        default: []
        }
    }

    private func changes(
        from old: Person?, to new: Person, trace: String
    ) throws -> [Input] {
        let before = old?.accountDeadlines ?? []
        let after = new.accountDeadlines
        guard before != after else { return [] }
        return before.filter { !after.contains($0) }.map { .deadlineCancelled($0.id) }
            + (try after.filter { !before.contains($0) }.compactMap { try scheduled($0, trace) })
    }

    /// Inputs for deadlines that are not known yet, as in the store of an older version.
    ///
    /// - Parameter pending: ids of the known ones
    func missing(in replica: Replica, pending: Set<DeadlineID>) throws -> [Input] {
        try replica.sortedPeople.flatMap(\.accountDeadlines)
            .filter { !pending.contains($0.id) }.compactMap { try scheduled($0, "") }
    }

    /// Nil if it has expired: what follows from it needs the other services a moment.
    private func scheduled(_ deadline: Deadline, _ trace: String) throws -> Input? {
        try rows.hasExpired(deadline.id) ? nil : .deadlineScheduled(deadline, trace: trace)
    }
}

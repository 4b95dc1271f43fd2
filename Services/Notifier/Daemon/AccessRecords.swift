import Hashing
import Hosting
import Model
import NotifierCore

/// Remembers which looks of this hour are recorded, so that each is published once.
///
/// Ingest keeps the access log; the notifier publishes `access.recorded` on `deliveries`. What this
/// memory forgets at a restart is published again under the same id, which changes nothing.
struct AccessRecords {
    private struct Look: Hashable {
        var person: PersonID
        var viewer: PersonID?
    }

    private var hour: Int64 = 0
    private var recorded: Set<Look> = []

    /// - Returns: whether this look is the first of its viewer and hour
    mutating func isFirst(_ person: PersonID, by viewer: PersonID?, hour now: Int64) -> Bool {
        if now != hour {
            hour = now
            recorded.removeAll(keepingCapacity: true)
        }
        return recorded.insert(Look(person: person, viewer: viewer)).inserted
    }

    /// Forgets everything: the turn in which it was recorded was rolled back.
    mutating func reset() { recorded.removeAll() }
}

extension NotifierService {
    /// Records in the access logs of these people that a viewer was shown where they were.
    ///
    /// - Parameter viewer: nil = the operator; looks at oneself are not recorded
    func recordAccess(
        to people: some Sequence<PersonID>, by principal: Principal
    ) throws {
        let viewer = principal.person
        let hour = outside.now.seconds / 3600
        for person in Set(people).sorted()
        where person != viewer && accessRecords.isFirst(person, by: viewer, hour: hour) {
            let id = Hash.id(
                .text(EventKind.accessRecorded.type), .id(person),
                viewer.map { .id($0) } ?? .none, .number(hour))
            try outside.publish(
                Event(
                    id: EventID(id), time: outside.now,
                    body: .accessRecorded(
                        AccessRecord(person: person, viewer: viewer, at: outside.now))),
                on: .deliveries)
        }
    }
}

import Hashing
import Hosting
import Model
import NotifierCore

/// Remembers which accesses of this hour have been published, so that each is published once.
///
/// Ingest keeps the access log; the notifier publishes `access.recorded` on `deliveries`. An access
/// published again after a restart has the same id and changes nothing.
struct AccessRecords {
    private struct Access: Hashable {
        var person: PersonID
        var viewer: PersonID?
    }

    private var hour: Int64 = 0
    private var recorded: Set<Access> = []

    /// Records that a viewer was shown data about these people.
    ///
    /// Access to one's own data is not recorded.
    mutating func record(
        _ people: [PersonID], by viewer: PersonID?, _ host: any NotifierHost
    ) throws {
        let now = host.now.seconds / 3600
        if now != hour {
            hour = now
            recorded.removeAll(keepingCapacity: true)
        }
        for person in Set(people).sorted() where person != viewer {
            guard recorded.insert(Access(person: person, viewer: viewer)).inserted else { continue }
            let id = Hash.id(
                .text(EventKind.accessRecorded.type), .id(person),
                viewer.map { .id($0) } ?? .none, .number(hour))
            try host.publish(
                Event(
                    id: EventID(id), time: host.now,
                    body: .accessRecorded(
                        AccessRecord(person: person, viewer: viewer, at: host.now))),
                on: .deliveries)
        }
    }

    /// Clears the memory after a rolled-back turn.
    mutating func reset() { recorded.removeAll() }
}

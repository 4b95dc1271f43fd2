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
        var kind: AccessKind
        var reason: String?
        var link: LiveLinkID?
    }

    private var hour: Int64 = 0
    private var recorded: Set<Access> = []

    /// Records that a viewer was shown data about these people.
    ///
    /// Access to one's own data is not recorded.
    mutating func record(
        _ people: [PersonID], by viewer: PersonID?, as kind: AccessKind, reason: String?,
        _ host: any NotifierHost
    ) throws {
        forgetEarlierHours(host.now)
        for person in Set(people).sorted() where person != viewer {
            let access = Access(person: person, viewer: viewer, kind: kind, reason: reason)
            guard recorded.insert(access).inserted else { continue }
            let id = Hash.id(
                .text(EventKind.accessRecorded.type), .id(person),
                viewer.map { .id($0) } ?? .none, .number(hour), .text(kind.rawValue),
                .text(reason ?? ""))
            try host.publish(
                Event(
                    id: EventID(id), time: host.now,
                    body: .accessRecorded(
                        AccessRecord(
                            person: person, viewer: viewer, at: host.now, kind: kind,
                            reason: reason))),
                on: .deliveries)
        }
    }

    /// Records that the page of a live link was shown.
    mutating func record(_ link: LiveLink, _ host: any NotifierHost) throws {
        forgetEarlierHours(host.now)
        let access = Access(
            person: link.person, viewer: nil, kind: .liveLink, reason: nil, link: link.id)
        guard recorded.insert(access).inserted else { return }
        let id = Hash.id(
            .text(EventKind.accessRecorded.type), .id(link.person), .id(link.id), .number(hour))
        try host.publish(
            Event(
                id: EventID(id), time: host.now,
                body: .accessRecorded(
                    AccessRecord(
                        person: link.person, viewer: nil, at: host.now, kind: .liveLink,
                        linkName: link.recipient))),
            on: .deliveries)
    }

    private mutating func forgetEarlierHours(_ now: Timestamp) {
        let current = now.seconds / 3600
        guard current != hour else { return }
        hour = current
        recorded.removeAll(keepingCapacity: true)
    }

    /// Clears the memory after a rolled-back turn.
    mutating func reset() { recorded.removeAll() }
}

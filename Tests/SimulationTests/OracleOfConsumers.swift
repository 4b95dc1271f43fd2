import Directory
import Model
import Store
import Wire

@testable import Bus
@testable import Hosting

// Checks that every consumer has applied its streams completely.
extension Oracle {
    func checkConsumers() throws {
        let decided = try Partition.all.flatMap { partition in
            try events(of: .events(partition), at: .ingest)
        }
        let signals = try events(of: .sos, at: .ingest)
        let expired = try events(of: .deadlines, at: .timer)
        let deliveries = try events(of: .deliveries, at: .notifier)
        try checkApplied(decided + signals + expired, by: .notifier, Oracle.forNotifier)
        try checkApplied(expired + deliveries, by: .ingest, Oracle.forIngest)
        try checkDeadlines(decided + deliveries)
        try checkDirectories()
        try checkNotices()
    }

    private static let forNotifier: Set<EventKind> = [
        .zoneEntered, .zoneExited, .emergencyCountdown, .emergencyOpened, .emergencyJoined,
        .emergencyCancelled, .emergencyAcknowledged, .emergencyResolved, .sosRaised,
        .sosCancelled, .sosLocated, .deadlineExpired, .watchChanged, .watchExpired,
    ]
    private static let forIngest: Set<EventKind> = [
        .deadlineExpired, .watchExpired, .acknowledgementCommitted, .resolutionCommitted,
        .escalationFallbackOpened,
        .emergencySnapshot, .signalReceived,
    ]

    /// A consumer that remembers applied events has applied all of them.
    private func checkApplied(
        _ events: [Event], by service: ServiceName, _ kinds: Set<EventKind>
    ) throws {
        let applied = Set(try database(service).all("SELECT id FROM applied") { $0.id(0) as ID128 })
        let replaced = wasRestored(.timer) ? replacedWatches(events) : []
        for event in events where kinds.contains(event.kind) && !replaced.contains(event.id) {
            if !applied.contains(event.id.raw) {
                throw Objection("\(service) has not applied \(event.kind.type) \(event.id)")
            }
        }
    }

    /// Changes of watches that were superseded, or whose watches are over: a snapshot of
    /// `deadlines`, which consumers read after the timer's disk was restored, lacks them.
    private func replacedWatches(_ events: [Event]) -> Set<EventID> {
        var newest: [WatchID: Int64] = [:]
        var changes: [(id: EventID, watch: Watch)] = []
        for event in events {
            guard case .watchChanged(let watch) = event.body else { continue }
            changes.append((event.id, watch))
            newest[watch.id] = max(newest[watch.id] ?? 0, watch.version)
        }
        return Set(
            changes.filter {
                $0.watch.version < newest[$0.watch.id] ?? 0
                    || [.ended, .cancelled].contains($0.watch.state)
            }.map(\.id))
    }

    /// Every scheduled deadline is pending or has expired.
    private func checkDeadlines(_ events: [Event]) throws {
        var scheduled: Set<DeadlineID> = []
        var cancelled: Set<DeadlineID> = []
        for event in events {
            switch event.body {
            case .deadlineScheduled(let deadline): scheduled.insert(deadline.id)
            case .deadlineCancelled(let deadline): cancelled.insert(deadline.id)
            default: break
            }
        }
        let pending = Set(
            try database(.timer).all("SELECT id FROM deadline") { DeadlineID($0.id(0)) })
        if let lost = scheduled.subtracting(cancelled).subtracting(pending).min() {
            throw Objection("the timer lacks \(lost), which is scheduled")
        }
    }

    /// Every directory replica equals the directory.
    private func checkDirectories() throws {
        guard let writer = world.slot(.membership).life else { return }
        var directory = Replica()
        for event in try writer.service.snapshot(of: .directory) { directory.apply(event.body) }
        for slot in world.slots {
            guard let replica = slot.life?.host.directory?.replica else { continue }
            let differences = DirectorySnapshot(of: directory).difference(from: replica)
            if !differences.isEmpty {
                throw Objection(
                    "\(slot.name)'s directory is another one: \(differences.map(\.kind.type))")
            }
        }
    }

    /// A stream was reported as diverged only if it was.
    private func checkNotices() throws {
        for slot in world.slots {
            for notice in slot.notices {
                let stream: StreamName
                switch notice {
                // A member that left, to be replaced by the next release, may read for a moment
                // longer.
                case .stopped(_, let reason)
                where world.logics.versions.count > 1
                    && reason.contains("is not supported by this program"):
                    continue
                case .stopped: throw Objection("\(slot.name): \(notice)")
                case .diverged(let found, _, _), .pruned(let found, _, _), .conflict(let found, _),
                    .derivedDiverged(let found, _):
                    stream = found
                default: continue
                }
                let writer = ServiceName.allCases.first { $0.served.contains(stream) }
                if let writer, !wasRestored(writer) {
                    throw Objection("\(slot.name), although no disk was restored: \(notice)")
                }
            }
        }
    }
}

import Directory
import Model
import Store
import Wire

@testable import Bus
@testable import Hosting

// Everybody who follows a stream has done what it says, whole.
extension Oracle {
    func judgeConsumers() throws {
        let decided = try Partition.all.flatMap { partition in
            try events(of: .events(partition), at: .ingest)
        }
        let signals = try events(of: .sos, at: .ingest)
        let fired = try events(of: .fired, at: .timer)
        let deliveries = try events(of: .deliveries, at: .notifier)
        try judgeApplied(decided + signals + fired, by: .notifier, Oracle.forNotifier)
        try judgeApplied(fired + deliveries, by: .ingest, Oracle.forIngest)
        try judgeClocks(decided + deliveries)
        try judgeDirectories()
        try judgeNotices()
    }

    private static let forNotifier: Set<EventKind> = [
        .zoneEntered, .zoneExited, .emergencyCountdown, .emergencyOpened, .emergencyJoined,
        .emergencyCancelled, .emergencyAcknowledged, .emergencyResolved, .sosRaised,
        .sosCancelled, .sosLocated, .clockFired, .watchChanged, .watchExpired,
    ]
    private static let forIngest: Set<EventKind> = [
        .clockFired, .watchExpired, .acknowledgementGiven, .resolutionGiven, .ladderAdopted,
        .ladderStanding, .signalGiven,
    ]

    /// Who remembers the events that had their effect has had all of them.
    private func judgeApplied(
        _ events: [Event], by service: ServiceName, _ kinds: Set<EventKind>
    ) throws {
        let applied = Set(try database(service).all("SELECT id FROM applied") { $0.id(0) as ID128 })
        let replaced = wentBack(.timer) ? replacedWatches(events) : []
        for event in events where kinds.contains(event.kind) && !replaced.contains(event.id) {
            if !applied.contains(event.id.raw) {
                throw Objection("\(service) has not applied \(event.kind.type) \(event.id)")
            }
        }
    }

    /// Changes of watches that a later change replaced, and those of watches that are over: a
    /// snapshot of `fired`, which consumers read when the timer's disk went back, lacks them.
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

    /// Every clock that is wanted waits or has fired.
    private func judgeClocks(_ events: [Event]) throws {
        var wanted: Set<ClockID> = []
        var given: Set<ClockID> = []
        for event in events {
            switch event.body {
            case .clockWanted(let clock): wanted.insert(clock.id)
            case .clockUnwanted(let clock): given.insert(clock.id)
            default: break
            }
        }
        let kept = Set(try database(.timer).all("SELECT id FROM clock") { ClockID($0.id(0)) })
        if let lost = wanted.subtracting(given).subtracting(kept).min() {
            throw Objection("the timer does not know \(lost), which is wanted")
        }
    }

    /// Everybody's replica of the directory is the directory.
    private func judgeDirectories() throws {
        guard let keeper = world.seat(.membership).life else { return }
        var directory = Replica()
        for event in try keeper.service.snapshot(of: .directory) { directory.apply(event.body) }
        for seat in world.seats {
            guard let replica = seat.life?.host.directory?.replica else { continue }
            let differences = Replica.difference(from: replica, to: directory)
            if !differences.isEmpty {
                throw Objection(
                    "\(seat.name)'s directory is another one: \(differences.map(\.kind.type))")
            }
        }
    }

    /// Nobody was told that a stream is another one unless it was.
    private func judgeNotices() throws {
        for seat in world.seats {
            for notice in seat.notices {
                let stream: StreamName
                switch notice {
                // Whoever has left, to be replaced by the next release, may read on for a moment.
                case .stopped(_, let reason)
                where world.logics.versions.count > 1 && reason.contains("asks for logic"):
                    continue
                case .stopped: throw Objection("\(seat.name): \(notice)")
                case .diverged(let found, _, _), .pruned(let found, _, _), .conflict(let found, _),
                    .computedDiverged(let found, _):
                    stream = found
                default: continue
                }
                let keeper = ServiceName.allCases.first { $0.served.contains(stream) }
                if let keeper, !wentBack(keeper) {
                    throw Objection("\(seat.name), though no disk went back: \(notice)")
                }
            }
        }
    }
}

import Bus
import Model
import Runtime
import Wire

/// Connects the bus to the service's roles and to the log.
final class StreamHooks {
    private let context: HostContext
    private let records: RecordApplier
    private var divergences = Divergences()

    init(_ context: HostContext, _ records: RecordApplier) {
        self.context = context
        self.records = records
    }

    /// Sets the hooks, before the first turn.
    func connect() {
        let bus = context.bus
        let roles = context.roles
        bus.hooks.notice = { [unowned self] in log($0) }
        if let owner = roles.partitionOwner {
            bus.hooks.snapshot = { try owner.snapshotRecords(of: $0) }
            bus.hooks.pruneFloor = { try owner.pruneFloor(of: $0) }
            bus.hooks.coordinate = { try owner.coordinate($0, from: $1) }
            bus.hooks.mayPropose = { owner.mayPropose($0, by: $1) }
        } else {
            bus.hooks.snapshot = { stream in
                let events = try roles.offersSnapshots?.snapshot(of: stream) ?? []
                return StreamSnapshot(try events.map(EventCodec.encode))
            }
        }
        let proposalsRejected = context.metrics.counter(
            "jaga_proposals_rejected_total", "Invalid proposals of evaluators.")
        bus.hooks.proposalRejected = { [unowned self] stream, member, reason in
            context.isServiceTouched = true
            proposalsRejected.add()
            try roles.partitionOwner?.proposalRejected(stream, by: member, because: reason)
        }
        if let worker = roles.partitionWorker {
            bus.hooks.checkpointed = { try worker.checkpointed($0, $1) }
            bus.hooks.revoked = { try worker.partitionRevoked($0) }
        }
        bus.hooks.restarted = { stream, _ in try roles.rereadsStreams?.restart(stream) }
        bus.hooks.replace = { [unowned self] in try replace($0, with: $1, at: $2) }
    }

    /// Applies a snapshot.
    private func replace(_ stream: StreamName, with rows: [Record], at position: Position) throws {
        context.shouldReleaseMemory = true
        let roles = context.roles
        if let worker = roles.partitionWorker {
            return try worker.replace(stream, withRecords: rows, at: position)
        }
        let events = try rows.map(RecordApplier.event)
        guard stream == .directory, let directory = context.directory else {
            try roles.readsSnapshots?.replace(stream, with: events)
            return
        }
        let differences = try directory.replace(with: events) { event in
            try roles.watchesDirectory?.directoryWillChange(event)
        }
        try roles.readsSnapshots?.replace(stream, with: differences)
        try records.removeReplaced(stream)
    }

    private func log(_ notice: BusNotice) {
        if case .diverged(let stream, _, _) = notice {
            divergences.record(stream, "\(notice)", at: context.now)
        } else if notice.needsAttention {
            context.log.error(notice.event, notice.fields)
        } else {
            context.log.info(notice.event, notice.fields)
        }
    }

    /// Logs diverged streams that are due. Called between turns.
    func logDivergences() {
        guard let due = divergences.popDue(at: context.now) else { return }
        context.log.warning(
            "streams diverged, reading them again",
            [
                "streams": due.count, "first": due.first,
                "hint": "Expected after a restore; otherwise check the stores of their services.",
            ])
    }
}

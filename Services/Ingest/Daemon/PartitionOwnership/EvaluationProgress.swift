import IngestCore
import Model
import Wire

/// Tracks how far owners have evaluated their partitions, by their reports and their events.
struct EvaluationProgress {
    struct Entry: Hashable {
        var member: ID128
        /// The last record of `in/p` that the member reports as evaluated.
        var sequence: UInt64
        /// When it last evaluated a record, or had none to evaluate.
        var since: Timestamp
    }

    /// An input about an emergency that the current turn appended.
    private enum Appended {
        case signal(EmergencyID, Partition, at: Timestamp)
        case begun(EmergencyID)
    }

    private(set) var entries: [Partition: Entry] = [:]
    /// Counts after COMMIT: evaluators never see what was not stored.
    private var appended: [Appended] = []
    /// Emergencies without an event of an evaluator, and since when.
    private var unanswered: [EmergencyID: (partition: Partition, since: Timestamp)] = [:]
    /// Emergencies that the notifier opened, so that evaluators need not answer their signals.
    private var begun = Set<EmergencyID>()
    private var lastStep = Timestamp.zero
    /// Further ones are not tracked: they add nothing.
    private static let unansweredMax = 4096

    /// Records the progress that a member reports.
    mutating func record(
        _ sequence: UInt64, in partition: Partition, by member: ID128, at now: Timestamp
    ) {
        guard let known = entries[partition], known.member == member else {
            entries[partition] = Entry(member: member, sequence: sequence, since: now)
            return
        }
        guard sequence > known.sequence else { return }
        entries[partition] = Entry(member: member, sequence: sequence, since: now)
    }

    /// Updates the progress of live owners. Time in which ingest itself was paused does not count.
    ///
    /// - Parameters:
    ///   - owners: live owners by partition
    ///   - head: the last record of a partition's log
    mutating func step(
        owners: [Partition: ID128], head: (Partition) -> UInt64, at now: Timestamp
    ) {
        let pause = now - lastStep - .seconds(Limits.coordinatorPauseSeconds)
        let isPaused = lastStep > .zero && pause > .zero
        lastStep = now
        entries = entries.filter { owners[$0.key] != nil }
        for (partition, owner) in owners {
            guard var entry = entries[partition], entry.member == owner else {
                entries[partition] = Entry(member: owner, sequence: 0, since: now)
                continue
            }
            if isPaused { entry.since = entry.since + pause }
            if entry.sequence >= head(partition) { entry.since = now }
            entries[partition] = entry
        }
        for (emergency, wait) in unanswered {
            guard owners[wait.partition] != nil else {
                // The next owner gets the full time.
                unanswered[emergency]?.since = now
                continue
            }
            if isPaused { unanswered[emergency]?.since = wait.since + pause }
        }
    }

    /// Records that an emergency's signal is in the log of a partition.
    private mutating func raised(
        _ emergency: EmergencyID, in partition: Partition, at now: Timestamp
    ) {
        guard unanswered.count < EvaluationProgress.unansweredMax, !begun.contains(emergency)
        else { return }
        unanswered[emergency] = (partition, now)
    }

    /// Records that the notifier opened an emergency without an evaluator.
    private mutating func begun(_ emergency: EmergencyID) {
        unanswered[emergency] = nil
        if begun.count >= EvaluationProgress.unansweredMax { begun.removeAll() }
        begun.insert(emergency)
    }

    /// Records that the current turn appended an input about an emergency.
    mutating func append(_ body: EventBody, to partition: Partition, at now: Timestamp) {
        switch body {
        case .inputSignal(let signal): appended.append(.signal(signal.id, partition, at: now))
        case .inputFallbackOpened(let signal): appended.append(.begun(signal.id))
        case .inputEmergencySnapshot(let snapshot): appended.append(.begun(snapshot.emergency))
        default: break
        }
    }

    /// Counts the inputs of the committed turn.
    mutating func commit() {
        for input in appended {
            switch input {
            case .signal(let emergency, let partition, let time):
                raised(emergency, in: partition, at: time)
            case .begun(let emergency): begun(emergency)
            }
        }
        appended.removeAll(keepingCapacity: true)
    }

    /// Drops the inputs of the turn that was rolled back.
    mutating func rollBack() { appended.removeAll(keepingCapacity: true) }

    mutating func answered(_ emergency: EmergencyID) { unanswered[emergency] = nil }

    /// Partitions whose owner has evaluated nothing for longer than this although records wait, or
    /// has left an emergency unanswered.
    func idle(for seconds: Int64, at now: Timestamp) -> Set<Partition> {
        let limit = Duration.seconds(seconds)
        return Set(entries.filter { now - $0.value.since > limit }.keys)
            .union(unanswered.values.filter { now - $0.since > limit }.map(\.partition))
    }

    /// Resets a partition for its next owner. An unanswered emergency counts against one owner
    /// only.
    mutating func forget(_ partition: Partition) {
        entries[partition] = nil
        unanswered = unanswered.filter { $0.value.partition != partition }
    }
}

extension EventBody {
    /// The signal of an emergency that an evaluator answers with this event.
    var answeredSignal: EmergencyID? {
        switch self {
        case .emergencyCountdown(let change), .emergencyOpened(let change),
            .emergencyJoined(let change),
            .emergencyCancelled(let change):
            change.signal
        default: nil
        }
    }
}

import IngestCore
import Model
import Wire

/// How far the owners of partitions have evaluated them, by their own word and by what they answer.
struct EvaluationProgress {
    struct Entry: Hashable {
        var member: ID128
        /// The last record of `in/p` that the member says it has evaluated.
        var sequence: UInt64
        /// When it last evaluated something, or had nothing to evaluate.
        var since: Timestamp
    }

    /// An input about an emergency that the current turn appended.
    private enum Appended {
        case signal(EmergencyID, Partition, at: Timestamp)
        case begun(EmergencyID)
    }

    private(set) var entries: [Partition: Entry] = [:]
    /// Counts when the turn is committed: what was never stored no evaluator can answer.
    private var appended: [Appended] = []
    /// Emergencies that await an answer of an evaluator, and since when.
    private var unanswered: [EmergencyID: (partition: Partition, since: Timestamp)] = [:]
    /// Emergencies that others began, so that an evaluator need not answer their signals.
    private var begun = Set<EmergencyID>()
    private var noted = Timestamp.zero
    /// Further ones are not followed: they say nothing more.
    private static let unansweredMax = 4096

    /// A member says how far it is.
    mutating func note(
        _ sequence: UInt64, in partition: Partition, by member: ID128, at now: Timestamp
    ) {
        guard let known = entries[partition], known.member == member else {
            entries[partition] = Entry(member: member, sequence: sequence, since: now)
            return
        }
        guard sequence > known.sequence else { return }
        entries[partition] = Entry(member: member, sequence: sequence, since: now)
    }

    /// Looks at owners that are live. Time in which ingest itself stood still counts for nothing.
    ///
    /// - Parameters:
    ///   - owners: by partition; only those that are live
    ///   - heads: the last record of a partition's log
    mutating func step(
        owners: [Partition: ID128], head: (Partition) -> UInt64, at now: Timestamp
    ) {
        let pause = now - noted - .seconds(Limits.coordinatorPauseSeconds)
        let isPaused = noted > .zero && pause > .zero
        noted = now
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

    /// An emergency's signal is in the log of a partition.
    private mutating func raised(
        _ emergency: EmergencyID, in partition: Partition, at now: Timestamp
    ) {
        guard unanswered.count < EvaluationProgress.unansweredMax, !begun.contains(emergency)
        else { return }
        unanswered[emergency] = (partition, now)
    }

    /// Somebody else began an emergency, since no evaluator did.
    private mutating func begun(_ emergency: EmergencyID) {
        unanswered[emergency] = nil
        if begun.count >= EvaluationProgress.unansweredMax { begun.removeAll() }
        begun.insert(emergency)
    }

    /// Records that the current turn appended an input of an evaluator.
    mutating func append(_ body: EventBody, to partition: Partition, at now: Timestamp) {
        switch body {
        case .inputSignal(let signal): appended.append(.signal(signal.id, partition, at: now))
        case .inputAdoption(let signal): appended.append(.begun(signal.id))
        case .inputStanding(let standing): appended.append(.begun(standing.emergency))
        default: break
        }
    }

    /// The turn is stored: evaluators have to answer the signals that it appended.
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

    /// The turn is not stored.
    mutating func rollBack() { appended.removeAll(keepingCapacity: true) }

    mutating func answered(_ emergency: EmergencyID) { unanswered[emergency] = nil }

    /// Partitions whose owner has evaluated nothing for longer than this, although something waits,
    /// or has left an emergency unanswered.
    func idle(for seconds: Int64, at now: Timestamp) -> Set<Partition> {
        let limit = Duration.seconds(seconds)
        return Set(entries.filter { now - $0.value.since > limit }.keys)
            .union(unanswered.values.filter { now - $0.since > limit }.map(\.partition))
    }

    /// Forgets what is known of a partition, since another owner begins. An emergency that was left
    /// unanswered is held against one owner only.
    mutating func forget(_ partition: Partition) {
        entries[partition] = nil
        unanswered = unanswered.filter { $0.value.partition != partition }
    }
}

/// A member that lost its partitions, as the operator sees it.
struct RevokedMember: Hashable {
    var cause: Coordinator.Revocation
    var reason: String
    var at: Timestamp
}

extension Ownership {
    /// Takes what a member says of its progress, as far as it is a place of the log.
    func noteProgress(of member: ID128, _ holdings: [Holding]) throws {
        for holding in holdings where coordinator.owns(member, holding.partition) {
            let stream = StreamName.input(holding.partition)
            guard holding.applied.sequence > progress.entries[holding.partition]?.sequence ?? 0,
                try outside.isOnChain(holding.applied, of: stream)
            else { continue }
            progress.note(
                holding.applied.sequence, in: holding.partition, by: member, at: outside.now)
        }
    }

    /// Revokes owners that evaluate nothing.
    func revokeIdle() throws {
        revoked = revoked.filter {
            outside.now - $0.value.at < .seconds(Limits.distrustSeconds)
        }
        let live = coordinator.seatViews.filter { $0.state == .live }
        progress.step(
            owners: Dictionary(
                live.compactMap { seat in seat.owner.map { (seat.partition, $0) } },
                uniquingKeysWith: { $1 }),
            head: { outside.position(of: .input($0))?.sequence ?? 0 }, at: outside.now)
        let idle = progress.idle(for: Limits.idleRevokedSeconds, at: outside.now)
        var members: [ID128: [Partition]] = [:]
        for seat in live where idle.contains(seat.partition) {
            if let owner = seat.owner { members[owner, default: []].append(seat.partition) }
        }
        for (member, partitions) in members.sorted(by: { $0.key < $1.key }) {
            for partition in partitions { progress.forget(partition) }
            try revoke(
                member, .idle, "evaluated nothing of \(Ownership.list(partitions))")
        }
    }

    /// Whether a member may propose outputs of a partition: it has the lease or is about to. While
    /// it is not known who has what, everybody may.
    func mayPropose(_ stream: StreamName, by member: ID128) -> Bool {
        guard case .events(let partition) = stream else { return false }
        return coordinator.hasSeat(member, at: partition)
            || !coordinator.isSettled && revoked[member] == nil
    }

    /// A member proposed what cannot be read.
    func proposalRejected(
        _ stream: StreamName, by member: ID128, because reason: String
    ) throws {
        try revoke(member, .invalidProposal, "proposed an invalid record of \(stream): \(reason)")
    }

    private func revoke(
        _ member: ID128, _ cause: Coordinator.Revocation, _ reason: String
    ) throws {
        guard coordinator.knows(member) else { return }
        counts.revocations[cause, default: 0] += 1
        if revoked[member]?.cause != cause {
            outside.log.error(
                "evaluator revoked",
                [
                    "member": member.text, "cause": cause.rawValue, "reason": reason,
                    "hint": "Look at its log. If it is none of yours, make a new key: "
                        + "'jaga keys init --role evaluator --force'.",
                ])
        }
        revoked[member] = RevokedMember(cause: cause, reason: reason, at: outside.now)
        _ = try handle(.revoke(member: member, cause))
    }

    /// A sentence for each member that was revoked lately.
    var revocationSentences: [String] {
        revoked.sorted { $0.key < $1.key }.map { member, found in
            "evaluator \(member.text.prefix(6))… was revoked at \(found.at): it \(found.reason); "
                + "see its log, and replace the evaluators' key if it is none of yours"
        }
    }
}

extension EventBody {
    /// The signal of an emergency that an evaluator answers by this event.
    var answeredSignal: EmergencyID? {
        switch self {
        case .emergencyCountdown(let news), .emergencyOpened(let news), .emergencyJoined(let news),
            .emergencyCancelled(let news):
            news.signal
        default: nil
        }
    }
}

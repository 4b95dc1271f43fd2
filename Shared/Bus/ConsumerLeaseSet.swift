import Model
import Wire

// Partitions that a peer assigns to this process.
extension Consumer {
    /// Whether an assignment list was received, or none is expected.
    var hasJoined: Bool { leaseSet?.hasJoined ?? true }

    /// The peer that assigns partitions.
    private var coordinator: Int? { configuration.peers.firstIndex(where: \.assignsPartitions) }

    // MARK: Receiving

    func apply(
        _ assignments: [Assignment], for member: ID128, from peer: Int, hooks: Bus.Hooks
    ) throws {
        guard peer == coordinator else { return }
        for change in leaseSet?.apply(assignments, for: member) ?? [] {
            switch change {
            case .assigned(let partition): follow(partition, at: peer)
            case .revoked(let partition):
                unfollow(partition)
                unreportedRevocations.append(partition)
                endSending(of: partition, because: "the partition was revoked")
            }
        }
        try reportLeaseChanges(hooks: hooks)
    }

    func handle(_ reply: CheckpointReply, from peer: Int, hooks: Bus.Hooks) throws {
        guard peer == coordinator, let verdict = checkpointSender?.handle(reply),
            let partition = checkpointSender?.checkpoint.partition
        else { return }
        checkpointSender = nil
        try hooks.checkpointed(partition, verdict)
    }

    /// Reports revocations and failed checkpoints; must be called within a turn.
    func reportLeaseChanges(hooks: Bus.Hooks) throws {
        while let partition = unreportedRevocations.first {
            unreportedRevocations.removeFirst()
            reportedRevocations.append(partition)
            try hooks.revoked(partition)
        }
        while let (partition, verdict) = failedCheckpoints.first {
            failedCheckpoints.removeFirst()
            try hooks.checkpointed(partition, verdict)
        }
    }

    // MARK: Following

    private func follow(_ partition: Partition, at peer: Int) {
        let found = Subscription(.input(partition), peer: peer, at: .unknown, isAssigned: true)
        subscriptions[found.stream] = found
        derivedStreams.add(.events(partition), at: peer)
        transport.subscribe(found.stream, of: peer)
        restore(found)
    }

    private func unfollow(_ partition: Partition) {
        guard let found = subscriptions.removeValue(forKey: .input(partition)) else { return }
        transport.unsubscribe(found.stream, of: found.peer)
        forget(found.stream)
        touched.remove(found.stream)
        derivedStreams.remove(.events(partition))
    }

    private func forget(_ stream: StreamName) {
        unverified.remove(stream)
        missing.remove(stream)
        reading.remove(stream)
        waiting.remove(stream)
    }

    /// Reads the checkpoint of an assigned partition and all records after it.
    ///
    /// - Parameter notBefore: earliest time of the first request
    func restore(_ found: Subscription, notBefore: Duration? = nil) {
        guard case .input(let partition) = found.stream else { return }
        forget(found.stream)
        found.restart(at: .unknown)
        found.phase = .snapshot(SnapshotReader(notBefore: notBefore))
        reading.insert(found.stream)
        leaseSet?.markRestoring(partition)
        endSending(of: partition, because: "the partition is being restored")
    }

    /// Starts an assigned partition from its checkpoint.
    func start(
        _ found: Subscription, with records: [Record], at position: Position, hooks: Bus.Hooks
    ) throws {
        guard case .input(let partition) = found.stream else { return }
        do {
            try HookFailure.wrapping {
                let snapshot = try PartitionSnapshot(records: records)
                try hooks.replace(found.stream, records, position)
                derivedStreams.restart(.events(partition), at: snapshot?.head.output ?? .unknown)
            }
        } catch let failure as HookFailure {
            return fail(found, because: "its checkpoint is unreadable: \(failure)", hooks: hooks)
        } catch let stop as StreamStop {
            return fail(found, because: stop.reason, hooks: hooks)
        }
        found.start(at: position)
        missing.insert(found.stream)
    }

    /// Gives up an assigned partition; another member should evaluate it.
    func fail(_ found: Subscription, because reason: String, hooks: Bus.Hooks) {
        guard case .input(let partition) = found.stream else { return }
        forget(found.stream)
        found.restart(at: found.applied)
        found.phase = .stopped(reason: reason)
        transport.unsubscribe(found.stream, of: found.peer)
        // Outputs from before the failure are valid unless they differ from the published ones.
        if derivedStreams.differs(.events(partition)) { derivedStreams.remove(.events(partition)) }
        leaseSet?.markFailed(partition, because: reason)
        endSending(of: partition, because: "the partition failed here")
        hooks.notice(.stopped(found.stream, reason: reason))
    }

    // MARK: Sending

    /// Sends `JOIN` or `RENEW` and the next checkpoint piece. Cost: the number of restoring
    /// partitions.
    func tickLeaseSet(_ now: Moment) {
        guard let peer = coordinator, leaseSet != nil else { return }
        for partition in leaseSet?.restoring ?? [] where isNearHead(partition) {
            leaseSet?.markLive(partition)
        }
        let applied = { [subscriptions] in subscriptions[.input($0)]?.applied ?? .unknown }
        if let request = leaseSet?.request(now.monotonic, applied: applied),
            transport.sendRequest(request.encoded(), to: peer)
        {
            leaseSet?.requestSent(now.monotonic)
        }
        sendPiece(to: peer, now.monotonic)
    }

    /// Sends the next checkpoint piece. Gives up if the publisher does not accept the outputs, so
    /// that other checkpoints can be sent.
    private func sendPiece(to peer: Int, _ now: Duration) {
        guard let checkpoint = checkpointSender?.checkpoint else { return }
        let outputs = StreamName.events(checkpoint.partition)
        if derivedStreams.isAccepted(outputs, through: checkpoint.output) {
            guard let piece = checkpointSender?.nextPiece(now),
                transport.sendRequest(Control.checkpoint(piece).encoded(), to: peer)
            else { return }
            checkpointSender?.pieceSent(now)
        } else if checkpointSender?.isOverdue(now) == true {
            endSending(of: checkpoint.partition, because: "the publisher accepts no \(outputs)")
        }
    }

    /// Whether so many outputs of a partition are unaccepted that no further inputs should be
    /// applied.
    func isCongested(_ stream: StreamName) -> Bool {
        guard case .input(let partition) = stream else { return false }
        return derivedStreams.isCongested(.events(partition))
    }

    /// Whether an assigned partition has nearly reached its head.
    private func isNearHead(_ partition: Partition) -> Bool {
        guard let found = subscriptions[.input(partition)] else { return false }
        return found.isFollowing && found.isHeadKnown && found.lag <= UInt64(BusLimits.quantum)
            && derivedStreams.hasMetHead(.events(partition))
    }

    /// Sends pending requests again, because the connection was replaced.
    func resendRequests(to peer: Int) {
        guard peer == coordinator else { return }
        leaseSet?.requestAgain()
        checkpointSender?.resend()
    }

    /// Sends `LEAVE`, once. Returns false if there is no peer to leave.
    func leave() -> Bool {
        guard let peer = coordinator, let request = leaseSet?.leave() else { return false }
        return transport.sendRequest(request.encoded(), to: peer)
    }

    func isSettled(_ partition: Partition) -> Bool {
        leaseSet?.isLive(partition) == true && isCaughtUp(.input(partition))
            && derivedStreams.isSettled(.events(partition))
    }

    // MARK: Checkpoints

    func canCheckpoint(_ partition: Partition) -> Bool {
        subscriptions[.input(partition)]?.isFollowing == true
            && derivedStreams.isAgreed(.events(partition))
    }

    /// Returns false if another checkpoint is being sent or the partition is not assigned.
    func send(_ checkpoint: Checkpoint) -> Bool {
        guard let leaseSet, checkpointSender == nil, leaseSet.holds(checkpoint.partition),
            !leaseSet.hasLeft
        else { return false }
        guard checkpoint.state.count <= WireLimits.checkpointBytesMax else {
            let reason =
                "a state of \(checkpoint.state.count) bytes exceeds the limit of "
                + "\(WireLimits.checkpointBytesMax): too many people in one partition"
            failedCheckpoints.append((checkpoint.partition, .rejected(reason)))
            return true
        }
        checkpointSender = CheckpointSender(
            checkpoint, by: leaseSet.member, epoch: leaseSet.epoch(of: checkpoint.partition))
        return true
    }

    private func endSending(of partition: Partition, because reason: String) {
        guard checkpointSender?.checkpoint.partition == partition else { return }
        checkpointSender = nil
        failedCheckpoints.append((partition, .rejected(reason)))
    }

    // MARK: Turns

    func committedLeaseSet() { reportedRevocations.removeAll() }

    /// Reports are repeated, and a checkpoint taken in this turn is invalid.
    func rolledBackLeaseSet() {
        unreportedRevocations = reportedRevocations + unreportedRevocations
        reportedRevocations.removeAll()
        if let checkpointSender, !checkpointSender.isStarted {
            endSending(
                of: checkpointSender.checkpoint.partition, because: "the turn was rolled back")
        }
    }
}

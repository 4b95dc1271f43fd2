import Model
import Wire

// Partitions that come and go by assignment.
extension Consumer {
    /// Whether all that is followed by assignment may be relied on: without a list nothing is.
    var hasJoined: Bool { tenancy?.hasJoined ?? true }

    /// The peer that shares its partitions out.
    private var sharer: Int? { configuration.peers.firstIndex(where: \.isShared) }

    // MARK: What is heard

    func take(
        _ assignments: [Assignment], for member: ID128, from peer: Int, hooks: Bus.Hooks
    ) throws {
        guard peer == sharer else { return }
        for change in tenancy?.take(assignments, for: member) ?? [] {
            switch change {
            case .gained(let partition): follow(partition, at: peer)
            case .lost(let partition):
                unfollow(partition)
                departing.append(partition)
                endSending(of: partition, because: "the partition is somebody else's now")
            }
        }
        try tellOfOwnership(hooks: hooks)
    }

    func take(_ answer: CheckpointAnswer, from peer: Int, hooks: Bus.Hooks) throws {
        guard peer == sharer, let verdict = sender?.take(answer),
            let partition = sender?.checkpoint.partition
        else { return }
        sender = nil
        try hooks.checkpointed(partition, verdict)
    }

    /// Tells what has to be told within a turn.
    func tellOfOwnership(hooks: Bus.Hooks) throws {
        while let partition = departing.first {
            departing.removeFirst()
            departed.append(partition)
            try hooks.lost(partition)
        }
        while let (partition, verdict) = checkpointsEnded.first {
            checkpointsEnded.removeFirst()
            try hooks.checkpointed(partition, verdict)
        }
    }

    // MARK: Following

    private func follow(_ partition: Partition, at peer: Int) {
        let found = Subscription(.input(partition), peer: peer, at: .unknown, isAssigned: true)
        subscriptions[found.stream] = found
        computed.add(.events(partition), at: peer)
        transport.subscribe(found.stream, of: peer)
        beginAnew(found)
    }

    private func unfollow(_ partition: Partition) {
        guard let found = subscriptions.removeValue(forKey: .input(partition)) else { return }
        transport.unsubscribe(found.stream, of: found.peer)
        forget(found.stream)
        touched.remove(found.stream)
        computed.remove(.events(partition))
    }

    private func forget(_ stream: StreamName) {
        greeting.remove(stream)
        missing.remove(stream)
        reading.remove(stream)
        waiting.remove(stream)
    }

    /// Reads the checkpoint of an assigned partition, and all that came since.
    ///
    /// - Parameter pause: not before so long from now
    func beginAnew(_ found: Subscription, notBefore: Duration? = nil) {
        guard case .input(let partition) = found.stream else { return }
        forget(found.stream)
        found.restart(at: .unknown)
        found.phase = .snapshot(SnapshotReader(notBefore: notBefore))
        reading.insert(found.stream)
        tenancy?.restores(partition)
        endSending(of: partition, because: "the partition is read anew")
    }

    /// The checkpoint of an assigned partition is here: everything begins with it.
    func begin(
        _ found: Subscription, with records: [Record], at position: Position, hooks: Bus.Hooks
    ) throws {
        guard case .input(let partition) = found.stream else { return }
        do {
            try HookFailure.wrapping {
                let snapshot = try PartitionSnapshot(records: records)
                try hooks.replace(found.stream, records, position)
                computed.restart(.events(partition), at: snapshot?.head.output ?? .unknown)
            }
        } catch let failure as HookFailure {
            return fail(found, because: "its checkpoint cannot be read: \(failure)", hooks: hooks)
        } catch let stop as StreamStop {
            return fail(found, because: stop.reason, hooks: hooks)
        }
        found.begin(at: position)
        missing.insert(found.stream)
    }

    /// An assigned partition cannot be evaluated here. Somebody else should try.
    func fail(_ found: Subscription, because reason: String, hooks: Bus.Hooks) {
        guard case .input(let partition) = found.stream else { return }
        forget(found.stream)
        found.restart(at: found.applied)
        found.phase = .stopped(reason: reason)
        transport.unsubscribe(found.stream, of: found.peer)
        // What it led to before is right, unless it is not: then nothing more is offered.
        if computed.differs(.events(partition)) { computed.remove(.events(partition)) }
        tenancy?.fails(partition, because: reason)
        endSending(of: partition, because: "the partition is given up")
        hooks.notice(.stopped(found.stream, reason: reason))
    }

    // MARK: What is said

    /// Says that this process is there, and carries a checkpoint on. Costs what is being restored.
    func tickTenancy(_ now: Moment) {
        guard let peer = sharer, tenancy != nil else { return }
        for partition in tenancy?.restoring ?? [] where isNearHead(partition) {
            tenancy?.isCaughtUp(partition)
        }
        let applied = { [subscriptions] in subscriptions[.input($0)]?.applied ?? .unknown }
        if let question = tenancy?.question(now.monotonic, applied: applied),
            transport.ask(question.encoded(), of: peer)
        {
            tenancy?.said(now.monotonic)
        }
        sendPiece(to: peer, now.monotonic)
    }

    /// Carries a checkpoint on. One whose outputs are not taken does not keep others waiting.
    private func sendPiece(to peer: Int, _ now: Duration) {
        guard let checkpoint = sender?.checkpoint else { return }
        let outputs = StreamName.events(checkpoint.partition)
        if computed.isTaken(outputs, through: checkpoint.output) {
            guard let piece = sender?.piece(now),
                transport.ask(Control.checkpoint(piece).encoded(), of: peer)
            else { return }
            sender?.sent(now)
        } else if sender?.isOverdue(now) == true {
            endSending(of: checkpoint.partition, because: "\(outputs) is not taken by its keeper")
        }
    }

    /// Whether so much of what a partition leads to is not taken that no more should be computed.
    func isCongested(_ stream: StreamName) -> Bool {
        guard case .input(let partition) = stream else { return false }
        return computed.isCongested(.events(partition))
    }

    /// Whether what is still to be applied is the work of a moment.
    private func isNearHead(_ partition: Partition) -> Bool {
        guard let found = subscriptions[.input(partition)] else { return false }
        return found.isFollowing && found.isHeadKnown && found.lag <= UInt64(BusLimits.quantum)
            && computed.hasMetHead(.events(partition))
    }

    /// The way to a peer is another one now.
    func sayAgain(to peer: Int) {
        guard peer == sharer else { return }
        tenancy?.sayAgain()
        sender?.sendAgain()
    }

    /// Says `LEAVE`, once. False if there is nobody to be left.
    func leave() -> Bool {
        guard let peer = sharer, let farewell = tenancy?.leave() else { return false }
        return transport.ask(farewell.encoded(), of: peer)
    }

    func isSettled(_ partition: Partition) -> Bool {
        tenancy?.isLive(partition) == true && isCaughtUp(.input(partition))
            && computed.isSettled(.events(partition))
    }

    // MARK: Checkpoints

    func canCheckpoint(_ partition: Partition) -> Bool {
        subscriptions[.input(partition)]?.isFollowing == true
            && computed.isAgreed(.events(partition))
    }

    /// False if one is on its way already, or the partition is not this process's.
    func send(_ checkpoint: Checkpoint) -> Bool {
        guard let tenancy, sender == nil, tenancy.holds(checkpoint.partition), !tenancy.hasLeft
        else { return false }
        guard checkpoint.state.count <= WireLimits.checkpointBytesMax else {
            let reason =
                "a state of \(checkpoint.state.count) bytes, and at most "
                + "\(WireLimits.checkpointBytesMax) are kept: too many people in one partition"
            checkpointsEnded.append((checkpoint.partition, .refused(reason)))
            return true
        }
        sender = CheckpointSender(
            checkpoint, by: tenancy.member, epoch: tenancy.epoch(of: checkpoint.partition))
        return true
    }

    private func endSending(of partition: Partition, because reason: String) {
        guard sender?.checkpoint.partition == partition else { return }
        sender = nil
        checkpointsEnded.append((partition, .refused(reason)))
    }

    // MARK: Turns

    func committedTenancy() { departed.removeAll() }

    /// What was told is to be told again, and a checkpoint of this turn holds what is undone.
    func rolledBackTenancy() {
        departing = departed + departing
        departed.removeAll()
        if let sender, !sender.hasBegun {
            endSending(of: sender.checkpoint.partition, because: "the turn was undone")
        }
    }
}

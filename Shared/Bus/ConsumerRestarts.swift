import Model
import Wire

// How a consumer starts to follow a stream, and restarts after the stream was replaced.
extension Consumer {
    /// Handles a publisher's verdict on a position.
    func handle(
        _ state: Control.State, from peer: Int, now: Moment, hooks: Bus.Hooks
    ) throws {
        guard let found = subscription(state.extent.stream, at: peer), !found.isStopped else {
            return derivedStreams.handle(state, from: peer, hooks: hooks)
        }
        if case .snapshot = found.phase { return }
        // A reply to an outdated request carries no information.
        clearRequest(of: found)
        guard state.position == found.applied || state.position == found.end else {
            if found.isUnknown { unverified.insert(found.stream) }
            return
        }
        switch state.verdict {
        case .ok: try follow(found, state.extent)
        case .pruned, .diverged: try restart(found, state, now: now, hooks: hooks)
        }
    }

    private func follow(_ found: Subscription, _ extent: Extent) throws {
        if found.applied == .unknown {
            let isObserving = configuration.start == .head
            found.restart(at: isObserving ? extent.head : .start(of: extent.head.incarnation))
        } else if found.isUnknown {
            found.restart(at: found.applied)
        }
        if found.isUnknown {
            found.phase = .following
            found.commit()
            unacknowledged.insert(found.stream)
        }
        if found.updateHead(extent) == .behind { missing.insert(found.stream) }
    }

    /// Restarts after a position that was pruned or is not of the stream: from the publisher's
    /// snapshot, or at its oldest record.
    private func restart(
        _ found: Subscription, _ state: Control.State, now: Moment, hooks: Bus.Hooks
    ) throws {
        let extent = state.extent
        let was = found.applied
        let needsState = configuration.start == .beginning && extent.isSnapshotable
        let next: Position
        switch configuration.start {
        case .head where was == .unknown: next = extent.head
        default: next = needsState ? extent.head : extent.base
        }
        // An assigned partition derives from its log, starting at any checkpoint. Falling behind a
        // pruned log loses nothing.
        if was != .unknown, !found.isAssigned || state.verdict == .diverged {
            counters.divergences += 1
            try store.saveDivergence(
                of: extent.stream, was: was, now: next, at: now.wall)
            hooks.notice(
                state.verdict == .pruned
                    ? .pruned(extent.stream, was: was, now: next)
                    : .diverged(extent.stream, was: was, now: next))
        }
        guard !found.isAssigned else {
            return restore(found, notBefore: now.monotonic + BusLimits.helloInterval)
        }
        found.setHead(to: extent.head.sequence)
        if needsState {
            found.restart(at: was)
            found.phase = .snapshot(SnapshotReader(notBefore: nil))
            reading.insert(extent.stream)
            return
        }
        if was != .unknown { try restarted(extent.stream, at: next, hooks: hooks) }
        try continueFollowing(found, at: next)
    }

    /// Restarts the derived stream together with its input.
    private func restarted(
        _ stream: StreamName, at position: Position, hooks: Bus.Hooks
    ) throws {
        if case .input(let partition) = stream { derivedStreams.restart(.events(partition)) }
        try hooks.restarted(stream, position)
    }

    /// Reads the inputs of derived streams again whose records differ from the published ones.
    func recompute(now: Moment, hooks: Bus.Hooks) throws {
        for partition in derivedStreams.popDiffering() {
            guard let found = subscriptions[.input(partition)], !found.isStopped else { continue }
            guard !found.isAssigned else {
                recompute(found, partition, now: now, hooks: hooks)
                continue
            }
            try restarted(found.stream, at: .unknown, hooks: hooks)
            found.restart(at: .unknown)
            found.phase = .unknown
            clearRequest(of: found)
            touched.insert(found.stream)
            unverified.insert(found.stream)
        }
    }

    /// Recomputes as often as it may help. Records lost by the publisher do not count as local
    /// errors.
    private func recompute(
        _ found: Subscription, _ partition: Partition, now: Moment, hooks: Bus.Hooks
    ) {
        let stream = StreamName.events(partition)
        derivedStreams.confirmRestart(stream)
        if derivedStreams.hasPublisherRegressed(stream)
            || leaseSet?.shouldRecompute(partition, now: now.monotonic) == true
        {
            restore(found, notBefore: now.monotonic + BusLimits.helloInterval)
        } else {
            let sequence = derivedStreams.difference(of: stream).map { " \($0)" } ?? ""
            let reason = "derived \(stream)\(sequence) differs from the published one repeatedly"
            fail(found, because: reason, hooks: hooks)
        }
    }

    private func continueFollowing(_ found: Subscription, at position: Position) throws {
        found.restart(at: position)
        found.phase = .following
        touched.insert(found.stream)
        try store.saveCursor(position, of: found.stream)
        if found.wantsReplay { missing.insert(found.stream) }
    }

    // MARK: Snapshots

    func handle(_ chunk: Control.Chunk, from peer: Int) {
        guard let found = subscription(chunk.stream, at: peer),
            case .snapshot(let reader) = found.phase
        else { return }
        if reader.append(chunk) { reader.requestedAt = nil }
    }

    /// Applies a complete snapshot.
    ///
    /// A ``StreamStop`` thrown by the hook stops the stream. Any other error rolls back the turn,
    /// and the snapshot is read again.
    func handle(_ end: Control.End, from peer: Int, now: Moment, hooks: Bus.Hooks) throws {
        guard let found = subscription(end.stream, at: peer),
            case .snapshot(let reader) = found.phase
        else { return }
        guard reader.isWhole(end) else {
            found.phase = .snapshot(SnapshotReader(notBefore: nil))
            return
        }
        touched.insert(end.stream)
        reading.remove(end.stream)
        guard !found.isAssigned else {
            return try start(found, with: reader.records, at: end.position, hooks: hooks)
        }
        replacing[end.stream] = now.monotonic
        do {
            try hooks.replace(end.stream, reader.records, end.position)
        } catch let stop as StreamStop {
            return self.stop(found, stop, at: nil, hooks: hooks)
        }
        found.raiseHead(to: end.position.sequence)
        try continueFollowing(found, at: end.position)
    }

    /// Reads a snapshot again after the turn that applied it was rolled back; the pause doubles
    /// each time.
    func rereadSnapshot(_ found: Subscription, since: Duration) {
        let count = failedSnapshots[found.stream, default: 0] + 1
        failedSnapshots[found.stream] = count
        let pause = min(
            BusLimits.snapshotPauseMax, BusLimits.snapshotPauseMin * (1 << min(count - 1, 10)))
        found.phase = .snapshot(SnapshotReader(notBefore: since + pause))
        reading.insert(found.stream)
    }

    /// Snapshots that could not be applied, as sentences for operators.
    var failedSnapshotProblems: [String] {
        failedSnapshots.sorted { $0.key < $1.key }.map { stream, count in
            "snapshot of \(stream) could not be applied, \(count) attempts"
        }
    }

    /// Requests the next rows of snapshots being read.
    ///
    /// Only a few snapshots at once, to limit the load on the publisher.
    func requestRows(_ now: Moment) {
        var left = BusLimits.snapshotsAtOnce
        for stream in reading.sorted() where left > 0 {
            guard let found = subscriptions[stream], case .snapshot(let reader) = found.phase else {
                reading.remove(stream)
                continue
            }
            if let earliest = reader.notBefore, now.monotonic < earliest { continue }
            left -= 1
            if let requested = reader.requestedAt,
                now.monotonic - requested < BusLimits.replyTimeout
            {
                continue
            }
            let request = Control.snapshotRequest(
                consumer: configuration.name, stream: stream, snapshot: reader.snapshot,
                first: reader.nextRow)
            guard transport.sendRequest(request.encoded(), to: found.peer) else { continue }
            reader.requestedAt = now.monotonic
        }
    }
}

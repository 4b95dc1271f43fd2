import Model
import Wire

// How a consumer begins to follow, and begins again when the stream is not the one it knew.
extension Consumer {
    /// The writer judged a position.
    func take(
        _ state: Control.State, from peer: Int, now: Moment, hooks: Bus.Hooks
    ) throws {
        guard let found = subscription(state.extent.stream, at: peer), !found.isStopped else {
            return computed.hear(state, from: peer, hooks: hooks)
        }
        if case .snapshot = found.phase { return }
        // An answer to a question from before something else happened says nothing any more.
        answered(found)
        guard state.asked == found.applied || state.asked == found.end else {
            if found.isUnknown { greeting.insert(found.stream) }
            return
        }
        switch state.verdict {
        case .ok: try follow(found, state.extent)
        case .pruned, .diverged: try startAnew(found, state, now: now, hooks: hooks)
        }
    }

    private func follow(_ found: Subscription, _ extent: Extent) throws {
        if found.applied == .unknown {
            let isLookingOn = configuration.start == .head
            found.restart(at: isLookingOn ? extent.head : .start(of: extent.head.incarnation))
        } else if found.isUnknown {
            found.restart(at: found.applied)
        }
        if found.isUnknown {
            found.phase = .following
            found.commit()
            unacknowledged.insert(found.stream)
        }
        if found.judge(extent) == .behind { missing.insert(found.stream) }
    }

    /// Our position is not of the stream, or too old: go on from the writer's state, or else from
    /// the oldest record that it has.
    private func startAnew(
        _ found: Subscription, _ state: Control.State, now: Moment, hooks: Bus.Hooks
    ) throws {
        let extent = state.extent
        let was = found.applied
        let needsState = configuration.start == .beginning && extent.isSnapshotable
        let goesOn: Position
        switch configuration.start {
        case .head where was == .unknown: goesOn = extent.head
        default: goesOn = needsState ? extent.head : extent.base
        }
        // A partition that was given is a function of its log, from any checkpoint on: one that is
        // too slow for the log is nobody's loss.
        if was != .unknown, !found.isAssigned || state.verdict == .diverged {
            counters.divergences += 1
            try store.saveDivergence(
                of: extent.stream, was: was, now: goesOn, at: now.wall)
            hooks.notice(
                state.verdict == .pruned
                    ? .pruned(extent.stream, was: was, now: goesOn)
                    : .diverged(extent.stream, was: was, now: goesOn))
        }
        guard !found.isAssigned else {
            return beginAnew(found, notBefore: now.monotonic + BusLimits.helloPause)
        }
        found.setHead(extent.head.sequence)
        if needsState {
            found.restart(at: was)
            found.phase = .snapshot(SnapshotReader(notBefore: nil))
            reading.insert(extent.stream)
            return
        }
        if was != .unknown { try restarted(extent.stream, at: goesOn, hooks: hooks) }
        try goOn(found, at: goesOn)
    }

    /// Whoever computes from a stream that begins again begins again, too.
    private func restarted(
        _ stream: StreamName, at position: Position, hooks: Bus.Hooks
    ) throws {
        if case .input(let partition) = stream { computed.restart(.events(partition)) }
        try hooks.restarted(stream, position)
    }

    /// Reads the inputs of what was computed differently from the keeper again.
    func computeAnew(now: Moment, hooks: Bus.Hooks) throws {
        for partition in computed.takeDiffering() {
            guard let found = subscriptions[.input(partition)], !found.isStopped else { continue }
            guard !found.isAssigned else {
                computeAnew(found, partition, now: now, hooks: hooks)
                continue
            }
            try restarted(found.stream, at: .unknown, hooks: hooks)
            found.restart(at: .unknown)
            found.phase = .unknown
            answered(found)
            touched.insert(found.stream)
            greeting.insert(found.stream)
        }
    }

    /// As often as that may help. What the keeper lost is not counted: that is not our mistake.
    private func computeAnew(
        _ found: Subscription, _ partition: Partition, now: Moment, hooks: Bus.Hooks
    ) {
        let stream = StreamName.events(partition)
        computed.beginsAnew(stream)
        if computed.keeperWentBack(stream)
            || tenancy?.mayComputeAnew(partition, now: now.monotonic) == true
        {
            beginAnew(found, notBefore: now.monotonic + BusLimits.helloPause)
        } else {
            let place = computed.difference(of: stream).map { " \($0)" } ?? ""
            let reason = "computed another \(stream)\(place) than is kept, again and again"
            fail(found, because: reason, hooks: hooks)
        }
    }

    private func goOn(_ found: Subscription, at position: Position) throws {
        found.restart(at: position)
        found.phase = .following
        touched.insert(found.stream)
        try store.saveCursor(position, of: found.stream)
        if found.wantsReplay { missing.insert(found.stream) }
    }

    // MARK: Snapshots

    func take(_ chunk: Control.Chunk, from peer: Int) {
        guard let found = subscription(chunk.stream, at: peer),
            case .snapshot(let reader) = found.phase
        else { return }
        if reader.take(chunk) { reader.askedAt = nil }
    }

    /// The last piece of a snapshot. What its owner cannot read, and says so by ``StreamStop``,
    /// stops the stream; any other failure undoes the turn, and the snapshot is read once more.
    func take(_ end: Control.End, from peer: Int, now: Moment, hooks: Bus.Hooks) throws {
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
            return try begin(found, with: reader.records, at: end.position, hooks: hooks)
        }
        replacing[end.stream] = now.monotonic
        do {
            try hooks.replace(end.stream, reader.records, end.position)
        } catch let stop as StreamStop {
            return self.stop(found, stop, at: nil, hooks: hooks)
        }
        found.noteHead(end.position.sequence)
        try goOn(found, at: end.position)
    }

    /// The turn that should have put a snapshot into place is undone: reads it again, after a
    /// pause that doubles.
    func readAgain(_ found: Subscription, since: Duration) {
        let count = unread[found.stream, default: 0] + 1
        unread[found.stream] = count
        let pause = min(
            BusLimits.snapshotPauseMax, BusLimits.snapshotPauseMin * (1 << min(count - 1, 10)))
        found.phase = .snapshot(SnapshotReader(notBefore: since + pause))
        reading.insert(found.stream)
    }

    /// What a snapshot that cannot be put into place is to an operator, as sentences.
    var unreadSnapshots: [String] {
        unread.sorted { $0.key < $1.key }.map { stream, count in
            "\(stream) has a snapshot that could not be applied, \(count) times"
        }
    }

    /// Asks for the next rows of every snapshot that is being read.
    ///
    /// Only some at once: a process that is given everything is no flood for the writer.
    func askForRows(_ now: Moment) {
        var left = BusLimits.snapshotsAtOnce
        for stream in reading.sorted() where left > 0 {
            guard let found = subscriptions[stream], case .snapshot(let reader) = found.phase else {
                reading.remove(stream)
                continue
            }
            if let earliest = reader.notBefore, now.monotonic < earliest { continue }
            left -= 1
            if let asked = reader.askedAt, now.monotonic - asked < BusLimits.answerWait { continue }
            let question = Control.snapshotWanted(
                consumer: configuration.name, stream: stream, snapshot: reader.snapshot,
                first: reader.nextRow)
            guard transport.ask(question.encoded(), of: found.peer) else { continue }
            reader.askedAt = now.monotonic
        }
    }
}

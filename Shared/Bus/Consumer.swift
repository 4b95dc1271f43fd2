import Collections
import Model
import Wire

/// Follows streams of peers: receives frames, requests missing records, applies records.
///
/// Frames may be lost, repeated or late; records are applied without gaps and in order.
final class Consumer {
    let configuration: Bus.Configuration
    let store: any BusStore
    let transport: any BusTransport
    /// Streams that this process derives for its peers.
    let derivedStreams: DerivedStreams
    /// Partitions assigned by a peer; nil without such a peer.
    var leaseSet: LeaseSet?
    /// The checkpoint being sent.
    var checkpointSender: CheckpointSender?
    /// Checkpoints that failed, not yet reported.
    var failedCheckpoints: [(Partition, CheckpointVerdict)] = []
    /// Revoked partitions, not yet reported.
    var unreportedRevocations: [Partition] = []
    /// Revoked partitions that were reported in this turn.
    var reportedRevocations: [Partition] = []
    var links: [PeerLink]
    var subscriptions: [StreamName: Subscription] = [:]
    /// Streams changed in this turn.
    var touched: Set<StreamName> = []
    /// Streams whose position the publisher must check.
    var unverified: Set<StreamName> = []
    /// Streams with missing records.
    var missing: Set<StreamName> = []
    /// Streams whose snapshot is being read.
    var reading: Set<StreamName> = []
    /// Streams whose snapshot was applied in this turn, and when.
    var replacing: [StreamName: Duration] = [:]
    /// Streams whose snapshot could not be applied, with the number of consecutive failures.
    var failedSnapshots: [StreamName: Int] = [:]
    /// Streams with a pending request.
    var waiting: Set<StreamName> = []
    /// Streams whose durable position is not acknowledged.
    var unacknowledged: Set<StreamName> = []
    var appliedSinceAcknowledging = 0
    var lastAcknowledging: Duration
    var lastHello: [Duration]
    var lastAcknowledgingAll: Duration
    var counters = Bus.Counters()
    private var urgent = Fifo<StreamName>()
    private var ready = Fifo<StreamName>()
    /// Streams with records whose outputs have no room.
    private var congested: Set<StreamName> = []
    /// Streams whose next record must wait until the given time.
    private var paused: [StreamName: Duration] = [:]

    init(
        configuration: Bus.Configuration, store: any BusStore, transport: any BusTransport,
        now: Moment, newID: () -> ID128
    ) throws {
        self.configuration = configuration
        self.store = store
        self.transport = transport
        derivedStreams = DerivedStreams(peers: configuration.peers)
        links = configuration.peers.map { PeerLink(name: $0.name, now: now.monotonic) }
        lastAcknowledging = now.monotonic
        lastAcknowledgingAll = now.monotonic
        lastHello = configuration.peers.map { _ in now.monotonic - BusLimits.helloInterval }
        if configuration.peers.contains(where: \.assignsPartitions) {
            leaseSet = LeaseSet(member: newID(), logic: configuration.logic)
        }
        for (index, peer) in configuration.peers.enumerated() {
            for stream in peer.streams {
                let cursor = try store.cursor(of: stream) ?? .unknown
                subscriptions[stream] = Subscription(stream, peer: index, at: cursor)
                unverified.insert(stream)
            }
        }
    }

    var hasRecords: Bool { !urgent.isEmpty || !ready.isEmpty }

    var disconnectedPeers: [Bus.Peer] {
        zip(configuration.peers, links).filter { !$1.isConnected }.map(\.0)
    }

    var isCaughtUp: Bool { hasJoined && subscriptions.keys.allSatisfy { isCaughtUp($0) } }

    func isCaughtUp(_ stream: StreamName) -> Bool {
        guard let found = subscriptions[stream] else { return false }
        return links[found.peer].isConnected && found.isFollowing && found.isHeadKnown
            && found.lag == 0
    }

    // MARK: Receiving

    /// Receives a frame that a peer published or sent as a reply.
    ///
    /// - Throws: ``WireError`` for an invalid frame; errors of the hooks.
    func receive(
        _ bytes: [UInt8], from peer: Int, isReply: Bool, now: Moment, hooks: Bus.Hooks
    ) throws {
        if links[peer].recordFrame(now.monotonic) {
            hooks.notice(.connected(peer: links[peer].name))
        }
        if !isReply, let stream = StreamName(topic: bytes.prefix(8)),
            subscriptions[stream]?.isSaturated == true
        {
            return
        }
        switch try Frame(bytes) {
        case .batch(let batch): handle(batch, from: peer, isReply: isReply)
        case .heads(let heads):
            if links[peer].compare(published: heads.published, now: now),
                let seconds = links[peer].skewSeconds
            {
                hooks.notice(.skewed(peer: links[peer].name, seconds: seconds))
            }
            for extent in heads.extents {
                handle(extent, from: peer)
                derivedStreams.handle(extent, from: peer, hooks: hooks)
            }
        case .control(.states(let states)):
            for state in states { try handle(state, from: peer, now: now, hooks: hooks) }
        case .control(.chunk(let chunk)): handle(chunk, from: peer)
        case .control(.end(let end)): try handle(end, from: peer, now: now, hooks: hooks)
        case .control(.assign(let member, _, let assignments)):
            try apply(assignments, for: member, from: peer, hooks: hooks)
        case .control(.checkpointReply(let reply)):
            try handle(reply, from: peer, hooks: hooks)
        case .control, .proposal:
            throw WireError(.unknown, "read reply", "a request where a reply belongs")
        }
    }

    /// The subscription of a stream at a peer, if there is one.
    func subscription(_ stream: StreamName, at peer: Int) -> Subscription? {
        guard let found = subscriptions[stream], found.peer == peer else { return nil }
        return found
    }

    private func handle(_ batch: Batch, from peer: Int, isReply: Bool) {
        guard let found = subscription(batch.stream, at: peer), found.isFollowing else { return }
        if isReply { clearRequest(of: found) }
        found.raiseHead(to: batch.head)
        switch found.receive(batch) {
        case .next: enqueue(found)
        case .seen, .ahead: break
        case .foreign: unverified.insert(batch.stream)
        }
        if found.wantsReplay { missing.insert(batch.stream) }
    }

    private func handle(_ extent: Extent, from peer: Int) {
        guard let found = subscription(extent.stream, at: peer) else { return }
        guard found.isFollowing else {
            found.setHead(to: extent.head.sequence)
            return
        }
        switch found.updateHead(extent) {
        case .current: break
        case .behind: missing.insert(extent.stream)
        case .foreign: unverified.insert(extent.stream)
        }
    }

    /// Clears the pending request of a stream.
    func clearRequest(of found: Subscription) {
        found.requestedAt = nil
        waiting.remove(found.stream)
    }

    private func enqueue(_ found: Subscription) {
        guard !found.isQueued, found.hasRecords, paused[found.stream] == nil else { return }
        guard !isCongested(found.stream) else {
            congested.insert(found.stream)
            return
        }
        found.isQueued = true
        if found.stream == .sos { urgent.append(.sos) } else { ready.append(found.stream) }
    }

    // MARK: Applying

    /// Applies waiting records, round-robin over streams with `sos` first, then saves cursors.
    func apply(limit: Int, now: Moment, hooks: Bus.Hooks, _ apply: Bus.Apply) throws {
        var left = limit
        endPauses(now)
        while left > 0, let stream = urgent.popFirst() ?? ready.popFirst() {
            guard let found = subscriptions[stream] else { continue }
            found.isQueued = false
            var quantum = min(left, BusLimits.quantum)
            while quantum > 0, !isCongested(stream), let (record, position) = found.next {
                touched.insert(stream)
                if case .input(let partition) = stream {
                    derivedStreams.setInput(position, of: partition)
                }
                do {
                    try apply(stream, position, record)
                } catch let stop as StreamStop {
                    self.stop(found, stop, at: position, hooks: hooks)
                    break
                } catch let pause as StreamPause {
                    paused[stream] = now.monotonic + pause.duration
                    break
                }
                found.advance(to: position)
                quantum -= 1
                left -= 1
                appliedSinceAcknowledging += 1
                counters.recordsApplied += 1
            }
            enqueue(found)
            if found.wantsReplay { missing.insert(stream) }
        }
        for stream in touched {
            guard let found = subscriptions[stream], !found.isAssigned else { continue }
            try store.saveCursor(found.applied, of: stream)
        }
    }

    private func endPauses(_ now: Moment) {
        for stream in congested where !isCongested(stream) {
            congested.remove(stream)
            if let found = subscriptions[stream] { enqueue(found) }
        }
        for (stream, end) in paused where end <= now.monotonic {
            paused[stream] = nil
            if let found = subscriptions[stream] { enqueue(found) }
        }
    }

    /// - Parameter position: the record that cannot be applied; nil for a snapshot
    func stop(
        _ found: Subscription, _ stop: StreamStop, at position: Position?, hooks: Bus.Hooks
    ) {
        guard !found.isAssigned else { return fail(found, because: stop.reason, hooks: hooks) }
        found.restart(at: found.applied)
        found.phase = .stopped(reason: stop.reason)
        found.stoppedAt = position
        clearRequest(of: found)
        hooks.notice(.stopped(found.stream, reason: stop.reason))
    }

    func committed() {
        for stream in touched {
            guard let found = subscriptions[stream] else { continue }
            found.commit()
            if !found.isAssigned { unacknowledged.insert(stream) }
        }
        for stream in replacing.keys { failedSnapshots[stream] = nil }
        replacing.removeAll()
        committedLeaseSet()
        touched.removeAll(keepingCapacity: true)
    }

    func rolledBack() throws {
        for stream in touched {
            guard let found = subscriptions[stream] else { continue }
            guard !found.isAssigned else {
                if !found.isStopped { restore(found) }
                continue
            }
            found.rollBack(to: try store.cursor(of: stream) ?? .unknown)
            waiting.remove(stream)
            reading.remove(stream)
            if let since = replacing[stream] {
                rereadSnapshot(found, since: since)
            } else if !found.isStopped {
                unverified.insert(stream)
            }
        }
        replacing.removeAll()
        rolledBackLeaseSet()
        touched.removeAll(keepingCapacity: true)
    }
}

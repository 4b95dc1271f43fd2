import Model
import Wire

/// Follows the streams of peers: takes frames, asks for what is missing, has records applied.
///
/// Every frame may be lost, repeated or late; what is applied is the stream, whole and in order.
final class Consumer {
    let configuration: Bus.Configuration
    let store: any BusStore
    let transport: any BusTransport
    /// What this process computes for streams of its peers.
    let computed: Computed
    /// Partitions that come by assignment; nil where none do.
    var tenancy: Tenancy?
    /// The checkpoint on its way to the keeper.
    var sender: CheckpointSender?
    /// Checkpoints that came to nothing, to be told.
    var checkpointsEnded: [(Partition, CheckpointVerdict)] = []
    /// Partitions lost, to be told; and told in this turn.
    var departing: [Partition] = []
    var departed: [Partition] = []
    var links: [PeerLink]
    var subscriptions: [StreamName: Subscription] = [:]
    /// Applied in this turn.
    var touched: Set<StreamName> = []
    /// Those whose position the writer must judge.
    var greeting: Set<StreamName> = []
    /// Those with records missing.
    var missing: Set<StreamName> = []
    /// Those whose snapshot is being read.
    var reading: Set<StreamName> = []
    /// Those whose snapshot was put into place in this turn, and when.
    var replacing: [StreamName: Duration] = [:]
    /// Those whose snapshot could not be put into place, and how often in a row.
    var unread: [StreamName: Int] = [:]
    /// Those with a question that has no answer yet.
    var waiting: Set<StreamName> = []
    /// Those whose durable position the writer does not know.
    var unacknowledged: Set<StreamName> = []
    var appliedSinceAcknowledging = 0
    var lastAcknowledging: Duration
    var lastGreeting: [Duration]
    var lastAcknowledgingAll: Duration
    var counters = Bus.Counters()
    private var urgent = Fifo<StreamName>()
    private var ready = Fifo<StreamName>()
    /// Those with records whose outputs would find no room.
    private var congested: Set<StreamName> = []
    /// Those whose next record is not to be applied before.
    private var paused: [StreamName: Duration] = [:]

    init(
        configuration: Bus.Configuration, store: any BusStore, transport: any BusTransport,
        now: Moment, newID: () -> ID128
    ) throws {
        self.configuration = configuration
        self.store = store
        self.transport = transport
        computed = Computed(peers: configuration.peers)
        links = configuration.peers.map { PeerLink(name: $0.name, now: now.monotonic) }
        lastAcknowledging = now.monotonic
        lastAcknowledgingAll = now.monotonic
        lastGreeting = configuration.peers.map { _ in now.monotonic - BusLimits.helloPause }
        if configuration.peers.contains(where: \.isShared) {
            tenancy = Tenancy(member: newID(), logic: configuration.logic)
        }
        for (index, peer) in configuration.peers.enumerated() {
            for stream in peer.streams {
                let cursor = try store.cursor(of: stream) ?? .unknown
                subscriptions[stream] = Subscription(stream, peer: index, at: cursor)
                greeting.insert(stream)
            }
        }
    }

    var hasRecords: Bool { !urgent.isEmpty || !ready.isEmpty }

    var silentPeers: [Bus.Peer] {
        zip(configuration.peers, links).filter { !$1.isHeard }.map(\.0)
    }

    var isCaughtUp: Bool { hasJoined && subscriptions.keys.allSatisfy { isCaughtUp($0) } }

    func isCaughtUp(_ stream: StreamName) -> Bool {
        guard let found = subscriptions[stream] else { return false }
        return links[found.peer].isHeard && found.isFollowing && found.isHeadKnown
            && found.lag == 0
    }

    // MARK: What comes

    /// Takes a frame that a peer published or answered.
    ///
    /// - Throws: ``WireError`` for a frame that is of no use, and what the hooks throw.
    func take(
        _ bytes: [UInt8], from peer: Int, isAnswer: Bool, now: Moment, hooks: Bus.Hooks
    ) throws {
        if links[peer].hear(now.monotonic) { hooks.notice(.heard(peer: links[peer].name)) }
        if !isAnswer, let stream = StreamName(topic: bytes.prefix(8)),
            subscriptions[stream]?.isSaturated == true
        {
            return
        }
        switch try Frame(bytes) {
        case .batch(let batch): take(batch, from: peer, isAnswer: isAnswer)
        case .heads(let heads):
            if links[peer].compare(published: heads.published, now: now),
                let seconds = links[peer].skewSeconds
            {
                hooks.notice(.skewed(peer: links[peer].name, seconds: seconds))
            }
            for extent in heads.extents {
                take(extent, from: peer)
                computed.hear(extent, from: peer, hooks: hooks)
            }
        case .control(.states(let states)):
            for state in states { try take(state, from: peer, now: now, hooks: hooks) }
        case .control(.chunk(let chunk)): take(chunk, from: peer)
        case .control(.end(let end)): try take(end, from: peer, now: now, hooks: hooks)
        case .control(.assign(let member, _, let assignments)):
            try take(assignments, for: member, from: peer, hooks: hooks)
        case .control(.checkpointAnswer(let answer)):
            try take(answer, from: peer, hooks: hooks)
        case .control, .offer:
            throw WireError(.unknown, "read answer", "a question where an answer belongs")
        }
    }

    /// The subscription of a stream, if it is followed at this peer.
    func subscription(_ stream: StreamName, at peer: Int) -> Subscription? {
        guard let found = subscriptions[stream], found.peer == peer else { return nil }
        return found
    }

    private func take(_ batch: Batch, from peer: Int, isAnswer: Bool) {
        guard let found = subscription(batch.stream, at: peer), found.isFollowing else { return }
        if isAnswer { answered(found) }
        found.noteHead(batch.head)
        switch found.take(batch) {
        case .next: enqueue(found)
        case .seen, .ahead: break
        case .foreign: greeting.insert(batch.stream)
        }
        if found.wantsReplay { missing.insert(batch.stream) }
    }

    private func take(_ extent: Extent, from peer: Int) {
        guard let found = subscription(extent.stream, at: peer) else { return }
        guard found.isFollowing else {
            found.setHead(extent.head.sequence)
            return
        }
        switch found.judge(extent) {
        case .current: break
        case .behind: missing.insert(extent.stream)
        case .foreign: greeting.insert(extent.stream)
        }
    }

    /// The question of a stream has its answer.
    func answered(_ found: Subscription) {
        found.askedAt = nil
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

    // MARK: What is applied

    /// Has waiting records applied, of each stream in turn, emergencies first; then saves cursors.
    func apply(limit: Int, now: Moment, hooks: Bus.Hooks, _ apply: Bus.Apply) throws {
        var left = limit
        endPauses(now)
        while left > 0, let stream = urgent.popFirst() ?? ready.popFirst() {
            guard let found = subscriptions[stream] else { continue }
            found.isQueued = false
            var quantum = min(left, BusLimits.quantum)
            while quantum > 0, !isCongested(stream), let (record, position) = found.next {
                touched.insert(stream)
                if case .input(let partition) = stream { computed.reads(position, of: partition) }
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

    /// - Parameter position: that of the record to blame; nil where a snapshot is
    func stop(
        _ found: Subscription, _ stop: StreamStop, at position: Position?, hooks: Bus.Hooks
    ) {
        guard !found.isAssigned else { return fail(found, because: stop.reason, hooks: hooks) }
        found.restart(at: found.applied)
        found.phase = .stopped(reason: stop.reason)
        found.stoppedAt = position
        answered(found)
        hooks.notice(.stopped(found.stream, reason: stop.reason))
    }

    func committed() {
        for stream in touched {
            guard let found = subscriptions[stream] else { continue }
            found.commit()
            if !found.isAssigned { unacknowledged.insert(stream) }
        }
        for stream in replacing.keys { unread[stream] = nil }
        replacing.removeAll()
        committedTenancy()
        touched.removeAll(keepingCapacity: true)
    }

    func rolledBack() throws {
        for stream in touched {
            guard let found = subscriptions[stream] else { continue }
            guard !found.isAssigned else {
                if !found.isStopped { beginAnew(found) }
                continue
            }
            found.rollBack(to: try store.cursor(of: stream) ?? .unknown)
            waiting.remove(stream)
            reading.remove(stream)
            if let since = replacing[stream] {
                readAgain(found, since: since)
            } else if !found.isStopped {
                greeting.insert(stream)
            }
        }
        replacing.removeAll()
        rolledBackTenancy()
        touched.removeAll(keepingCapacity: true)
    }
}

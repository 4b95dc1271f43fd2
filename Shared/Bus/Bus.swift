import Model
import Runtime
import Wire

/// A point in time: wall clock for records, monotonic clock for intervals.
public struct Moment: Hashable, Sendable {
    public var wall: Timestamp
    public var monotonic: Duration

    public init(wall: Timestamp, monotonic: Duration) {
        self.wall = wall
        self.monotonic = monotonic
    }
}

/// Replicates durable streams between processes over a lossy transport.
///
/// Every record is delivered to the consumer exactly as appended, without gaps and in order.
///
/// One turn of the owner: wait, ``receive(limit:apply:)``, own work with ``append(_:to:)``, commit
/// the store, ``committed()``, ``tick()``. If the commit fails, roll back the store and call
/// ``rolledBack()``. Records are published only after their commit.
///
/// ```swift
/// let bus = try Bus(configuration: configuration, store: SQLiteBusStore(database), clock: clock)
/// bus.hooks.notice = { log.warning("\($0)") }
/// while isRunning {
///     Loop.wait(on: [bus, server], atMost: 1000)
///     do {
///         try bus.receive { stream, position, record in try apply(record) }
///         if database.isInTransaction { try database.commit() }
///         bus.committed()
///     } catch {
///         database.rollback()
///         try bus.rolledBack()
///     }
///     try bus.tick()
/// }
/// ```
public final class Bus {
    /// Applies a record. ``StreamStop`` stops the stream, ``StreamPause`` delays it; any other
    /// error reaches the caller of ``receive(limit:apply:)``, who rolls back the turn.
    public typealias Apply = (StreamName, Position, Record) throws -> Void

    /// Callbacks that the owner of the bus sets.
    public struct Hooks {
        /// Returns the records of a snapshot; called for streams served as snapshotable.
        /// Called from ``Bus/tick()``, outside of a turn.
        public var snapshot: (StreamName) throws -> StreamSnapshot = { _ in StreamSnapshot([]) }
        /// Replaces the local state of a stream by the publisher's snapshot at a position.
        ///
        /// Called within ``Bus/receive(limit:apply:)``; the cursor is saved in the same
        /// transaction. For an assigned partition the records are its checkpoint (a
        /// ``PartitionSnapshot``), or none if there is no checkpoint: start from empty state then.
        public var replace: (StreamName, [Record], Position) throws -> Void = { _, _, _ in }
        /// Reports that a stream without snapshots continues after another position.
        ///
        /// It was replaced or pruned, or the local outputs derived from it differ from the
        /// published ones. Records may repeat. Reset state that derives from its records alone.
        /// Called like `replace`.
        public var restarted: (StreamName, Position) throws -> Void = { _, _ in }
        /// Handles a member's `JOIN`, `RENEW`, `LEAVE` or `CHECKPOINT`.
        ///
        /// Called within ``Bus/receive(limit:apply:)``. Reply with ``Bus/reply(with:to:)``, in this
        /// turn or a later one.
        public var coordinate: (Control, Route) throws -> Void = { _, _ in }
        /// Reports that a partition is no longer assigned to this process; discard its state.
        /// Called like `replace`.
        public var revoked: (Partition) throws -> Void = { _ in }
        /// Reports the outcome of ``Bus/send(checkpoint:)``. Called like `replace`.
        public var checkpointed: (Partition, CheckpointVerdict) throws -> Void = { _, _ in }
        /// Returns the last sequence that may be pruned; nil = prune nothing. Called for streams
        /// with ``Retention/hasFloor``.
        public var pruneFloor: (StreamName) throws -> UInt64? = { _ in nil }
        /// Returns whether a member may propose records for a stream. Other proposals are dropped.
        public var mayPropose: (StreamName, ID128) -> Bool = { _, _ in true }
        /// Reports a rejected proposal of a member, with the reason.
        ///
        /// The frame was malformed, or `apply` threw ``ProposalRejected``. Called within
        /// ``Bus/receive(limit:apply:)``.
        public var proposalRejected: (StreamName, ID128, String) throws -> Void = { _, _, _ in }
        /// Reports something that operators or services may want to know.
        public var notice: (BusNotice) -> Void = { _ in }

        public init() {}
    }

    /// Totals since the start, for metrics.
    public struct Counters: Hashable, Sendable {
        public var recordsAppended: UInt64 = 0
        public var recordsApplied: UInt64 = 0
        public var batchesPublished: UInt64 = 0
        public var framesRejectedByReason: [WireError.Code: UInt64] = [:]
        public var replaysRequested: UInt64 = 0
        public var reconnects: UInt64 = 0
        public var divergences: UInt64 = 0
        public var peersRejected: UInt64 = 0

        /// Total for all reasons.
        package var framesRejected: UInt64 { framesRejectedByReason.values.reduce(0, +) }
    }

    public var hooks = Hooks() { didSet { guarded = hooks.guarded } }
    /// The same hooks; a ``WireError`` thrown by them is not blamed on the received frame.
    private var guarded = Hooks().guarded
    private let transport: any BusTransport
    private let clock: () -> Moment
    let outbox: Outbox
    private let replayServer: ReplayServer
    let derivedLog: DerivedLog
    let pruner: Pruner
    let consumer: Consumer
    private var recordsAppended: UInt64 = 0
    private var batchesPublished: UInt64 = 0
    private var rejections = RejectionLog()
    /// Sent after the turn's commit.
    private var replies: [(control: Control, route: Route)] = []

    /// Opens the served streams, then binds and connects over ZeroMQ.
    ///
    /// - Throws: ``BusError`` if an address is in use or invalid; errors of the store.
    public convenience init(
        configuration: Bus.Configuration, store: any BusStore, clock: SystemClock
    ) throws {
        try self.init(
            configuration: configuration, store: store,
            transport: try ZeroMQTransport(configuration), newID: SecureRandom.id,
            clock: { Moment(wall: clock.now, monotonic: clock.monotonic) })
    }

    /// Opens the served streams on a given transport.
    ///
    /// - Parameter newID: returns random ids for incarnations and snapshots
    public init(
        configuration: Bus.Configuration, store: any BusStore, transport: any BusTransport,
        newID: @escaping () -> ID128, clock: @escaping () -> Moment
    ) throws {
        self.transport = transport
        self.clock = clock
        let now = clock()
        outbox = try Outbox(served: configuration.served, store: store, newIncarnation: newID)
        replayServer = try ReplayServer(
            outbox: outbox, store: store, transport: transport, now: now, newID: newID)
        derivedLog = DerivedLog(outbox: outbox)
        pruner = Pruner(outbox: outbox, replayServer: replayServer, store: store, now: now)
        consumer = try Consumer(
            configuration: configuration, store: store, transport: transport, now: now,
            newID: newID)
    }

    // MARK: A turn

    /// Receives frames and applies records, within the turn's transaction.
    ///
    /// - Parameter limit: the maximum number of followed records and, separately, of proposed
    ///   records to apply; the rest waits for the next turn
    /// - Throws: errors of `apply`, the hooks and the store. Roll back the turn then.
    public func receive(limit: Int = 1000, apply: Apply) throws {
        let now = clock()
        try consumer.recompute(now: now, hooks: guarded)
        try consumer.reportLeaseChanges(hooks: guarded)
        for _ in 0..<BusLimits.framesPerTurn {
            guard let event = transport.next() else { break }
            try handle(event, now)
        }
        try derivedLog.apply(limit: limit, now: now, hooks: guarded) { stream, position, record in
            try apply(stream, position, record)
            recordsAppended += 1
        }
        try consumer.apply(limit: limit, now: now, hooks: guarded, apply)
        try replayServer.saveAcknowledgements(now)
        try pruner.step(now, hooks: guarded)
    }

    private func handle(_ event: TransportEvent, _ now: Moment) throws {
        do {
            switch event {
            case .published(let peer, let frame):
                try consumer.receive(frame, from: peer, isReply: false, now: now, hooks: guarded)
            case .replied(let peer, let frame):
                try consumer.receive(frame, from: peer, isReply: true, now: now, hooks: guarded)
            case .requested(let route, let frame):
                try replayServer.receive(frame, from: route, now: now, hooks: guarded)
            case .proposed(let frame): try derivedLog.receive(frame, hooks: guarded)
            case .rejected(let rejection):
                consumer.recordRejection(rejection)
                report(.peer(rejection), now)
            }
        } catch let rejection as PeerRejection {
            report(.peer(rejection), now)
        } catch let error as WireError {
            report(.frame(from: sender(of: event), error), now)
        }
    }

    private func sender(of event: TransportEvent) -> String {
        switch event {
        case .published(let peer, _), .replied(let peer, _): consumer.links[peer].name
        case .requested: "a consumer"
        case .proposed: "an evaluator"
        case .rejected: "unknown"
        }
    }

    private func report(_ rejection: RejectionLog.Rejection, _ now: Moment) {
        rejections.record(rejection, now: now.monotonic).map(hooks.notice)
    }

    /// Appends a record to a stream that this process serves or derives.
    ///
    /// It is published after ``committed()``.
    ///
    /// - Throws: `not-ours`, `oversized`, errors of the store.
    @discardableResult
    public func append(_ record: Record, to stream: StreamName) throws -> Position {
        if !outbox.serves(stream),
            let position = consumer.derivedStreams.append(record, to: stream, hooks: hooks)
        {
            return position
        }
        let position = try outbox.append(record, to: stream, now: clock().wall)
        recordsAppended += 1
        return position
    }

    /// Publishes what the committed turn appended.
    public func committed() {
        let now = clock()
        for batch in outbox.committed(now: now.wall) {
            transport.publish(batch.encoded())
            batchesPublished += 1
        }
        for (control, route) in replies { transport.sendReply(control.encoded(), to: route) }
        replies.removeAll(keepingCapacity: true)
        consumer.committed()
        consumer.derivedStreams.committed()
        sendProposals(now)
    }

    private func sendProposals(_ now: Moment) {
        let member = consumer.leaseSet?.member ?? .zero
        for (proposal, peer) in consumer.derivedStreams.proposals(now, by: member) {
            transport.sendProposal(proposal.encoded(), to: peer)
            batchesPublished += 1
        }
    }

    /// Discards what the turn appended and applied. Call it after the store was rolled back.
    public func rolledBack() throws {
        outbox.rolledBack()
        replies.removeAll()
        derivedLog.rolledBack()
        pruner.rolledBack()
        consumer.derivedStreams.rolledBack()
        try consumer.rolledBack()
    }

    /// Publishes heads, sends requests and replies, and checks connections.
    ///
    /// Call it between turns.
    ///
    /// - Throws: errors of the store and of ``Hooks/snapshot``.
    public func tick() throws {
        let now = clock()
        try replayServer.tick(now, hooks: hooks)
        consumer.tick(now, hooks: hooks)
        sendProposals(now)
        rejections.due(now: now.monotonic).forEach(hooks.notice)
    }

    /// Closes all connections.
    public func close() { transport.close() }

    // MARK: Operations

    /// Prunes a served stream up to and including a sequence, as part of the turn.
    public func prune(_ stream: StreamName, through sequence: UInt64) throws {
        try outbox.prune(stream, through: sequence)
    }

    /// Resumes a stopped stream at the record that stopped it.
    ///
    /// For operators, after the record became applicable or was skipped.
    public func resume(_ stream: StreamName) {
        consumer.resume(stream)
        derivedLog.resume(stream)
    }

    /// Replaces the local state of a stream by a snapshot of its publisher.
    public func resync(_ stream: StreamName) { consumer.resync(stream) }

    /// Sends a reply such as `ASSIGN` after ``committed()``; not at all if the turn is rolled back.
    ///
    /// The frame may be lost. A route may be used several times.
    public func reply(with control: Control, to route: Route) { replies.append((control, route)) }

    /// Returns whether a served stream has this record at this position, including this turn.
    ///
    /// Returns false if the record has been pruned.
    public func isOnChain(_ position: Position, of stream: StreamName) throws -> Bool {
        try outbox.isOnChain(position, of: stream)
    }

    // MARK: State

    /// The committed extent of every served stream.
    public var heads: [Extent] { outbox.extents }

    /// The progress of every followed stream.
    public var lags: [Lag] {
        consumer.subscriptions.values.sorted { $0.stream < $1.stream }.map { found in
            Lag(
                stream: found.stream, peer: consumer.links[found.peer].name,
                position: found.applied, head: found.headSequence, records: found.lag,
                isLive: found.isFollowing)
        }
    }

    /// The positions that consumers acknowledged in served streams.
    public var acknowledgements: [Acknowledgement] { replayServer.acknowledgements }

    /// The last sequence of a served stream that a consumer has persisted; 0 if it never
    /// acknowledged.
    public func acknowledged(_ stream: StreamName, by consumer: String) -> UInt64 {
        replayServer.acknowledged(stream, by: consumer)
    }

    /// The last sequence of a served, derived or followed stream, including this turn; 0 before the
    /// first record.
    public func end(of stream: StreamName) -> UInt64 { position(of: stream)?.sequence ?? 0 }

    /// The last position of a served, derived or followed stream, including this turn; nil for any
    /// other stream.
    public func position(of stream: StreamName) -> Position? {
        outbox.end(of: stream) ?? consumer.derivedStreams.end(of: stream)
            ?? consumer.subscriptions[stream]?.applied
    }

    /// Whether all peers are connected and all their known records are applied.
    public var isCaughtUp: Bool { consumer.isCaughtUp }

    /// Whether the stream's publisher is connected and all its known records are applied.
    public func isCaughtUp(_ stream: StreamName) -> Bool { consumer.isCaughtUp(stream) }

    /// Peers without contact, in the order of the configuration.
    public var disconnectedPeers: [Bus.Peer] { consumer.disconnectedPeers }

    /// Problems that need attention, as sentences; empty if there are none.
    public var healthProblems: [String] {
        let now = clock().monotonic
        let disconnected = consumer.links.filter { $0.isUnhealthy(now) }.map {
            "no contact with \($0.name)"
        }
        let failures = (consumer.leaseSet?.failures ?? [:]).sorted { $0.key < $1.key }
        let failed = failures.map { "\(StreamName.input($0)) failed here: \($1)" }
        let stopped = consumer.stopped.sorted { $0.stream < $1.stream }
            .map { "\($0.stream) is stopped: \($0.reason)" }
        return disconnected + failed + stopped + consumer.failedSnapshotProblems
            + derivedLog.healthProblems
            + consumer.derivedStreams.healthProblems
    }

    public var counters: Counters {
        var all = consumer.counters
        all.recordsAppended = recordsAppended
        all.batchesPublished = batchesPublished
        all.framesRejectedByReason = rejections.framesByReason
        all.peersRejected = rejections.peers
        return all
    }

    /// Where this process is bound, with the ports that it really got.
    public var endpoints: BusEndpoints { transport.endpoints }
}

extension Bus: Pollable {
    public func appendPollItems(to items: inout [PollItem]) {
        transport.appendPollItems(to: &items)
    }

    public var waitMilliseconds: Int? {
        if consumer.hasRecords || derivedLog.hasRecords || replayServer.hasRequests { return 0 }
        let now = clock().monotonic
        let wait = min(
            transport.waitMilliseconds ?? .max, Int(replayServer.timeUntilHeads(now).milliseconds),
            pruner.wait(now).map { Int($0.milliseconds) } ?? .max)
        return max(0, wait)
    }
}

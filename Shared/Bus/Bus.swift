import Model
import Runtime
import Wire

/// A point of time: what the calendar says, and what waits are counted by.
public struct Moment: Hashable, Sendable {
    public var wall: Timestamp
    public var monotonic: Duration

    public init(wall: Timestamp, monotonic: Duration) {
        self.wall = wall
        self.monotonic = monotonic
    }
}

/// Durable streams between processes, whole and in order, over a transport that may lose anything.
///
/// A turn of its owner: wait, ``receive(limit:apply:)``, own work with ``append(_:to:)``, commit of
/// the store, ``committed()``, ``tick()``. When the commit fails: undo the store, then
/// ``rolledBack()``. Nothing is told that does not last, and nothing is applied out of its turn.
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
    /// Applies a record. Throwing leaves it unapplied: ``StreamStop`` stops the stream, anything
    /// else goes to the caller of ``receive(limit:apply:)``, who undoes the turn.
    public typealias Apply = (StreamName, Position, Record) throws -> Void

    /// What the bus needs of its owner besides.
    public struct Hooks {
        /// The records that lead to a state of a stream; for streams served as snapshotable.
        /// Called from ``Bus/tick()``, when nothing is half done.
        public var snapshot: (StreamName) throws -> StreamSnapshot = { _ in StreamSnapshot([]) }
        /// Puts the writer's state at a position in the place of ours. Called within
        /// ``Bus/receive(limit:apply:)``; the cursor is saved in the same transaction. For a
        /// partition that this process was given: its checkpoint (a ``PartitionSnapshot``), or no
        /// records where there is none, and then everything begins with nothing.
        public var replace: (StreamName, [Record], Position) throws -> Void = { _, _, _ in }
        /// A stream without snapshots turned out to be another one, or pruned, or outputs computed
        /// from it differ from what is kept: it goes on after this position, and records may come
        /// again. What is a function of its records alone begins again, and so do its outputs.
        /// Called as `replace` is.
        public var restarted: (StreamName, Position) throws -> Void = { _, _ in }
        /// A member asks about the ownership of partitions: `JOIN`, `RENEW`, `LEAVE` or
        /// `CHECKPOINT`. Called within ``Bus/receive(limit:apply:)``; answers go by
        /// ``Bus/tell(_:to:)``, now or in a later turn.
        public var coordinate: (Control, Route) throws -> Void = { _, _ in }
        /// This process shall have a partition no longer: what it knew of it can be forgotten.
        /// Called as `replace` is.
        public var lost: (Partition) throws -> Void = { _ in }
        /// What became of the checkpoint given to ``Bus/send(checkpoint:)``: kept or refused.
        /// Called as `replace` is.
        public var checkpointed: (Partition, CheckpointVerdict) throws -> Void = { _, _ in }
        /// Up to which sequence a stream with a floor may be pruned; nil: not at all.
        public var pruneFloor: (StreamName) throws -> UInt64? = { _ in nil }
        /// Whether a member may propose outputs for a stream. What others propose is dropped.
        public var mayPropose: (StreamName, ID128) -> Bool = { _, _ in true }
        /// A member proposed what cannot be read, for a reason: a frame that is not of the grammar,
        /// or a record for which `apply` threw ``ProposalRejected``. Called within
        /// ``Bus/receive(limit:apply:)``.
        public var proposalRejected: (StreamName, ID128, String) throws -> Void = { _, _, _ in }
        /// Something that somebody may want to know.
        public var notice: (BusNotice) -> Void = { _ in }

        public init() {}
    }

    /// Totals since the start, for metrics.
    public struct Counters: Hashable, Sendable {
        public var recordsAppended: UInt64 = 0
        public var recordsApplied: UInt64 = 0
        public var batchesPublished: UInt64 = 0
        public var framesRefusedByReason: [WireError.Code: UInt64] = [:]
        public var replaysAsked: UInt64 = 0
        public var reconnects: UInt64 = 0
        public var divergences: UInt64 = 0
        public var peersRefused: UInt64 = 0

        /// For whatever reason.
        package var framesRefused: UInt64 { framesRefusedByReason.values.reduce(0, +) }
    }

    public var hooks = Hooks() { didSet { guarded = hooks.guarded } }
    /// The same, with failures that no frame is to blame for.
    private var guarded = Hooks().guarded
    private let transport: any BusTransport
    private let clock: () -> Moment
    let outbox: Outbox
    private let desk: Desk
    let ledger: Ledger
    let pruner: Pruner
    let consumer: Consumer
    private var recordsAppended: UInt64 = 0
    private var batchesPublished: UInt64 = 0
    private var refusals = RefusalLog()
    /// Leaves after the turn's commit.
    private var told: [(control: Control, route: Route)] = []

    /// Opens the streams served and binds and connects over ZeroMQ.
    ///
    /// - Throws: ``BusError`` when an address is in use or wrong; errors of the store.
    public convenience init(
        configuration: Bus.Configuration, store: any BusStore, clock: SystemClock
    ) throws {
        try self.init(
            configuration: configuration, store: store,
            transport: try ZeroMQTransport(configuration), newID: SecureRandom.id,
            clock: { Moment(wall: clock.now, monotonic: clock.monotonic) })
    }

    /// Opens the streams served on any transport.
    ///
    /// - Parameter newID: random ids, for lives of streams and snapshots
    public init(
        configuration: Bus.Configuration, store: any BusStore, transport: any BusTransport,
        newID: @escaping () -> ID128, clock: @escaping () -> Moment
    ) throws {
        self.transport = transport
        self.clock = clock
        let now = clock()
        outbox = try Outbox(served: configuration.served, store: store, newIncarnation: newID)
        desk = try Desk(
            outbox: outbox, store: store, transport: transport, now: now, newID: newID)
        ledger = Ledger(outbox: outbox)
        pruner = Pruner(outbox: outbox, desk: desk, store: store, now: now)
        consumer = try Consumer(
            configuration: configuration, store: store, transport: transport, now: now,
            newID: newID)
    }

    // MARK: A turn

    /// Takes what came and has it applied, in the turn's transaction.
    ///
    /// - Parameter limit: applies at most so many records of others' streams, and so many offered
    ///   for computed ones; what is left comes in the next turn
    /// - Throws: what `apply` and the hooks throw, and errors of the store. Undo the turn then.
    public func receive(limit: Int = 1000, apply: Apply) throws {
        let now = clock()
        try consumer.computeAnew(now: now, hooks: guarded)
        try consumer.tellOfOwnership(hooks: guarded)
        for _ in 0..<BusLimits.framesPerTurn {
            guard let arrival = transport.next() else { break }
            try take(arrival, now)
        }
        try ledger.apply(limit: limit, now: now, hooks: guarded) { stream, position, record in
            try apply(stream, position, record)
            recordsAppended += 1
        }
        try consumer.apply(limit: limit, now: now, hooks: guarded, apply)
        try desk.saveAcknowledgements(now)
        try pruner.step(now, hooks: guarded)
    }

    private func take(_ arrival: Arrival, _ now: Moment) throws {
        do {
            switch arrival {
            case .published(let peer, let frame):
                try consumer.take(frame, from: peer, isAnswer: false, now: now, hooks: guarded)
            case .answered(let peer, let frame):
                try consumer.take(frame, from: peer, isAnswer: true, now: now, hooks: guarded)
            case .asked(let route, let frame):
                try desk.take(frame, from: route, now: now, hooks: guarded)
            case .offered(let frame): try ledger.take(frame, hooks: guarded)
            case .refused(let refusal):
                consumer.turnedAway(refusal)
                note(.peer(refusal), now)
            }
        } catch let refusal as PeerRefusal {
            note(.peer(refusal), now)
        } catch let error as WireError {
            note(.frame(from: sender(of: arrival), error), now)
        }
    }

    private func sender(of arrival: Arrival) -> String {
        switch arrival {
        case .published(let peer, _), .answered(let peer, _): consumer.links[peer].name
        case .asked: "a consumer"
        case .offered: "an evaluator"
        case .refused: "nobody"
        }
    }

    private func note(_ refused: RefusalLog.Refused, _ now: Moment) {
        refusals.note(refused, now: now.monotonic).map(hooks.notice)
    }

    /// Adds a record to a stream that this process serves or computes. It is told after
    /// ``committed()``.
    ///
    /// - Throws: `not-ours`, `oversized`, errors of the store.
    @discardableResult
    public func append(_ record: Record, to stream: StreamName) throws -> Position {
        if !outbox.keeps(stream),
            let position = consumer.computed.append(record, to: stream, hooks: hooks)
        {
            return position
        }
        let position = try outbox.append(record, to: stream, now: clock().wall)
        recordsAppended += 1
        return position
    }

    /// The turn lasts: tells what was appended.
    public func committed() {
        let now = clock()
        for batch in outbox.committed(now: now.wall) {
            transport.publish(batch.encoded())
            batchesPublished += 1
        }
        for (control, route) in told { transport.answer(control.encoded(), to: route) }
        told.removeAll(keepingCapacity: true)
        consumer.committed()
        consumer.computed.committed()
        offer(now)
    }

    private func offer(_ now: Moment) {
        let member = consumer.tenancy?.member ?? .zero
        for (offer, peer) in consumer.computed.offers(now, by: member) {
            transport.offer(offer.encoded(), to: peer)
            batchesPublished += 1
        }
    }

    /// The turn is undone, in the store already: forgets what it appended and applied.
    public func rolledBack() throws {
        outbox.rolledBack()
        told.removeAll()
        ledger.rolledBack()
        pruner.rolledBack()
        consumer.computed.rolledBack()
        try consumer.rolledBack()
    }

    /// Tells heads, answers and asks questions, watches over peers. To be called between turns,
    /// when nothing is half done.
    ///
    /// - Throws: errors of the store, and what ``Hooks/snapshot`` throws.
    public func tick() throws {
        let now = clock()
        try desk.tick(now, hooks: hooks)
        consumer.tick(now, hooks: hooks)
        offer(now)
        refusals.due(now: now.monotonic).forEach(hooks.notice)
    }

    /// Lets go of all connections; nothing is told or heard any more.
    public func close() { transport.close() }

    // MARK: Other requests

    /// Forgets records of a stream served, up to and with a sequence; part of the turn.
    public func prune(_ stream: StreamName, through sequence: UInt64) throws {
        try outbox.prune(stream, through: sequence)
    }

    /// Goes on with a stopped stream at the record that stopped it; for an operator who knows that
    /// this is applied now, or left out.
    public func resume(_ stream: StreamName) {
        consumer.resume(stream)
        ledger.resume(stream)
    }

    /// Reads a snapshot of a stream that has one, in the place of what was learned from it.
    public func readAnew(_ stream: StreamName) { consumer.readAnew(stream) }

    /// Says something to whoever asked once, such as `ASSIGN`; it leaves after ``committed()``, and
    /// not at all when the turn is undone. Like every frame it may be lost.
    public func tell(_ control: Control, to route: Route) { told.append((control, route)) }

    /// Whether a stream served here has, this turn included, just this record at this place. False
    /// where that cannot be said any more, because the record is pruned.
    public func isOnChain(_ position: Position, of stream: StreamName) throws -> Bool {
        try outbox.isOnChain(position, of: stream)
    }

    // MARK: What is to be seen

    /// What lasts of every stream served.
    public var heads: [Extent] { outbox.extents }

    /// How far every stream that is followed is applied.
    public var lags: [Lag] {
        consumer.subscriptions.values.sorted { $0.stream < $1.stream }.map { found in
            Lag(
                stream: found.stream, peer: consumer.links[found.peer].name,
                position: found.applied, head: found.headSequence, records: found.lag,
                isLive: found.isFollowing)
        }
    }

    /// How far others say that they are with streams served.
    public var acknowledgements: [Acknowledgement] { desk.acknowledgements }

    /// Sequence up to which a consumer has a stream served here on its disk; 0 if it never said.
    public func acknowledged(_ stream: StreamName, by consumer: String) -> UInt64 {
        desk.acknowledged(stream, by: consumer)
    }

    /// Sequence of the last record of a stream that is served, computed or followed, this turn
    /// included; 0 before the first.
    public func end(of stream: StreamName) -> UInt64 { position(of: stream)?.sequence ?? 0 }

    /// Where a stream ends that is served, computed or followed, this turn included; nil for any
    /// other.
    public func position(of stream: StreamName) -> Position? {
        outbox.end(of: stream) ?? consumer.computed.end(of: stream)
            ?? consumer.subscriptions[stream]?.applied
    }

    /// Whether everything that the peers have is applied, as far as they are heard.
    public var isCaughtUp: Bool { consumer.isCaughtUp }

    /// Whether everything that the keeper of a followed stream has is applied, and it is heard.
    public func isCaughtUp(_ stream: StreamName) -> Bool { consumer.isCaughtUp(stream) }

    /// Peers of which nothing is heard now, in the order of the configuration.
    public var silentPeers: [Bus.Peer] { consumer.silentPeers }

    /// What somebody should look at; empty when all is well.
    public var troubles: [String] {
        let now = clock().monotonic
        let silent = consumer.links.filter { $0.isUnhealthy(now) }.map {
            "nothing is heard of \($0.name)"
        }
        let failures = (consumer.tenancy?.failures ?? [:]).sorted { $0.key < $1.key }
        let failed = failures.map { "\(StreamName.input($0)) is given up: \($1)" }
        let stopped = consumer.stopped.sorted { $0.stream < $1.stream }
            .map { "\($0.stream) is stopped: \($0.reason)" }
        return silent + failed + stopped + consumer.unreadSnapshots + ledger.troubles
            + consumer.computed.troubles
    }

    public var counters: Counters {
        var all = consumer.counters
        all.recordsAppended = recordsAppended
        all.batchesPublished = batchesPublished
        all.framesRefusedByReason = refusals.framesByReason
        all.peersRefused = refusals.peers
        return all
    }

    /// Where this process is bound, with the ports that it really got.
    public var endpoints: BusEndpoints { transport.endpoints }
}

/// How far a stream of a peer is applied here.
public struct Lag: Hashable, Sendable {
    public var stream: StreamName
    public var peer: String
    /// The last record applied.
    public var position: Position
    /// Sequence of the keeper's last record, as far as it was heard.
    public var head: UInt64
    /// Records that the writer has and that are not applied.
    public var records: UInt64
    /// Whether it is being followed: greeted, not stopped, not reading a snapshot.
    public var isLive: Bool
}

extension Bus: Pollable {
    public func appendPollItems(to items: inout [PollItem]) {
        transport.appendPollItems(to: &items)
    }

    public var waitMilliseconds: Int? {
        if consumer.hasRecords || ledger.hasRecords || desk.hasQuestions { return 0 }
        let now = clock().monotonic
        let wait = min(
            transport.waitMilliseconds ?? .max, Int(desk.untilHeads(now).milliseconds),
            pruner.wait(now).map { Int($0.milliseconds) } ?? .max)
        return max(0, wait)
    }
}

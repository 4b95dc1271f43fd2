import Collections
import Model
import Wire

/// Answers consumers' requests for served streams.
///
/// Requests are queued when received and answered between turns, round-robin over consumers. A byte
/// limit per turn keeps replays from delaying live records.
final class ReplayServer {
    private let outbox: Outbox
    private let store: any BusStore
    private let transport: any BusTransport
    private let newID: () -> ID128
    private var requests: [Route: Fifo<Control>] = [:]
    private var order = Fifo<Route>()
    private var snapshots: [StreamName: Snapshot] = [:]
    private var positions: [StreamName: [String: Acknowledgement]] = [:]
    /// Consumers that no stream requires.
    private var optionalConsumers: Set<String> = []
    private var unsaved: Set<Key> = []
    private var lastSaved: Duration
    private var lastHeads: Duration

    private struct Key: Hashable {
        let consumer: String
        let stream: StreamName
    }

    /// A snapshot being read by consumers.
    private struct Snapshot {
        let id: ID128
        let position: Position
        let records: [Record]
        /// Whether the owner set the position instead of the stream's end.
        let hasOwnPosition: Bool
        var used: Duration
    }

    init(
        outbox: Outbox, store: any BusStore, transport: any BusTransport, now: Moment,
        newID: @escaping () -> ID128
    ) throws {
        self.outbox = outbox
        self.store = store
        self.transport = transport
        self.newID = newID
        lastSaved = now.monotonic
        lastHeads = now.monotonic - BusLimits.headsInterval
        // Positions of another incarnation, or beyond a restored head, are meaningless.
        for known in try store.acknowledgements() where isCurrent(known.position, known.stream) {
            positions[known.stream, default: [:]][known.consumer] = known
        }
        updateOptionalConsumers()
    }

    /// Finds the acknowledging consumers that no stream requires.
    private func updateOptionalConsumers() {
        optionalConsumers = Set(
            acknowledgements.lazy.filter { !self.isRequired($0.consumer, of: $0.stream) }
                .map(\.consumer))
    }

    private func isRequired(_ consumer: String, of stream: StreamName) -> Bool {
        outbox.retention(of: stream)?.required.contains(consumer) == true
    }

    var hasRequests: Bool { !order.isEmpty }

    /// Time until heads are published again.
    func timeUntilHeads(_ now: Duration) -> Duration { lastHeads + BusLimits.headsInterval - now }

    var acknowledgements: [Acknowledgement] {
        positions.values.flatMap(\.values)
            .sorted { ($0.consumer, $0.stream) < ($1.consumer, $1.stream) }
    }

    func acknowledged(_ stream: StreamName, by consumer: String) -> UInt64 {
        positions[stream]?[consumer]?.position.sequence ?? 0
    }

    /// The position that a consumer has persisted; nil if it never acknowledged.
    func position(of stream: StreamName, by consumer: String) -> Position? {
        positions[stream]?[consumer]?.position
    }

    // MARK: Requests

    /// Receives a request. Requests about leases go to the service immediately.
    ///
    /// - Throws: ``WireError``, ``PeerRejection``, and errors of ``Bus/Hooks/coordinate``.
    func receive(_ bytes: [UInt8], from route: Route, now: Moment, hooks: Bus.Hooks) throws {
        guard case .control(let request) = try Frame(bytes) else {
            throw WireError(.unknown, "read request", "not a request")
        }
        if let rejection = PeerRejection(of: request, from: route) { throw rejection }
        switch request {
        case .acknowledge(let consumer, let entries):
            try checkServed(request.streams)
            for entry in entries { record(entry, of: consumer, now) }
        case .headsRequest: transport.sendReply(heads(now).encoded(), to: route)
        case .hello, .replay, .snapshotRequest:
            try checkServed(request.streams)
            if case .hello(let consumer, let entries) = request {
                for entry in entries { lowerAcknowledgement(entry, of: consumer, now) }
            }
            guard requests[route, default: Fifo()].count < BusLimits.requestsMax else { return }
            if requests[route] == nil { order.append(route) }
            requests[route, default: Fifo()].append(request)
        case .join, .renew, .leave, .checkpoint: try hooks.coordinate(request, route)
        case .states, .chunk, .end, .assign, .checkpointReply:
            throw WireError(.unknown, "read request", "a reply where a request belongs")
        }
    }

    /// Rejects a request that names only streams of other processes.
    private func checkServed(_ streams: [StreamName]) throws(WireError) {
        guard !streams.isEmpty, !streams.contains(where: outbox.serves) else { return }
        throw WireError(.unknown, "read request", "\(streams[0]) is not served here")
    }

    private func isCurrent(_ position: Position, _ stream: StreamName) -> Bool {
        guard let extent = outbox.extent(of: stream) else { return false }
        return position.incarnation == extent.head.incarnation
            && position.sequence <= extent.head.sequence
    }

    /// Lowers the acknowledged position of a consumer that was restored from a backup or restarts:
    /// it needs the following records again.
    private func lowerAcknowledgement(_ entry: Control.Entry, of consumer: String, _ now: Moment) {
        guard let known = positions[entry.stream]?[consumer]?.position else { return }
        if !isCurrent(entry.position, entry.stream) {
            record(.init(entry.stream, .start(of: known.incarnation)), of: consumer, now)
        } else if entry.position.sequence < known.sequence {
            record(entry, of: consumer, now)
        }
    }

    private func record(_ entry: Control.Entry, of consumer: String, _ now: Moment) {
        guard isCurrent(entry.position, entry.stream) else { return }
        if !isRequired(consumer, of: entry.stream), !optionalConsumers.contains(consumer) {
            guard optionalConsumers.count < BusLimits.optionalConsumersMax else { return }
            optionalConsumers.insert(consumer)
        }
        positions[entry.stream, default: [:]][consumer] = Acknowledgement(
            consumer: consumer, stream: entry.stream, position: entry.position, received: now.wall)
        unsaved.insert(Key(consumer: consumer, stream: entry.stream))
    }

    /// Saves acknowledgements within the turn's transaction, at most once a second. Consumers
    /// repeat lost ones.
    func saveAcknowledgements(_ now: Moment) throws {
        guard !unsaved.isEmpty, now.monotonic - lastSaved >= BusLimits.acknowledgementsStoreInterval
        else {
            return
        }
        for key in unsaved {
            guard let known = positions[key.stream]?[key.consumer] else { continue }
            try store.save(known)
        }
        unsaved.removeAll(keepingCapacity: true)
        lastSaved = now.monotonic
    }

    /// Forgets consumers that no stream requires after a long absence. They restart from a snapshot
    /// or the base.
    func forgetAbsent(_ now: Moment) throws {
        for known in acknowledgements
        where now.wall - known.received >= BusLimits.consumerRetention
            && !isRequired(known.consumer, of: known.stream)
        {
            try store.forget(known)
            positions[known.stream]?[known.consumer] = nil
        }
        updateOptionalConsumers()
    }

    // MARK: Replies

    /// Publishes heads if due, and answers queued requests.
    func tick(_ now: Moment, hooks: Bus.Hooks) throws {
        if timeUntilHeads(now.monotonic) <= .zero {
            lastHeads = now.monotonic
            transport.publish(heads(now).encoded())
            snapshots = snapshots.filter {
                now.monotonic - $0.value.used < BusLimits.snapshotRetention
            }
        }
        var left = BusLimits.replayBytesPerTurn
        while left > 0, let route = order.popFirst() {
            guard let request = requests[route]?.popFirst() else { continue }
            if requests[route]?.isEmpty == true {
                requests[route] = nil
            } else {
                order.append(route)
            }
            guard let reply = try reply(to: request, now, hooks) else { continue }
            transport.sendReply(reply, to: route)
            left -= max(reply.count, 256)
        }
    }

    private func heads(_ now: Moment) -> Heads {
        Heads(published: now.wall, extents: outbox.extents)
    }

    private func reply(
        to request: Control, _ now: Moment, _ hooks: Bus.Hooks
    ) throws -> [UInt8]? {
        switch request {
        case .hello(_, let entries):
            let states = try entries.compactMap { try state(of: $0) }
            return Control.states(states).encoded()
        case .replay(_, let entry, let bytesMax):
            guard let state = try state(of: entry) else { return nil }
            if state.verdict == .ok,
                let batch = try outbox.batch(
                    after: entry.position, in: entry.stream, bytesMax: Int(bytesMax),
                    now: now.wall)
            {
                return batch.encoded()
            }
            return Control.states([state]).encoded()
        case .snapshotRequest(_, let stream, let id, let first):
            return try rows(of: stream, id, from: Int(first), now, hooks)?.encoded()
        default: return nil
        }
    }

    private func state(of entry: Control.Entry) throws -> Control.State? {
        guard let extent = outbox.extent(of: entry.stream),
            let verdict = try outbox.verdict(on: entry.position, in: entry.stream)
        else { return nil }
        return Control.State(verdict, on: entry.position, extent)
    }

    /// Whether a known snapshot can serve a new reader.
    ///
    /// A snapshot with its own position may have been followed by a newer one: only readers that
    /// lost their snapshot midway reuse it.
    private func isFresh(
        _ snapshot: Snapshot?, of extent: Extent, isNewRequested: Bool
    ) -> Bool {
        guard let snapshot else { return false }
        guard snapshot.hasOwnPosition else { return snapshot.position == extent.head }
        return !isNewRequested && isContinued(snapshot, in: extent)
    }

    /// Whether the records after a snapshot still exist.
    private func isContinued(_ snapshot: Snapshot, in extent: Extent) -> Bool {
        snapshot.position.incarnation == extent.head.incarnation
            && snapshot.position.sequence >= extent.base.sequence
    }

    private func rows(
        of stream: StreamName, _ id: ID128, from first: Int, _ now: Moment, _ hooks: Bus.Hooks
    ) throws -> Control? {
        guard let extent = outbox.extent(of: stream), extent.isSnapshotable else { return nil }
        var first = first
        let known = snapshots[stream].flatMap {
            $0.id == id && isContinued($0, in: extent) ? $0 : nil
        }
        if known == nil {
            first = 0
            if !isFresh(snapshots[stream], of: extent, isNewRequested: id == .zero) {
                let state = try hooks.snapshot(stream)
                snapshots[stream] = Snapshot(
                    id: newID(), position: state.position ?? extent.head, records: state.records,
                    hasOwnPosition: state.position != nil, used: now.monotonic)
            }
        }
        snapshots[stream]?.used = now.monotonic
        guard let snapshot = snapshots[stream], first <= snapshot.records.count else { return nil }
        let rest = Array(snapshot.records[first...].prefix(BusLimits.snapshotRowsMax))
        guard let range = Batch.cut(rest).first else {
            // If the end is lost, a newer snapshot is equally valid.
            if snapshot.hasOwnPosition { snapshots[stream] = nil }
            return .end(
                Control.End(
                    stream: stream, snapshot: snapshot.id, position: snapshot.position,
                    rows: UInt32(snapshot.records.count),
                    digest: snapshot.records.reduce(0) { $1.hash(after: $0) }))
        }
        return .chunk(
            Control.Chunk(
                stream: stream, snapshot: snapshot.id, first: UInt32(first),
                records: Array(rest[range])))
    }
}

extension Control {
    /// The streams named in a request.
    fileprivate var streams: [StreamName] {
        switch self {
        case .hello(_, let entries), .acknowledge(_, let entries): entries.map(\.stream)
        case .replay(_, let entry, _): [entry.stream]
        case .snapshotRequest(_, let stream, _, _): [stream]
        default: []
        }
    }
}

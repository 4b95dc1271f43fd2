import Model
import Wire

/// The streams that this process keeps: what is appended, what of it lasts, what is told.
///
/// Appended records belong to the turn's transaction and are told only after its commit.
final class Outbox {
    private struct Stream {
        let served: Bus.Served
        var base: Position
        /// The base after this turn, if it prunes.
        var nextBase: Position?
        /// What lasts.
        var head: Position
        /// Appended in this turn, after the head.
        var pending: [StoredRecord] = []

        var end: Position {
            guard let last = pending.last else { return head }
            return Position(
                incarnation: head.incarnation, sequence: head.sequence + UInt64(pending.count),
                hash: last.hash)
        }
    }

    let store: any BusStore
    private var streams: [StreamName: Stream] = [:]
    /// Of the configuration's order, for heads.
    private let order: [StreamName]
    private var dirty: [StreamName] = []

    init(
        served: [Bus.Served], store: any BusStore, newIncarnation: () -> ID128
    ) throws {
        self.store = store
        order = served.map(\.stream)
        for entry in served {
            let (base, head) = try store.open(entry.stream, newIncarnation: newIncarnation)
            streams[entry.stream] = Stream(served: entry, base: base, head: head)
        }
    }

    func keeps(_ stream: StreamName) -> Bool { streams[stream] != nil }

    func isComputed(_ stream: StreamName) -> Bool { streams[stream]?.served.isComputed ?? false }

    /// Streams that are pruned by a rule, in the order of the configuration.
    var pruned: [StreamName] { order.filter { retention(of: $0) != nil } }

    func retention(of stream: StreamName) -> Retention? { streams[stream]?.served.retention }

    /// What lasts of a stream; nil if it is not kept here.
    func extent(of stream: StreamName) -> Extent? {
        streams[stream].map {
            Extent(
                stream: stream, base: $0.base, head: $0.head,
                isSnapshotable: $0.served.isSnapshotable)
        }
    }

    var extents: [Extent] { order.compactMap(extent(of:)) }

    /// Where the next record is put after, those of this turn included.
    func end(of stream: StreamName) -> Position? { streams[stream]?.end }

    /// Adds a record to a stream kept here and gives its position.
    func append(
        _ record: Record, to stream: StreamName, now: Timestamp
    ) throws -> Position {
        guard let end = streams[stream]?.end else {
            throw BusError(
                "not-ours", "append to \(stream)", "this process does not keep that stream",
                hint: "Name it among the streams served.")
        }
        guard record.wireBytes <= WireLimits.recordBytesMax else {
            throw BusError(
                "oversized", "append to \(stream)", "a record of \(record.wireBytes) bytes",
                hint: "At most \(WireLimits.recordBytesMax) bytes fit into a record.")
        }
        let position = end.advanced(by: record)
        try store.append(record, at: position, of: stream, now: now)
        if streams[stream]?.pending.isEmpty == true { dirty.append(stream) }
        streams[stream]?.pending.append(StoredRecord(record: record, hash: position.hash))
        return position
    }

    /// The chain hash at a sequence, those of this turn included.
    func hash(of stream: StreamName, at sequence: UInt64) throws -> UInt64? {
        guard let kept = streams[stream] else { return nil }
        if sequence == kept.end.sequence { return kept.end.hash }
        if sequence == kept.base.sequence { return kept.base.hash }
        return try store.hash(of: stream, at: sequence)
    }

    /// Whether a position is one of this stream's life, this turn included.
    func isOnChain(_ position: Position, of stream: StreamName) throws -> Bool {
        guard let kept = streams[stream], position.incarnation == kept.end.incarnation,
            position.sequence <= kept.end.sequence
        else { return false }
        if position.sequence == 0 { return position.hash == 0 }
        return try hash(of: stream, at: position.sequence) == position.hash
    }

    /// The turn lasts: gives the batches to tell.
    func committed(now: Timestamp) -> [Batch] {
        var batches: [Batch] = []
        for name in dirty {
            guard let stream = streams[name] else { continue }
            let end = stream.end
            streams[name]?.base = stream.nextBase ?? stream.base
            streams[name]?.nextBase = nil
            streams[name]?.head = end
            streams[name]?.pending = []
            batches += Batch.cut(
                stream.pending, after: stream.head, of: name, head: end.sequence, now: now)
        }
        dirty = []
        return batches
    }

    /// The turn is undone.
    func rolledBack() {
        for name in dirty {
            streams[name]?.pending = []
            streams[name]?.nextBase = nil
        }
        dirty = []
    }

    /// Forgets records up to and with a sequence that lasts.
    func prune(_ stream: StreamName, through sequence: UInt64) throws {
        guard let kept = streams[stream], sequence > kept.base.sequence,
            sequence <= kept.head.sequence, let hash = try hash(of: stream, at: sequence)
        else { return }
        let base = Position(
            incarnation: kept.head.incarnation, sequence: sequence, hash: hash)
        try store.prune(stream, through: base)
        streams[stream]?.nextBase = base
        dirty.append(stream)
    }

    /// How a consumer's position is to be seen. Only what lasts counts.
    func verdict(on position: Position, in stream: StreamName) throws -> Control.Verdict? {
        guard let kept = streams[stream] else { return nil }
        if position == .unknown { return kept.base.sequence == 0 ? .ok : .pruned }
        guard position.incarnation == kept.head.incarnation,
            position.sequence <= kept.head.sequence
        else { return .diverged }
        if position.sequence < kept.base.sequence { return .pruned }
        return try hash(of: stream, at: position.sequence) == position.hash ? .ok : .diverged
    }

    /// What follows a position that is `ok`; nil if nothing does.
    func batch(
        after position: Position, in stream: StreamName, bytesMax: Int, now: Timestamp
    ) throws -> Batch? {
        guard let kept = streams[stream], position.sequence < kept.head.sequence else { return nil }
        let found = try store.records(
            of: stream, after: position.sequence, through: kept.head.sequence,
            bytesMax: min(bytesMax, WireLimits.batchBytesMax))
        guard !found.isEmpty else { return nil }
        let previous = Position(
            incarnation: kept.head.incarnation, sequence: position.sequence,
            hash: position.hash)
        return Batch(
            stream: stream, after: previous, records: found.map(\.record),
            hashes: found.map(\.hash), head: kept.head.sequence, published: now)
    }
}

extension Batch {
    /// Batches of records that follow each other after a position.
    static func cut(
        _ stored: [StoredRecord], after previous: Position, of stream: StreamName, head: UInt64,
        now: Timestamp
    ) -> [Batch] {
        let records = stored.map(\.record)
        var previous = previous
        return cut(records).map { range in
            let batch = Batch(
                stream: stream, after: previous, records: Array(records[range]),
                hashes: stored[range].map(\.hash), head: head, published: now)
            previous = batch.last
            return batch
        }
    }
}

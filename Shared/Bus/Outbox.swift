import Model
import Wire

/// The streams that this process keeps: what is appended, what of it lasts, what is told.
///
/// Appended records belong to the turn's transaction and are told only after its commit.
final class Outbox {
    private final class Stream {
        let served: Bus.Served
        var base: Position
        /// The base after this turn, if it prunes.
        var nextBase: Position?
        /// What lasts.
        var head: Position
        /// Appended in this turn, after the head.
        var pending: [StoredRecord] = []

        init(_ served: Bus.Served, base: Position, head: Position) {
            self.served = served
            self.base = base
            self.head = head
        }

        var end: Position {
            guard let last = pending.last else { return head }
            return Position(
                incarnation: head.incarnation, sequence: head.sequence + UInt64(pending.count),
                hash: last.hash)
        }
    }

    let store: any BusStore
    /// By code, so that nothing is hashed for a record.
    private var byCode: [Stream?]
    /// Of the configuration's order, for heads.
    private let order: [StreamName]
    private var dirty: [StreamName] = []

    /// Room for so many records of a turn is kept for the next.
    private static let pendingKept = 16

    init(
        served: [Bus.Served], store: any BusStore, newIncarnation: () -> ID128
    ) throws {
        self.store = store
        order = served.map(\.stream)
        byCode = Array(repeating: nil, count: StreamName.all.count)
        for entry in served {
            let (base, head) = try store.open(entry.stream, newIncarnation: newIncarnation)
            byCode[entry.stream.code] = Stream(entry, base: base, head: head)
        }
    }

    private func kept(_ stream: StreamName) -> Stream? { byCode[stream.code] }

    func keeps(_ stream: StreamName) -> Bool { kept(stream) != nil }

    func isComputed(_ stream: StreamName) -> Bool { kept(stream)?.served.isComputed ?? false }

    /// Streams that are pruned by a rule, in the order of the configuration.
    var pruned: [StreamName] { order.filter { retention(of: $0) != nil } }

    func retention(of stream: StreamName) -> Retention? { kept(stream)?.served.retention }

    /// What lasts of a stream; nil if it is not kept here.
    func extent(of stream: StreamName) -> Extent? {
        kept(stream).map {
            Extent(
                stream: stream, base: $0.base, head: $0.head,
                isSnapshotable: $0.served.isSnapshotable)
        }
    }

    var extents: [Extent] { order.compactMap(extent(of:)) }

    /// Where the next record is put after, those of this turn included.
    func end(of stream: StreamName) -> Position? { kept(stream)?.end }

    /// Adds a record to a stream kept here and gives its position.
    func append(
        _ record: Record, to stream: StreamName, now: Timestamp
    ) throws -> Position {
        guard let kept = kept(stream) else {
            throw BusError(
                "not-ours", "append to \(stream)", "this process does not keep that stream",
                hint: "Name it among the streams served.")
        }
        guard record.wireBytes <= WireLimits.recordBytesMax else {
            throw BusError(
                "oversized", "append to \(stream)", "a record of \(record.wireBytes) bytes",
                hint: "At most \(WireLimits.recordBytesMax) bytes fit into a record.")
        }
        let position = kept.end.advanced(by: record)
        try store.append(record, at: position, of: stream, now: now)
        if kept.pending.isEmpty { dirty.append(stream) }
        kept.pending.append(StoredRecord(record: record, hash: position.hash))
        return position
    }

    /// The chain hash at a sequence, those of this turn included.
    func hash(of stream: StreamName, at sequence: UInt64) throws -> UInt64? {
        guard let kept = kept(stream) else { return nil }
        if sequence == kept.end.sequence { return kept.end.hash }
        if sequence == kept.base.sequence { return kept.base.hash }
        return try store.hash(of: stream, at: sequence)
    }

    /// Whether a position is one of this stream's life, this turn included.
    func isOnChain(_ position: Position, of stream: StreamName) throws -> Bool {
        guard let kept = kept(stream), position.incarnation == kept.end.incarnation,
            position.sequence <= kept.end.sequence
        else { return false }
        if position.sequence == 0 { return position.hash == 0 }
        return try hash(of: stream, at: position.sequence) == position.hash
    }

    /// The turn lasts: gives the batches to tell.
    func committed(now: Timestamp) -> [Batch] {
        var batches: [Batch] = []
        for name in dirty {
            guard let stream = kept(name) else { continue }
            let end = stream.end
            batches += Batch.cut(
                stream.pending, after: stream.head, of: name, head: end.sequence, now: now)
            stream.base = stream.nextBase ?? stream.base
            stream.nextBase = nil
            stream.head = end
            stream.pending.removeAll(keepingCapacity: stream.pending.count <= Outbox.pendingKept)
        }
        dirty.removeAll(keepingCapacity: true)
        return batches
    }

    /// The turn is undone.
    func rolledBack() {
        for name in dirty {
            kept(name)?.pending = []
            kept(name)?.nextBase = nil
        }
        dirty = []
    }

    /// Forgets records up to and with a sequence that lasts.
    func prune(_ stream: StreamName, through sequence: UInt64) throws {
        guard let kept = kept(stream), sequence > kept.base.sequence,
            sequence <= kept.head.sequence, let hash = try hash(of: stream, at: sequence)
        else { return }
        let base = Position(
            incarnation: kept.head.incarnation, sequence: sequence, hash: hash)
        try store.prune(stream, through: base)
        kept.nextBase = base
        dirty.append(stream)
    }

    /// How a consumer's position is to be seen. Only what lasts counts.
    func verdict(on position: Position, in stream: StreamName) throws -> Control.Verdict? {
        guard let kept = kept(stream) else { return nil }
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
        guard let kept = kept(stream), position.sequence < kept.head.sequence else { return nil }
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

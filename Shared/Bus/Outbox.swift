import Model
import Wire

/// The streams that this process serves.
///
/// Appended records belong to the turn's transaction and are published after its commit.
final class Outbox {
    private final class Stream {
        let served: Bus.Served
        var base: Position
        /// The base after this turn, if the turn prunes.
        var nextBase: Position?
        /// The last committed position.
        var head: Position
        /// Records of this turn, after the head.
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
    /// By code, to avoid hashing per record.
    private var byCode: [Stream?]
    /// In the order of the configuration, for heads.
    private let order: [StreamName]
    private var dirty: [StreamName] = []

    /// The largest capacity for pending records that is retained between turns.
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

    private func served(_ stream: StreamName) -> Stream? { byCode[stream.code] }

    func serves(_ stream: StreamName) -> Bool { served(stream) != nil }

    func isDerived(_ stream: StreamName) -> Bool { served(stream)?.served.isDerived ?? false }

    /// Streams with a retention rule, in the order of the configuration.
    var pruned: [StreamName] { order.filter { retention(of: $0) != nil } }

    func retention(of stream: StreamName) -> Retention? { served(stream)?.served.retention }

    /// The committed extent of a stream; nil if it is not served here.
    func extent(of stream: StreamName) -> Extent? {
        served(stream).map {
            Extent(
                stream: stream, base: $0.base, head: $0.head,
                isSnapshotable: $0.served.isSnapshotable)
        }
    }

    var extents: [Extent] { order.compactMap(extent(of:)) }

    /// The last position, including this turn.
    func end(of stream: StreamName) -> Position? { served(stream)?.end }

    /// Appends a record to a served stream. Returns its position.
    func append(
        _ record: Record, to stream: StreamName, now: Timestamp
    ) throws -> Position {
        guard let found = served(stream) else {
            throw BusError(
                "not-ours", "append to \(stream)", "this process does not serve the stream",
                hint: "Add it to the served streams.")
        }
        guard record.wireBytes <= WireLimits.recordBytesMax else {
            throw BusError(
                "oversized", "append to \(stream)", "the record has \(record.wireBytes) bytes",
                hint: "Records may have up to \(WireLimits.recordBytesMax) bytes.")
        }
        let position = found.end.advanced(by: record)
        try store.append(record, at: position, of: stream, now: now)
        if found.pending.isEmpty { dirty.append(stream) }
        found.pending.append(StoredRecord(record: record, hash: position.hash))
        return position
    }

    /// The chain hash at a sequence, including this turn.
    func hash(of stream: StreamName, at sequence: UInt64) throws -> UInt64? {
        guard let found = served(stream) else { return nil }
        if sequence == found.end.sequence { return found.end.hash }
        if sequence == found.base.sequence { return found.base.hash }
        return try store.hash(of: stream, at: sequence)
    }

    /// Whether a position is on the stream's chain, including this turn.
    func isOnChain(_ position: Position, of stream: StreamName) throws -> Bool {
        guard let found = served(stream), position.incarnation == found.end.incarnation,
            position.sequence <= found.end.sequence
        else { return false }
        if position.sequence == 0 { return position.hash == 0 }
        return try hash(of: stream, at: position.sequence) == position.hash
    }

    /// Commits the turn. Returns the batches to publish.
    func committed(now: Timestamp) -> [Batch] {
        var batches: [Batch] = []
        for name in dirty {
            guard let stream = served(name) else { continue }
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

    /// Discards the turn.
    func rolledBack() {
        for name in dirty {
            served(name)?.pending = []
            served(name)?.nextBase = nil
        }
        dirty = []
    }

    /// Prunes committed records up to and including a sequence.
    func prune(_ stream: StreamName, through sequence: UInt64) throws {
        guard let found = served(stream), sequence > found.base.sequence,
            sequence <= found.head.sequence, let hash = try hash(of: stream, at: sequence)
        else { return }
        let base = Position(
            incarnation: found.head.incarnation, sequence: sequence, hash: hash)
        try store.prune(stream, through: base)
        found.nextBase = base
        dirty.append(stream)
    }

    /// Checks a consumer's position against committed records.
    func verdict(on position: Position, in stream: StreamName) throws -> Control.Verdict? {
        guard let found = served(stream) else { return nil }
        if position == .unknown { return found.base.sequence == 0 ? .ok : .pruned }
        guard position.incarnation == found.head.incarnation,
            position.sequence <= found.head.sequence
        else { return .diverged }
        if position.sequence < found.base.sequence { return .pruned }
        return try hash(of: stream, at: position.sequence) == position.hash ? .ok : .diverged
    }

    /// Returns the records after a valid position; nil if there are none.
    func batch(
        after position: Position, in stream: StreamName, bytesMax: Int, now: Timestamp
    ) throws -> Batch? {
        guard let served = served(stream), position.sequence < served.head.sequence else {
            return nil
        }
        let found = try store.records(
            of: stream, after: position.sequence, through: served.head.sequence,
            bytesMax: min(bytesMax, WireLimits.batchBytesMax))
        guard !found.isEmpty else { return nil }
        let previous = Position(
            incarnation: served.head.incarnation, sequence: position.sequence,
            hash: position.hash)
        return Batch(
            stream: stream, after: previous, records: found.map(\.record),
            hashes: found.map(\.hash), head: served.head.sequence, published: now)
    }
}

extension Batch {
    /// Cuts consecutive records after a position into batches.
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

import Model
import Wire

/// One stream of a peer, as this process follows it.
final class Subscription {
    enum Phase {
        /// The writer has not judged our position yet.
        case unknown
        case following
        /// The writer's state is being read.
        case snapshot(SnapshotReader)
        /// Whoever applies records cannot go on.
        case stopped(reason: String)
    }

    let stream: StreamName
    let peer: Int
    /// It came by assignment: it begins with a checkpoint and has no cursor.
    let isAssigned: Bool
    var phase = Phase.unknown
    /// The record that stopped it, if one did.
    var stoppedAt: Position?
    /// Up to here applied, this turn included.
    private(set) var applied: Position
    /// Up to here applied for good.
    private(set) var durable: Position
    /// Up to here the writer was told so.
    var acknowledged = Position.unknown
    /// The rule, at the end of what waits for being applied.
    private var inbox: Inbox
    /// The writer's last record, as far as we heard.
    private(set) var headSequence: UInt64 = 0
    /// Whether we heard of it since we began.
    private(set) var isHeadKnown = true
    /// When the question that has no answer yet was asked.
    var askedAt: Duration?
    /// Whether it has its place among those with records to apply.
    var isQueued = false

    private var queue = Fifo<(batch: Batch, next: Int)>()
    private var queuedBytes = 0
    private var early: [Batch] = []
    private var earlyBytes = 0

    init(
        _ stream: StreamName, peer: Int, at cursor: Position, isAssigned: Bool = false
    ) {
        self.stream = stream
        self.peer = peer
        self.isAssigned = isAssigned
        applied = cursor
        durable = cursor
        inbox = Inbox(position: cursor)
    }

    var isFollowing: Bool { if case .following = phase { true } else { false } }
    var isUnknown: Bool { if case .unknown = phase { true } else { false } }
    var isStopped: Bool { if case .stopped = phase { true } else { false } }

    /// Where the next records must go on.
    var end: Position { inbox.position }
    var hasRecords: Bool { !queue.isEmpty }
    /// Live batches are dropped now and fetched later.
    var isSaturated: Bool { queuedBytes >= BusLimits.queuedBytesMax }
    /// Whether records are missing and there is room for them.
    var wantsReplay: Bool {
        isFollowing && (headSequence > end.sequence || !isHeadKnown)
            && queuedBytes < BusLimits.queuedBytesMax / 2
    }
    /// Records that the writer has and that are not applied here.
    var lag: UInt64 { headSequence > applied.sequence ? headSequence - applied.sequence : 0 }

    /// Goes on from a position; what waits is dropped.
    func restart(at position: Position) {
        applied = position
        inbox.position = position
        queue.removeAll()
        queuedBytes = 0
        early = []
        earlyBytes = 0
        askedAt = nil
    }

    /// Goes on from a checkpoint. Whether its writer has more is to be asked: what was heard of it
    /// before may be old.
    func begin(at position: Position) {
        restart(at: position)
        phase = .following
        headSequence = position.sequence
        isHeadKnown = false
    }

    /// What was applied lasts.
    func commit() { durable = applied }

    /// The turn is undone: goes on from what lasts, once the writer has seen it.
    func rollBack(to cursor: Position) {
        restart(at: cursor)
        durable = cursor
        if !isStopped { phase = .unknown }
    }

    // MARK: What comes

    /// The writer has at least so many records.
    func noteHead(_ sequence: UInt64) { setHead(max(headSequence, sequence)) }

    /// The writer has so many records.
    func setHead(_ sequence: UInt64) {
        headSequence = sequence
        isHeadKnown = true
    }

    /// The writer's word on where its stream ends.
    func judge(_ extent: Extent) -> Inbox.HeadVerdict {
        setHead(extent.head.sequence)
        if end.incarnation == extent.head.incarnation, end.sequence > headSequence {
            return .foreign
        }
        return inbox.judge(head: extent.head)
    }

    func take(_ batch: Batch) -> Inbox.Verdict {
        let verdict = inbox.judge(batch)
        switch verdict {
        case .next(let skipping):
            enqueue(batch, from: skipping)
            takeEarly()
        case .ahead:
            if earlyBytes < BusLimits.earlyBytesMax {
                early.append(batch)
                earlyBytes += batch.recordBytes
            }
        case .seen, .foreign: break
        }
        return verdict
    }

    private func enqueue(_ batch: Batch, from index: Int) {
        queue.append((batch, index))
        queuedBytes += batch.recordBytes
        inbox.position = batch.last
        noteHead(batch.last.sequence)
    }

    /// Takes what came before its turn, now that it may be its turn.
    private func takeEarly() {
        guard !early.isEmpty else { return }
        for batch in early.sorted(by: { $0.previous.sequence < $1.previous.sequence }) {
            if case .next(let skipping) = inbox.judge(batch) { enqueue(batch, from: skipping) }
        }
        early.removeAll { inbox.judge($0) != .ahead }
        earlyBytes = early.reduce(0) { $0 + $1.recordBytes }
    }

    // MARK: What is applied

    /// The record to apply next, and the position that it makes.
    var next: (record: Record, position: Position)? {
        guard let (batch, index) = queue.first else { return nil }
        return (batch.records[index], batch.position(after: index + 1))
    }

    /// The next record is applied.
    func advance(to position: Position) {
        applied = position
        guard let (batch, index) = queue.first else { return }
        if index + 1 == batch.records.count {
            queue.popFirst()
            queuedBytes -= batch.recordBytes
        } else {
            queue.replaceFirst((batch, index + 1))
        }
    }
}

extension Batch {
    /// Bytes of its records, roughly what it takes in memory.
    var recordBytes: Int { records.reduce(0) { $0 + $1.wireBytes } }
}

/// A writer's state on its way here, piece by piece.
final class SnapshotReader {
    private(set) var snapshot = ID128.zero
    private(set) var records: [Record] = []
    var askedAt: Duration?
    /// Nothing is asked before.
    let notBefore: Duration?

    init(notBefore: Duration?) { self.notBefore = notBefore }

    /// The row that is wanted next.
    var nextRow: UInt32 { UInt32(records.count) }

    /// False if the piece does not go on where the last one ended.
    func take(_ chunk: Control.Chunk) -> Bool {
        if chunk.snapshot != snapshot {
            guard chunk.first == 0 else { return false }
            snapshot = chunk.snapshot
            records = []
        }
        guard chunk.first == nextRow, !chunk.records.isEmpty else { return false }
        records += chunk.records
        return true
    }

    /// Whether the end closes just what was read.
    func isWhole(_ end: Control.End) -> Bool {
        (end.snapshot == snapshot || nextRow == 0) && end.rows == nextRow
            && end.digest == records.reduce(0) { $1.hash(after: $0) }
    }
}

import Collections
import Model
import Wire

/// State of one followed stream.
final class Subscription {
    enum Phase {
        /// The publisher has not checked our position yet.
        case unknown
        case following
        /// The publisher's snapshot is being read.
        case snapshot(SnapshotReader)
        /// Records cannot be applied.
        case stopped(reason: String)
    }

    let stream: StreamName
    let peer: Int
    /// Whether it was assigned: then it starts at a checkpoint and has no cursor.
    let isAssigned: Bool
    var phase = Phase.unknown
    /// The record that stopped the stream, if one did.
    var stoppedAt: Position?
    /// The last applied position, including this turn.
    private(set) var applied: Position
    /// The last committed position.
    private(set) var durable: Position
    /// The last acknowledged position.
    var acknowledged = Position.unknown
    /// Acceptance rule, at the end of the waiting records.
    private var inbox: Inbox
    /// Last known sequence of the publisher.
    private(set) var headSequence: UInt64 = 0
    /// Whether the publisher's head was received since the start.
    private(set) var isHeadKnown = true
    /// When the pending request was sent.
    var requestedAt: Duration?
    /// Whether it is queued for applying.
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

    /// The position that the next batch must continue.
    var end: Position { inbox.position }
    var hasRecords: Bool { !queue.isEmpty }
    /// Whether live batches are dropped now and replayed later.
    var isSaturated: Bool { queuedBytes >= BusLimits.queuedBytesMax }
    /// Whether records are missing and there is room for them.
    var wantsReplay: Bool {
        isFollowing && (headSequence > end.sequence || !isHeadKnown)
            && queuedBytes < BusLimits.queuedBytesMax / 2
    }
    /// The number of published records that are not applied.
    var lag: UInt64 { headSequence > applied.sequence ? headSequence - applied.sequence : 0 }

    /// Continues after a position; waiting records are dropped.
    func restart(at position: Position) {
        applied = position
        inbox.position = position
        queue.removeAll()
        queuedBytes = 0
        early = []
        earlyBytes = 0
        requestedAt = nil
    }

    /// Continues after a checkpoint. The publisher is asked for its head, since known heads may be
    /// outdated.
    func start(at position: Position) {
        restart(at: position)
        phase = .following
        headSequence = position.sequence
        isHeadKnown = false
    }

    /// Commits the applied records.
    func commit() { durable = applied }

    /// Returns to the committed position, which the publisher must check again.
    func rollBack(to cursor: Position) {
        restart(at: cursor)
        durable = cursor
        if !isStopped { phase = .unknown }
    }

    // MARK: Receiving

    /// Raises the publisher's last known sequence.
    func raiseHead(to sequence: UInt64) { setHead(to: max(headSequence, sequence)) }

    /// Sets the publisher's last known sequence.
    func setHead(to sequence: UInt64) {
        headSequence = sequence
        isHeadKnown = true
    }

    /// Compares the publisher's extent with the end of waiting records.
    func updateHead(_ extent: Extent) -> Inbox.HeadVerdict {
        setHead(to: extent.head.sequence)
        if end.incarnation == extent.head.incarnation, end.sequence > headSequence {
            return .foreign
        }
        return inbox.verdict(onHead: extent.head)
    }

    func receive(_ batch: Batch) -> Inbox.Verdict {
        let verdict = inbox.verdict(on: batch)
        switch verdict {
        case .next(let skipping):
            enqueue(batch, from: skipping)
            enqueueEarly()
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
        raiseHead(to: batch.last.sequence)
    }

    /// Queues early batches whose predecessors have arrived.
    private func enqueueEarly() {
        guard !early.isEmpty else { return }
        for batch in early.sorted(by: { $0.previous.sequence < $1.previous.sequence }) {
            if case .next(let skipping) = inbox.verdict(on: batch) {
                enqueue(batch, from: skipping)
            }
        }
        early.removeAll { inbox.verdict(on: $0) != .ahead }
        earlyBytes = early.reduce(0) { $0 + $1.recordBytes }
    }

    // MARK: Applying

    /// The next record to apply, with its position.
    var next: (record: Record, position: Position)? {
        guard let (batch, index) = queue.first else { return nil }
        return (batch.records[index], batch.position(after: index + 1))
    }

    /// Removes the applied record.
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
    /// Bytes of the records, an estimate of the memory used.
    var recordBytes: Int { records.reduce(0) { $0 + $1.wireBytes } }
}

/// Assembles a snapshot from its chunks.
final class SnapshotReader {
    private(set) var snapshot = ID128.zero
    private(set) var records: [Record] = []
    var requestedAt: Duration?
    /// Earliest time of the first request.
    let notBefore: Duration?

    init(notBefore: Duration?) { self.notBefore = notBefore }

    /// The next row to request.
    var nextRow: UInt32 { UInt32(records.count) }

    /// Appends a chunk. Returns false if it does not continue the rows.
    func append(_ chunk: Control.Chunk) -> Bool {
        if chunk.snapshot != snapshot {
            guard chunk.first == 0 else { return false }
            snapshot = chunk.snapshot
            records = []
        }
        guard chunk.first == nextRow, !chunk.records.isEmpty else { return false }
        records += chunk.records
        return true
    }

    /// Whether the end matches the rows read.
    func isWhole(_ end: Control.End) -> Bool {
        (end.snapshot == snapshot || nextRow == 0) && end.rows == nextRow
            && end.digest == records.reduce(0) { $1.hash(after: $0) }
    }
}

import Collections
import Model
import Wire

/// Records that this process derives for a stream of a peer.
///
/// They are proposed until the publisher's head includes them. A process that derives from the
/// start proposes only records that the publisher does not have, and compares the others.
struct DerivedStreamProducer {
    private struct Output {
        let stored: StoredRecord
        let sequence: UInt64
        /// The input record from which it derives.
        let input: Position
    }

    /// The result of comparing the publisher's head with the local records.
    enum Finding: Hashable {
        case agrees
        /// The publisher has another record at this sequence.
        case differs(sequence: UInt64)
    }

    let stream: StreamName
    let peer: Int
    /// Sequence of the last derived record, including this turn.
    private(set) var sequence: UInt64 = 0
    private(set) var hash: UInt64 = 0
    /// The input record being applied, or applied last.
    var input = Position.unknown
    private var durable: (sequence: UInt64, hash: UInt64) = (0, 0)
    /// Records that the publisher does not have.
    private var unaccepted = Fifo<Output>()
    private(set) var unacceptedBytes = 0
    /// The publisher's head, once received.
    private var head: Position?
    /// The last proposed sequence since the publisher's head moved or proposals were repeated.
    private var proposed: UInt64 = 0
    private var proposedBytes = 0
    /// The publisher's head when it last moved, or when nothing was pending.
    private var lastHead: UInt64 = 0
    private var progressedAt = Duration.zero
    private(set) var difference: UInt64?
    /// Whether the difference is that the publisher's stream was truncated or replaced.
    private(set) var hasPublisherRegressed = false
    /// Whether a received head is behind the known one: it is outdated, or the publisher was
    /// restored from a backup.
    private(set) var isInDoubt = false
    private var restarts = 0
    /// The record after which this producer starts; the publisher has everything before it.
    private var base = Position.unknown

    init(stream: StreamName, peer: Int) {
        self.stream = stream
        self.peer = peer
    }

    /// The last position; without an incarnation before the publisher's head is known.
    var end: Position {
        Position(
            incarnation: head?.incarnation ?? base.incarnation, sequence: sequence, hash: hash)
    }

    /// Derives the next record.
    mutating func append(_ record: Record) -> Finding {
        hash = record.hash(after: hash)
        sequence += 1
        if let head, sequence <= head.sequence {
            return sequence == head.sequence ? compare(hash, with: head) : .agrees
        }
        unaccepted.append(
            Output(
                stored: StoredRecord(record: record, hash: hash), sequence: sequence,
                input: input))
        unacceptedBytes += record.wireBytes
        return .agrees
    }

    private mutating func compare(_ hash: UInt64, with head: Position) -> Finding {
        hash == head.hash ? .agrees : differ(at: head)
    }

    /// Returns the difference once. Nothing is proposed until everything is derived again.
    private mutating func differ(at head: Position) -> Finding {
        defer { difference = head.sequence }
        return difference == nil ? .differs(sequence: head.sequence) : .agrees
    }

    mutating func committed() { durable = (sequence, hash) }

    /// Discards the records of the turn.
    mutating func rolledBack() {
        (sequence, hash) = durable
        unaccepted.removeLast { output in
            guard output.sequence > durable.sequence else { return false }
            unacceptedBytes -= output.stored.record.wireBytes
            return true
        }
    }

    /// Handles a head of the publisher.
    mutating func handle(_ extent: Extent) -> Finding {
        isInDoubt = isRegression(extent.head)
        if isInDoubt { return .agrees }
        head = extent.head
        var finding = Finding.agrees
        if extent.head.sequence == base.sequence, base.sequence > 0 {
            finding = compare(base.hash, with: extent.head)
        }
        while let first = unaccepted.first, first.sequence <= extent.head.sequence {
            if first.sequence == extent.head.sequence {
                finding = compare(first.stored.hash, with: extent.head)
            }
            unacceptedBytes -= first.stored.record.wireBytes
            if first.sequence <= proposed { proposedBytes -= first.stored.record.wireBytes }
            unaccepted.popFirst()
        }
        proposed = max(proposed, extent.head.sequence)
        return finding
    }

    /// The position to ask the publisher about when in doubt: its last known head.
    var claim: Position {
        guard let head, head.sequence >= base.sequence else { return base }
        return head
    }

    /// Handles the publisher's verdict on ``claim``.
    mutating func handle(_ state: Control.State) -> Finding {
        guard isInDoubt, state.position == claim else { return .agrees }
        guard state.verdict == .diverged else { return handle(state.extent) }
        isInDoubt = false
        // What the publisher lost by restoring a backup is discarded here, too.
        head = state.extent.head
        guard sequence > 0 else { return .agrees }
        hasPublisherRegressed = true
        return differ(at: state.extent.head)
    }

    /// Whether a head is behind the known one, or of another incarnation.
    private func isRegression(_ next: Position) -> Bool {
        [head ?? .unknown, base].contains { known in
            known.incarnation != .zero && known.incarnation != next.incarnation
                || next.sequence < known.sequence
        }
    }

    /// Returns the records to propose: new ones, or those again that were not accepted in time.
    ///
    /// - Parameter member: the id of this process for the publisher
    mutating func proposals(_ now: Moment, by member: ID128 = .zero) -> [Proposal] {
        guard let head, difference == nil, let first = unaccepted.first else { return [] }
        // A lost proposal blocks all later ones, however many are sent.
        if proposed == head.sequence || lastHead != head.sequence {
            lastHead = head.sequence
            progressedAt = now.monotonic
        } else if now.monotonic - progressedAt >= BusLimits.proposalWait {
            proposed = head.sequence
            proposedBytes = 0
            progressedAt = now.monotonic
        }
        guard let before = proposed == head.sequence ? head.hash : output(proposed)?.stored.hash
        else {
            return []
        }
        let previous = Position(incarnation: head.incarnation, sequence: proposed, hash: before)
        invariant(proposed + 1 >= first.sequence, "records after the publisher's head are retained")
        var chosen: [StoredRecord] = []
        while proposed < durable.sequence, proposedBytes < BusLimits.proposedBytesMax,
            let next = output(proposed + 1)
        {
            chosen.append(next.stored)
            proposed += 1
            proposedBytes += next.stored.record.wireBytes
        }
        guard !chosen.isEmpty else { return [] }
        return Batch.cut(
            chosen, after: previous, of: stream, head: durable.sequence, now: now.wall
        ).map {
            Proposal($0, from: output($0.last.sequence)?.input ?? .unknown, by: member)
        }
    }

    /// The retained record at a sequence, if there is one.
    private func output(_ sequence: UInt64) -> Output? {
        guard let first = unaccepted.first, sequence >= first.sequence else { return nil }
        let index = Int(sequence - first.sequence)
        return index < unaccepted.count ? unaccepted[index] : nil
    }

    /// Whether deriving again may repair a difference. It does if the publisher was restored from a
    /// backup, not if two programs derive differently.
    var shouldRestart: Bool { difference != nil && restarts < BusLimits.restartsMax }

    /// Starts again at the first record.
    mutating func restart() {
        let known = head
        let restarts = restarts + 1
        self = DerivedStreamProducer(stream: stream, peer: peer)
        head = known
        proposed = known?.sequence ?? 0
        self.restarts = restarts
    }

    /// Starts after a published record. The publisher's head must be received again.
    mutating func restart(at position: Position) {
        self = DerivedStreamProducer(stream: stream, peer: peer)
        base = position
        (sequence, hash) = (position.sequence, position.hash)
        durable = (sequence, hash)
    }

    /// Whether the publisher's head is known and does not differ.
    var isAgreed: Bool { head != nil && difference == nil }

    /// Whether all records known to be published were derived here, too.
    var hasMetHead: Bool { isAgreed && head.map { $0.sequence <= sequence } == true }

    /// Whether the publisher has accepted the records up to a sequence.
    func isAccepted(through sequence: UInt64) -> Bool {
        isAgreed && head.map { $0.sequence >= sequence } == true
    }

    /// Whether the publisher has all records and no others.
    var isSettled: Bool {
        guard let head, difference == nil else { return false }
        return head.sequence == sequence && head.hash == hash && durable == (sequence, hash)
    }
}

import Model
import Wire

/// Outputs that this process computes for a stream that a peer keeps.
///
/// They are offered until the keeper's head says that they are there. A process that computes from
/// the beginning offers only what the keeper does not have, and compares the rest.
struct ComputedWriter {
    private struct Output {
        let stored: StoredRecord
        let sequence: UInt64
        /// The record that led to it.
        let input: Position
    }

    /// What the keeper's head is to our outputs.
    enum Finding: Hashable {
        case agrees
        /// It has another output at this sequence.
        case differs(sequence: UInt64)
    }

    let stream: StreamName
    let peer: Int
    /// The last output, of this turn too.
    private(set) var sequence: UInt64 = 0
    private(set) var hash: UInt64 = 0
    /// The record that is just being applied, or was last.
    var input = Position.unknown
    private var durable: (sequence: UInt64, hash: UInt64) = (0, 0)
    /// Outputs that the keeper does not have.
    private var kept = Fifo<Output>()
    private(set) var keptBytes = 0
    /// The keeper's head, once heard.
    private var head: Position?
    /// Up to here offered since the head last moved, or since it was offered anew.
    private var offered: UInt64 = 0
    private var offeredBytes = 0
    /// Where the keeper was when it was last seen to take something, or when nothing waited.
    private var taken: UInt64 = 0
    private var takenAt = Duration.zero
    private(set) var difference: UInt64?
    /// Whether the difference is that the keeper's stream is shorter than it was, or another one.
    private(set) var hasKeeperGoneBack = false
    /// A head that was heard is behind what the keeper had: it is old, or the keeper went back.
    private(set) var isInDoubt = false
    private var restarts = 0
    /// The output after which this began: everything before is the keeper's.
    private var base = Position.unknown

    init(stream: StreamName, peer: Int) {
        self.stream = stream
        self.peer = peer
    }

    /// The position of the last output; of no life before the keeper is heard.
    var end: Position {
        Position(
            incarnation: head?.incarnation ?? base.incarnation, sequence: sequence, hash: hash)
    }

    /// The next output.
    mutating func append(_ record: Record) -> Finding {
        hash = record.hash(after: hash)
        sequence += 1
        if let head, sequence <= head.sequence {
            return sequence == head.sequence ? compare(hash, with: head) : .agrees
        }
        kept.append(
            Output(
                stored: StoredRecord(record: record, hash: hash), sequence: sequence,
                input: input))
        keptBytes += record.wireBytes
        return .agrees
    }

    private mutating func compare(_ hash: UInt64, with head: Position) -> Finding {
        hash == head.hash ? .agrees : differ(at: head)
    }

    /// Told once: nothing is offered until everything is computed anew.
    private mutating func differ(at head: Position) -> Finding {
        defer { difference = head.sequence }
        return difference == nil ? .differs(sequence: head.sequence) : .agrees
    }

    mutating func committed() { durable = (sequence, hash) }

    /// Forgets the outputs of the turn.
    mutating func rolledBack() {
        (sequence, hash) = durable
        kept.removeLast { output in
            guard output.sequence > durable.sequence else { return false }
            keptBytes -= output.stored.record.wireBytes
            return true
        }
    }

    /// The keeper tells where its stream ends.
    mutating func hear(_ extent: Extent) -> Finding {
        isInDoubt = isRegression(extent.head)
        if isInDoubt { return .agrees }
        head = extent.head
        var finding = Finding.agrees
        if extent.head.sequence == base.sequence, base.sequence > 0 {
            finding = compare(base.hash, with: extent.head)
        }
        while let first = kept.first, first.sequence <= extent.head.sequence {
            if first.sequence == extent.head.sequence {
                finding = compare(first.stored.hash, with: extent.head)
            }
            keptBytes -= first.stored.record.wireBytes
            if first.sequence <= offered { offeredBytes -= first.stored.record.wireBytes }
            kept.popFirst()
        }
        offered = max(offered, extent.head.sequence)
        return finding
    }

    /// What the keeper is asked about in doubt: the last that it had, as far as that is known.
    var claim: Position {
        guard let head, head.sequence >= base.sequence else { return base }
        return head
    }

    /// The keeper's word on what it had.
    mutating func judge(_ state: Control.State) -> Finding {
        guard isInDoubt, state.asked == claim else { return .agrees }
        guard state.verdict == .diverged else { return hear(state.extent) }
        isInDoubt = false
        // Whatever the keeper had before an older copy was put back is gone here, too.
        head = state.extent.head
        guard sequence > 0 else { return .agrees }
        hasKeeperGoneBack = true
        return differ(at: state.extent.head)
    }

    /// Whether a head is behind what the keeper had, or of another life.
    private func isRegression(_ next: Position) -> Bool {
        [head ?? .unknown, base].contains { known in
            known.incarnation != .zero && known.incarnation != next.incarnation
                || next.sequence < known.sequence
        }
    }

    /// Outputs to offer now: new ones, or those again that the keeper did not take in time.
    ///
    /// - Parameter member: who this process is for the keeper
    mutating func offers(_ now: Moment, by member: ID128 = .zero) -> [Offer] {
        guard let head, difference == nil, let first = kept.first else { return [] }
        // One that is lost holds up all after it, however many keep coming.
        if offered == head.sequence || taken != head.sequence {
            taken = head.sequence
            takenAt = now.monotonic
        } else if now.monotonic - takenAt >= BusLimits.offerWait {
            offered = head.sequence
            offeredBytes = 0
            takenAt = now.monotonic
        }
        guard let before = offered == head.sequence ? head.hash : output(offered)?.stored.hash
        else {
            return []
        }
        let previous = Position(incarnation: head.incarnation, sequence: offered, hash: before)
        invariant(offered + 1 >= first.sequence, "outputs are kept from the keeper's head on")
        var chosen: [StoredRecord] = []
        while offered < durable.sequence, offeredBytes < BusLimits.offeredBytesMax,
            let next = output(offered + 1)
        {
            chosen.append(next.stored)
            offered += 1
            offeredBytes += next.stored.record.wireBytes
        }
        guard !chosen.isEmpty else { return [] }
        return Batch.cut(
            chosen, after: previous, of: stream, head: durable.sequence, now: now.wall
        ).map {
            Offer($0, from: output($0.last.sequence)?.input ?? .unknown, by: member)
        }
    }

    /// The output at a sequence, if it is kept.
    private func output(_ sequence: UInt64) -> Output? {
        guard let first = kept.first, sequence >= first.sequence else { return nil }
        let index = Int(sequence - first.sequence)
        return index < kept.count ? kept[index] : nil
    }

    /// Whether computing everything anew may mend a difference. It does where the keeper's stream
    /// went back; it does not where two programs compute differently.
    var isWorthRestarting: Bool { difference != nil && restarts < BusLimits.restartsMax }

    /// Everything is computed anew from the first output.
    mutating func restart() {
        let known = head
        let restarts = restarts + 1
        self = ComputedWriter(stream: stream, peer: peer)
        head = known
        offered = known?.sequence ?? 0
        self.restarts = restarts
    }

    /// Goes on after an output that the keeper has, by what it gave out itself. Its head is to be
    /// heard again.
    mutating func restart(at position: Position) {
        self = ComputedWriter(stream: stream, peer: peer)
        base = position
        (sequence, hash) = (position.sequence, position.hash)
        durable = (sequence, hash)
    }

    /// Whether the keeper is heard, and has no other outputs.
    var isAgreed: Bool { head != nil && difference == nil }

    /// Whether all that the keeper has, as far as it is heard, was computed here, too.
    var hasMetHead: Bool { isAgreed && head.map { $0.sequence <= sequence } == true }

    /// Whether the keeper has the outputs up to a sequence, as far as it is heard.
    func isTaken(through sequence: UInt64) -> Bool {
        isAgreed && head.map { $0.sequence >= sequence } == true
    }

    /// Whether the keeper has all outputs, and no other ones.
    var isSettled: Bool {
        guard let head, difference == nil else { return false }
        return head.sequence == sequence && head.hash == hash && durable == (sequence, hash)
    }
}

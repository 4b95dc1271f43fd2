import Collections
import Model
import Wire

/// Appends proposed records to derived streams.
///
/// A proposal is accepted iff it continues the stream's chain and derives from an input that is
/// stored here. Several members may derive the same stream: equal proposals are harmless, different
/// ones are detected.
final class DerivedLog {
    private struct Proposals {
        var waiting = Fifo<Proposal>()
        var waitingBytes = 0
        var isQueued = false
        var stopped: (reason: String, at: Position)?
        /// The last sequence at which a member proposed a different record.
        var conflict: UInt64?
    }

    private let outbox: Outbox
    private var proposals: [StreamName: Proposals] = [:]
    private var ready = Fifo<StreamName>()
    /// Streams whose next record must wait until the given time.
    private var paused: [StreamName: Duration] = [:]
    /// Bytes of frames received since the last turn.
    private var receivedBytes = 0

    init(outbox: Outbox) { self.outbox = outbox }

    var hasRecords: Bool { !ready.isEmpty }

    /// Receives a proposal.
    ///
    /// Proposals of members without the right, or above the limits of a turn, are dropped unread;
    /// the member repeats them.
    ///
    /// - Throws: ``WireError`` for a malformed frame, after ``Bus/Hooks/proposalRejected``.
    func receive(_ frame: [UInt8], hooks: Bus.Hooks) throws {
        guard let (stream, member) = Proposal.origin(of: frame), outbox.isDerived(stream) else {
            _ = try Frame(frame)
            throw WireError(.unknown, "read proposal", "no derived stream served here")
        }
        guard hooks.mayPropose(stream, member),
            receivedBytes + frame.count <= BusLimits.proposalBytesPerTurn,
            proposals[stream]?.stopped == nil
        else { return }
        let waitingBytes = proposals[stream]?.waitingBytes ?? 0
        guard waitingBytes == 0 || waitingBytes + frame.count <= BusLimits.proposalBytesMax
        else { return }
        receivedBytes += frame.count
        do throws(WireError) {
            guard case .proposal(let proposal) = try Frame(frame) else { return }
            proposals[stream, default: Proposals()].waiting.append(proposal)
            proposals[stream]?.waitingBytes += proposal.batch.wireBytes
            enqueue(stream)
        } catch {
            try hooks.proposalRejected(stream, member, "\(error)")
            throw error
        }
    }

    /// Drops the waiting proposals of a member.
    private func dropProposals(of member: ID128) {
        for stream in proposals.keys {
            guard var found = proposals[stream] else { continue }
            var kept = Fifo<Proposal>()
            while let proposal = found.waiting.popFirst() {
                if proposal.member == member {
                    found.waitingBytes -= proposal.batch.wireBytes
                } else {
                    kept.append(proposal)
                }
            }
            found.waiting = kept
            proposals[stream] = found
        }
    }

    private func enqueue(_ stream: StreamName) {
        guard let found = proposals[stream], !found.isQueued, !found.waiting.isEmpty,
            paused[stream] == nil
        else { return }
        proposals[stream]?.isQueued = true
        ready.append(stream)
    }

    /// Applies and appends waiting proposals, round-robin over streams.
    func apply(limit: Int, now: Moment, hooks: Bus.Hooks, _ apply: Bus.Apply) throws {
        var left = limit
        receivedBytes = 0
        for (stream, end) in paused where end <= now.monotonic {
            paused[stream] = nil
            enqueue(stream)
        }
        while left > 0, let stream = ready.popFirst() {
            proposals[stream]?.isQueued = false
            guard let proposal = proposals[stream]?.waiting.first else { continue }
            let accepted: (count: Int, isDone: Bool)
            do {
                accepted = try accept(
                    proposal, atMost: min(left, BusLimits.quantum), now, hooks, apply)
            } catch let rejected as ProposalRejected {
                dropProposals(of: proposal.member)
                try hooks.proposalRejected(stream, proposal.member, rejected.reason)
                left -= 1
                enqueue(stream)
                continue
            }
            left -= max(accepted.count, 1)
            if accepted.isDone {
                proposals[stream]?.waiting.popFirst()
                proposals[stream]?.waitingBytes -= proposal.batch.wireBytes
            }
            enqueue(stream)
        }
    }

    private func accept(
        _ proposal: Proposal, atMost limit: Int, _ now: Moment, _ hooks: Bus.Hooks,
        _ apply: Bus.Apply
    ) throws -> (count: Int, isDone: Bool) {
        let batch = proposal.batch
        let stream = batch.stream
        // The member may have lost the right since its proposal was received.
        guard hooks.mayPropose(stream, proposal.member) else { return (0, true) }
        guard try hasInput(of: proposal) else { return (0, true) }
        guard var end = outbox.end(of: stream), batch.previous.incarnation == end.incarnation,
            batch.previous.sequence <= end.sequence
        else { return (0, true) }
        let known = Int(min(end.sequence - batch.previous.sequence, UInt64(batch.records.count)))
        let meeting = batch.position(after: known)
        guard let stored = try outbox.hash(of: stream, at: meeting.sequence) else {
            return (0, true)
        }
        guard stored == meeting.hash else {
            report(.conflict(stream, sequence: meeting.sequence), hooks)
            return (0, true)
        }
        var count = 0
        for record in batch.records[known...].prefix(limit) {
            end = end.advanced(by: record)
            do {
                try apply(stream, end, record)
            } catch let stop as StreamStop {
                proposals[stream]?.stopped = (stop.reason, end)
                hooks.notice(.stopped(stream, reason: stop.reason))
                return (count, true)
            } catch let pause as StreamPause {
                paused[stream] = now.monotonic + pause.duration
                return (count, false)
            }
            _ = try outbox.append(record, to: stream, now: now.wall)
            count += 1
        }
        if count > 0 { proposals[stream]?.conflict = nil }
        return (count, known + count == batch.records.count)
    }

    /// Whether the input of a proposal is on the chain stored here. If it is not, because the store
    /// was restored from a backup, its consumers restart on their own.
    private func hasInput(of proposal: Proposal) throws -> Bool {
        guard case .events(let partition) = proposal.batch.stream else { return true }
        return try outbox.isOnChain(proposal.input, of: .input(partition))
    }

    /// Reports a conflict once per sequence.
    private func report(_ notice: BusNotice, _ hooks: Bus.Hooks) {
        guard case .conflict(let stream, let sequence) = notice,
            proposals[stream]?.conflict != sequence
        else { return }
        proposals[stream]?.conflict = sequence
        hooks.notice(notice)
    }

    var stopped: [StoppedStream] {
        proposals.compactMap { stream, found in
            found.stopped.map {
                StoppedStream(
                    stream: stream, sequence: $0.at.sequence, position: $0.at,
                    reason: $0.reason)
            }
        }
    }

    /// Accepts proposals for a stopped stream again.
    func resume(_ stream: StreamName) { proposals[stream]?.stopped = nil }

    /// Drops waiting proposals after a rollback; members repeat them.
    func rolledBack() {
        for stream in proposals.keys {
            proposals[stream]?.waiting.removeAll()
            proposals[stream]?.waitingBytes = 0
        }
    }

    var healthProblems: [String] {
        proposals.sorted { $0.key < $1.key }.flatMap { stream, found in
            [
                found.conflict.map { "\(stream) \($0): different proposals" },
                found.stopped.map { "\(stream) is stopped: \($0.reason)" },
            ].compactMap { $0 }
        }
    }
}

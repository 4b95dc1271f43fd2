import Model
import Wire

/// Takes computed outputs into streams kept here: each iff it continues the chain, and follows from
/// an input that is kept here.
///
/// So two that compute the same are harmless, and one that computes differently is found out.
final class Ledger {
    private struct Offers {
        var waiting = Fifo<Offer>()
        var waitingBytes = 0
        var isQueued = false
        var stopped: (reason: String, at: Position)?
        /// Where somebody last offered another record than the one that is there.
        var conflict: UInt64?
    }

    private let outbox: Outbox
    private var offers: [StreamName: Offers] = [:]
    private var ready = Fifo<StreamName>()
    /// Those whose next output is not to be applied before.
    private var paused: [StreamName: Duration] = [:]
    /// Bytes of frames taken since the last turn.
    private var takenBytes = 0

    init(outbox: Outbox) { self.outbox = outbox }

    var hasRecords: Bool { !ready.isEmpty }

    /// Takes a proposal. What comes from a member without the right, or is too much for one turn,
    /// is dropped before it is read: whoever may propose does so again.
    ///
    /// - Throws: ``WireError`` for a frame that is not of the grammar; its member is told of by
    ///   ``Bus/Hooks/proposalRejected`` then.
    func take(_ frame: [UInt8], hooks: Bus.Hooks) throws {
        guard let (stream, member) = Offer.origin(of: frame), outbox.isComputed(stream) else {
            _ = try Frame(frame)
            throw WireError(.unknown, "read offer", "no output for a computed stream kept here")
        }
        guard hooks.mayPropose(stream, member),
            takenBytes + frame.count <= BusLimits.proposalBytesPerTurn,
            offers[stream]?.stopped == nil
        else { return }
        let waitingBytes = offers[stream]?.waitingBytes ?? 0
        guard waitingBytes == 0 || waitingBytes + frame.count <= BusLimits.proposalBytesMax
        else { return }
        takenBytes += frame.count
        do throws(WireError) {
            guard case .offer(let offer) = try Frame(frame) else { return }
            offers[stream, default: Offers()].waiting.append(offer)
            offers[stream]?.waitingBytes += offer.batch.wireBytes
            enqueue(stream)
        } catch {
            try hooks.proposalRejected(stream, member, "\(error)")
            throw error
        }
    }

    /// Drops what a member proposed and nobody has looked at yet.
    private func dropProposals(of member: ID128) {
        for stream in offers.keys {
            guard var found = offers[stream] else { continue }
            var kept = Fifo<Offer>()
            while let offer = found.waiting.popFirst() {
                if offer.member == member {
                    found.waitingBytes -= offer.batch.wireBytes
                } else {
                    kept.append(offer)
                }
            }
            found.waiting = kept
            offers[stream] = found
        }
    }

    private func enqueue(_ stream: StreamName) {
        guard let found = offers[stream], !found.isQueued, !found.waiting.isEmpty,
            paused[stream] == nil
        else { return }
        offers[stream]?.isQueued = true
        ready.append(stream)
    }

    /// Appends what continues a chain, and has it applied, of each stream in turn.
    func apply(limit: Int, now: Moment, hooks: Bus.Hooks, _ apply: Bus.Apply) throws {
        var left = limit
        takenBytes = 0
        for (stream, end) in paused where end <= now.monotonic {
            paused[stream] = nil
            enqueue(stream)
        }
        while left > 0, let stream = ready.popFirst() {
            offers[stream]?.isQueued = false
            guard let offer = offers[stream]?.waiting.first else { continue }
            let taken: (count: Int, isDone: Bool)
            do {
                taken = try take(offer, atMost: min(left, BusLimits.quantum), now, hooks, apply)
            } catch let rejected as ProposalRejected {
                dropProposals(of: offer.member)
                try hooks.proposalRejected(stream, offer.member, rejected.reason)
                left -= 1
                enqueue(stream)
                continue
            }
            left -= max(taken.count, 1)
            if taken.isDone {
                offers[stream]?.waiting.popFirst()
                offers[stream]?.waitingBytes -= offer.batch.wireBytes
            }
            enqueue(stream)
        }
    }

    private func take(
        _ offer: Offer, atMost limit: Int, _ now: Moment, _ hooks: Bus.Hooks, _ apply: Bus.Apply
    ) throws -> (count: Int, isDone: Bool) {
        let batch = offer.batch
        let stream = batch.stream
        // It may have lost the right since its proposal came.
        guard hooks.mayPropose(stream, offer.member) else { return (0, true) }
        guard try hasInput(of: offer) else { return (0, true) }
        guard var end = outbox.end(of: stream), batch.previous.incarnation == end.incarnation,
            batch.previous.sequence <= end.sequence
        else { return (0, true) }
        let known = Int(min(end.sequence - batch.previous.sequence, UInt64(batch.records.count)))
        let meeting = batch.position(after: known)
        guard let ours = try outbox.hash(of: stream, at: meeting.sequence) else { return (0, true) }
        guard ours == meeting.hash else {
            tell(.conflict(stream, sequence: meeting.sequence), hooks)
            return (0, true)
        }
        var count = 0
        for record in batch.records[known...].prefix(limit) {
            end = end.advanced(by: record)
            do {
                try apply(stream, end, record)
            } catch let stop as StreamStop {
                offers[stream]?.stopped = (stop.reason, end)
                hooks.notice(.stopped(stream, reason: stop.reason))
                return (count, true)
            } catch let pause as StreamPause {
                paused[stream] = now.monotonic + pause.duration
                return (count, false)
            }
            _ = try outbox.append(record, to: stream, now: now.wall)
            count += 1
        }
        if count > 0 { offers[stream]?.conflict = nil }
        return (count, known + count == batch.records.count)
    }

    /// Whether the record that led to the outputs is one of ours. Where it is not, because our
    /// store was put back from an older copy, whoever read it will hear of that.
    private func hasInput(of offer: Offer) throws -> Bool {
        guard case .events(let partition) = offer.batch.stream else { return true }
        return try outbox.isOnChain(offer.input, of: .input(partition))
    }

    /// Once for each place.
    private func tell(_ notice: BusNotice, _ hooks: Bus.Hooks) {
        guard case .conflict(let stream, let sequence) = notice,
            offers[stream]?.conflict != sequence
        else { return }
        offers[stream]?.conflict = sequence
        hooks.notice(notice)
    }

    var stopped: [StoppedStream] {
        offers.compactMap { stream, found in
            found.stopped.map {
                StoppedStream(
                    stream: stream, sequence: $0.at.sequence, position: $0.at,
                    reason: $0.reason)
            }
        }
    }

    /// Takes offers for a stopped stream again.
    func resume(_ stream: StreamName) { offers[stream]?.stopped = nil }

    /// The turn is undone: what was offered comes again.
    func rolledBack() {
        for stream in offers.keys {
            offers[stream]?.waiting.removeAll()
            offers[stream]?.waitingBytes = 0
        }
    }

    var troubles: [String] {
        offers.sorted { $0.key < $1.key }.flatMap { stream, found in
            [
                found.conflict.map { "\(stream): two different outputs \($0)" },
                found.stopped.map { "\(stream) is stopped: \($0.reason)" },
            ].compactMap { $0 }
        }
    }
}

import Model
import Wire

/// Takes computed outputs into streams kept here: each iff it continues the chain.
///
/// So two that compute the same are harmless, and one that computes differently is found out.
final class Ledger {
    private struct Offers {
        var batches = Fifo<Batch>()
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
    /// Batches of one stream that wait; the others come again.
    private static let batchesMax = 64

    init(outbox: Outbox) { self.outbox = outbox }

    var hasRecords: Bool { !ready.isEmpty }

    func take(_ frame: [UInt8]) throws(WireError) {
        guard case .batch(let batch) = try Frame(frame), outbox.isComputed(batch.stream) else {
            throw WireError(.unknown, "read offer", "no output for a computed stream kept here")
        }
        let stream = batch.stream
        guard offers[stream, default: Offers()].batches.count < Ledger.batchesMax,
            offers[stream]?.stopped == nil
        else { return }
        offers[stream, default: Offers()].batches.append(batch)
        enqueue(stream)
    }

    private func enqueue(_ stream: StreamName) {
        guard let found = offers[stream], !found.isQueued, !found.batches.isEmpty,
            paused[stream] == nil
        else { return }
        offers[stream]?.isQueued = true
        ready.append(stream)
    }

    /// Appends what continues a chain, and has it applied, of each stream in turn.
    func apply(limit: Int, now: Moment, hooks: Bus.Hooks, _ apply: Bus.Apply) throws {
        var left = limit
        for (stream, end) in paused where end <= now.monotonic {
            paused[stream] = nil
            enqueue(stream)
        }
        while left > 0, let stream = ready.popFirst() {
            offers[stream]?.isQueued = false
            guard let batch = offers[stream]?.batches.first else { continue }
            let taken = try take(
                batch, atMost: min(left, BusLimits.quantum), now, hooks, apply)
            left -= max(taken.count, 1)
            if taken.isDone { offers[stream]?.batches.popFirst() }
            enqueue(stream)
        }
    }

    private func take(
        _ batch: Batch, atMost limit: Int, _ now: Moment, _ hooks: Bus.Hooks, _ apply: Bus.Apply
    ) throws -> (count: Int, isDone: Bool) {
        let stream = batch.stream
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
        for stream in offers.keys { offers[stream]?.batches.removeAll() }
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

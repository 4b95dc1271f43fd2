import Model
import Wire

/// A store for processes without a disk, such as one that only looks on, and for simulations.
///
/// What is written lasts at once: it cannot undo a turn, so whoever needs that takes
/// ``SQLiteBusStore`` on `:memory:`.
public final class MemoryBusStore: BusStore {
    private struct Stream {
        var base: Position
        var records: [StoredRecord] = []
        var times: [Timestamp] = []

        var head: Position {
            Position(
                incarnation: base.incarnation, sequence: base.sequence + UInt64(records.count),
                hash: records.last?.hash ?? base.hash)
        }
    }

    private var streams: [StreamName: Stream] = [:]
    private var cursors: [StreamName: Position] = [:]
    private var heard: [StreamName: [String: Acknowledgement]] = [:]

    public init() {}

    public func open(
        _ stream: StreamName, newIncarnation: () -> ID128
    ) -> (Position, Position) {
        let opened = streams[stream] ?? Stream(base: .start(of: newIncarnation()))
        streams[stream] = opened
        return (opened.base, opened.head)
    }

    public func append(
        _ record: Record, at position: Position, of stream: StreamName, now: Timestamp
    ) {
        streams[stream]?.records.append(StoredRecord(record: record, hash: position.hash))
        streams[stream]?.times.append(now)
    }

    public func records(
        of stream: StreamName, after sequence: UInt64, through last: UInt64, bytesMax: Int
    ) -> [StoredRecord] {
        guard let kept = streams[stream], sequence >= kept.base.sequence, sequence < last else {
            return []
        }
        var found: [StoredRecord] = []
        var bytes = 0
        let range = Int(sequence - kept.base.sequence)..<Int(last - kept.base.sequence)
        for stored in kept.records[range.clamped(to: kept.records.indices)] {
            bytes += stored.record.wireBytes
            if bytes > bytesMax, !found.isEmpty { break }
            found.append(stored)
        }
        return found
    }

    public func hash(of stream: StreamName, at sequence: UInt64) -> UInt64? {
        guard let kept = streams[stream], sequence > kept.base.sequence,
            sequence <= kept.head.sequence
        else { return nil }
        return kept.records[Int(sequence - kept.base.sequence) - 1].hash
    }

    public func prune(_ stream: StreamName, through base: Position) {
        guard let kept = streams[stream], base.sequence > kept.base.sequence else { return }
        streams[stream]?.records.removeFirst(Int(base.sequence - kept.base.sequence))
        streams[stream]?.times.removeFirst(Int(base.sequence - kept.base.sequence))
        streams[stream]?.base = base
    }

    public func ages(
        of stream: StreamName, after sequence: UInt64, through last: UInt64, limit: Int
    ) -> [RecordAge] {
        guard let kept = streams[stream], sequence >= kept.base.sequence, sequence < last else {
            return []
        }
        let range = Int(sequence - kept.base.sequence)..<Int(last - kept.base.sequence)
        return range.clamped(to: kept.records.indices).prefix(limit).map { index in
            RecordAge(
                sequence: kept.base.sequence + UInt64(index) + 1, hash: kept.records[index].hash,
                appended: kept.times[index], bytes: kept.records[index].record.wireBytes)
        }
    }

    /// Memory is given back by itself.
    public func giveBackSpace() -> Bool { false }

    public func cursor(of stream: StreamName) -> Position? { cursors[stream] }

    public func saveCursor(_ position: Position, of stream: StreamName) {
        cursors[stream] = position
    }

    /// Nothing of it lasts: who has no disk keeps no record of what happened either.
    public func saveDivergence(
        of stream: StreamName, was: Position, now: Position, at time: Timestamp
    ) {}

    public func acknowledgements() -> [Acknowledgement] {
        heard.values.flatMap(\.values).sorted {
            ($0.consumer, $0.stream) < ($1.consumer, $1.stream)
        }
    }

    public func save(_ acknowledgement: Acknowledgement) {
        heard[acknowledgement.stream, default: [:]][acknowledgement.consumer] = acknowledgement
    }

    public func forget(_ acknowledgement: Acknowledgement) {
        heard[acknowledgement.stream]?[acknowledgement.consumer] = nil
    }
}

import Model
import Wire

/// A store in memory, for observers and simulations.
///
/// Writes take effect immediately and cannot be rolled back. Use ``SQLiteBusStore`` on `:memory:`
/// where turns may fail.
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
    private var positions: [StreamName: [String: Acknowledgement]] = [:]

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
        guard let found = streams[stream], sequence >= found.base.sequence, sequence < last else {
            return []
        }
        var records: [StoredRecord] = []
        var bytes = 0
        let range = Int(sequence - found.base.sequence)..<Int(last - found.base.sequence)
        for stored in found.records[range.clamped(to: found.records.indices)] {
            bytes += stored.record.wireBytes
            if bytes > bytesMax, !records.isEmpty { break }
            records.append(stored)
        }
        return records
    }

    public func hash(of stream: StreamName, at sequence: UInt64) -> UInt64? {
        guard let found = streams[stream], sequence > found.base.sequence,
            sequence <= found.head.sequence
        else { return nil }
        return found.records[Int(sequence - found.base.sequence) - 1].hash
    }

    public func prune(_ stream: StreamName, through base: Position) {
        guard let found = streams[stream], base.sequence > found.base.sequence else { return }
        streams[stream]?.records.removeFirst(Int(base.sequence - found.base.sequence))
        streams[stream]?.times.removeFirst(Int(base.sequence - found.base.sequence))
        streams[stream]?.base = base
    }

    public func ages(
        of stream: StreamName, after sequence: UInt64, through last: UInt64, limit: Int
    ) -> [RecordAge] {
        guard let found = streams[stream], sequence >= found.base.sequence, sequence < last else {
            return []
        }
        let range = Int(sequence - found.base.sequence)..<Int(last - found.base.sequence)
        return range.clamped(to: found.records.indices).prefix(limit).map { index in
            RecordAge(
                sequence: found.base.sequence + UInt64(index) + 1, hash: found.records[index].hash,
                appended: found.times[index], bytes: found.records[index].record.wireBytes)
        }
    }

    /// Does nothing: memory is released with the records.
    public func reclaimSpace() -> Bool { false }

    public func cursor(of stream: StreamName) -> Position? { cursors[stream] }

    public func saveCursor(_ position: Position, of stream: StreamName) {
        cursors[stream] = position
    }

    /// Does nothing: there is no durable history.
    public func saveDivergence(
        of stream: StreamName, was: Position, now: Position, at time: Timestamp
    ) {}

    public func acknowledgements() -> [Acknowledgement] {
        positions.values.flatMap(\.values).sorted {
            ($0.consumer, $0.stream) < ($1.consumer, $1.stream)
        }
    }

    public func save(_ acknowledgement: Acknowledgement) {
        positions[acknowledgement.stream, default: [:]][acknowledgement.consumer] = acknowledgement
    }

    public func forget(_ acknowledgement: Acknowledgement) {
        positions[acknowledgement.stream]?[acknowledgement.consumer] = nil
    }
}

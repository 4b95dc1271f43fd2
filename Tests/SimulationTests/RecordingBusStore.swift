import Model
import Wire

@testable import Bus

/// A wrapper of a bus store. It keeps pruned records, so oracles can check whole streams at the
/// end. Planted bugs are subclasses of it.
class RecordingBusStore: BusStore {
    let inner: any BusStore
    private let archive: Archive

    init(_ inner: any BusStore, archive: Archive) {
        self.inner = inner
        self.archive = archive
    }

    func open(
        _ stream: StreamName, newIncarnation: () -> ID128
    ) throws -> (Position, Position) {
        try inner.open(stream, newIncarnation: newIncarnation)
    }

    func append(
        _ record: Record, at position: Position, of stream: StreamName, now: Timestamp
    ) throws {
        try inner.append(record, at: position, of: stream, now: now)
    }

    func records(
        of stream: StreamName, after sequence: UInt64, through last: UInt64, bytesMax: Int
    ) throws -> [StoredRecord] {
        try inner.records(of: stream, after: sequence, through: last, bytesMax: bytesMax)
    }

    func hash(of stream: StreamName, at sequence: UInt64) throws -> UInt64? {
        try inner.hash(of: stream, at: sequence)
    }

    func prune(_ stream: StreamName, through base: Position) throws {
        archive.keep(
            try inner.records(of: stream, after: 0, through: base.sequence, bytesMax: .max),
            upTo: base.sequence, of: stream)
        try inner.prune(stream, through: base)
    }

    func ages(
        of stream: StreamName, after sequence: UInt64, through last: UInt64, limit: Int
    ) throws -> [RecordAge] {
        try inner.ages(of: stream, after: sequence, through: last, limit: limit)
    }

    func reclaimSpace() throws -> Bool { try inner.reclaimSpace() }

    func cursor(of stream: StreamName) throws -> Position? { try inner.cursor(of: stream) }

    func saveCursor(_ position: Position, of stream: StreamName) throws {
        try inner.saveCursor(position, of: stream)
    }

    func saveDivergence(
        of stream: StreamName, was: Position, now: Position, at time: Timestamp
    ) throws {
        try inner.saveDivergence(of: stream, was: was, now: now, at: time)
    }

    func acknowledgements() throws -> [Acknowledgement] { try inner.acknowledgements() }
    func save(_ acknowledgement: Acknowledgement) throws { try inner.save(acknowledgement) }
    func forget(_ acknowledgement: Acknowledgement) throws { try inner.forget(acknowledgement) }
}

/// Pruned records.
final class Archive {
    private var records: [StreamName: [UInt64: StoredRecord]] = [:]

    func keep(_ stored: [StoredRecord], upTo last: UInt64, of stream: StreamName) {
        let first = last - UInt64(stored.count) + 1
        for (index, record) in stored.enumerated() {
            records[stream, default: [:]][first + UInt64(index)] = record
        }
    }

    /// The pruned records up to and including a sequence.
    func records(of stream: StreamName, through base: UInt64) -> [StoredRecord] {
        base == 0 ? [] : (1...base).compactMap { records[stream]?[$0] }
    }
}

import Hashing
import Model

/// An entry of a stream: an encoded event.
public struct Record: Hashable, Sendable {
    /// The number of an ``EventKind``.
    public var kind: UInt16
    /// Schema version of the payload within its kind.
    public var schema: UInt16
    /// The event's id; equal for duplicates of one event.
    public var id: ID128
    public var payload: [UInt8]

    public init(kind: UInt16, schema: UInt16, id: ID128, payload: [UInt8]) {
        self.kind = kind
        self.schema = schema
        self.id = id
        self.payload = payload
    }

    /// The chain hash of the position after this record.
    public func hash(after previous: UInt64) -> UInt64 {
        Hash.chain(previous: previous, id: id, kind: kind, schema: schema, payload: payload)
    }

    /// Length of its header on the wire.
    static let headBytes = 24

    /// Length on the wire.
    public var wireBytes: Int { Record.headBytes + payload.count }

    func write(to writer: inout ByteWriter) {
        writer.put(UInt32(payload.count))
        writer.put(kind)
        writer.put(schema)
        writer.put(id)
        writer.put(payload)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let count = Int(try reader.number(UInt32.self))
        guard count + Record.headBytes <= WireLimits.recordBytesMax else {
            throw WireError(.oversized, reader.operation, "a record of \(count) bytes")
        }
        kind = try reader.number()
        schema = try reader.number()
        id = try reader.id()
        payload = try reader.bytes(count)
    }
}

/// A position in a stream: after a record, or before the first one.
public struct Position: Hashable, Sendable, CustomStringConvertible {
    /// The stream's incarnation; zero for a consumer that knows none.
    public var incarnation: ID128
    /// Sequence of the record: 1, 2, 3 … without gaps; 0 before the first.
    public var sequence: UInt64
    /// Chain hash up to and including the record; 0 before the first.
    public var hash: UInt64

    public init(incarnation: ID128, sequence: UInt64, hash: UInt64) {
        self.incarnation = incarnation
        self.sequence = sequence
        self.hash = hash
    }

    /// The position of a consumer that knows nothing about the stream.
    public static let unknown = Position(incarnation: .zero, sequence: 0, hash: 0)

    /// The position before the first record of an incarnation.
    public static func start(of incarnation: ID128) -> Position {
        Position(incarnation: incarnation, sequence: 0, hash: 0)
    }

    /// The position after the next record.
    public func advanced(by record: Record) -> Position {
        Position(
            incarnation: incarnation, sequence: sequence + 1, hash: record.hash(after: hash))
    }

    public var description: String { "\(incarnation.text.suffix(6))/\(sequence)" }

    static let wireBytes = 32

    func write(to writer: inout ByteWriter) {
        writer.put(incarnation)
        writer.put(sequence)
        writer.put(hash)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        incarnation = try reader.id()
        sequence = try reader.sequence()
        hash = try reader.number()
    }
}

extension ByteReader {
    /// Reads a sequence; throws if it exceeds ``WireLimits/sequenceMax``.
    mutating func sequence() throws(WireError) -> UInt64 {
        let sequence = try number(UInt64.self)
        guard sequence <= WireLimits.sequenceMax else {
            throw WireError(.payload, operation, "sequence \(sequence) is out of range")
        }
        return sequence
    }
}

/// The stored range of a stream: the records after `base` up to `head`.
public struct Extent: Hashable, Sendable {
    public var stream: StreamName
    /// The last pruned position, or the start.
    public var base: Position
    /// The last position, of the same incarnation as the base.
    public var head: Position
    /// Whether the publisher provides snapshots.
    public var isSnapshotable: Bool

    public init(stream: StreamName, base: Position, head: Position, isSnapshotable: Bool) {
        self.stream = stream
        self.base = base
        self.head = head
        self.isSnapshotable = isSnapshotable
    }

    static let wireBytes = 57

    func write(to writer: inout ByteWriter) {
        writer.put(stream.topic)
        writer.put(UInt8(isSnapshotable ? 1 : 0))
        writer.put(head.incarnation)
        writer.put(base.sequence)
        writer.put(base.hash)
        writer.put(head.sequence)
        writer.put(head.hash)
    }

    /// Reads an extent; nil for an unknown stream.
    static func read(from reader: inout ByteReader) throws(WireError) -> Extent? {
        let topic = try reader.bytes(8)
        let flags = try reader.number(UInt8.self)
        let incarnation = try reader.id()
        let base = Position(
            incarnation: incarnation, sequence: try reader.sequence(), hash: try reader.number())
        let head = Position(
            incarnation: incarnation, sequence: try reader.sequence(), hash: try reader.number())
        guard let stream = StreamName(topic: topic) else { return nil }
        return Extent(stream: stream, base: base, head: head, isSnapshotable: flags & 1 == 1)
    }
}

import Model

/// Consecutive records of one stream in one frame.
public struct Batch: Hashable, Sendable {
    public let stream: StreamName
    /// The position before the first record.
    public let previous: Position
    public let records: [Record]
    /// The chain hash after each record.
    public let hashes: [UInt64]
    /// Sequence of the publisher's last record when the batch was sent.
    public let head: UInt64
    /// When the batch was sent; informational only.
    public let published: Timestamp

    /// - Parameter hashes: the chain hash after each record; computed if nil
    public init(
        stream: StreamName, after previous: Position, records: [Record], hashes: [UInt64]? = nil,
        head: UInt64, published: Timestamp
    ) {
        self.stream = stream
        self.previous = previous
        self.records = records
        self.hashes = hashes ?? Batch.chain(of: records, after: previous.hash)
        self.head = head
        self.published = published
        invariant(self.hashes.count == records.count, "a batch has a hash for each record")
    }

    /// The position after its last record.
    public var last: Position { position(after: records.count) }

    /// The position after a number of its records.
    public func position(after count: Int) -> Position {
        Position(
            incarnation: previous.incarnation, sequence: previous.sequence + UInt64(count),
            hash: count == 0 ? previous.hash : hashes[count - 1])
    }

    private static func chain(of records: [Record], after hash: UInt64) -> [UInt64] {
        var hash = hash
        return records.map { record in
            hash = record.hash(after: hash)
            return hash
        }
    }

    static let headBytes = 76

    /// Bytes of the whole frame.
    public var wireBytes: Int { Batch.headBytes + records.reduce(0) { $0 + $1.wireBytes } }

    public func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: wireBytes)
        FrameHead(topic: stream.topic, type: .data).write(to: &writer)
        writeBody(to: &writer)
        return writer.bytes
    }

    /// Writes everything after the frame's head.
    func writeBody(to writer: inout ByteWriter) {
        writer.put(previous.incarnation)
        writer.put(previous.sequence &+ 1)
        writer.put(previous.hash)
        writer.put(last.hash)
        writer.put(head)
        writer.put(published.microseconds)
        writer.put(UInt32(records.count))
        writer.put(UInt32(wireBytes - Batch.headBytes))
        for record in records { record.write(to: &writer) }
    }

    /// Decodes a frame and verifies its chain.
    ///
    /// - Throws: ``WireError`` unless the frame is one valid batch
    public init(frame: [UInt8]) throws(WireError) {
        var reader = ByteReader(frame, operation: "read batch")
        let head = try FrameHead(from: &reader, count: frame.count)
        guard head.type == .data else {
            throw WireError(.unknown, reader.operation, "not a batch")
        }
        try self.init(head, from: &reader)
    }

    /// Decodes everything after the frame's head, and verifies the chain.
    init(_ frameHead: FrameHead, from reader: inout ByteReader) throws(WireError) {
        guard let stream = StreamName(topic: frameHead.topic) else {
            throw WireError(.unknown, reader.operation, "unknown topic")
        }
        let incarnation = try reader.id()
        let first = try reader.sequence()
        let previousHash = try reader.number(UInt64.self)
        let lastHash = try reader.number(UInt64.self)
        head = try reader.sequence()
        published = try reader.time()
        let count = Int(try reader.number(UInt32.self))
        let size = Int(try reader.number(UInt32.self))
        guard size == reader.remaining, first > 0, count <= size / Record.headBytes else {
            throw WireError(.truncated, reader.operation, "inconsistent lengths")
        }
        guard count <= 1 || size <= WireLimits.batchBytesMax else {
            throw WireError(.oversized, reader.operation, "\(size) bytes in \(count) records")
        }
        var records: [Record] = []
        records.reserveCapacity(count)
        for _ in 0..<count { records.append(try Record(from: &reader)) }
        try reader.finish()
        let hashes = Batch.chain(of: records, after: previousHash)
        guard hashes.last ?? previousHash == lastHash else {
            throw WireError(.hash, reader.operation, "last hash does not match the records")
        }
        self.stream = stream
        previous = Position(incarnation: incarnation, sequence: first - 1, hash: previousHash)
        self.records = records
        self.hashes = hashes
    }

    /// Splits consecutive records into batches of at most ``WireLimits/batchBytesMax``, or of one
    /// record.
    public static func cut(_ records: [Record]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0
        var size = 0
        for (index, record) in records.enumerated() {
            if index > start, size + record.wireBytes > WireLimits.batchBytesMax {
                ranges.append(start..<index)
                start = index
                size = 0
            }
            size += record.wireBytes
        }
        if start < records.count { ranges.append(start..<records.count) }
        return ranges
    }
}

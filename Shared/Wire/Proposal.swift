import Model

/// Records proposed for a derived stream, and the input from which they derive.
public struct Proposal: Hashable, Sendable {
    public let batch: Batch
    /// The record of `in/p` that led to the last proposed record.
    ///
    /// The publisher of both streams accepts the proposal only if it has this record. After
    /// restoring a backup it may have lost the input while earlier outputs remain.
    public let input: Position
    /// The member that derived the records, by the random id of its process, known only to the
    /// publisher; zero where partitions are not assigned.
    public let member: ID128

    public init(_ batch: Batch, from input: Position, by member: ID128 = .zero) {
        self.batch = batch
        self.input = input
        self.member = member
    }

    /// Reads stream and member from the head of a frame; nil if the frame is not a proposal.
    public static func origin(of frame: [UInt8]) -> (stream: StreamName, member: ID128)? {
        var reader = ByteReader(frame, operation: "read proposal")
        guard let head = try? FrameHead(from: &reader, count: frame.count), head.type == .proposal,
            let stream = StreamName(topic: head.topic), let member = try? reader.id()
        else { return nil }
        return (stream, member)
    }

    public func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 48 + batch.wireBytes)
        FrameHead(topic: batch.stream.topic, type: .proposal).write(to: &writer)
        writer.put(member)
        input.write(to: &writer)
        batch.writeBody(to: &writer)
        return writer.bytes
    }

    init(_ head: FrameHead, from reader: inout ByteReader) throws(WireError) {
        member = try reader.id()
        input = try Position(from: &reader)
        batch = try Batch(head, from: &reader)
    }
}

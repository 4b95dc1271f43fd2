import Model

/// Outputs that somebody computed for a stream kept elsewhere, and what they were computed from.
public struct Offer: Hashable, Sendable {
    public let batch: Batch
    /// The record of `in/p` that led to the last output. Whoever keeps both streams takes the
    /// outputs only if it has that very record there: a store that was put back from an older copy
    /// may have forgotten it, with the outputs before still there.
    public let input: Position
    /// The member that computed the outputs, by the id that it draws at its start and tells nobody
    /// but the keeper; zero where partitions are not shared out.
    public let member: ID128

    public init(_ batch: Batch, from input: Position, by member: ID128 = .zero) {
        self.batch = batch
        self.input = input
        self.member = member
    }

    /// The stream and the member that the head of a frame names, whatever follows it; nil where
    /// the frame is no proposal.
    public static func origin(of frame: [UInt8]) -> (stream: StreamName, member: ID128)? {
        var reader = ByteReader(frame, operation: "read offer")
        guard let head = try? FrameHead(from: &reader, count: frame.count), head.type == .offer,
            let stream = StreamName(topic: head.topic), let member = try? reader.id()
        else { return nil }
        return (stream, member)
    }

    public func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 48 + batch.wireBytes)
        FrameHead(topic: batch.stream.topic, type: .offer).write(to: &writer)
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

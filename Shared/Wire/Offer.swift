import Model

/// Outputs that somebody computed for a stream kept elsewhere, and what they were computed from.
public struct Offer: Hashable, Sendable {
    public let batch: Batch
    /// The record of `in/p` that led to the last output. Whoever keeps both streams takes the
    /// outputs only if it has that very record there: a store that was put back from an older copy
    /// may have forgotten it, with the outputs before still there.
    public let input: Position

    public init(_ batch: Batch, from input: Position) {
        self.batch = batch
        self.input = input
    }

    public func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 32 + batch.wireBytes)
        FrameHead(topic: batch.stream.topic, type: .offer).write(to: &writer)
        input.write(to: &writer)
        batch.writeBody(to: &writer)
        return writer.bytes
    }

    init(_ head: FrameHead, from reader: inout ByteReader) throws(WireError) {
        input = try Position(from: &reader)
        batch = try Batch(head, from: &reader)
    }
}

import Hashing
import Model

/// State of an evaluator for one partition at a position of its log.
public struct Checkpoint: Hashable, Sendable {
    public var partition: Partition
    /// The last record of `in/p` that the state includes.
    public var input: Position
    /// The last record of `events/p` that the state led to.
    public var output: Position
    /// Version of the logic that computed the state.
    public var logic: UInt16
    /// Equal for equal states, on all members.
    public var stateHash: UInt64
    /// Dynamic state in the evaluator's canonical form; at most ``WireLimits/checkpointBytesMax``.
    public var state: [UInt8]

    public init(
        partition: Partition, input: Position, output: Position, logic: UInt16, stateHash: UInt64,
        state: [UInt8]
    ) {
        self.partition = partition
        self.input = input
        self.output = output
        self.logic = logic
        self.stateHash = stateHash
        self.state = state
    }

    /// BLAKE2b-128 of all fields; verifies the assembled pieces.
    public var id: ID128 {
        var writer = ByteWriter(capacity: 96 + state.count)
        writer.put(partition.number)
        input.write(to: &writer)
        output.write(to: &writer)
        writer.put(logic)
        writer.put(stateHash)
        writer.put(UInt32(state.count))
        writer.put(state)
        return Hash.blake2b128(writer.bytes)
    }

    /// Returns a piece of the state, starting at a byte.
    ///
    /// - Parameters:
    ///   - id: ``id``, passed in since it takes a pass over the whole state
    ///   - offset: at most the length of the state
    public func piece(
        id: ID128, from offset: UInt32, by member: ID128, epoch: UInt64
    ) -> CheckpointPiece {
        let rest = state[min(Int(offset), state.count)...]
        return CheckpointPiece(
            member: member, partition: partition, epoch: epoch, id: id, input: input,
            output: output, logic: logic, stateHash: stateHash, size: UInt32(state.count),
            offset: UInt32(min(Int(offset), state.count)),
            bytes: Array(rest.prefix(WireLimits.pieceBytesMax)))
    }
}

/// A part of a ``Checkpoint`` in transit.
public struct CheckpointPiece: Hashable, Sendable {
    public var member: ID128
    public var partition: Partition
    public var epoch: UInt64
    /// ``Checkpoint/id`` of the whole.
    public var id: ID128
    public var input: Position
    public var output: Position
    public var logic: UInt16
    public var stateHash: UInt64
    /// Bytes of the whole state.
    public var size: UInt32
    /// The position of ``bytes`` in the state.
    public var offset: UInt32
    /// At most ``WireLimits/pieceBytesMax``.
    public var bytes: [UInt8]

    public init(
        member: ID128, partition: Partition, epoch: UInt64, id: ID128, input: Position,
        output: Position, logic: UInt16, stateHash: UInt64, size: UInt32, offset: UInt32,
        bytes: [UInt8]
    ) {
        self.member = member
        self.partition = partition
        self.epoch = epoch
        self.id = id
        self.input = input
        self.output = output
        self.logic = logic
        self.stateHash = stateHash
        self.size = size
        self.offset = offset
        self.bytes = bytes
    }
}

/// The publisher's verdict on a piece or a checkpoint.
public enum CheckpointVerdict: Hashable, Sendable {
    /// Requests the piece at an offset: the next one, or an earlier one again.
    case more(next: UInt32)
    /// The checkpoint is complete and stored.
    case stored
    /// The checkpoint is rejected; the reason has at most 255 bytes.
    case rejected(String)
}

/// The reply to a ``CheckpointPiece``.
public struct CheckpointReply: Hashable, Sendable {
    public var partition: Partition
    /// ``Checkpoint/id``.
    public var id: ID128
    public var verdict: CheckpointVerdict

    public init(partition: Partition, id: ID128, verdict: CheckpointVerdict) {
        self.partition = partition
        self.id = id
        self.verdict = verdict
    }
}

/// Assembles checkpoints from pieces.
///
/// Its state is volatile: after a restart the first piece is requested again.
public struct CheckpointReader: Sendable {
    /// The result of a piece.
    public enum Step: Hashable, Sendable {
        /// Requests the piece at an offset.
        case more(next: UInt32)
        case whole(Checkpoint)
        /// The pieces do not match the checkpoint's id; the checkpoint may be sent again.
        case rejected(String)
    }

    private var checkpoint: Checkpoint?
    private var id = ID128.zero

    public init() {}

    /// Bytes received of the state.
    public var byteCount: Int { checkpoint?.state.count ?? 0 }

    /// Receives a piece. A piece of another checkpoint discards the current one.
    public mutating func receive(_ piece: CheckpointPiece) -> Step {
        if checkpoint == nil || id != piece.id {
            id = piece.id
            checkpoint = Checkpoint(
                partition: piece.partition, input: piece.input, output: piece.output,
                logic: piece.logic, stateHash: piece.stateHash, state: [])
        }
        let count = UInt32(checkpoint?.state.count ?? 0)
        guard piece.offset == count, !piece.bytes.isEmpty || piece.size == 0 else {
            return .more(next: count)
        }
        checkpoint?.state += piece.bytes
        guard let whole = checkpoint, whole.state.count >= piece.size else {
            return .more(next: count + UInt32(piece.bytes.count))
        }
        checkpoint = nil
        return whole.id == id
            ? .whole(whole) : .rejected("the pieces do not match the checkpoint's id")
    }
}

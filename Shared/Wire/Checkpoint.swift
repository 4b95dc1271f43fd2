import Hashing
import Model

/// The state of an evaluator for one partition, as of a position in the partition's log.
public struct Checkpoint: Hashable, Sendable {
    public var partition: Partition
    /// The last record of `in/p` that the state includes.
    public var input: Position
    /// The last record of `events/p` that it led to.
    public var output: Position
    /// Version of the logic by which it was computed.
    public var logic: UInt16
    /// Equal for equal states, whoever computes them.
    public var stateHash: UInt64
    /// Dynamic state only, in the evaluator's canonical form; at most
    /// ``WireLimits/checkpointBytesMax``.
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

    /// BLAKE2b-128 of everything that it is; what is put together from pieces is checked by it.
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

    /// A piece of it, from a byte of the state on.
    ///
    /// - Parameters:
    ///   - id: what ``id`` gives, which takes a pass over the whole state
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

/// A part of a ``Checkpoint`` on its way to whoever keeps it.
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
    /// Where in the state ``bytes`` begin.
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

/// What the keeper says to a piece, or to the whole.
public enum CheckpointVerdict: Hashable, Sendable {
    /// The piece that begins here is wanted next: the following one, or an earlier one again.
    case more(next: UInt32)
    /// It is whole and lasts.
    case kept
    /// It is not taken; at most 255 bytes say why.
    case refused(String)
}

/// A ``CheckpointVerdict`` on its way to the member.
public struct CheckpointAnswer: Hashable, Sendable {
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

/// Puts one checkpoint after another together from its pieces, for whoever keeps them.
///
/// Nothing of it lasts: whoever forgets it, as by a restart, asks for the first piece again.
public struct CheckpointReader: Sendable {
    /// What a piece led to.
    public enum Step: Hashable, Sendable {
        /// The piece that begins here is wanted.
        case more(next: UInt32)
        case whole(Checkpoint)
        /// The pieces do not give what they promised; begun anew, the next may.
        case refused(String)
    }

    private var checkpoint: Checkpoint?
    private var id = ID128.zero

    public init() {}

    /// Bytes of the state that are here.
    public var byteCount: Int { checkpoint?.state.count ?? 0 }

    /// Takes a piece. A piece of another checkpoint than the one begun begins that one.
    public mutating func take(_ piece: CheckpointPiece) -> Step {
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
            ? .whole(whole) : .refused("the pieces do not give the digest that they promise")
    }
}

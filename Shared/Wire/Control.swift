import Model

/// What consumers and writers say to each other besides records.
///
/// A question goes from a consumer to the writer; each has an answer but
/// ``acknowledge(consumer:entries:)`` and ``leave(member:)``.
public enum Control: Hashable, Sendable {
    /// A stream and where its consumer stands.
    public struct Entry: Hashable, Sendable {
        public var stream: StreamName
        public var position: Position

        public init(_ stream: StreamName, _ position: Position) {
            self.stream = stream
            self.position = position
        }
    }

    /// What a writer says to a consumer's position.
    public enum Verdict: UInt8, Sendable {
        /// It is of this stream, and what follows is here.
        case ok = 0
        /// It is older than the oldest record here, or of nobody.
        case pruned = 1
        /// It is of another life, beyond the head, or reached by other records.
        case diverged = 2
    }

    /// How a consumer's position in one stream was judged.
    public struct State: Hashable, Sendable {
        public var verdict: Verdict
        /// The position that was judged.
        public var asked: Position
        public var extent: Extent

        public init(_ verdict: Verdict, on asked: Position, _ extent: Extent) {
            self.verdict = verdict
            self.asked = asked
            self.extent = extent
        }
    }

    /// Records of a snapshot, from row `first` on.
    public struct Chunk: Hashable, Sendable {
        public var stream: StreamName
        /// Names the snapshot among others of the stream.
        public var snapshot: ID128
        public var first: UInt32
        public var records: [Record]

        public init(stream: StreamName, snapshot: ID128, first: UInt32, records: [Record]) {
            self.stream = stream
            self.snapshot = snapshot
            self.first = first
            self.records = records
        }
    }

    /// What a whole snapshot was, for whoever put its chunks together.
    public struct End: Hashable, Sendable {
        public var stream: StreamName
        public var snapshot: ID128
        /// The state is that after this position.
        public var position: Position
        public var rows: UInt32
        /// The chain hash over all rows, begun with 0.
        public var digest: UInt64

        public init(
            stream: StreamName, snapshot: ID128, position: Position, rows: UInt32, digest: UInt64
        ) {
            self.stream = stream
            self.snapshot = snapshot
            self.position = position
            self.rows = rows
            self.digest = digest
        }
    }

    /// `HELLO`: here I stand; answered by ``states(_:)``.
    case hello(consumer: String, entries: [Entry])
    /// `OK`, `PRUNED`, `DIVERGED` for each stream asked about that this writer keeps.
    case states([State])
    /// `REPLAY`: what follows my position; answered by a batch, or ``states(_:)`` if there is none.
    case replay(consumer: String, from: Entry, bytesMax: UInt32)
    /// `ACK`: up to here everything is on my disk.
    case acknowledge(consumer: String, entries: [Entry])
    /// `HEADS?`: are you there? Answered by ``Heads``.
    case headsWanted
    /// `SNAP`: rows of a snapshot from `first` on; `snapshot` is zero for a new one. Answered by
    /// ``chunk(_:)``, by ``end(_:)`` after the last row, or by row 0 of a newer snapshot when the
    /// one asked for is gone.
    case snapshotWanted(consumer: String, stream: StreamName, snapshot: ID128, first: UInt32)
    case chunk(Chunk)
    case end(End)
    /// `JOIN`: an evaluator with these versions of the logic wants partitions. Answered by
    /// ``assign(member:logic:assignments:)``.
    case join(member: ID128, logic: ClosedRange<UInt16>)
    /// `RENEW`: it is still there and has these. Answered by
    /// ``assign(member:logic:assignments:)``; of a member that is not known it counts as `JOIN`.
    case renew(member: ID128, logic: ClosedRange<UInt16>, holdings: [Holding])
    /// `LEAVE`: it ends; no answer.
    case leave(member: ID128)
    /// `ASSIGN`: all that the member shall have, by the logic in force; also told unasked.
    case assign(member: ID128, logic: UInt16, assignments: [Assignment])
    /// `CHECKPOINT`: a piece of a state to be kept. Answered by ``checkpointAnswer(_:)``.
    case checkpoint(CheckpointPiece)
    case checkpointAnswer(CheckpointAnswer)
}

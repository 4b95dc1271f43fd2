import Model

/// A message between a consumer and a publisher, other than records.
///
/// Consumers send requests to publishers. Each has a reply, except
/// ``acknowledge(consumer:entries:)`` and ``leave(member:)``.
public enum Control: Hashable, Sendable {
    /// A stream and a consumer's position in it.
    public struct Entry: Hashable, Sendable {
        public var stream: StreamName
        public var position: Position

        public init(_ stream: StreamName, _ position: Position) {
            self.stream = stream
            self.position = position
        }
    }

    /// A publisher's verdict on a consumer's position.
    public enum Verdict: UInt8, Sendable {
        /// The position is on the stream, and the following records exist.
        case ok = 0
        /// Older than the oldest record, or unknown.
        case pruned = 1
        /// Of another incarnation or chain, or beyond the head.
        case diverged = 2
    }

    /// The verdict on a position, with the stream's extent.
    public struct State: Hashable, Sendable {
        public var verdict: Verdict
        /// The position in question.
        public var position: Position
        public var extent: Extent

        public init(_ verdict: Verdict, on position: Position, _ extent: Extent) {
            self.verdict = verdict
            self.position = position
            self.extent = extent
        }
    }

    /// Records of a snapshot, starting with row `first`.
    public struct Chunk: Hashable, Sendable {
        public var stream: StreamName
        /// Identifies the snapshot among others of the stream.
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

    /// The end of a snapshot, for verifying it.
    public struct End: Hashable, Sendable {
        public var stream: StreamName
        public var snapshot: ID128
        /// The state is that after this position.
        public var position: Position
        public var rows: UInt32
        /// Chain hash of all rows, starting with 0.
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

    /// `HELLO`: the consumer's positions; replied to by ``states(_:)``.
    case hello(consumer: String, entries: [Entry])
    /// `OK`, `PRUNED`, `DIVERGED`: a verdict per requested stream that is served here.
    case states([State])
    /// `REPLAY`: requests the records after a position; replied to by a batch, or by ``states(_:)``
    /// if there are none.
    case replay(consumer: String, from: Entry, bytesMax: UInt32)
    /// `ACK`: the consumer has persisted everything up to these positions.
    case acknowledge(consumer: String, entries: [Entry])
    /// `HEADS?`: requests ``Heads``.
    case headsRequest
    /// `SNAP`: requests rows of a snapshot, starting with `first`; `snapshot` is zero for a new
    /// one.
    ///
    /// Replied to by ``chunk(_:)``, by ``end(_:)`` after the last row, or by row 0 of a newer
    /// snapshot if the requested one is gone.
    case snapshotRequest(consumer: String, stream: StreamName, snapshot: ID128, first: UInt32)
    case chunk(Chunk)
    case end(End)
    /// `JOIN`: an evaluator requests partitions, for its range of logic versions. Replied to by
    /// ``assign(member:logic:assignments:)``.
    case join(member: ID128, logic: ClosedRange<UInt16>)
    /// `RENEW`: a member renews its leases. Replied to by ``assign(member:logic:assignments:)``;
    /// from an unknown member it counts as `JOIN`.
    case renew(member: ID128, logic: ClosedRange<UInt16>, leases: [Lease])
    /// `LEAVE`: a member leaves; no reply.
    case leave(member: ID128)
    /// `ASSIGN`: all partitions assigned to a member, and the logic version in force; also sent
    /// unsolicited.
    case assign(member: ID128, logic: UInt16, assignments: [Assignment])
    /// `CHECKPOINT`: a piece of a checkpoint. Replied to by ``checkpointAnswer(_:)``.
    case checkpoint(CheckpointPiece)
    case checkpointReply(CheckpointReply)
}

import Model
import Wire

/// A record with the chain hash up to it.
public struct StoredRecord: Hashable, Sendable {
    public var record: Record
    public var hash: UInt64

    public init(record: Record, hash: UInt64) {
        self.record = record
        self.hash = hash
    }
}

/// The state that a stream led to, as records, for whoever begins in the middle.
public struct StreamSnapshot: Hashable, Sendable {
    public var records: [Record]
    /// The last record of the stream that the state includes; nil = all that was appended.
    public var position: Position?

    public init(_ records: [Record], at position: Position? = nil) {
        self.records = records
        self.position = position
    }
}

/// How far a consumer of a stream kept here is.
public struct Acknowledgement: Hashable, Sendable {
    public var consumer: String
    public var stream: StreamName
    public var position: Position
    public var heard: Timestamp

    public init(consumer: String, stream: StreamName, position: Position, heard: Timestamp) {
        self.consumer = consumer
        self.stream = stream
        self.position = position
        self.heard = heard
    }
}

/// What of the bus lasts: the streams kept here, and how far those of others are applied.
///
/// Writes belong to the turn's transaction: a write without one opens it, and whoever runs the turn
/// commits or undoes it together with everything else.
public protocol BusStore: AnyObject {
    /// The stream's base and head; made at once and for good, if there is none, with a new life.
    func open(_ stream: StreamName, newIncarnation: () -> ID128) throws -> (Position, Position)
    /// Adds the record that makes the position.
    func append(_ record: Record, at position: Position, of stream: StreamName, now: Timestamp)
        throws
    /// What follows a sequence, as long as it has that many bytes together; at least one record if
    /// there is any, up to the sequence `through`.
    func records(
        of stream: StreamName, after sequence: UInt64, through last: UInt64, bytesMax: Int
    ) throws -> [StoredRecord]
    /// The chain hash at a sequence; nil where there is no record.
    func hash(of stream: StreamName, at sequence: UInt64) throws -> UInt64?
    /// Removes records up to and with a position, which becomes the base.
    func prune(_ stream: StreamName, through base: Position) throws
    /// The oldest records after a sequence, up to and with the last: at most so many.
    func ages(
        of stream: StreamName, after sequence: UInt64, through last: UInt64, limit: Int
    ) throws -> [RecordAge]
    /// Gives a little of the room back that pruned records leave.
    ///
    /// - Returns: whether there is more to give.
    func giveBackSpace() throws -> Bool

    /// How far a stream of somebody else is applied; nil if it never was.
    func cursor(of stream: StreamName) throws -> Position?
    func saveCursor(_ position: Position, of stream: StreamName) throws
    /// Keeps on record that a stream was another one than before.
    func saveDivergence(
        of stream: StreamName, was: Position, now: Position, at time: Timestamp
    ) throws

    func acknowledgements() throws -> [Acknowledgement]
    func save(_ acknowledgement: Acknowledgement) throws
    /// Forgets what a consumer said of a stream.
    func forget(_ acknowledgement: Acknowledgement) throws
}

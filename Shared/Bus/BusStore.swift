import Model
import Wire

/// A record with its chain hash.
public struct StoredRecord: Hashable, Sendable {
    public var record: Record
    public var hash: UInt64

    public init(record: Record, hash: UInt64) {
        self.record = record
        self.hash = hash
    }
}

/// The state of a stream as records, for consumers that do not read it from the start.
public struct StreamSnapshot: Hashable, Sendable {
    public var records: [Record]
    /// The last record that the state includes; nil = the stream's end.
    public var position: Position?

    public init(_ records: [Record], at position: Position? = nil) {
        self.records = records
        self.position = position
    }
}

/// A consumer's acknowledged position in a served stream.
public struct Acknowledgement: Hashable, Sendable {
    public var consumer: String
    public var stream: StreamName
    public var position: Position
    public var received: Timestamp

    public init(consumer: String, stream: StreamName, position: Position, received: Timestamp) {
        self.consumer = consumer
        self.stream = stream
        self.position = position
        self.received = received
    }
}

/// Persists the served streams and the positions applied in followed streams.
///
/// Writes belong to the turn's transaction: the first write opens it, and the owner of the bus
/// commits it or rolls it back.
public protocol BusStore: AnyObject {
    /// Returns the stream's base and head; creates the stream immediately, with a new incarnation,
    /// if it does not exist.
    func open(_ stream: StreamName, newIncarnation: () -> ID128) throws -> (Position, Position)
    /// Appends a record; `position` includes it.
    func append(_ record: Record, at position: Position, of stream: StreamName, now: Timestamp)
        throws
    /// Returns the records after a sequence, up to and including `last`, with at most `bytesMax`
    /// bytes in total; at least one record if there is any.
    func records(
        of stream: StreamName, after sequence: UInt64, through last: UInt64, bytesMax: Int
    ) throws -> [StoredRecord]
    /// The chain hash at a sequence; nil if there is no such record.
    func hash(of stream: StreamName, at sequence: UInt64) throws -> UInt64?
    /// Removes records up to and including a position, which becomes the base.
    func prune(_ stream: StreamName, through base: Position) throws
    /// Returns the ages of at most `limit` records after a sequence, up to and including `last`.
    func ages(
        of stream: StreamName, after sequence: UInt64, through last: UInt64, limit: Int
    ) throws -> [RecordAge]
    /// Releases some of the space of pruned records.
    ///
    /// - Returns: whether more space can be released
    func reclaimSpace() throws -> Bool

    /// The applied position of a followed stream; nil if nothing was applied yet.
    func cursor(of stream: StreamName) throws -> Position?
    func saveCursor(_ position: Position, of stream: StreamName) throws
    /// Records that a followed stream was replaced or pruned.
    func saveDivergence(
        of stream: StreamName, was: Position, now: Position, at time: Timestamp
    ) throws

    func acknowledgements() throws -> [Acknowledgement]
    func save(_ acknowledgement: Acknowledgement) throws
    /// Removes a consumer's position in a stream.
    func forget(_ acknowledgement: Acknowledgement) throws
}

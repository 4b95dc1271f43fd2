import CZeroMQ
import Model
import Runtime
import Store
import Wire

/// Where a bus keeps streams and cursors.
public protocol BusStore: AnyObject {}

/// Streams and cursors in the tables of a service's store.
public final class SQLiteBusStore: BusStore {
    public static let migrationSQL = "CREATE TABLE stream (code INTEGER PRIMARY KEY) STRICT;"
    let database: Database

    public init(_ database: Database) { self.database = database }
}

/// The durable streams of one process: those it writes and those it reads.
public final class Bus: Pollable {
    /// What a bus serves and whom it hears.
    public struct Configuration: Sendable {
        /// Own name, as writers see their consumers.
        public var name: String
        public var served: [StreamName] = []
        public var publishEndpoint: String?
        public var controlEndpoint: String?
        /// Endpoint that evaluators' outputs arrive at; ingest only.
        public var computedEndpoint: String?
        public var peers: [Peer] = []

        public init(name: String) { self.name = name }
    }

    /// A writer whose streams are read.
    public struct Peer: Sendable {
        public var name: String
        public var publishEndpoint: String
        public var controlEndpoint: String
        public var streams: [StreamName]

        public init(
            name: String, publishEndpoint: String, controlEndpoint: String, streams: [StreamName]
        ) {
            self.name = name
            self.publishEndpoint = publishEndpoint
            self.controlEndpoint = controlEndpoint
            self.streams = streams
        }
    }

    /// Records that stand for the whole of a served stream.
    public var snapshot: ((StreamName) throws -> [Record])?
    /// Takes a snapshot of a stream that is read.
    public var replace: ((StreamName, [Record]) throws -> Void)?

    public init(configuration: Configuration, store: any BusStore, now: Timestamp) throws {}

    public func appendPollItems(to items: inout [PollItem]) {}
    public var waitMilliseconds: Int? { nil }

    /// Applies what has arrived, at most `limit` records, in the open transaction.
    public func receive(
        limit: Int, apply: (StreamName, Position, Record) throws -> Void
    ) throws {}
    /// Appends to a served stream in the open transaction.
    public func append(_ record: Record, to stream: StreamName) throws {}
    /// Publishes what the transaction appended.
    public func committed() {}
    /// Forgets what the transaction appended and applied.
    public func rolledBack() {}
    /// Heads, questions and acknowledgements that are due.
    public func tick(now: Timestamp) {}
    public func close() {}
    public var isCaughtUp: Bool { false }
}

import Bus
import Directory
import Hosting
import Model
import Runtime
import Web
import Wire

/// Ingest's port to the process around it.
protocol IngestHost: AnyObject {
    /// Time of this turn.
    var now: Timestamp { get }
    var log: Log { get }
    /// The directory as of this input.
    var replica: Replica { get }
    /// The directory is complete and at most one second behind: a credential that is not in it does
    /// not exist.
    var isDirectoryFresh: Bool { get }

    /// How little disk space is left.
    var diskPressure: DiskPressure { get }

    func principal(of request: Request) -> Principal?
    /// Sends a response after COMMIT.
    func answer(_ id: UInt64, _ response: Response)
    /// Continues a streamed response after COMMIT.
    func stream(_ id: UInt64, _ step: StreamStep)
    /// Bytes of a streamed response that wait for the client; nil = it is closed or has been sent.
    func unsentBytes(of id: UInt64) -> Int?
    /// Appends to a stream owned by ingest, in the turn's transaction.
    @discardableResult
    func append(_ record: Record, to stream: StreamName) throws -> Position

    /// The end of a stream owned by ingest, this turn included.
    func position(of stream: StreamName) -> Position?
    /// Whether a stream owned by ingest has exactly this record at this position.
    func isOnChain(_ position: Position, of stream: StreamName) throws -> Bool
    /// Sends a message to an evaluator after COMMIT.
    func reply(with control: Control, to route: Route)
}

import Bus
import Directory
import Hosting
import JourneysDaemon
import Model
import Runtime
import Web
import Wire

/// Ingest's port to the process around it.
protocol IngestHost: JourneysHost {
    var log: Log { get }
    /// The directory is complete and at most one second behind: a credential that is not in it does
    /// not exist.
    var isDirectoryFresh: Bool { get }

    func principal(of request: Request) -> Principal?
    /// Answers after COMMIT, and at a fixed time after this turn began.
    func answer(_ id: UInt64, _ response: Response, after delay: Duration)
    /// Returns the valid credential of a request; nil if it is missing, unknown or expired.
    func credential(of request: Request) -> Credential?
    /// Records that a credential was used, which the host does itself for requests of the API.
    func recordUse(of credential: CredentialID)
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

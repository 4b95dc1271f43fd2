import Directory
import Hosting
import Model
import Runtime
import Web
import Wire

/// What ingest needs of the process around it.
protocol Surroundings: AnyObject {
    /// Time of this turn.
    var now: Timestamp { get }
    var log: Log { get }
    /// The directory as of this input.
    var replica: Replica { get }
    /// The directory is complete and was compared with its writer's a second ago at most: a
    /// credential that is not in it does not exist.
    var isDirectoryFresh: Bool { get }

    func principal(of request: Request) -> Principal?
    /// Leaves after COMMIT.
    func answer(_ id: UInt64, _ response: Response)
    /// Appended in the turn's transaction.
    func publish(_ event: Event, on stream: StreamName) throws
}

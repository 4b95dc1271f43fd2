import Bus
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

    /// How little room is left on the disk.
    var diskPressure: DiskPressure { get }

    func principal(of request: Request) -> Principal?
    /// Leaves after COMMIT.
    func answer(_ id: UInt64, _ response: Response)
    /// Goes on with an answer whose body comes piece by piece; leaves after COMMIT.
    func stream(_ id: UInt64, _ step: StreamStep)
    /// Bytes of such an answer that wait for the client; nil = it is gone, or has all of them.
    func unsentBytes(of id: UInt64) -> Int?
    /// Appended in the turn's transaction, to a stream kept here.
    @discardableResult
    func append(_ record: Record, to stream: StreamName) throws -> Position

    /// Where a stream kept here ends, this turn included.
    func position(of stream: StreamName) -> Position?
    /// Whether a stream kept here has just this record at this place.
    func isOnChain(_ position: Position, of stream: StreamName) throws -> Bool
    /// Leaves after COMMIT, to an evaluator.
    func tell(_ control: Control, to route: Route)
}

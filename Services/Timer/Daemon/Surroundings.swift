import Directory
import Model
import Runtime
import Web
import Wire

/// What the timer needs from the process around it; in the process that is its host.
protocol Surroundings: AnyObject {
    /// Time of this turn.
    var now: Timestamp { get }
    var log: Log { get }
    /// The directory as of this input.
    var replica: Replica { get }

    /// What became due in it is held.
    var outage: Outage? { get }

    func principal(of request: Request) -> Principal?
    /// Leaves after COMMIT.
    func answer(_ id: UInt64, _ response: Response)
    /// Appended in the turn's transaction.
    func publish(_ event: Event, on stream: StreamName) throws
    /// Leaves after COMMIT.
    func start(_ transfer: Transfer)
}

extension Surroundings {
    var outage: Outage? { nil }
}

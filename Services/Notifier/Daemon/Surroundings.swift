import Directory
import Hosting
import Model
import Runtime
import Web
import Wire

/// What the notifier needs of the process around it.
protocol Surroundings: AnyObject {
    /// Time of this turn.
    var now: Timestamp { get }
    var log: Log { get }
    /// The directory as of this input.
    var replica: Replica { get }
    /// The directory was compared with its writer's lately: a credential that is not in it does not
    /// exist.
    var isDirectoryFresh: Bool { get }

    /// How little room is left on the disk.
    var diskPressure: DiskPressure { get }

    /// What became due in it is held.
    var outage: Outage? { get }

    func principal(of request: Request) -> Principal?
    /// Leaves after COMMIT.
    func answer(_ id: UInt64, _ response: Response)
    /// Leaves after COMMIT.
    func start(_ transfer: Transfer)
    /// Appended in the turn's transaction.
    func publish(_ event: Event, on stream: StreamName) throws
}

extension Surroundings {
    var outage: Outage? { nil }
}

extension Host: Surroundings {
    var replica: Replica { directory?.replica ?? Replica() }
    var isDirectoryFresh: Bool { bus.isCaughtUp(.directory) }
}

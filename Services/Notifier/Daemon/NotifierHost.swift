import Directory
import Hosting
import Model
import Runtime
import Web
import Wire

/// What the notifier needs from its host process.
protocol NotifierHost: AnyObject {
    /// Time of this turn.
    var now: Timestamp { get }
    var log: Log { get }
    /// The directory as of this input.
    var replica: Replica { get }
    /// Whether the directory was compared with its source recently, so that an unknown credential
    /// is known to be invalid.
    var isDirectoryFresh: Bool { get }

    /// Pressure on the disk.
    var diskPressure: DiskPressure { get }

    /// The outage whose items are held.
    var outage: Outage? { get }

    func principal(of request: Request) -> Principal?
    /// Sent after COMMIT.
    func answer(_ id: UInt64, _ response: Response)
    /// Sent after COMMIT, and at a fixed time after this turn began.
    func answer(_ id: UInt64, _ response: Response, after delay: Duration)
    /// Started after COMMIT.
    func start(_ transfer: Transfer)
    /// The credential of a request; nil if it is missing or wrong.
    func credential(of request: Request) -> Credential?
    /// The next step of a streamed response, after COMMIT.
    func stream(_ id: UInt64, _ step: StreamStep)
    /// Bytes of a streamed response that are not sent yet; nil if the client is gone.
    func unsentBytes(of id: UInt64) -> Int?
    /// Maximum number of open connections.
    var connectionsMax: Int { get }
    /// The last applied record of the directory; nil before the first.
    var directoryPosition: Position? { get }
    /// Appended in the turn's transaction.
    func publish(_ event: Event, on stream: StreamName) throws
}

extension NotifierHost {
    var outage: Outage? { nil }
}

extension Host: NotifierHost {
    var replica: Replica { directory?.replica ?? Replica() }
    var isDirectoryFresh: Bool { bus.isCaughtUp(.directory) }
    var directoryPosition: Position? {
        bus.position(of: .directory).flatMap { $0.sequence > 0 ? $0 : nil }
    }
}

import Directory
import Model
import Runtime
import Web
import Wire

/// The process around the timer.
protocol TimerHost: AnyObject {
    /// Time of this turn.
    var now: Timestamp { get }
    var log: Log { get }
    /// The directory as of this input.
    var replica: Replica { get }

    /// The outage whose waits are held; nil = none.
    var outage: Outage? { get }

    func principal(of request: Request) -> Principal?
    /// Sends a response after COMMIT.
    func answer(_ id: UInt64, _ response: Response)
    /// Sends a response after COMMIT, and at a fixed time after this turn began.
    func answer(_ id: UInt64, _ response: Response, after delay: Duration)
    /// Appends an event in the turn's transaction.
    func publish(_ event: Event, on stream: StreamName) throws
    /// Starts a transfer after COMMIT.
    func start(_ transfer: Transfer)
}

extension TimerHost {
    var outage: Outage? { nil }
}

import CLinux
import Model

/// Ends this process with status 70 if its event loop is stuck, so that the service manager
/// restarts it.
///
/// A kernel timer does it, independently of this process's threads. Only one may exist per process.
/// A process that was suspended gets another second.
public final class Watchdog {
    private let limit: Duration
    private var lastBeat: Duration?

    /// - Parameter limit: maximum duration of a turn, from the first beat on
    public init(limit: Duration) { self.limit = limit }

    deinit { clinux_watch(0) }

    /// Records the end of a turn.
    ///
    /// - Parameter now: monotonic time
    public func beat(_ now: Duration) {
        if let lastBeat, now - lastBeat < limit / 8 { return }
        lastBeat = now
        clinux_watch(Int(limit.milliseconds))
    }
}

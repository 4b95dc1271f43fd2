import CLinux
import Model

/// Ends this process with status 70 when its loop no longer turns, so that whoever started it
/// starts it again. A timer of the kernel does it, and no thread of this process needs to be well.
///
/// One for a process. Whoever was stopped from outside and goes on has another second.
public final class Watchdog {
    private let limit: Duration
    private var lastBeat: Duration?

    /// - Parameter limit: how long a turn may take at most; counted from the first beat on
    public init(limit: Duration) { self.limit = limit }

    deinit { clinux_watch(0) }

    /// A turn of the loop has ended.
    ///
    /// - Parameter now: of a clock that never jumps
    public func beat(_ now: Duration) {
        if let lastBeat, now - lastBeat < limit / 8 { return }
        lastBeat = now
        clinux_watch(Int(limit.milliseconds))
    }
}

/// End of a process: the service drains, then the bus sends its last messages.
struct ShutdownSequence {
    /// When the process exits at the latest, monotonic; nil until shutdown begins.
    private var deadline: Duration?
    /// Until when the bus sends its last messages, monotonic.
    private var flushDeadline: Duration?
    private(set) var isOver = false

    var hasBegun: Bool { deadline != nil }

    mutating func begin(at now: Duration) { deadline = now + HostLimits.drainTimeout }

    /// Ends the sequence when the service has drained or the timeout is over. The message that
    /// returns the leases needs a moment to leave the process.
    ///
    /// - Parameter leave: returns the leases; returns whether it sent a message
    mutating func step(at now: Duration, hasDrained: Bool, leave: () -> Bool) {
        guard let deadline else { return }
        if let flushDeadline {
            isOver = now >= flushDeadline
        } else if hasDrained || now >= deadline {
            if leave() { flushDeadline = now + HostLimits.flushTime } else { isOver = true }
        }
    }
}

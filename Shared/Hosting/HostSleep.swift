import Model

extension Host {
    /// How long the loop may wait for input, milliseconds.
    var sleepMilliseconds: Int {
        if shutdownDeadline != nil { return HostLimits.drainSleepMilliseconds }
        if lastFailure != nil { return HostLimits.failureSleepMilliseconds }
        if hasTailWork { return 0 }
        let deadlines = [
            service?.nextDeadline, service?.deferredCallDue, deadLetterPolicy.nextDue,
            requiredRecords.nextDue,
        ]
        guard let deadline = deadlines.compactMap(\.self).min() else {
            return HostLimits.sleepMillisecondsMax
        }
        // The rest is rounded down: one millisecond more avoids an empty turn before the deadline.
        let rest = Int((deadline - now).milliseconds) + 1
        return max(0, min(HostLimits.sleepMillisecondsMax, rest))
    }
}

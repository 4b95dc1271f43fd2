import Model

extension Host {
    /// How long there is nothing to do unless something comes.
    var sleepMilliseconds: Int {
        if leaveUntil != nil { return HostLimits.leavingSleepMilliseconds }
        if lastFailure != nil { return HostLimits.troubledSleepMilliseconds }
        if hasTailWork { return 0 }
        let deadlines = [
            service?.nextDeadline, service?.keptCallDue, poison.nextDue, needed.nextDue,
        ]
        guard let deadline = deadlines.compactMap(\.self).min() else {
            return HostLimits.sleepMillisecondsMax
        }
        // A millisecond more than the rest, which is rounded down: no empty turn before it is due.
        let rest = Int((deadline - now).milliseconds) + 1
        return max(0, min(HostLimits.sleepMillisecondsMax, rest))
    }
}

import Hosting
import Parsing
import TimerCore

/// What the operator is shown about the timer.
struct TimerStatus {
    let core: TimerCore

    var healthProblems: [String] {
        var healthProblems = core.undelivered.map {
            "nobody was notified of emergency \($0) in time; run jaga emergency show \($0)"
        }
        if core.pendingDeadlineCount > Limits.deadlinesPendingMax {
            healthProblems.append("more than \(Limits.deadlinesPendingMax) deadlines are pending")
        }
        return healthProblems
    }

    func alarms(held entries: [HeldEntry]) -> [String] {
        let count = entries.count(where: \.isShown)
        guard count > 0, let end = core.holdEnds else { return [] }
        return ["\(count) overdue waits are held until \(end): see 'jaga held'"]
    }

    var details: JSON {
        [
            "deadlines": .integer(Int64(core.pendingDeadlineCount)),
            "watches": .integer(Int64(core.activeWatchCount)),
            "checkInSchedules": .integer(Int64(core.scheduleCount)),
            "timers": .integer(Int64(core.timerCount)),
            "undelivered": .array(core.undelivered.map { .string($0.description) }),
        ]
    }
}

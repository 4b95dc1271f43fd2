import Model

/// Runs what time alone causes: due deadlines, time-outs, sweeps and the queues.
struct DueWork {
    private(set) var nextSweep = Timestamp.zero

    mutating func run(
        _ escalation: inout Escalation, _ links: inout Links, _ codes: inout ReferenceCodes,
        _ questions: inout OwnQuestions, _ positionQueries: inout PositionQueries,
        _ drills: inout Drills, _ liveLinks: inout LiveLinks, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        escalation.endHold(&delivery, &turn)
        delivery.expireDeadlines(at: turn.now)
        escalation.expireDeadlines(&delivery, &turn)
        drills.expireDeadlines(escalation, &delivery, &turn)
        drills.endForEmergencies(&delivery, &turn)
        delivery.expireAttempts(&turn)
        liveLinks.expire(&turn)
        if nextSweep <= turn.now {
            delivery.sweep(&turn)
            escalation.sweep(&delivery, &turn)
            codes.sweep(at: turn.now)
            questions.sweep(&turn)
            positionQueries.sweep(&turn)
            drills.sweep(at: turn.now)
            links.sweep { escalation.book[$0] != nil }
            nextSweep = turn.now + Limits.sweepInterval
        }
        dispatch(&escalation, &delivery, &turn)
    }

    /// Starts as many attempts as the lanes allow, safety first.
    ///
    /// An attempt that cannot start may queue a message in a lane that was empty, so the loop runs
    /// until all lanes are idle.
    private func dispatch(
        _ escalation: inout Escalation, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        delivery.wake(at: turn.now)
        var isIdle = false
        while !isIdle {
            isIdle = true
            for lane in Lane.all {
                while let id = delivery.popNext(in: lane) {
                    isIdle = false
                    delivery.startAttempt(id, &turn)
                    escalation.handleEvents(of: &delivery, &turn)
                }
            }
        }
    }
}

import Model
import Web

// What is said of turns that failed.
extension Host {
    /// One line for a new failure, then one every ten seconds while it lasts.
    func logFailure(_ error: any Error) {
        let text = "\(error)"
        if let logged, logged.text == text, now - logged.at < HostLimits.failureLogInterval {
            return
        }
        logged = (text, now)
        log.error(error, ["taken_back": "turn", "waiting": outstanding.count])
    }

    /// Answers somebody who waits, whatever becomes of the turn.
    func refuse(_ id: UInt64, _ problem: Problem) {
        outstanding.remove(id)
        parts.server.answer(id, .problem(problem))
    }

    /// 503 for everybody who waits, except some.
    func refuseOutstanding(but kept: Set<UInt64> = []) {
        for id in outstanding.subtracting(kept) {
            parts.server.answer(id, .problem(HostLimits.unavailable))
        }
        outstanding.formIntersection(kept)
    }
}

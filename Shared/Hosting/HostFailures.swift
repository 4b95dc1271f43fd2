import Model
import Store
import Web

// Failed turns and the requests that wait for them.
extension Host {
    /// Frees the disk reserve if the disk is full, and rolls the turn back for a retry: its
    /// requests may raise emergencies.
    ///
    /// - Parameter requests: the turn's requests, which stay unanswered until the retry
    /// - Returns: whether the turn can be retried
    func releaseReserve(for error: any Error, retrying requests: [UInt64]) -> Bool {
        guard (error as? StoreError)?.code == "disk-full", disk?.releaseReserve() == true else {
            return false
        }
        log.error(error, ["freed": "reserve", "refused": "all but emergencies"])
        outstanding.subtract(requests)
        undo(isServiceTouched: true)
        return service != nil
    }

    /// Logs a failure: one line when it is new, then one every 10 s while it lasts.
    func logFailure(_ error: any Error) {
        let text = "\(error)"
        if let logged, logged.text == text, now - logged.at < HostLimits.failureLogInterval {
            return
        }
        logged = (text, now)
        log.error(error, ["rolled_back": "turn", "waiting": outstanding.count])
    }

    /// Answers a request with a problem at once, whatever becomes of the turn.
    func refuse(_ id: UInt64, _ problem: Problem) {
        outstanding.remove(id)
        parts.server.answer(id, .problem(problem))
    }

    /// Answers all waiting requests with 503, except some.
    func refuseOutstanding(but kept: Set<UInt64> = []) {
        for id in outstanding.subtracting(kept) {
            parts.server.answer(id, .problem(HostLimits.unavailable))
        }
        outstanding.formIntersection(kept)
    }
}

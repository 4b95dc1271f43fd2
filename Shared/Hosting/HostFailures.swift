import Model
import Store
import Web

// What becomes of a turn that failed, and of those who wait for it.
extension Host {
    /// Frees the room kept for emergencies if the disk is full, and rolls the turn back so that it
    /// can be tried again: its requests may be calls for help.
    ///
    /// - Parameter requests: those of the turn, which nobody answers meanwhile
    /// - Returns: whether there is room now
    func releaseReserve(for error: any Error, retrying requests: [UInt64]) -> Bool {
        guard (error as? StoreError)?.code == "disk-full", disk?.releaseReserve() == true else {
            return false
        }
        log.error(error, ["freed": "reserve", "refused": "all but emergencies"])
        outstanding.subtract(requests)
        undo(isServiceTouched: true)
        return service != nil
    }

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

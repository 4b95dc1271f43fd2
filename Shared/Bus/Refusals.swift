import Wire

/// Frames that were not taken: counted by reason, told once and then once a minute with their
/// number, so that a flood of them fills no log. Nothing is done to the connection.
struct Refusals {
    /// Names a kind of line: who sent frames, and what was wrong with them.
    private struct Key: Hashable {
        let peer: String
        let code: WireError.Code
    }

    private struct Told {
        var at: Duration
        /// Since the last line.
        var untold = 0
        var newest: WireError
    }

    private(set) var counts: [WireError.Code: UInt64] = [:]
    private var told: [Key: Told] = [:]

    var total: UInt64 { counts.values.reduce(0, +) }

    /// Counts a refusal; gives what is to be told of it now, if anything is.
    mutating func note(_ error: WireError, from peer: String, now: Duration) -> BusNotice? {
        counts[error.code, default: 0] += 1
        let key = Key(peer: peer, code: error.code)
        if told[key] != nil {
            told[key]?.untold += 1
            told[key]?.newest = error
            return nil
        }
        told[key] = Told(at: now, newest: error)
        return .refused(from: peer, error, count: 1)
    }

    /// What has gathered and is to be told by now.
    mutating func gathered(now: Duration) -> [BusNotice] {
        guard !told.isEmpty else { return [] }
        var notices: [BusNotice] = []
        for (key, entry) in told where now - entry.at >= BusLimits.refusalLogInterval {
            // Quiet for a whole minute: the next one is news again.
            told[key] = entry.untold == 0 ? nil : Told(at: now, newest: entry.newest)
            if entry.untold > 0 {
                notices.append(.refused(from: key.peer, entry.newest, count: entry.untold))
            }
        }
        return notices.sorted { "\($0)" < "\($1)" }
    }
}

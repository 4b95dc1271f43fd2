import Wire

/// Frames that were not taken and peers that were not let in: each told once, and then once a
/// minute with how many there were, so that a flood of them fills no log.
struct RefusalLog {
    /// What was refused.
    enum Refused: Hashable {
        case frame(from: String, WireError)
        case peer(PeerRefusal)

        func notice(_ count: UInt64) -> BusNotice {
            switch self {
            case .frame(let name, let error): .refused(from: name, error, count: Int(count))
            case .peer(let refusal): .peerRefused(refusal, count: count)
            }
        }
    }

    /// Names a kind of line.
    private enum Key: Hashable {
        case frame(from: String, WireError.Code)
        case peer(address: String, PeerRefusal.Reason, isOurs: Bool)
        /// Many addresses at once: those beyond are one.
        case others
    }

    private struct Entry {
        var untold: UInt64 = 0
        var told: Duration
        var refused: Refused
    }

    private(set) var framesByReason: [WireError.Code: UInt64] = [:]
    private(set) var peers: UInt64 = 0
    private var entries: [Key: Entry] = [:]

    /// Counts one; the notice, if it is time for one.
    mutating func note(_ refused: Refused, now: Duration) -> BusNotice? {
        switch refused {
        case .frame(_, let error): framesByReason[error.code, default: 0] += 1
        case .peer: peers += 1
        }
        var key = key(of: refused)
        if entries[key] == nil, entries.count >= BusLimits.refusalsApart { key = .others }
        guard entries[key] != nil else {
            entries[key] = Entry(told: now, refused: refused)
            return refused.notice(1)
        }
        entries[key]?.untold += 1
        if case .frame = refused { entries[key]?.refused = refused }
        return nil
    }

    /// What has been kept back for a minute. What has been quiet since is news again.
    mutating func due(now: Duration) -> [BusNotice] {
        guard !entries.isEmpty else { return [] }
        var notices: [BusNotice] = []
        for (key, entry) in entries where now - entry.told >= BusLimits.refusalsTold {
            guard entry.untold > 0 else {
                entries[key] = nil
                continue
            }
            entries[key] = Entry(told: now, refused: entry.refused)
            notices.append(entry.refused.notice(entry.untold))
        }
        return notices.sorted { "\($0)" < "\($1)" }
    }

    /// A handshake that was only broken off is one more of what is known of the peer.
    private func key(of refused: Refused) -> Key {
        switch refused {
        case .frame(let name, let error): return .frame(from: name, error.code)
        case .peer(let refusal):
            let own = Key.peer(
                address: refusal.address, refusal.reason, isOurs: refusal.isOurs)
            guard refusal.reason == .brokenOff else { return own }
            return entries.keys.first { key in
                guard case .peer(let address, _, let isOurs) = key else { return false }
                return address == refusal.address && isOurs == refusal.isOurs
            } ?? own
        }
    }
}

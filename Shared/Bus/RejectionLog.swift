import Wire

/// Aggregates rejected frames and peers for the log.
///
/// Each kind is reported once, then once a minute with a count, so that a flood does not fill the
/// log.
struct RejectionLog {
    /// A rejected frame or connection.
    enum Rejection: Hashable {
        case frame(from: String, WireError)
        case peer(PeerRejection)

        func notice(_ count: UInt64) -> BusNotice {
            switch self {
            case .frame(let name, let error): .rejected(from: name, error, count: Int(count))
            case .peer(let rejection): .peerRejected(rejection, count: count)
            }
        }
    }

    /// Identifies rejections that are counted together.
    private enum Key: Hashable {
        case frame(from: String, WireError.Code)
        case peer(address: String, PeerRejection.Reason, isOurs: Bool)
        /// Further peers, once ``BusLimits/rejectionKindsMax`` kinds are known.
        case others
    }

    private struct Entry {
        var unreported: UInt64 = 0
        var reportedAt: Duration
        var rejection: Rejection
    }

    private(set) var framesByReason: [WireError.Code: UInt64] = [:]
    private(set) var peers: UInt64 = 0
    private var entries: [Key: Entry] = [:]

    /// Counts a rejection. Returns a notice if one is due.
    mutating func record(_ rejection: Rejection, now: Duration) -> BusNotice? {
        switch rejection {
        case .frame(_, let error): framesByReason[error.code, default: 0] += 1
        case .peer: peers += 1
        }
        var key = key(of: rejection)
        if entries[key] == nil, entries.count >= BusLimits.rejectionKindsMax { key = .others }
        guard entries[key] != nil else {
            entries[key] = Entry(reportedAt: now, rejection: rejection)
            return rejection.notice(1)
        }
        entries[key]?.unreported += 1
        if case .frame = rejection { entries[key]?.rejection = rejection }
        return nil
    }

    /// Returns the notices that are due. Kinds without rejections for a minute are forgotten.
    mutating func due(now: Duration) -> [BusNotice] {
        guard !entries.isEmpty else { return [] }
        var notices: [BusNotice] = []
        for (key, entry) in entries
        where now - entry.reportedAt >= BusLimits.rejectionNoticeInterval {
            guard entry.unreported > 0 else {
                entries[key] = nil
                continue
            }
            entries[key] = Entry(reportedAt: now, rejection: entry.rejection)
            notices.append(entry.rejection.notice(entry.unreported))
        }
        return notices.sorted { "\($0)" < "\($1)" }
    }

    /// An interrupted handshake counts with a known rejection of the same peer.
    private func key(of rejection: Rejection) -> Key {
        switch rejection {
        case .frame(let name, let error): return .frame(from: name, error.code)
        case .peer(let rejection):
            let own = Key.peer(
                address: rejection.address, rejection.reason, isOurs: rejection.isOurs)
            guard rejection.reason == .interrupted else { return own }
            return entries.keys.first { key in
                guard case .peer(let address, _, let isOurs) = key else { return false }
                return address == rejection.address && isOurs == rejection.isOurs
            } ?? own
        }
    }
}

import Model

/// Collects which credentials are used on which day, for a service that passes it on.
///
/// Each credential is passed on once a day, and once more after a restart.
struct UsedCredentials {
    private struct Use {
        var day: Int64
        var credential: CredentialID
    }

    private var day: Int64 = .min
    /// Credentials used on ``day``.
    private var seen: Set<CredentialID> = []
    /// Not passed on yet, days ascending.
    private var waiting: [Use] = []
    /// When the first of them was used.
    private var since = Timestamp.zero
    /// How many of the first were passed on in this turn, which may be rolled back.
    private var passed = 0

    mutating func record(_ credential: CredentialID, at now: Timestamp) {
        let today = now.seconds / 86_400
        if today != day {
            day = today
            seen.removeAll(keepingCapacity: true)
        }
        guard seen.insert(credential).inserted else { return }
        if waiting.isEmpty { since = now }
        waiting.append(Use(day: day, credential: credential))
    }

    /// Returns uses of one day that are due: after ``HostLimits/usageInterval``, or if there are
    /// many. Nil if there are none.
    mutating func due(at now: Timestamp) -> CredentialUsage? {
        guard let first = waiting.first,
            now - since >= HostLimits.usageInterval || waiting.count >= HostLimits.usageBatchMax
        else { return nil }
        let uses = waiting.prefix(HostLimits.usageBatchMax).prefix { $0.day == first.day }
        passed = uses.count
        return CredentialUsage(day: first.day, credentials: uses.map(\.credential))
    }

    mutating func committed() {
        guard passed > 0 else { return }
        waiting.removeFirst(passed)
        passed = 0
    }

    mutating func rolledBack() { passed = 0 }
}

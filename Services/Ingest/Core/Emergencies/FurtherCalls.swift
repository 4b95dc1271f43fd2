import Model

/// The calls for help of a person in their active emergency.
///
/// The first calls are stored, published and notified one by one. Further calls shortly after a
/// stored one only increase a count: a stuck button, or an attacker with the phone's secret, cannot
/// fill the disk or delay calls of others. The next call is stored again once a person has
/// acknowledged, cancelled or resolved.
struct FurtherCalls: Hashable, Sendable {
    /// Number of stored calls.
    private(set) var stored = 0
    /// When the newest of them was received.
    private(set) var newest = Timestamp.zero
    /// A person has responded since, so the next call is stored.
    var isNextStored = false

    /// Records a call that is stored.
    mutating func store(receivedAt time: Timestamp) {
        stored += 1
        newest = max(newest, time)
        isNextStored = false
    }

    /// Whether a call received now joins without being stored.
    func joinsUnstored(at now: Timestamp) -> Bool {
        let span = Duration.zero..<Duration.seconds(Limits.callsJoinSeconds)
        return !isNextStored && stored >= Limits.callsAlwaysStored && span.contains(now - newest)
    }
}

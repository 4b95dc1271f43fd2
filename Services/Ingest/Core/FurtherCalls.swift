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

extension Core {
    /// Whether a new call of a person would join without being stored.
    public func joinsUnstored(_ person: PersonID, at now: Timestamp) -> Bool {
        emergencies.joinedUnstored(by: person, at: now) != nil
    }

    /// Whether a person has an active emergency.
    public func isInEmergency(_ person: PersonID) -> Bool {
        emergencies.current(of: person) != nil
    }

    /// Counts a further call if it joins without being stored.
    ///
    /// - Returns: the emergency that it joined; nil = the call must be raised
    mutating func join(
        _ signal: EmergencySignal, at now: Timestamp, into effects: inout [Effect]
    ) -> EmergencyID? {
        guard emergencies.rows[signal.id] == nil,
            let emergency = emergencies.joinedUnstored(by: signal.person, at: now)
        else { return nil }
        emergencies.count(signal, in: emergency, into: &effects)
        return emergency
    }

    /// Raises the last call that joined after a person's response was given and before ingest
    /// received it: the response did not cover it.
    mutating func raiseLastJoined(
        in emergency: EmergencyID, after answer: Timestamp, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let last = emergencies.popLastJoined(of: emergency, into: &effects)
        guard let last, last.received >= answer else { return }
        raise(last, at: now, into: &effects)
    }
}

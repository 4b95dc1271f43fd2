import Model

/// The calls for help that a person has made in the emergency that goes on.
///
/// The first calls are stored, published and notified one by one. Further ones shortly after a
/// stored one join the emergency as a count: a stuck button, or somebody who has the secret of the
/// phone, fills no disk and delays nobody else's call. The next call is stored again as soon as a
/// person has acknowledged, cancelled or resolved.
struct FurtherCalls: Hashable, Sendable {
    /// How many were stored.
    private(set) var stored = 0
    /// When the newest of them was received.
    private(set) var newest = Timestamp.zero
    /// A person has answered since: the next call changes something.
    var isNextStored = false

    /// Records a call that is stored.
    mutating func store(receivedAt time: Timestamp) {
        stored += 1
        newest = max(newest, time)
        isNextStored = false
    }

    /// Whether a call that is received now joins without being stored.
    func joinsUnstored(at now: Timestamp) -> Bool {
        let span = Duration.zero..<Duration.seconds(Limits.callsJoinSeconds)
        return !isNextStored && stored >= Limits.callsAlwaysStored && span.contains(now - newest)
    }
}

extension Core {
    /// Whether a new call for help of a person would join without being stored.
    public func joinsUnstored(_ person: PersonID, at now: Timestamp) -> Bool {
        emergencies.joinedUnstored(by: person, at: now) != nil
    }

    /// Whether a person has an emergency that goes on.
    public func isInEmergency(_ person: PersonID) -> Bool {
        emergencies.current(of: person) != nil
    }

    /// Counts a further call, if it joins without being stored.
    ///
    /// - Returns: the emergency that it joined; nil: the call is to be raised
    mutating func join(
        _ signal: EmergencySignal, at now: Timestamp, into effects: inout [Effect]
    ) -> EmergencyID? {
        guard emergencies.rows[signal.id] == nil,
            let emergency = emergencies.joinedUnstored(by: signal.person, at: now)
        else { return nil }
        emergencies.count(signal, in: emergency, into: &effects)
        return emergency
    }

    /// A person has answered an emergency without knowing of calls that joined unstored after that:
    /// the last of them is raised.
    mutating func raiseUnanswered(
        in emergency: EmergencyID, after answer: Timestamp, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let last = emergencies.takeLastJoined(of: emergency, into: &effects)
        guard let last, last.received >= answer else { return }
        raise(last, at: now, into: &effects)
    }
}

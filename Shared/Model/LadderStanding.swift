/// An emergency as it stands with the notifier, told again where ingest and evaluators may have
/// lost it or know it otherwise: after a store of theirs was put back, and when a ladder climbs
/// again.
///
/// To whoever knows as much already it says nothing new.
public struct LadderStanding: Hashable, Sendable, Codable {
    public var emergency: EmergencyID
    public var person: PersonID
    /// Counting down: its signals wait for an answer of an evaluator.
    public var state: EmergencyState
    /// Who took or ended it; nil = the person, the operator, or nobody.
    public var by: PersonID?
    /// When it came into this state.
    public var at: Timestamp
    /// Its trigger and all that joined it, in order; never empty.
    public var signals: [EmergencySignal]
    /// Others for whom a message about it was made, ids ascending.
    public var told: [PersonID]
    /// How far a message to others has come since it was last opened: `sink`,
    /// `accepted`, `delivered` or nil.
    public var reached: NotificationState?
    /// Circles in which somebody ended it while it goes on in others, ids ascending.
    public var endedCircles: [CircleID]

    public init(
        emergency: EmergencyID, person: PersonID, state: EmergencyState, by: PersonID? = nil,
        at: Timestamp, signals: [EmergencySignal], told: [PersonID] = [],
        reached: NotificationState? = nil, endedCircles: [CircleID] = []
    ) {
        self.emergency = emergency
        self.person = person
        self.state = state
        self.by = by
        self.at = at
        self.signals = signals
        self.told = told
        self.reached = reached
        self.endedCircles = endedCircles
    }

    /// Records without `endedCircles` are read as if it had ended in none.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        emergency = try values.decode(EmergencyID.self, forKey: .emergency)
        person = try values.decode(PersonID.self, forKey: .person)
        state = try values.decode(EmergencyState.self, forKey: .state)
        by = try values.decodeIfPresent(PersonID.self, forKey: .by)
        at = try values.decode(Timestamp.self, forKey: .at)
        signals = try values.decode([EmergencySignal].self, forKey: .signals)
        told = try values.decode([PersonID].self, forKey: .told)
        reached = try values.decodeIfPresent(NotificationState.self, forKey: .reached)
        endedCircles = try values.decodeIfPresent([CircleID].self, forKey: .endedCircles) ?? []
    }

    /// Whether all these are signals of it.
    public func knows(_ others: some Sequence<EmergencyID>) -> Bool {
        others.allSatisfy { other in signals.contains { $0.id == other } }
    }
}

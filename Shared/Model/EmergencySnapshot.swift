/// State of an emergency as the notifier knows it.
///
/// The notifier publishes it again when ingest and evaluators may have lost or missed state: after
/// one of their stores was restored, and when an escalation advances again. Consumers that are up
/// to date ignore it.
public struct EmergencySnapshot: PersonPayload {
    public var emergency: EmergencyID
    public var person: PersonID
    /// In `countdown`, its signals wait for the evaluator.
    public var state: EmergencyState
    /// Who acknowledged or ended it; nil = the person, the operator, or nobody.
    public var by: PersonID?
    /// When it entered this state.
    public var at: Timestamp
    /// Its first signal and all that joined it, in order; never empty.
    public var signals: [EmergencySignal]
    /// Recipients of notifications about it, ids ascending.
    public var recipients: [PersonID]
    /// Best delivery state of these notifications since it was last opened: `sink`, `accepted`,
    /// `delivered` or nil.
    public var reached: NotificationState?
    /// Circles in which it was ended while it continues in others, ids ascending.
    public var endedCircles: [CircleID]

    public init(
        emergency: EmergencyID, person: PersonID, state: EmergencyState, by: PersonID? = nil,
        at: Timestamp, signals: [EmergencySignal], recipients: [PersonID] = [],
        reached: NotificationState? = nil, endedCircles: [CircleID] = []
    ) {
        self.emergency = emergency
        self.person = person
        self.state = state
        self.by = by
        self.at = at
        self.signals = signals
        self.recipients = recipients
        self.reached = reached
        self.endedCircles = endedCircles
    }

    /// Decodes a missing `endedCircles` as empty.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        emergency = try values.decode(EmergencyID.self, forKey: .emergency)
        person = try values.decode(PersonID.self, forKey: .person)
        state = try values.decode(EmergencyState.self, forKey: .state)
        by = try values.decodeIfPresent(PersonID.self, forKey: .by)
        at = try values.decode(Timestamp.self, forKey: .at)
        signals = try values.decode([EmergencySignal].self, forKey: .signals)
        recipients = try values.decode([PersonID].self, forKey: .recipients)
        reached = try values.decodeIfPresent(NotificationState.self, forKey: .reached)
        endedCircles = try values.decodeIfPresent([CircleID].self, forKey: .endedCircles) ?? []
    }

    /// Whether it contains all these signals.
    public func knows(_ others: some Sequence<EmergencyID>) -> Bool {
        others.allSatisfy { other in signals.contains { $0.id == other } }
    }
}

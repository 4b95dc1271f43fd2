import Model

/// Escalation of an emergency in one circle: who has been notified, and when the next tier is.
package struct CircleEscalation: Hashable, Sendable, Codable {
    package var emergency: EmergencyID
    package var circle: CircleID
    /// Index of the next tier; the number of tiers once all have been notified.
    package var nextTier: Int
    /// Number of the pass, from 0. Grows with each repetition after the last tier and each restart.
    package var round: Int
    /// How the messages of this pass differ from those of the first.
    package var opening: Repetition
    /// People notified in this pass, ids ascending.
    package var recipients: [PersonID]
    /// Messages of the tier that is being waited for.
    package var current: [NotificationID]
    /// Whether the tier is waited for as if withheld messages had been sent; nil = no.
    package var waitsForWithheld: Bool?
    /// The deadline that is running; nil while the escalation is stopped.
    package var deadline: DeadlineID?
    package var due: Timestamp?

    package init(emergency: EmergencyID, circle: CircleID, round: Int = 0) {
        self.emergency = emergency
        self.circle = circle
        self.round = round
        nextTier = 0
        opening = .first
        recipients = []
        current = []
    }

    /// Restarts with the first tier, as a new pass.
    mutating func restart(round: Int, opening: Repetition) {
        self.round = round
        self.opening = opening
        nextTier = 0
        recipients = []
        current = []
        waitsForWithheld = nil
    }
}

/// Next step of an escalation.
package enum EscalationStep: Hashable, Sendable {
    /// Notify a tier. Without a wait, none of its people counts as reachable.
    case tier(Int, recipients: [PersonID], channels: [Channel], wait: Duration?)
    /// All tiers have been notified: notify everyone on all contact points.
    case exhausted(recipients: [PersonID], wait: Duration)
}

extension CircleEscalation {
    /// Returns the next step.
    ///
    /// A tier in which nobody new is reachable is notified but not waited for: an opt-out or a dead
    /// number may be outdated. A tier without contact points is skipped.
    ///
    /// - Parameters:
    ///   - canTry: whether a person has a contact point on one of these channels
    ///   - isReachable: whether one of these counts as reachable
    package func next(
        for person: PersonID, in circle: Circle, canTry: (PersonID, [Channel]) -> Bool,
        isReachable: (PersonID, [Channel]) -> Bool = { _, _ in true }
    ) -> EscalationStep {
        let tiers = Recipients.tiers(of: circle)
        for index in tiers.indices where index >= nextTier {
            let recipients = Recipients.members(of: tiers[index], for: person, in: circle)
                .map(\.person)
                .filter { !self.recipients.contains($0) && canTry($0, tiers[index].channels) }
            if !recipients.isEmpty {
                let isWaitedFor = recipients.contains {
                    isReachable($0, tiers[index].channels)
                }
                return .tier(
                    index, recipients: recipients, channels: tiers[index].channels,
                    wait: isWaitedFor ? .seconds(tiers[index].waitSeconds) : nil)
            }
        }
        let everybody = Recipients.helpers(of: person, in: circle).map(\.person)
            .filter { canTry($0, Channel.allCases) }
        return .exhausted(recipients: everybody, wait: Limits.exhaustedRoundWait)
    }
}

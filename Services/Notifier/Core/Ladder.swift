import Model

/// The way of one emergency through one circle: who has been told, and when more are.
public struct Ladder: Hashable, Sendable, Codable {
    public var emergency: EmergencyID
    public var circle: CircleID
    /// The tier whose turn comes next; the number of tiers once all of them have had theirs.
    public var nextTier: Int
    /// Counts the passes over the same people: grows with every repetition after the last tier and
    /// with every new start.
    public var round: Int
    /// How this pass differs from the first, in the words of its messages.
    public var opening: Repetition
    /// Whom this ladder has told in this pass, ids ascending.
    public var told: [PersonID]
    /// The messages of the tier whose wait runs.
    public var current: [NotificationID]
    /// The clock of the wait that runs; nil while the ladder stands still.
    public var clock: ClockID?
    public var due: Timestamp?

    public init(emergency: EmergencyID, circle: CircleID, round: Int = 0) {
        self.emergency = emergency
        self.circle = circle
        self.round = round
        nextTier = 0
        opening = .first
        told = []
        current = []
    }

    /// Begins again with the first tier, as a pass of its own.
    mutating func restart(round: Int, opening: Repetition) {
        self.round = round
        self.opening = opening
        nextTier = 0
        told = []
        current = []
    }
}

/// What a ladder does next.
public enum LadderStep: Hashable, Sendable {
    /// These people's turn has come; without a wait nobody of them counts as reachable.
    case tier(Int, recipients: [PersonID], channels: [Channel], wait: Duration?)
    /// All tiers have had their turn: everybody, on everything.
    case exhausted(recipients: [PersonID], wait: Duration)
}

extension Ladder {
    /// The next step. A tier in which nobody new is reachable is not waited for, but contact points
    /// that are opted out or dead are tried all the same: what is known of them may be old. A tier
    /// without any contact point is passed over.
    ///
    /// - Parameters:
    ///   - canTry: whether a person has a contact point on one of these channels.
    ///   - isReachable: whether one of them counts as reachable
    public func next(
        for person: PersonID, in circle: Circle, canTry: (PersonID, [Channel]) -> Bool,
        isReachable: (PersonID, [Channel]) -> Bool = { _, _ in true }
    ) -> LadderStep {
        let tiers = Audience.tiers(of: circle)
        for index in tiers.indices where index >= nextTier {
            let recipients = Audience.members(of: tiers[index], for: person, in: circle)
                .map(\.person)
                .filter { !told.contains($0) && canTry($0, tiers[index].channels) }
            if !recipients.isEmpty {
                let isWaitedFor = recipients.contains {
                    isReachable($0, tiers[index].channels)
                }
                return .tier(
                    index, recipients: recipients, channels: tiers[index].channels,
                    wait: isWaitedFor ? .seconds(tiers[index].waitSeconds) : nil)
            }
        }
        let everybody = Audience.helpers(of: person, in: circle).map(\.person)
            .filter { canTry($0, Channel.allCases) }
        return .exhausted(recipients: everybody, wait: Limits.exhaustedRoundWait)
    }
}

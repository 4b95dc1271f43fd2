import Model

/// How much of everything membership keeps.
///
/// A circle goes through the suite as one record with all its zones, so their number and their
/// points have a bound that keeps such a record below 1 MiB.
public enum Limits {
    public static let nameCharactersMax = 100
    public static let categoryCharactersMax = 50
    public static let clientCharactersMax = 50
    public static let contactsPerPersonMax = 10
    public static let contactRankMax = 1000
    public static let devicesPerPersonMax = 10
    /// Credentials that speak for a person themselves; those of devices are apart.
    public static let credentialsPerPersonMax = 20
    /// Points of all zones of one circle.
    public static let verticesPerCircleMax = 20_000
    public static let zonePriorityMax = 1000
    public static let hysteresisMetresMax = 1000
    public static let escalationTiersMax = 10
    public static let escalationPeopleMax = 50
    public static let escalationWaitSeconds = 10...3600

    /// What a plan gives, or what the suite bears at all.
    public struct Allowance: Hashable, Sendable {
        /// Circles that a person is in.
        public var circles: Int
        /// Members of a circle, open invitations included.
        public var members: Int
        /// Zones of a circle.
        public var zones: Int
    }

    /// The most that the suite bears: for the operator.
    public static let suite = Allowance(circles: 50, members: 500, zones: 500)

    /// What one may have who acts under a plan.
    public static func allowance(of plan: Plan) -> Allowance {
        switch plan {
        case .trial, .lapsed: Allowance(circles: 5, members: 20, zones: 50)
        case .paid: suite
        }
    }
}

import Model
import SignOn

/// An OpenID provider as the operator configured it.
public struct SignInProvider: Hashable, Sendable {
    /// Lower-case letters, digits and hyphens; a part of paths.
    public var id: String
    /// Shown on the button.
    public var name: String
    public var issuer: String
    /// The id of this suite at the provider.
    public var client: String
    public var algorithm: SignatureAlgorithm
    public var scopes: [String]
    /// Whether it creates accounts for people without one.
    public var allowsSignUp: Bool
    /// Channels on which the provider's word verifies a contact point.
    public var trustedChannels: Set<Channel>
    /// The claim that lists groups.
    public var groupsClaim: String
    /// Staff roles by group; empty = the provider decides nothing about staff.
    public var staff: [StaffGroup]
    public var circles: [CircleGroup]

    /// People of a group are staff.
    public struct StaffGroup: Hashable, Sendable {
        public var group: String
        public var role: StaffRole

        public init(group: String, role: StaffRole) {
            self.group = group
            self.role = role
        }
    }

    /// People of a group are invited to a circle.
    public struct CircleGroup: Hashable, Sendable {
        public var group: String
        public var circle: CircleID
        public var role: Role

        public init(group: String, circle: CircleID, role: Role) {
            self.group = group
            self.circle = circle
            self.role = role
        }
    }

    public init(
        id: String, name: String, issuer: String, client: String, algorithm: SignatureAlgorithm,
        scopes: [String] = ["openid"], allowsSignUp: Bool = false,
        trustedChannels: Set<Channel> = [], groupsClaim: String = "groups",
        staff: [StaffGroup] = [], circles: [CircleGroup] = []
    ) {
        self.id = id
        self.name = name
        self.issuer = issuer
        self.client = client
        self.algorithm = algorithm
        self.scopes = scopes
        self.allowsSignUp = allowsSignUp
        self.trustedChannels = trustedChannels
        self.groupsClaim = groupsClaim
        self.staff = staff
        self.circles = circles
    }

    /// The staff role of somebody in these groups: the one that may do most.
    func staffRole(of groups: Set<String>) -> StaffRole? {
        let roles = staff.filter { groups.contains($0.group) }.map(\.role)
        return roles.contains(.operator) ? .operator : roles.first
    }
}

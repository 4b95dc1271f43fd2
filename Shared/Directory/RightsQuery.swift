import Model

/// Who stands over whom.
public enum Guardianship: String, Sendable, Codable, CaseIterable {
    /// Two adults, or somebody alone.
    case none
    /// The one who acts is a ward.
    case ward
    /// The one who acts is the guardian of the ward that the resource belongs to.
    case guardian
}

/// What an action is done to, as far as rights depend on it.
public struct Resource: Hashable, Sendable {
    /// It belongs to the one who acts: their account, their position, their emergency.
    public var isOwn: Bool
    /// The person shares their position now.
    public var isSharing: Bool
    /// The one who acts has been invited into the circle and has not answered.
    public var isInvited: Bool
    /// The one who acts was told of the emergency.
    public var isTold: Bool
    /// The emergency has been acknowledged.
    public var isAcknowledged: Bool
    /// Setting of the circle.
    public var membersSeePositions: Bool
    /// Setting of the circle.
    public var guardiansEditZones: Bool

    public init(
        isOwn: Bool = false, isSharing: Bool = false, isInvited: Bool = false,
        isTold: Bool = false, isAcknowledged: Bool = false, membersSeePositions: Bool = false,
        guardiansEditZones: Bool = false
    ) {
        self.isOwn = isOwn
        self.isSharing = isSharing
        self.isInvited = isInvited
        self.isTold = isTold
        self.isAcknowledged = isAcknowledged
        self.membersSeePositions = membersSeePositions
        self.guardiansEditZones = guardiansEditZones
    }
}

/// Everything that a right depends on.
public struct RightsQuery: Hashable, Sendable {
    /// The operator of the suite acts, not a person.
    public var isOperator: Bool
    /// Role in the circle that the resource belongs to (the highest, where there are several);
    /// nil = has joined none.
    public var role: Role?
    public var plan: Plan
    public var billing: BillingSource
    public var affiliation: Affiliation
    public var signIn: SignInKind
    /// Of the device that acts; nil when no device does.
    public var platform: Platform?
    public var guardianship: Guardianship
    public var action: Action
    public var resource: Resource

    public init(
        isOperator: Bool = false, role: Role? = nil, plan: Plan = .trial,
        billing: BillingSource = .operator, affiliation: Affiliation = .none,
        signIn: SignInKind = .code, platform: Platform? = nil, guardianship: Guardianship = .none,
        action: Action, resource: Resource = Resource()
    ) {
        self.isOperator = isOperator
        self.role = role
        self.plan = plan
        self.billing = billing
        self.affiliation = affiliation
        self.signIn = signIn
        self.platform = platform
        self.guardianship = guardianship
        self.action = action
        self.resource = resource
    }
}

/// The answer to a question of right.
public enum Decision: Hashable, Sendable {
    case allowed
    case denied(Denial)

    public var isAllowed: Bool { self == .allowed }

    /// Why not; nil when allowed.
    public var denial: Denial? {
        if case .denied(let denial) = self { denial } else { nil }
    }
}

/// Why an action is denied.
public enum Denial: String, Sendable, Codable, CaseIterable {
    case operatorOnly = "operator-only"
    case personOnly = "person-only"
    case notYours = "not-yours"
    case ward
    case notAMember = "not-a-member"
    case roleTooLow = "role-too-low"
    case circleSetting = "circle-setting"
    case notSharing = "not-sharing"
    case notTold = "not-told"
    case ownEmergency = "own-emergency"
    case notAcknowledged = "not-acknowledged"
    case planLapsed = "plan-lapsed"

    /// One sentence for the one who was denied.
    public var explanation: String {
        switch self {
        case .operatorOnly: "Only the operator of this server may do that."
        case .personOnly: "Only a person can do that; the operator is none."
        case .notYours: "That belongs to another person, and only they may do it."
        case .ward: "A guardian has to do that together with you."
        case .notAMember: "You have not joined that circle."
        case .roleTooLow: "Your role in the circle does not allow that."
        case .circleSetting: "A setting of the circle does not allow that for your role."
        case .notSharing: "That person does not share their position now."
        case .notTold: "Members may do that once they have been told of the emergency."
        case .ownEmergency: "Somebody else has to do that; cancel your own emergency instead."
        case .notAcknowledged: "The emergency has to be acknowledged first."
        case .planLapsed: "The plan has lapsed; safety and privacy go on, this does not."
        }
    }
}

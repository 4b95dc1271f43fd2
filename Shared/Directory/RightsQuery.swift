import Model

/// Guardianship between actor and owner of a resource.
public enum Guardianship: String, Sendable, Codable, CaseIterable {
    /// There is none.
    case none
    /// The actor is a ward.
    case ward
    /// The actor is the guardian of the ward who owns the resource.
    case guardian
}

/// Properties of an action's target that rights depend on.
public struct Resource: Hashable, Sendable {
    /// Whether it belongs to the actor: their account, position or emergency.
    public var isOwn: Bool
    /// Whether the person shares their position now.
    public var isSharing: Bool
    /// Whether the actor has an open invitation to the circle.
    public var isInvited: Bool
    /// Whether the actor is a recipient of the emergency's notifications.
    public var isRecipient: Bool
    /// Whether the emergency has been acknowledged.
    public var isAcknowledged: Bool
    /// Setting of the circle.
    public var membersSeePositions: Bool
    /// Setting of the circle.
    public var guardiansEditZones: Bool

    public init(
        isOwn: Bool = false, isSharing: Bool = false, isInvited: Bool = false,
        isRecipient: Bool = false, isAcknowledged: Bool = false, membersSeePositions: Bool = false,
        guardiansEditZones: Bool = false
    ) {
        self.isOwn = isOwn
        self.isSharing = isSharing
        self.isInvited = isInvited
        self.isRecipient = isRecipient
        self.isAcknowledged = isAcknowledged
        self.membersSeePositions = membersSeePositions
        self.guardiansEditZones = guardiansEditZones
    }
}

/// Query for ``Rights/decide(_:)``.
public struct RightsQuery: Hashable, Sendable {
    /// Whether the actor is the operator of the suite.
    public var isOperator: Bool
    /// Role in the circle of the resource, the highest if there are several; nil = not a member.
    public var role: Role?
    public var plan: Plan
    public var billing: BillingSource
    public var affiliation: Affiliation
    public var signIn: SignInKind
    /// Platform of the acting device; nil if the actor is no device.
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

/// Decision on a rights query.
public enum Decision: Hashable, Sendable {
    case allowed
    case denied(Denial)

    public var isAllowed: Bool { self == .allowed }

    /// Why it is denied; nil if it is allowed.
    public var denial: Denial? {
        if case .denied(let denial) = self { denial } else { nil }
    }
}

/// Why an action is denied.
public enum Denial: String, Error, Codable, CaseIterable {
    case operatorOnly = "operator-only"
    case personOnly = "person-only"
    case notYours = "not-yours"
    case ward
    case notAMember = "not-a-member"
    case roleTooLow = "role-too-low"
    case circleSetting = "circle-setting"
    case notSharing = "not-sharing"
    case notARecipient = "not-a-recipient"
    case ownEmergency = "own-emergency"
    case notAcknowledged = "not-acknowledged"
    case planLapsed = "plan-lapsed"

    /// One sentence for the actor.
    public var explanation: String {
        switch self {
        case .operatorOnly: "Only the operator of this server may do that."
        case .personOnly: "Only a person may do that, not the operator."
        case .notYours: "That belongs to another person, and only they may do it."
        case .ward: "A guardian must do that together with you."
        case .notAMember: "You have not joined that circle."
        case .roleTooLow: "Your role in the circle does not allow that."
        case .circleSetting: "A setting of the circle does not allow that for your role."
        case .notSharing: "That person does not share their position now."
        case .notARecipient: "Members may do that only as recipients of the emergency."
        case .ownEmergency: "Somebody else must do that; cancel your own emergency instead."
        case .notAcknowledged: "The emergency must be acknowledged first."
        case .planLapsed: "The plan has lapsed. Safety and privacy features still work."
        }
    }
}

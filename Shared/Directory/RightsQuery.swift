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
    /// Whether the person has an emergency that is open or acknowledged.
    public var isInEmergency: Bool
    /// Setting of the circle.
    public var membersSeePositions: Bool
    /// Setting of the circle.
    public var guardiansEditZones: Bool

    public init(
        isOwn: Bool = false, isSharing: Bool = false, isInvited: Bool = false,
        isRecipient: Bool = false, isAcknowledged: Bool = false, isInEmergency: Bool = false,
        membersSeePositions: Bool = false, guardiansEditZones: Bool = false
    ) {
        self.isOwn = isOwn
        self.isSharing = isSharing
        self.isInvited = isInvited
        self.isRecipient = isRecipient
        self.isAcknowledged = isAcknowledged
        self.isInEmergency = isInEmergency
        self.membersSeePositions = membersSeePositions
        self.guardiansEditZones = guardiansEditZones
    }
}

/// Query for ``Rights/decide(_:)``.
public struct RightsQuery: Hashable, Sendable {
    /// Whether the actor is the operator of the suite, with the operator's token.
    public var isOperator: Bool
    /// What the actor may do as staff; nil = not staff.
    public var staff: StaffRole?
    /// Role in the circle of the resource, the highest if there are several; nil = not a member.
    public var role: Role?
    /// Of the actor.
    public var plan: Plan
    /// Of the person to whom the resource belongs; of the actor if it belongs to nobody.
    public var billing: BillingSource
    /// Of the actor.
    public var affiliation: Affiliation
    /// Of the person to whom the resource belongs; of the actor if it belongs to nobody.
    public var signIn: SignInKind
    /// Platform of the acting device; nil if the actor is no device.
    public var platform: Platform?
    public var guardianship: Guardianship
    public var action: Action
    public var resource: Resource

    public init(
        isOperator: Bool = false, staff: StaffRole? = nil, role: Role? = nil, plan: Plan = .trial,
        billing: BillingSource = .operator, affiliation: Affiliation = .none,
        signIn: SignInKind = .code, platform: Platform? = nil, guardianship: Guardianship = .none,
        action: Action, resource: Resource = Resource()
    ) {
        self.isOperator = isOperator
        self.staff = staff
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
    case noEmergency = "no-emergency"
    case planLapsed = "plan-lapsed"
    case paidOnly = "paid-only"
    case subscribersOnly = "subscribers-only"
    case fromProvider = "from-provider"
    case billedByStore = "billed-by-store"
    case switchedOff = "switched-off"

    /// One sentence for the actor: what is missing.
    public var explanation: String { texts.explanation }

    /// One sentence for the actor: how to get there.
    public var remedy: String { texts.remedy }

    private var texts: (explanation: String, remedy: String) {
        switch self {
        case .operatorOnly:
            (
                "Only the operator of this server may do that.",
                "Ask the operator."
            )
        case .personOnly:
            (
                "Only a person may do that, not the operator.",
                "The person does it with their own account."
            )
        case .notYours:
            (
                "That belongs to another person, and only they may do it.",
                "Ask them."
            )
        case .ward:
            (
                "A guardian must do that together with you.",
                "Ask one of your guardians."
            )
        case .notAMember:
            (
                "You have not joined that circle.",
                "Ask an admin of the circle to invite you."
            )
        case .roleTooLow:
            (
                "Your role in the circle does not allow that.",
                "Ask an admin of the circle to do it, or to change your role."
            )
        case .circleSetting:
            (
                "A setting of the circle does not allow that for your role.",
                "Ask an admin of the circle to change the setting."
            )
        case .notSharing:
            (
                "That person does not share their position now.",
                "Ask them, or wait until the pause ends."
            )
        case .notARecipient:
            (
                "Members may do that only as recipients of the emergency.",
                "Leave it to the people who were notified."
            )
        case .ownEmergency:
            (
                "Somebody else must do that; cancel your own emergency instead.",
                "Cancel it, with your PIN if you have one."
            )
        case .notAcknowledged:
            (
                "The emergency must be acknowledged first.",
                "Acknowledge it."
            )
        case .noEmergency:
            (
                "That person has no open emergency.",
                "Officers see positions during emergencies only."
            )
        case .planLapsed:
            (
                "The plan has lapsed. Safety and privacy features still work.",
                "Renew the plan."
            )
        case .paidOnly:
            (
                "That needs a paid plan.",
                "Ask the operator for a paid plan, or buy one in the store."
            )
        case .subscribersOnly:
            (
                "That is for subscribers of the operator.",
                "Ask the operator to make you a subscriber."
            )
        case .fromProvider:
            (
                "Name and contact points come from the provider that you sign in with.",
                "Change them there; they are read at the next sign-in."
            )
        case .billedByStore:
            (
                "The plan is billed by the app store, which alone may change it.",
                "Change the subscription in the store, or set the billing source to operator first."
            )
        case .switchedOff:
            (
                "The operator of this server has switched that off.",
                "Ask the operator."
            )
        }
    }
}

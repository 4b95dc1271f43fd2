import Model

/// What a row grants to a standing.
public enum Grant: Hashable, Sendable {
    case yes
    case no(Denial)
    /// Yes, while all conditions hold.
    case when([Condition])
}

/// A condition of a grant.
public enum Condition: String, Sendable, CaseIterable {
    /// Setting of the circle.
    case membersSeePositions = "members-see-positions"
    /// Setting of the circle.
    case guardiansEditZones = "guardians-edit-zones"
    /// The person shares their position now.
    case sharing
    /// The actor was notified of the emergency.
    case recipient
    /// Somebody has acknowledged the emergency.
    case acknowledged
    /// The person has an emergency that is open or acknowledged.
    case inEmergency = "in-emergency"
    /// The actor's plan is paid.
    case paidPlan = "paid-plan"
    /// The actor is a subscriber of the operator.
    case subscriber
    /// The person signs in by code, not by a provider.
    case codeSignIn = "code-sign-in"
    /// The person's plan is billed by the operator.
    case operatorBilling = "operator-billing"

    /// The reason of a denial if it does not hold.
    public var denial: Denial {
        switch self {
        case .membersSeePositions, .guardiansEditZones: .circleSetting
        case .sharing: .notSharing
        case .recipient: .notARecipient
        case .acknowledged: .notAcknowledged
        case .inEmergency: .noEmergency
        case .paidPlan: .paidOnly
        case .subscriber: .subscribersOnly
        case .codeSignIn: .fromProvider
        case .operatorBilling: .billedByStore
        }
    }
}

/// What the operator's file may do to a row.
public enum Overriding: String, Sendable {
    /// Nothing: safety and private data.
    case none
    /// Deny it, or add conditions: members agreed to no more than the default.
    case stricter
    /// Anything.
    case free
}

/// A row of the table of rights: who may perform an action.
public struct RightsRow: Hashable, Sendable {
    public let action: Action
    public let target: Action.Target
    /// By ``Standing``; nil = the standing does not count.
    private var grants: [Grant?]
    /// Conditions on everybody, after those of the grant.
    public let needs: [Condition]
    /// Whether a lapsed plan keeps it.
    public internal(set) var isKeptWhenLapsed: Bool
    public let overriding: Overriding

    /// The reason if no standing counts.
    public var otherwise: Denial {
        switch target {
        case .person: .notYours
        case .member, .emergency, .circle: .notAMember
        case .suite: .operatorOnly
        }
    }

    public internal(set) subscript(standing: Standing) -> Grant? {
        get { grants[standing.rawValue] }
        set { grants[standing.rawValue] = newValue }
    }

    /// - Parameter ward: nil = as ``Standing/own``
    init(
        _ action: Action, _ target: Action.Target, own: Grant? = nil, ward: Grant? = nil,
        guardianOfWard: Grant? = nil, admin: Grant? = nil, guardian: Grant? = nil,
        member: Grant? = nil, invited: Grant? = nil, officer: Grant? = nil,
        operator: Grant? = nil, anyone: Grant? = nil, needs: [Condition] = [],
        isKeptWhenLapsed: Bool = true, _ overriding: Overriding
    ) {
        self.action = action
        self.target = target
        grants = [
            own, ward ?? own, guardianOfWard, admin, guardian, member, invited, officer,
            `operator`, anyone,
        ]
        self.needs = needs
        self.isKeptWhenLapsed = isKeptWhenLapsed
        self.overriding = overriding
    }
}

/// All rights, and the limits that depend on the axes of the product.
///
/// The operator's file can replace some of it, see ``RightsOverrides``.
public struct RightsTable: Hashable, Sendable {
    /// In the order of `Action.allCases`.
    public internal(set) var rows: [RightsRow]
    public internal(set) var limits: [LimitRow]

    /// The defaults.
    public static let standard = RightsTable(rows: standardRows, limits: LimitRow.standard)

    public internal(set) subscript(action: Action) -> RightsRow {
        get { rows[RightsTable.index(of: action)] }
        set { rows[RightsTable.index(of: action)] = newValue }
    }

    private static func index(of action: Action) -> Int {
        guard let index = indices[action] else {
            fatalError("broken invariant: \(action.rawValue) has a row")
        }
        return index
    }

    private static let indices = Dictionary(
        uniqueKeysWithValues: Action.allCases.enumerated().map { ($1, $0) })

    private init(rows: [RightsRow], limits: [LimitRow]) {
        let byAction = Dictionary(uniqueKeysWithValues: rows.map { ($0.action, $0) })
        self.rows = Action.allCases.map { action in
            guard let row = byAction[action] else {
                fatalError("broken invariant: \(action.rawValue) has a row")
            }
            return row
        }
        self.limits = limits
    }

    private static let standardRows: [RightsRow] = [
        // About one person.
        RightsRow(.panic, .person, own: .yes, operator: .no(.personOnly), .none),
        RightsRow(.cancelEmergency, .person, own: .yes, operator: .yes, .none),
        RightsRow(
            .watch, .person, own: .yes, guardianOfWard: .yes, operator: .no(.personOnly), .none),
        RightsRow(.answerAlarms, .person, own: .yes, operator: .no(.personOnly), .none),
        RightsRow(.keepJourneys, .person, own: .yes, operator: .no(.personOnly), .none),
        RightsRow(
            .changeSharing, .member, own: .yes, ward: .no(.ward), guardianOfWard: .yes,
            operator: .no(.notYours), anyone: .no(.notYours), .none),
        RightsRow(
            .leaveCircle, .member, own: .yes, ward: .no(.ward), guardianOfWard: .yes,
            operator: .no(.personOnly), anyone: .no(.notYours), .none),
        RightsRow(
            .acceptInvitation, .member, own: .yes, guardianOfWard: .yes,
            operator: .no(.personOnly), anyone: .no(.notYours), .none),
        RightsRow(.readAccessLog, .person, own: .yes, guardianOfWard: .yes, .none),
        RightsRow(
            .readPerson, .person, own: .yes, guardianOfWard: .yes, operator: .yes, .none),
        RightsRow(
            .editName, .person, own: .yes, guardianOfWard: .yes, operator: .yes,
            needs: [.codeSignIn], .none),
        RightsRow(
            .editProfile, .person, own: .yes, guardianOfWard: .yes, operator: .yes, .none),
        RightsRow(
            .editDevices, .person, own: .yes, guardianOfWard: .yes, operator: .yes, .none),
        RightsRow(
            .editContactPoints, .person, own: .yes, guardianOfWard: .yes, operator: .yes,
            needs: [.codeSignIn], .none),
        RightsRow(.verifyContactPoint, .person, own: .yes, guardianOfWard: .yes, .none),
        RightsRow(
            .editPrivateZones, .person, own: .yes, guardianOfWard: .yes,
            isKeptWhenLapsed: false, .none),
        RightsRow(.readOwnZones, .person, own: .yes, guardianOfWard: .yes, .none),
        RightsRow(
            .optOutOfZones, .person, own: .yes, ward: .no(.ward), guardianOfWard: .yes, .none),
        RightsRow(
            .editNeverNotifyList, .person, own: .yes, ward: .no(.ward),
            operator: .no(.personOnly), .none),
        RightsRow(.editPIN, .person, own: .yes, operator: .no(.personOnly), .none),
        RightsRow(.exportData, .person, own: .yes, guardianOfWard: .yes, .none),
        RightsRow(
            .erase, .person, own: .yes, ward: .no(.ward), guardianOfWard: .yes, operator: .yes,
            .none),
        RightsRow(
            .changePlan, .person, own: .no(.operatorOnly), operator: .yes,
            anyone: .no(.operatorOnly), needs: [.operatorBilling], .none),
        RightsRow(
            .answerConsents, .person, own: .yes, ward: .no(.ward), guardianOfWard: .yes,
            operator: .no(.personOnly), .none),
        RightsRow(
            .declareWard, .person, own: .yes, ward: .no(.ward), operator: .yes, .none),
        RightsRow(
            .makeLiveLinks, .person, own: .yes, guardianOfWard: .yes, operator: .no(.personOnly),
            .none),

        // About the positions of a person in a circle.
        position(.readPosition, officer: .when([.inEmergency, .sharing])),
        position(.locate),
        position(.readHistory, isKeptWhenLapsed: false),

        // About an emergency of a person.
        RightsRow(
            .panicForOther, .emergency, own: .no(.ownEmergency), admin: .yes, guardian: .yes,
            member: .no(.roleTooLow), operator: .no(.personOnly), .none),
        RightsRow(
            .readEmergency, .emergency, own: .yes, admin: .yes, guardian: .yes,
            member: .when([.recipient]), officer: .yes, operator: .yes, .none),
        RightsRow(
            .acknowledge, .emergency, own: .no(.ownEmergency), admin: .yes, guardian: .yes,
            member: .when([.recipient]), officer: .yes, operator: .yes, .none),
        RightsRow(
            .resolve, .emergency, own: .no(.ownEmergency), admin: .when([.acknowledged]),
            guardian: .when([.acknowledged]), member: .when([.recipient, .acknowledged]),
            officer: .when([.acknowledged]), operator: .yes, .none),
        RightsRow(
            .shareEmergency, .emergency, own: .yes, admin: .when([.recipient]),
            guardian: .when([.recipient]), member: .no(.roleTooLow), operator: .no(.personOnly),
            .none),

        // About a circle.
        RightsRow(
            .readCircle, .circle, admin: .yes, guardian: .yes, member: .yes, invited: .yes,
            operator: .yes, .none),
        RightsRow(
            .readZones, .circle, admin: .yes, guardian: .yes, member: .yes, operator: .yes,
            .stricter),
        RightsRow(
            .readTimeline, .circle, admin: .yes, guardian: .yes,
            member: .when([.membersSeePositions]), operator: .yes, .stricter),
        zones(.editZones), zones(.editEscalation),
        RightsRow(
            .readReadiness, .circle, admin: .yes, guardian: .yes, member: .yes, operator: .yes,
            .stricter),
        RightsRow(
            .startDrill, .circle, admin: .yes, guardian: .yes, member: .no(.roleTooLow),
            operator: .no(.personOnly), isKeptWhenLapsed: false, .stricter),
        admins(.subscribeSets, isKeptWhenLapsed: false),
        admins(.editCircle), admins(.deleteCircle), admins(.invite, isKeptWhenLapsed: false),
        admins(.removeMember), admins(.changeRole),
        admins(.changeRetention, isKeptWhenLapsed: false),

        // About the suite.
        RightsRow(
            .createCircle, .suite, operator: .yes, anyone: .yes, isKeptWhenLapsed: false, .free),
        RightsRow(.readSets, .suite, operator: .yes, anyone: .yes, .free),
        RightsRow(.readIncidents, .suite, officer: .yes, operator: .yes, .none),
        RightsRow(.administer, .suite, operator: .yes, .none),
    ]

    private static func position(
        _ action: Action, officer: Grant? = nil, isKeptWhenLapsed: Bool = true
    ) -> RightsRow {
        RightsRow(
            action, .member, own: .yes, admin: .when([.sharing]), guardian: .when([.sharing]),
            member: .when([.membersSeePositions, .sharing]), officer: officer,
            operator: .when([.sharing]), isKeptWhenLapsed: isKeptWhenLapsed, .stricter)
    }

    private static func zones(_ action: Action) -> RightsRow {
        RightsRow(
            action, .circle, admin: .yes, guardian: .when([.guardiansEditZones]),
            member: .no(.roleTooLow), operator: .yes, isKeptWhenLapsed: false, .free)
    }

    private static func admins(_ action: Action, isKeptWhenLapsed: Bool = true) -> RightsRow {
        RightsRow(
            action, .circle, admin: .yes, guardian: .no(.roleTooLow), member: .no(.roleTooLow),
            operator: .yes, isKeptWhenLapsed: isKeptWhenLapsed, .free)
    }
}

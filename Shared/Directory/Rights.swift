import Model

/// Decides who may do what, as one pure function over the ``RightsTable``.
///
/// An actor has standings towards what an action is performed on, such as `own` or `guardian`. The
/// action is allowed if the action's row grants it to one of them. Safety and privacy depend on
/// neither plan nor role.
public enum Rights {
    public static func decide(
        _ query: RightsQuery, by table: RightsTable = .standard
    ) -> Decision {
        let row = table[query.action]
        let standings = StandingSet(of: query, for: row)
        let hasLapsed = query.plan == .lapsed && !row.isKeptWhenLapsed
        var denial: Denial? = hasLapsed && !query.isOperator ? .planLapsed : nil
        for standing in Standing.inOrder where standings.contains(standing) {
            guard let grant = row[standing], !hasLapsed || standing.isStaff else { continue }
            guard let obstacle = grant.obstacle(query) ?? row.obstacle(query) else {
                return .allowed
            }
            denial = denial ?? obstacle
        }
        return .denied(denial ?? row.otherwise)
    }
}

/// What an actor is towards the target of an action.
///
/// The order is that in which grants are looked up: the first denial names the reason.
public enum Standing: Int, Sendable, CaseIterable {
    /// The target belongs to the actor.
    case own
    /// The target belongs to the actor, who is a ward.
    case ward
    /// The actor is a guardian of the ward to whom the target belongs.
    case guardianOfWard
    /// Roles in the circle, or the highest in the circles that both have joined.
    case admin, guardian, member
    /// Has an open invitation to the circle.
    case invited
    /// Staff with the role `officer`.
    case officer
    /// The operator's token, and staff with the role `operator`.
    case `operator`
    /// Everybody with an account.
    case anyone

    /// As in the document and in the file of overrides.
    public var name: String {
        switch self {
        case .own: "own"
        case .ward: "ward"
        case .guardianOfWard: "guardian-of-ward"
        case .admin: "admin"
        case .guardian: "guardian"
        case .member: "member"
        case .invited: "invited"
        case .officer: "officer"
        case .operator: "operator"
        case .anyone: "anyone"
        }
    }

    /// Whether it comes from work for the operator, which no plan limits.
    var isStaff: Bool { self == .officer || self == .operator }

    static let inOrder = allCases

    init(_ role: Role) {
        switch role {
        case .admin: self = .admin
        case .guardian: self = .guardian
        case .member: self = .member
        }
    }
}

/// The standings of an actor.
private struct StandingSet {
    private var bits: UInt16 = 0

    /// The operator's token is nothing but the operator. What belongs to somebody is theirs alone:
    /// staff have no other rights over their own account than everybody.
    init(of query: RightsQuery, for row: RightsRow) {
        if query.isOperator {
            insert(.operator)
            return
        }
        let own: Standing = query.guardianship == .ward ? .ward : .own
        if query.resource.isOwn, row[own] != nil {
            insert(own)
            return
        }
        if query.guardianship == .guardian { insert(.guardianOfWard) }
        if let role = query.role {
            insert(Standing(role))
        } else if query.resource.isInvited {
            insert(.invited)
        }
        switch query.staff {
        case .officer: insert(.officer)
        case .operator: insert(.operator)
        case nil: break
        }
        insert(.anyone)
    }

    private mutating func insert(_ standing: Standing) { bits |= 1 << standing.rawValue }

    func contains(_ standing: Standing) -> Bool { bits & 1 << standing.rawValue != 0 }
}

extension Grant {
    /// Why the grant does not hold; nil if it does.
    fileprivate func obstacle(_ query: RightsQuery) -> Denial? {
        switch self {
        case .yes: nil
        case .no(let denial): denial
        case .when(let conditions): conditions.first { !$0.holds(query) }?.denial
        }
    }
}

extension RightsRow {
    /// Why the row's conditions on everybody do not hold; nil if they do.
    fileprivate func obstacle(_ query: RightsQuery) -> Denial? {
        needs.first { !$0.holds(query) }?.denial
    }
}

extension Condition {
    fileprivate func holds(_ query: RightsQuery) -> Bool {
        switch self {
        case .membersSeePositions: query.resource.membersSeePositions
        case .guardiansEditZones: query.resource.guardiansEditZones
        case .sharing: query.resource.isSharing
        case .recipient: query.resource.isRecipient
        case .acknowledged: query.resource.isAcknowledged
        case .inEmergency: query.resource.isInEmergency
        case .paidPlan: query.plan == .paid
        case .subscriber: query.affiliation == .subscriber
        case .codeSignIn: query.signIn == .code
        case .operatorBilling: query.billing == .operator
        }
    }
}

import Model
import Testing

@testable import Directory

/// What the rules say in words, as a slow function that shares nothing with the table: each `if`
/// is a sentence.
private struct Oracle {
    let q: RightsQuery

    private var action: String { q.action.rawValue }

    /// What is about one person, and therefore theirs.
    private static let personal = [
        "panic", "cancel-emergency", "watch", "answer-alarms", "keep-journeys", "change-sharing",
        "leave-circle", "accept-invitation", "read-access-log", "read-person", "edit-name",
        "edit-profile", "edit-devices", "edit-contact-points", "verify-contact-point",
        "edit-private-zones",
        "read-own-zones", "opt-out-of-zones", "edit-never-notify-list", "edit-pin", "export-data",
        "erase",
        "change-plan", "answer-consents", "declare-ward", "make-live-links",
    ]
    private static let positions = ["read-position", "locate", "read-history"]
    private static let emergencies = [
        "panic-for-other", "read-emergency", "acknowledge", "resolve", "share-emergency",
    ]

    func isAllowed() -> Bool {
        // Name and contact points of people with sso come from the provider, for everybody.
        if action == "edit-name" || action == "edit-contact-points", q.signIn == .sso {
            return false
        }
        // A plan that the store bills changes only by the store.
        if action == "change-plan", q.billing == .store { return false }
        if q.isOperator { return operatorMay() }
        let work = staffMay()
        let isTheirs =
            q.resource.isOwn
            && (Self.personal + Self.positions + Self.emergencies).contains(action)
        if isTheirs { return ownMay() && !isLostByPlan() }
        return work || (!isLostByPlan() && otherMay())
    }

    /// "A lapsed plan keeps panic, watches, last positions, pause, leave and export."
    private func isLostByPlan() -> Bool {
        guard q.plan == .lapsed else { return false }
        return [
            "read-history", "edit-zones", "edit-private-zones", "subscribe-sets",
            "edit-escalation", "invite", "change-retention", "create-circle", "start-drill",
        ].contains(action)
    }

    /// The operator manages accounts and circles, sees positions of people who share, ends calls,
    /// and neither acts as a person nor reads private data.
    private func operatorMay() -> Bool {
        if Self.personal.contains(action) {
            return [
                "cancel-emergency", "read-person", "edit-name", "edit-profile", "edit-devices",
                "edit-contact-points", "erase", "change-plan", "declare-ward",
            ].contains(action)
        }
        if Self.positions.contains(action) { return q.resource.isSharing }
        // A call for somebody else, a drill, and a link to an emergency name a person who answers
        // for it.
        return !["panic-for-other", "start-drill", "share-emergency"].contains(action)
    }

    /// Staff: an officer has the incidents of all circles, an operator what the operator may.
    private func staffMay() -> Bool {
        if q.staff == nil { return false }
        if q.staff == .operator { return operatorMay() }
        if action == "read-position" { return q.resource.isInEmergency && q.resource.isSharing }
        if action == "resolve" { return q.resource.isAcknowledged }
        return ["read-incidents", "read-emergency", "acknowledge"].contains(action)
    }

    /// Everything, except: the plan, answering the own emergency; and wards cannot pause, leave,
    /// opt out or erase alone.
    private func ownMay() -> Bool {
        if ["change-plan", "panic-for-other", "acknowledge", "resolve"].contains(action) {
            return false
        }
        let isWard = q.guardianship == .ward
        return
            !(isWard
            && [
                "change-sharing", "leave-circle", "opt-out-of-zones", "edit-never-notify-list",
                "erase",
                "answer-consents", "declare-ward",
            ].contains(action))
    }

    /// People over what belongs to others or to a circle.
    private func otherMay() -> Bool {
        if Self.personal.contains(action) {
            // "Another adult's …: never"; guardians of a ward act for them, except for what only
            // the person's own devices do.
            guard q.guardianship == .guardian else { return false }
            return ![
                "panic", "cancel-emergency", "answer-alarms", "keep-journeys", "change-plan",
                "edit-never-notify-list", "edit-pin", "declare-ward",
            ].contains(action)
        }
        if action == "create-circle" || action == "read-sets" { return true }
        if action == "administer" || action == "read-incidents" { return false }
        // Everything else needs to have joined; an invitation shows the circle.
        guard let role = q.role else { return action == "read-circle" && q.resource.isInvited }
        let isMember = role == .member
        if Self.positions.contains(action) {
            return q.resource.isSharing && (!isMember || q.resource.membersSeePositions)
        }
        if Self.emergencies.contains(action) {
            if action == "resolve", !q.resource.isAcknowledged { return false }
            // Guardians call for others, independent of what they were notified of.
            if action == "panic-for-other" { return !isMember }
            // Only who was notified passes it on, and a plain member never does.
            if action == "share-emergency" { return !isMember && q.resource.isRecipient }
            return !isMember || q.resource.isRecipient
        }
        switch action {
        case "read-circle", "read-zones", "read-readiness": return true
        // "Started by an admin or a guardian."
        case "start-drill": return !isMember
        case "read-timeline": return !isMember || q.resource.membersSeePositions
        case "edit-zones", "edit-escalation":
            return role == .admin || (role == .guardian && q.resource.guardiansEditZones)
        default: return role == .admin
        }
    }
}

/// All combinations of actor, axes and resource for one action.
///
/// Debug builds take one platform and affiliation for each, in turn; release builds take all.
private func eachQuery(_ action: Action, _ body: (RightsQuery) -> Void) {
    let platforms = Platform.allCases.map(Optional.some) + [nil]
    let others = platforms.flatMap { platform in Affiliation.allCases.map { (platform, $0) } }
    var turn = 0
    let actors: [(Bool, StaffRole?, Role?)] =
        [(true, nil, nil)]
        + (StaffRole.allCases.map(Optional.some) + [nil]).flatMap { staff in
            (Role.allCases.map(Optional.some) + [nil]).map { (false, staff, $0) }
        }
    for (isOperator, staff, role) in actors {
        for plan in Plan.allCases {
            for billing in BillingSource.allCases {
                for signIn in SignInKind.allCases {
                    for guardianship in Guardianship.allCases {
                        for bits in 0..<256 {
                            var query = RightsQuery(
                                isOperator: isOperator, staff: staff, role: role, plan: plan,
                                billing: billing, signIn: signIn, guardianship: guardianship,
                                action: action, resource: resource(bits))
                            #if DEBUG
                                let chosen = [others[turn % others.count]]
                                turn += 1
                            #else
                                let chosen = others
                            #endif
                            for (platform, affiliation) in chosen {
                                query.platform = platform
                                query.affiliation = affiliation
                                body(query)
                            }
                        }
                    }
                }
            }
        }
    }
    _ = turn
}

private func resource(_ bits: Int) -> Resource {
    Resource(
        isOwn: bits & 1 != 0, isSharing: bits & 2 != 0, isInvited: bits & 4 != 0,
        isRecipient: bits & 8 != 0, isAcknowledged: bits & 16 != 0, isInEmergency: bits & 128 != 0,
        membersSeePositions: bits & 32 != 0, guardiansEditZones: bits & 64 != 0)
}

/// Compares a table with the oracle over one action.
private func compare(_ table: RightsTable, _ action: Action) -> (count: Int, differing: Int) {
    var (count, differing) = (0, 0)
    eachQuery(action) { query in
        count += 1
        if Rights.decide(query, by: table).isAllowed != Oracle(q: query).isAllowed() {
            differing += 1
        }
    }
    return (count, differing)
}

@Suite struct RightsOracleTests {
    @Test func `the table decides every combination as the rules say`() {
        var total = 0
        for action in Action.allCases {
            let (count, differing) = compare(.standard, action)
            #expect(differing == 0, "\(action.rawValue): \(differing) of \(count)")
            total += count
        }
        print("rights: \(total) combinations of \(Action.allCases.count) actions compared")
        #expect(total > 1_000_000)
    }

    @Test(arguments: [
        (Action.readZones, Standing.officer, Grant.yes),
        (.erase, .ward, .yes),
        (.resolve, .member, .when([.recipient])),
        (.readPosition, .admin, .yes),
        (.editZones, .member, .when([.guardiansEditZones])),
        (.readPerson, .member, .yes),
        (.acknowledge, .own, .yes),
        (.watch, .guardianOfWard, .no(.notYours)),
        (.changePlan, .anyone, .yes),
    ])
    func `a planted grant is found`(action: Action, standing: Standing, grant: Grant) {
        var table = RightsTable.standard
        table[action][standing] = grant
        #expect(compare(table, action).differing > 0)
    }

    @Test(arguments: [Action.panic, .watch, .readPosition, .invite, .readHistory])
    func `a planted effect of the lapsed plan is found`(action: Action) {
        var table = RightsTable.standard
        table[action].isKeptWhenLapsed.toggle()
        #expect(compare(table, action).differing > 0)
    }
}

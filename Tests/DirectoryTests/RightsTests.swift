import Directory
import Model
import Testing

/// Entry of the table of rights, for one action and one role.
private enum Cell { case yes, no, never, setting, ifRecipient }

/// The table of rights, row by row: actions, whose the resource is, and admin, guardian, member.
private let table: [(actions: [Action], own: Bool, cells: [Cell])] = [
    (
        [
            .panic, .cancelEmergency, .watch, .answerAlarms, .keepJourneys, .changeSharing,
            .leaveCircle, .readAccessLog,
            .editDevices, .editContactPoints, .verifyContactPoint, .readPerson, .editName,
            .editProfile, .editPrivateZones, .readOwnZones, .optOutOfZones, .editNeverNotifyList,
            .editPIN, .exportData, .erase, .acceptInvitation,
            .answerConsents, .declareWard, .makeLiveLinks,
        ], true, [.yes, .yes, .yes]
    ),
    ([.readPosition, .locate, .readHistory], false, [.yes, .yes, .setting]),
    ([.readTimeline], false, [.yes, .yes, .setting]),
    ([.acknowledge, .resolve, .readEmergency], false, [.yes, .yes, .ifRecipient]),
    ([.shareEmergency], false, [.ifRecipient, .ifRecipient, .no]),
    ([.panicForOther, .startDrill], false, [.yes, .yes, .no]),
    ([.editZones, .editEscalation], false, [.yes, .setting, .no]),
    (
        [
            .invite, .removeMember, .changeRole, .changeRetention, .editCircle, .deleteCircle,
            .subscribeSets,
        ], false,
        [.yes, .no, .no]
    ),
    ([.readCircle, .readZones, .readReadiness], false, [.yes, .yes, .yes]),
    (
        [
            .changeSharing, .editDevices, .editContactPoints, .verifyContactPoint,
            .editName, .changePlan,
            .readPerson, .editProfile, .readAccessLog, .editPrivateZones, .readOwnZones,
            .optOutOfZones, .editNeverNotifyList, .editPIN, .exportData, .erase, .leaveCircle,
            .acceptInvitation, .panic,
            .cancelEmergency, .watch, .answerAlarms, .keepJourneys, .answerConsents,
            .declareWard, .makeLiveLinks,
        ], false, [.never, .never, .never]
    ),
    ([.createCircle, .readSets], false, [.yes, .yes, .yes]),
    ([.administer, .readIncidents], false, [.no, .no, .no]),
]

private let roles: [Role] = [.admin, .guardian, .member]

/// A resource on which only the conditions of the table decide.
private func open(_ cell: Cell, own: Bool, granted: Bool) -> Resource {
    Resource(
        isOwn: own, isSharing: true, isRecipient: cell == .ifRecipient && granted,
        isAcknowledged: true,
        membersSeePositions: cell == .setting && granted,
        guardiansEditZones: cell == .setting && granted)
}

/// All combinations of the axes that do not affect the table of roles.
private let axes: [RightsQuery] = {
    var all: [RightsQuery] = []
    for billing in BillingSource.allCases {
        for affiliation in Affiliation.allCases {
            for platform in Platform.allCases.map(Optional.some) + [nil] {
                all.append(
                    RightsQuery(
                        billing: billing, affiliation: affiliation, platform: platform,
                        action: .panic))
            }
        }
    }
    return all
}()

private let resources: [Resource] = (0..<128).map { bits in
    Resource(
        isOwn: bits & 1 != 0, isSharing: bits & 2 != 0, isInvited: bits & 4 != 0,
        isRecipient: bits & 8 != 0, isAcknowledged: bits & 16 != 0,
        membersSeePositions: bits & 32 != 0, guardiansEditZones: bits & 64 != 0)
}

@Suite struct RightsTableTests {
    @Test func `every action has a row in the table`() {
        #expect(Set(table.flatMap(\.actions)) == Set(Action.allCases))
    }

    @Test(arguments: Action.allCases)
    func `each entry of the table holds for every active plan and on every axis`(
        action: Action
    ) {
        for row in table where row.actions.contains(action) {
            for (role, cell) in zip(roles, row.cells) {
                for granted in [false, true] {
                    for plan in [Plan.trial, .paid] {
                        for var query in axes {
                            query.action = action
                            query.role = role
                            query.plan = plan
                            query.resource = open(cell, own: row.own, granted: granted)
                            let expected = cell == .yes || (granted && cell.isConditional)
                            #expect(Rights.decide(query).isAllowed == expected, "\(query)")
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: Action.allCases)
    func `people without a common circle may do nothing in it`(action: Action) {
        let others: Set<Action> = [.createCircle, .readSets, .administer]
        for resource in resources where !resource.isOwn && !resource.isInvited {
            let decision = Rights.decide(RightsQuery(action: action, resource: resource))
            if others.contains(action) { continue }
            #expect(!decision.isAllowed, "\(action) \(resource)")
        }
    }
}

extension Cell {
    fileprivate var isConditional: Bool { self == .setting || self == .ifRecipient }
}

@Suite struct RightsRuleTests {
    private func decide(
        _ action: Action, role: Role? = .admin, plan: Plan = .paid, ward: Guardianship = .none,
        operator isOperator: Bool = false, _ resource: Resource = Resource()
    ) -> Decision {
        Rights.decide(
            RightsQuery(
                isOperator: isOperator, role: role, plan: plan, guardianship: ward, action: action,
                resource: resource))
    }

    @Test func `a lapsed plan keeps safety and privacy and loses paid actions`() {
        let lost: Set<Action> = [
            .readHistory, .editZones, .editPrivateZones, .subscribeSets, .editEscalation, .invite,
            .changeRetention, .createCircle, .startDrill,
        ]
        for action in Action.allCases {
            for resource in resources {
                for role in roles {
                    let paid = decide(action, role: role, resource)
                    let lapsed = decide(action, role: role, plan: .lapsed, resource)
                    let expected: Decision = lost.contains(action) ? .denied(.planLapsed) : paid
                    if lapsed != expected { Issue.record("\(action) \(role) \(lapsed)") }
                }
            }
        }
    }

    @Test func `a ward cannot pause, leave, opt out or erase alone, and can always panic`() {
        let own = Resource(isOwn: true)
        for action in [Action.changeSharing, .leaveCircle, .optOutOfZones, .erase] {
            #expect(decide(action, role: .member, ward: .ward, own) == .denied(.ward))
            #expect(decide(action, role: .guardian, ward: .guardian).isAllowed)
        }
        for plan in Plan.allCases {
            #expect(decide(.panic, role: nil, plan: plan, ward: .ward, own).isAllowed)
            #expect(decide(.readAccessLog, role: nil, plan: plan, ward: .ward, own).isAllowed)
        }
    }

    @Test func `the person in danger cannot acknowledge or resolve`() {
        let own = Resource(isOwn: true, isRecipient: true, isAcknowledged: true)
        #expect(decide(.acknowledge, own) == .denied(.ownEmergency))
        #expect(decide(.resolve, own) == .denied(.ownEmergency))
        #expect(decide(.cancelEmergency, own).isAllowed)
        #expect(decide(.readEmergency, own).isAllowed)
    }

    @Test func `an emergency must be acknowledged before it is resolved`() {
        #expect(decide(.resolve, Resource()) == .denied(.notAcknowledged))
        #expect(decide(.resolve, Resource(isAcknowledged: true)).isAllowed)
        #expect(decide(.resolve, operator: true).isAllowed)
    }

    @Test func `nobody sees a person who does not share, not even the operator`() {
        let silent = Resource(membersSeePositions: true)
        #expect(decide(.readPosition, silent) == .denied(.notSharing))
        #expect(decide(.readPosition, operator: true, silent) == .denied(.notSharing))
        #expect(decide(.readPosition, role: nil, Resource(isOwn: true)).isAllowed)
    }

    @Test func `the operator may administer, but not act as a person`() {
        for action in [Action.panic, .watch, .leaveCircle, .acceptInvitation] {
            #expect(decide(action, role: nil, operator: true) == .denied(.personOnly))
        }
        for action in [
            Action.changeSharing, .readAccessLog, .exportData, .readOwnZones, .optOutOfZones,
            .editPrivateZones,
        ] {
            #expect(decide(action, role: nil, operator: true) == .denied(.notYours))
        }
        let provisioning: [Action] = [
            .administer, .createCircle, .readPerson, .editProfile, .editDevices,
            .editContactPoints, .erase, .invite, .removeMember, .changeRole, .editZones,
            .editCircle, .deleteCircle, .readCircle, .readTimeline, .cancelEmergency,
        ]
        for action in provisioning { #expect(decide(action, role: nil, operator: true).isAllowed) }
        #expect(decide(.administer) == .denied(.operatorOnly))
    }

    @Test func `an invited person may read the circle, and nothing more`() {
        let invited = Resource(isInvited: true, membersSeePositions: true)
        for action in Action.allCases where action != .createCircle && action != .readSets {
            let decision = decide(action, role: nil, invited)
            #expect(decision.isAllowed == (action == .readCircle), "\(action)")
        }
    }

    @Test func `every denial has an explanation and a remedy`() {
        for denial in Denial.allCases {
            #expect(denial.explanation.hasSuffix(".") && denial.remedy.hasSuffix("."))
        }
    }

    @Test func `name and contact points of a person with sso come from the provider`() {
        for action in [Action.editName, .editContactPoints] {
            var query = RightsQuery(signIn: .sso, action: action, resource: Resource(isOwn: true))
            #expect(Rights.decide(query) == .denied(.fromProvider))
            query.isOperator = true
            #expect(Rights.decide(query) == .denied(.fromProvider))
            query.signIn = .code
            #expect(Rights.decide(query).isAllowed)
        }
        let profile = RightsQuery(
            signIn: .sso, action: .editProfile, resource: Resource(isOwn: true))
        #expect(Rights.decide(profile).isAllowed)
    }

    @Test func `the operator changes only plans that the operator bills`() {
        var query = RightsQuery(isOperator: true, billing: .store, action: .changePlan)
        #expect(Rights.decide(query) == .denied(.billedByStore))
        query.billing = .operator
        #expect(Rights.decide(query).isAllowed)
        query.isOperator = false
        query.resource.isOwn = true
        query.staff = .operator
        #expect(Rights.decide(query) == .denied(.operatorOnly))
    }

    @Test func `an officer has the incidents of all circles and no configuration`() {
        func officer(_ action: Action, _ resource: Resource = Resource()) -> Decision {
            Rights.decide(RightsQuery(staff: .officer, action: action, resource: resource))
        }
        for action in [Action.readIncidents, .readEmergency, .acknowledge] {
            #expect(officer(action).isAllowed)
        }
        #expect(officer(.resolve) == .denied(.notAcknowledged))
        #expect(officer(.resolve, Resource(isAcknowledged: true)).isAllowed)
        #expect(officer(.readPosition, Resource(isSharing: true)) == .denied(.noEmergency))
        let inEmergency = Resource(isSharing: true, isInEmergency: true)
        #expect(officer(.readPosition, inEmergency).isAllowed)
        #expect(officer(.acknowledge, Resource(isOwn: true)) == .denied(.ownEmergency))
        for action in [
            Action.administer, .editZones, .editCircle, .invite, .readHistory, .readPerson,
            .readZones, .readTimeline, .changePlan, .readCircle,
        ] {
            #expect(!officer(action, inEmergency).isAllowed, "\(action)")
        }
    }

    @Test func `staff with the role operator may what the operator may, but not over themselves`() {
        for action in Action.allCases {
            for resource in resources where !resource.isOwn && !resource.isInvited {
                let token = Rights.decide(
                    RightsQuery(isOperator: true, action: action, resource: resource))
                let staff = Rights.decide(
                    RightsQuery(staff: .operator, plan: .lapsed, action: action, resource: resource)
                )
                #expect(token.isAllowed == staff.isAllowed, "\(action)")
            }
        }
        #expect(
            Rights.decide(
                RightsQuery(
                    staff: .operator, guardianship: .ward, action: .erase,
                    resource: Resource(isOwn: true))) == .denied(.ward))
    }
}

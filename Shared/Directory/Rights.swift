import Model

/// Decides who may do what, as one pure function.
///
/// Safety and privacy depend on neither plan nor role. A lapsed plan loses only paid actions:
/// history, zones, escalation, invitations, retention and new circles. No rule reads billing
/// source, affiliation, sign-in kind and platform yet; they are part of the query so that a rule
/// can.
public enum Rights {
    public static func decide(_ query: RightsQuery) -> Decision {
        if query.plan == .lapsed, !query.isOperator, paidActions.contains(query.action) {
            return .denied(.planLapsed)
        }
        switch query.action {
        case .panic, .cancelEmergency, .watch, .answerAlarms, .keepJourneys, .changeSharing,
            .leaveCircle, .acceptInvitation, .readAccessLog, .readPerson,
            .editProfile, .editDevices, .editContactPoints, .editPrivateZones,
            .readOwnZones, .refuseZone, .exportData, .erase:
            return decidePersonal(query)
        case .readPosition, .locate, .readHistory: return decidePosition(query)
        case .readEmergency, .acknowledge, .resolve: return decideEmergency(query)
        case .readCircle, .readZones, .readTimeline, .editZones, .subscribeSets, .editEscalation,
            .editCircle, .deleteCircle, .invite, .removeMember, .changeRole, .changeRetention:
            return decideCircle(query)
        case .createCircle, .readSets: return .allowed
        case .administer: return query.isOperator ? .allowed : .denied(.operatorOnly)
        }
    }

    /// Actions that a lapsed plan does not allow.
    static let paidActions: Set<Action> = [
        .readHistory, .editZones, .editPrivateZones, .subscribeSets, .editEscalation, .invite,
        .changeRetention, .createCircle,
    ]

    private static func decidePersonal(_ query: RightsQuery) -> Decision {
        if query.isOperator { return decidePersonalForOperator(query.action) }
        if query.resource.isOwn {
            let needsGuardian = [.changeSharing, .leaveCircle, .refuseZone, .erase].contains(
                query.action)
            return query.guardianship == .ward && needsGuardian ? .denied(.ward) : .allowed
        }
        guard query.guardianship == .guardian else { return .denied(.notYours) }
        switch query.action {
        case .changeSharing, .leaveCircle, .acceptInvitation, .readAccessLog, .readPerson,
            .editProfile, .editDevices, .editContactPoints, .editPrivateZones, .readOwnZones,
            .refuseZone, .exportData, .erase:
            return .allowed
        default: return .denied(.notYours)
        }
    }

    /// The operator manages accounts and cancels emergencies, but cannot read or change private
    /// data.
    private static func decidePersonalForOperator(_ action: Action) -> Decision {
        switch action {
        case .readPerson, .editProfile, .editDevices, .editContactPoints, .erase, .cancelEmergency:
            .allowed
        case .panic, .watch, .answerAlarms, .keepJourneys, .acceptInvitation, .leaveCircle:
            .denied(.personOnly)
        default: .denied(.notYours)
        }
    }

    private static func decidePosition(_ query: RightsQuery) -> Decision {
        if query.resource.isOwn, !query.isOperator { return .allowed }
        if !query.isOperator {
            switch query.role {
            case nil: return .denied(.notAMember)
            case .member? where !query.resource.membersSeePositions:
                return .denied(.circleSetting)
            default: break
            }
        }
        return query.resource.isSharing ? .allowed : .denied(.notSharing)
    }

    private static func decideEmergency(_ query: RightsQuery) -> Decision {
        if query.isOperator { return .allowed }
        if query.resource.isOwn {
            return query.action == .readEmergency ? .allowed : .denied(.ownEmergency)
        }
        switch query.role {
        case nil: return .denied(.notAMember)
        case .member? where !query.resource.isRecipient: return .denied(.notARecipient)
        default: break
        }
        if query.action == .resolve, !query.resource.isAcknowledged {
            return .denied(.notAcknowledged)
        }
        return .allowed
    }

    private static func decideCircle(_ query: RightsQuery) -> Decision {
        if query.isOperator { return .allowed }
        guard let role = query.role else {
            let isReadingInvitation = query.action == .readCircle && query.resource.isInvited
            return isReadingInvitation ? .allowed : .denied(.notAMember)
        }
        switch (query.action, role) {
        case (_, .admin), (.readCircle, _), (.readZones, _), (.readTimeline, .guardian):
            return .allowed
        case (.readTimeline, .member):
            return query.resource.membersSeePositions ? .allowed : .denied(.circleSetting)
        case (.editZones, .guardian), (.editEscalation, .guardian):
            return query.resource.guardiansEditZones ? .allowed : .denied(.circleSetting)
        default: return .denied(.roleTooLow)
        }
    }
}

/// How a caller stands to the person, and to the circle, that the requests are about.
enum Relation: String, CaseIterable {
    /// An adult, admin of the circle.
    case own
    /// In the circle of that adult.
    case guardian, member
    /// In another circle only.
    case otherCircle = "other-circle"
    /// Was removed from the circle.
    case removed
    case officer
    /// Staff with the role `operator`.
    case staffOperator = "staff-operator"
    /// A ward, a member of the circle.
    case ward
    /// The guardian of that ward, admin of the circle.
    case wardsGuardian = "wards-guardian"
}

/// The kinds of credentials of callers.
enum CallerKind: String, CaseIterable {
    case none, wrong, monitor
    /// The operator's token.
    case `operator`
    /// A person's, for scripts.
    case person
    /// The cookie of a browser.
    case session
    /// A phone's.
    case report
    case help
}

/// What a caller is to get.
enum Verdict: String {
    case unauthenticated, denied, allowed
    /// The same as without credentials, which are not looked at.
    case same
}

/// Who may use an operation, in words. It shares nothing with the tables of rights and operations,
/// so each mistake there is a difference here.
enum AuthorisationOracle {
    /// People by their relation; the operator's token and staff with that role count as operators.
    enum Audience {
        case everybody
        /// People, not the operator's token.
        case people
        /// Whom it is about.
        case themselves
        case themselvesOrWardsGuardian
        /// What a ward cannot do alone.
        case adultOrWardsGuardian
        case adult
        case adultOrOperator
        case themselvesOrOperator
        /// Whom it is about, a ward's guardian, and the operator.
        case account
        /// The same, but a ward cannot do it alone.
        case accountOfAdult
        case operators
        case staff
        /// Members and the operator.
        case circle
        /// Members and the operator, and officers while somebody is in danger.
        case circleOrOfficer
        case guardians
        /// Guardians and admins, not the operator.
        case guardiansAlone
        case admins
        /// Who was notified, the person and staff.
        case emergency
        /// The same, but not the person.
        case helpers
        /// The person, or an admin who removes them.
        case leaving
        /// Signed in by a cookie.
        case session
        /// The operator, and who watches the service.
        case monitoring
        /// The phone that it is about.
        case phone
        /// A phone about itself.
        case anyPhone
        /// Who knows the secret in the request.
        case secret

        /// - Parameter relation: nil = the operator's token
        fileprivate func includes(_ relation: Relation?) -> Bool {
            let isOperator = relation == nil || relation == .staffOperator
            let isTheirs = relation == .own || relation == .ward
            let isAdmin = relation == .own || relation == .wardsGuardian
            let isMember = isAdmin || [.guardian, .member, .ward].contains(relation)
            return switch self {
            case .everybody: true
            case .people, .session, .anyPhone: relation != nil
            case .themselves, .phone: isTheirs
            case .themselvesOrWardsGuardian: isTheirs || relation == .wardsGuardian
            case .adultOrWardsGuardian: isAdmin
            case .adult: relation == .own
            case .adultOrOperator: relation == .own || isOperator
            case .themselvesOrOperator: isTheirs || isOperator
            case .account: isTheirs || relation == .wardsGuardian || isOperator
            case .accountOfAdult: isAdmin || isOperator
            case .operators, .monitoring: isOperator
            case .staff: isOperator || relation == .officer
            case .circle: isMember || isOperator
            case .circleOrOfficer: isMember || isOperator || relation == .officer
            case .guardians: isAdmin || relation == .guardian || isOperator
            case .guardiansAlone: isAdmin || relation == .guardian
            case .admins: isAdmin || isOperator
            case .emergency:
                isTheirs || isAdmin || [.guardian, .officer].contains(relation) || isOperator
            case .helpers:
                [.guardian, .officer, .wardsGuardian].contains(relation) || isOperator
            case .leaving: isAdmin || isOperator
            case .secret: true
            }
        }
    }

    /// All operations. A name may have a suffix: the same operation with another request.
    private static let rules: [(Audience, String)] = [
        // Emergencies.
        (.people, "raiseEmergency"),
        (.emergency, "readEmergency listRightsInEmergency readIncident"),
        // Everybody gets those that they may read.
        (.everybody, "listEmergencies"),
        (.themselvesOrWardsGuardian, "listLiveLinks makeLiveLink revokeLiveLink"),
        (.themselvesOrOperator, "cancelEmergency"),
        (.helpers, "acknowledgeEmergency resolveEmergency withdrawAcknowledgement"),
        (.people, "acknowledgeByReference"),
        (.themselves, "confirmEndOfEmergency reopenEmergency"),
        (.staff, "listEscalations readEscalation listUnprocessedCalls readUnprocessedCall"),
        // What the person and their phones do.
        (.themselves, "checkIn readAlarm answerAlarm readPolicy listDrafts sendDraft"),
        (.themselves, "readPIN setPIN setDuressPIN"),
        (
            .themselves,
            "startJourney stopJourney resetJourney deleteJourney addJourneyNote addJourneyPhoto"
        ),
        (.anyPhone, "report"), (.phone, "readSetup"),
        // Watches: a guardian acts for a ward.
        (.people, "startWatch"), (.everybody, "listWatches"), (.account, "readWatch"),
        (.themselvesOrWardsGuardian, "extendWatch endWatch cancelWatch"),
        (.account, "listCheckInSchedules readCheckInSchedule"),
        (
            .themselvesOrWardsGuardian,
            "createCheckInSchedule replaceCheckInSchedule deleteCheckInSchedule readTimer"
                + " startTimer stopTimer"
        ),
        // Positions, to those with whom they are shared.
        (.circleOrOfficer, "listPositions"), (.circle, "locate"),
        (
            .circle,
            "listJourneys readJourney readJourneyPoints readJourneyTrack replayJourney"
                + " readJourneyPhoto"
        ),
        // Decisions show more than positions: not to plain members.
        (.guardians, "listDecisions"),
        // Accounts.
        (.operators, "listPeople createPerson"),
        (.account, "readPerson listDevices readDevice listCredentials listConsents listWards"),
        (.account, "updatePerson updatePerson/name updatePerson/contacts"),
        (.operators, "updatePerson/plan updatePerson/billing"),
        (.account, "createDevice updateDevice removeDevice rotateCredential setUpDevice"),
        (.account, "setEncryptionKey dropEncryptionKey readDeviceLog"),
        (.account, "removeCredential"), (.accountOfAdult, "removePerson"),
        // Nobody else gets into an account.
        (.themselves, "createCredential listPasskeys addPasskey readPasskeyOptions removePasskey"),
        (.themselves, "listIdentities"),
        (.themselves, "endSession"), (.people, "listSessions endSessions"), (.session, "signOut"),
        (.themselvesOrWardsGuardian, "sendContactCode verifyContact testContact"),
        (.themselvesOrWardsGuardian, "readAccessLog exportPerson listNotificationsOfPerson"),
        (.adultOrOperator, "declareWard"), (.adultOrWardsGuardian, "replyToConsent"),
        (.adult, "readNeverNotifyList setNeverNotifyList"),
        (.people, "readMe followLive"), (.everybody, "listRights"),
        // Zones of a person.
        (
            .themselvesOrWardsGuardian,
            "listApplicableZones listSuggestedZones dropSuggestedZone listPrivateZones"
                + " createPrivateZone importPrivateZones exportPrivateZones readPrivateZone"
                + " updatePrivateZone patchPrivateZone removePrivateZone mailPrivateZone"
                + " listPrivateMessages createPrivateMessage readPrivateMessage"
                + " updatePrivateMessage patchPrivateMessage removePrivateMessage"
                + " sendPrivateMessageCode enterPrivateMessageCode"
        ),
        (.adultOrWardsGuardian, "optOutOfZone optInToZone acceptZone declineZone"),
        (.operators, "confirmPrivateMessage confirmCircleMessage"),
        // Circles.
        (.everybody, "listCircles createCircle"),
        (.circle, "readCircle listMembers readMember readTimeline readReachability"),
        (.circle, "readReadiness listDrills readDrill"),
        (.guardiansAlone, "startDrill stopDrill scheduleDrills unscheduleDrills"),
        (
            .circle,
            "listZones exportZones readZone mailZone listCircleMessages readCircleMessage"
        ),
        (
            .guardians,
            "createZone importZones updateZone patchZone removeZone createCircleMessage"
                + " updateCircleMessage patchCircleMessage removeCircleMessage"
                + " sendCircleMessageCode enterCircleMessageCode updateCircle/escalation"
        ),
        (
            .admins,
            "updateCircle updateCircle/history removeCircle updateMember removeMember"
                + " subscribeSet unsubscribeSet listInvitations invite readInvitation"
                + " revokeInvitation"
        ),
        (.adultOrWardsGuardian, "updateMember/sharing"), (.leaving, "removeMember/leave"),
        (.operators, "addMember listRightsInCircle"), (.people, "acceptInvitation"),
        // Everybody reads those of their own phones.
        (.everybody, "listQuarantine"),
        // Sets of zones.
        (
            .everybody,
            "listSets readSet mailSet listZonesOfSet exportZonesOfSet readZoneOfSet mailZoneOfSet"
        ),
        (
            .operators,
            "createSet updateSet patchSet removeSet createZoneOfSet importZonesOfSet"
                + " updateZoneOfSet patchZoneOfSet removeZoneOfSet"
        ),
        // The suite.
        (
            .operators,
            "recordAccess readMQTT setMQTTTopic dropMQTTTopic readQuarantined dropQuarantined"
                + " retryQuarantined rotateOperatorToken rotateMonitoringToken"
                + " removeMonitoringToken listOptOuts setOptOut listOutbox listNotifications"
                + " readNotification listGateways testGateway readHeldOfTimer settleHeldOfTimer"
                + " readHeldOfNotifier settleHeldOfNotifier"
        ),
        (
            .operators,
            ["Ingest", "Membership", "Timer", "Notifier"]
                .map { "readStreamsOf\($0) mendStreamsOf\($0)" }.joined(separator: " ")
        ),
        (
            .monitoring,
            ["Ingest", "Membership", "Timer", "Notifier"]
                .map { "readStatusOf\($0) followEventsOf\($0)" }.joined(separator: " ")
        ),
        // A secret in the request, or a signature, instead of credentials.
        (
            .secret,
            "activatePerson requestSignInCode openSession previewInvitation declineInvitation"
                + " listProviders startAtProvider returnFromProvider endSessionsByProvider"
                + " readPasskeySignInOptions signInWithPasskey receiveBillingEvent receiveReceipt"
                + " receiveReceiptForm receiveReply receiveReplyForm"
                + " openEmergencyPage useEmergencyPage openQuestionPage useQuestionPage"
                + " openLivePage useLivePage"
        ),
    ]

    /// By name of operation.
    private static let audiences = Dictionary(
        rules.flatMap { rule in rule.1.split(separator: " ").map { (String($0), rule.0) } },
        uniquingKeysWith: { first, _ in first })

    /// What a phone's token is accepted for: its reports, the person's own emergencies, alarms,
    /// policy and set-up, and the person's own journeys.
    private static let ofPhones: Set = [
        "report", "readSetup", "raiseEmergency", "readEmergency", "cancelEmergency", "checkIn",
        "readAlarm", "answerAlarm", "readPolicy", "startJourney", "stopJourney", "listJourneys",
        "readJourney", "addJourneyNote", "addJourneyPhoto", "reopenEmergency",
    ]

    /// The suffixes of an operation that are requests of their own.
    static func variants(of name: String) -> [String] {
        audiences.keys.filter { $0.hasPrefix(name + "/") }.sorted()
    }

    static var names: Set<String> {
        Set(audiences.keys.map { String($0.prefix { $0 != "/" }) })
    }

    /// - Parameter relation: nil = none, or the operator's token
    /// - Returns: nil if the oracle does not know the operation
    static func verdict(
        _ name: String, _ kind: CallerKind, _ relation: Relation?
    ) -> Verdict? {
        // Wards read their own decisions.
        let isOwnDecision = name == "listDecisions" && relation == .ward
        guard let audience = audiences[name] else { return nil }
        if audience == .secret { return .same }
        let accepted: Bool
        switch kind {
        case .none, .wrong: return .unauthenticated
        case .monitor: return audience == .monitoring ? .allowed : .denied
        case .operator, .person: accepted = audience != .phone && audience != .anyPhone
        case .session: accepted = audience != .phone && audience != .anyPhone
        case .report: accepted = ofPhones.contains(name)
        case .help: accepted = name == "raiseEmergency"
        }
        guard accepted else { return .denied }
        // There is no session to end.
        if audience == .session, kind != .session { return .unauthenticated }
        if kind == .operator { return audience.includes(nil) ? .allowed : .denied }
        // A phone's secret may be part of an address, so it reads nothing of others.
        if kind == .report, audience != .people, audience != .anyPhone {
            return relation == .own || relation == .ward ? .allowed : .denied
        }
        return isOwnDecision || audience.includes(relation) ? .allowed : .denied
    }

    /// The same for the paths of phone apps, which accept a phone's token only, and no cookie.
    static func verdictOfApp(_ kind: CallerKind) -> Verdict {
        switch kind {
        case .none, .wrong, .session: .unauthenticated
        case .monitor, .operator, .person, .help: .denied
        case .report: .allowed
        }
    }
}

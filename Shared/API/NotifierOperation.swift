import Model

/// The notifier's operations.
public enum NotifierOperation: OperationID {
    case timeline, acknowledgement, resolution, outbox, notifications, notification, gateways
    case gatewayTest, receipt, drafts, sendDraft, optOuts, setOptOut
    case reply, personNotifications, confirmation, reopening
    case escalations, escalation, reachability, rights
    case withdrawal, acknowledgementByReference
    case readiness
    case drills, drill, startDrill, stopDrill, scheduleDrills, unscheduleDrills
    case emergencies, incident
    case liveLinks, makeLiveLink, revokeLiveLink
    /// The page of a live link.
    case livePage
    /// The page of a personal link.
    case emergencyPage
    /// The page of a question to a person about their own watch or check-in.
    case questionPage
    /// The events of the caller, as they happen.
    case live

    public static let service = ServiceName.notifier

    public static let table: [RoutedOperation<NotifierOperation>] = [
        .init(
            .get, "/v1/circles/{circle}/timeline", .timeline, "readTimeline",
            .right(.readTimeline)),
        .init(
            .get, "/v1/circles/{circle}/reachability", .reachability, "readReachability",
            .signedIn),
        .init(
            .get, "/v1/circles/{circle}/readiness", .readiness, "readReadiness",
            .right(.readReadiness)),
        .init(
            .get, "/v1/circles/{circle}/drills", .drills, "listDrills", .right(.readReadiness)),
        .init(
            .post, "/v1/circles/{circle}/drills", .startDrill, "startDrill", .right(.startDrill)),
        .init(
            .get, "/v1/circles/{circle}/drills/{drill}", .drill, "readDrill",
            .right(.readReadiness)),
        .init(
            .post, "/v1/circles/{circle}/drills/{drill}/stop", .stopDrill, "stopDrill",
            .right(.startDrill)),
        .init(
            .put, "/v1/circles/{circle}/drill-schedule", .scheduleDrills, "scheduleDrills",
            .right(.startDrill)),
        .init(
            .delete, "/v1/circles/{circle}/drill-schedule", .unscheduleDrills, "unscheduleDrills",
            .right(.startDrill)),
        .init(
            .post, "/v1/emergencies/{emergency}/acknowledgement", .acknowledgement,
            "acknowledgeEmergency", .right(.acknowledge), repeats: .never, isEmergencyCommand: true,
            limit: .none),
        .init(
            .delete, "/v1/emergencies/{emergency}/acknowledgement", .withdrawal,
            "withdrawAcknowledgement", .right(.acknowledge), isEmergencyCommand: true,
            limit: .none),
        .init(
            .post, "/v1/emergencies/by-reference/{code}/acknowledgement",
            .acknowledgementByReference, "acknowledgeByReference", .right(.acknowledge),
            repeats: .never, isEmergencyCommand: true, limit: .none),
        .init(
            .get, "/e/{token}", .emergencyPage, "openEmergencyPage", .pathSecret, limit: .none),
        .init(
            .post, "/e/{token}", .emergencyPage, "useEmergencyPage", .pathSecret, repeats: .never,
            isEmergencyCommand: true, limit: .none),
        .init(.get, "/q/{token}", .questionPage, "openQuestionPage", .pathSecret, limit: .none),
        .init(
            .post, "/q/{token}", .questionPage, "useQuestionPage", .pathSecret, repeats: .never,
            isEmergencyCommand: true, limit: .none),
        .init(
            .post, "/v1/emergencies/{emergency}/resolution", .resolution, "resolveEmergency",
            .right(.resolve), repeats: .never, isEmergencyCommand: true, limit: .none),
        .init(
            .post, "/v1/emergencies/{emergency}/confirmation", .confirmation,
            "confirmEndOfEmergency", .right(.resolve), repeats: .never, isEmergencyCommand: true,
            limit: .none),
        .init(
            .post, "/v1/emergencies/{emergency}/reopening", .reopening, "reopenEmergency",
            .right(.panic), also: .report, repeats: .never, isEmergencyCommand: true,
            limit: .none),
        .init(
            .get, "/v1/emergencies/{emergency}/rights", .rights, "listRightsInEmergency",
            .signedIn),
        .init(.get, "/v1/emergencies", .emergencies, "listEmergencies", .right(.readEmergency)),
        .init(
            .get, "/v1/emergencies/{emergency}/incident", .incident, "readIncident",
            .right(.readEmergency)),
        .init(
            .get, "/v1/people/{person}/live-links", .liveLinks, "listLiveLinks",
            .right(.makeLiveLinks, .shareEmergency)),
        // A stored response would keep the secret of the link.
        .init(
            .post, "/v1/people/{person}/live-links", .makeLiveLink, "makeLiveLink",
            .right(.makeLiveLinks, .shareEmergency), repeats: .never),
        .init(
            .delete, "/v1/people/{person}/live-links/{link}", .revokeLiveLink, "revokeLiveLink",
            .right(.makeLiveLinks, .shareEmergency)),
        .init(.get, "/l/{token}", .livePage, "openLivePage", .pathSecret, limit: .none),
        .init(
            .post, "/l/{token}", .livePage, "useLivePage", .pathSecret, repeats: .never,
            limit: .none),
        .init(.get, "/v1/escalations", .escalations, "listEscalations", .right(.readIncidents)),
        .init(
            .get, "/v1/escalations/{emergency}", .escalation, "readEscalation",
            .right(.readIncidents)),
        .init(
            .get, "/v1/people/{person}/notifications", .personNotifications,
            "listNotificationsOfPerson",
            .right(.exportData)),
        .init(.get, "/v1/people/{person}/drafts", .drafts, "listDrafts", .right(.answerAlarms)),
        .init(
            .post, "/v1/people/{person}/drafts/{draft}/send", .sendDraft, "sendDraft",
            .right(.answerAlarms)),
        .init(.get, "/v1/live", .live, "followLive", .signedIn, isStream: true),
        .init(.get, "/v1/opt-outs", .optOuts, "listOptOuts", .right(.administer)),
        .init(.post, "/v1/opt-outs", .setOptOut, "setOptOut", .right(.administer)),
        .init(.get, "/v1/outbox", .outbox, "listOutbox", .right(.administer)),
        .init(.get, "/v1/notifications", .notifications, "listNotifications", .right(.administer)),
        .init(
            .get, "/v1/notifications/{notification}", .notification, "readNotification",
            .right(.administer)),
        .init(.get, "/v1/gateways", .gateways, "listGateways", .right(.administer)),
        .init(
            .post, "/v1/gateways/{gateway}/test", .gatewayTest, "testGateway", .right(.administer),
            canWait: true),
        .init(.get, "/v1/receipts/{token}", .receipt, "receiveReceipt", .pathSecret, limit: .none),
        .init(
            .post, "/v1/receipts/{token}", .receipt, "receiveReceiptForm", .pathSecret,
            repeats: .never, limit: .none),
        .init(.get, "/v1/replies/{token}", .reply, "receiveReply", .pathSecret, limit: .none),
        .init(
            .post, "/v1/replies/{token}", .reply, "receiveReplyForm", .pathSecret, repeats: .never,
            limit: .none),
    ]
}

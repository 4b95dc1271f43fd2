import Web

/// HTTP routes of the notifier.
enum Route: Sendable {
    case timeline, acknowledgement, resolution, outbox, notifications, notification, gateways
    case gatewayTest, receipt, drafts, sendDraft, optOuts, setOptOut
    case reply, personNotifications, confirmation
    case escalations, escalation, reachability

    /// Whether it acknowledges or ends an emergency.
    var isEmergencyCommand: Bool {
        switch self {
        case .acknowledgement, .resolution, .confirmation: true
        default: false
        }
    }

    static let router = Router<Route>([
        (.get, "/v1/circles/{circle}/timeline", .timeline),
        (.get, "/v1/circles/{circle}/reachability", .reachability),
        (.post, "/v1/emergencies/{emergency}/acknowledgement", .acknowledgement),
        (.post, "/v1/emergencies/{emergency}/resolution", .resolution),
        (.post, "/v1/emergencies/{emergency}/confirmation", .confirmation),
        (.get, "/v1/escalations", .escalations),
        (.get, "/v1/escalations/{emergency}", .escalation),
        (.get, "/v1/people/{person}/notifications", .personNotifications),
        (.get, "/v1/people/{person}/drafts", .drafts),
        (.post, "/v1/people/{person}/drafts/{proposal}/send", .sendDraft),
        (.get, "/v1/opt-outs", .optOuts),
        (.post, "/v1/opt-outs", .setOptOut),
        (.get, "/v1/outbox", .outbox),
        (.get, "/v1/notifications", .notifications),
        (.get, "/v1/notifications/{notification}", .notification),
        (.get, "/v1/gateways", .gateways),
        (.post, "/v1/gateways/{gateway}/test", .gatewayTest),
        (.get, "/v1/receipts/{token}", .receipt),
        (.post, "/v1/receipts/{token}", .receipt),
        (.get, "/v1/replies/{token}", .reply),
        (.post, "/v1/replies/{token}", .reply),
    ])
}

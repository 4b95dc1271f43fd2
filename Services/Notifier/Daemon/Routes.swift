import Web

/// The notifier's paths.
enum Route: Sendable {
    case timeline, acknowledgement, resolution, outbox, notifications, notification, gateways
    case gatewayTest, receipt, proposals, sendProposal, stops, stop
    case reply, told, confirmation
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
        (.get, "/v1/people/{person}/notifications", .told),
        (.get, "/v1/people/{person}/proposals", .proposals),
        (.post, "/v1/people/{person}/proposals/{proposal}/send", .sendProposal),
        (.get, "/v1/stops", .stops),
        (.post, "/v1/stops", .stop),
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

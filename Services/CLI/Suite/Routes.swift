/// The service behind each path, as in docs/openapi.yaml. nginx's routes derive from it.
enum Routes {
    /// A path as OpenAPI writes it, with `{name}` for a part that varies.
    struct Route: Hashable, Sendable {
        let path: String
        let service: Service

        /// Locations in nginx's syntax: an exact path or a regular expression. Users type the URLs
        /// of phone apps, so these also match with a trailing slash.
        var locations: [String] {
            let isTyped = Routes.phonePaths.contains(path)
            guard path.contains("{") else {
                return isTyped && path != "/" ? ["= \(path)", "= \(path)/"] : ["= \(path)"]
            }
            return ["~ \"^\(Route.pattern(of: path))\(isTyped ? "/?" : "")$\""]
        }

        /// A regular expression that matches the path.
        static func pattern(of path: String) -> String {
            let parts = path.split(separator: "/").map { $0.hasPrefix("{") ? "[^/]+" : $0 }
            return "/" + parts.joined(separator: "/")
        }
    }

    /// Paths that phone apps post to.
    static let phonePaths: Set<String> = [
        "/", "/pub", "/osmand", "/osmand/{token}", "/overland", "/overland/{token}",
        "/api/v1/overland/batches", "/log/gpslogger", "/log/gpslogger/{token}", "/gprmc/Data",
    ]

    static let all: [Route] =
        list(
            .ingest,
            "/", "/osmand", "/osmand/{token}", "/overland", "/overland/{token}",
            "/api/v1/overland/batches", "/log/gpslogger", "/log/gpslogger/{token}", "/gprmc/Data",
            "/pub", "/v1/reports", "/v1/emergencies", "/v1/emergencies/{emergency}",
            "/v1/emergencies/{emergency}/cancellation", "/v1/circles/{circle}/positions",
            "/v1/people/{person}/check-in", "/v1/people/{person}/alarm",
            "/v1/people/{person}/alarm/{action}",
            "/v1/people/{person}/policy", "/v1/people/{person}/decisions",
            "/v1/people/{person}/locate", "/v1/people/{person}/access-log", "/v1/access-log",
            "/v1/people/{person}/export",
            "/v1/people/{person}/suggested-zones", "/v1/people/{person}/suggested-zones/{offer}",
            "/v1/people/{person}/devices/{device}/encryption-key",
            "/v1/people/{person}/journeys", "/v1/people/{person}/journeys/{journey}",
            "/v1/people/{person}/journeys/{journey}/stop",
            "/v1/people/{person}/journeys/{journey}/reset",
            "/v1/people/{person}/journeys/{journey}/points",
            "/v1/people/{person}/journeys/{journey}/points.gpx",
            "/v1/people/{person}/journeys/{journey}/replay",
            "/v1/people/{person}/journeys/{journey}/notes",
            "/v1/people/{person}/journeys/{journey}/photos",
            "/v1/people/{person}/journeys/{journey}/photos/{photo}",
            "/v1/devices/{device}/log", "/v1/devices/{device}/mqtt-topic", "/v1/mqtt",
            "/v1/quarantine", "/v1/quarantine/{id}", "/v1/quarantine/{id}/retry",
            "/v1/status/ingest", "/v1/streams/ingest", "/v1/tail/ingest")
        + list(
            .membership,
            "/v1/people", "/v1/people/{person}", "/v1/people/{person}/devices",
            "/v1/people/{person}/devices/{device}",
            "/v1/people/{person}/devices/{device}/credential", "/v1/devices/{device}/setup",
            "/v1/people/{person}/credentials",
            "/v1/people/{person}/credentials/{credential}", "/v1/circles", "/v1/circles/{circle}",
            "/v1/circles/{circle}/members", "/v1/circles/{circle}/members/{person}",
            "/v1/circles/{circle}/zones", "/v1/circles/{circle}/zones/import",
            "/v1/circles/{circle}/zones/export",
            "/v1/circles/{circle}/zones/{zone}", "/v1/circles/{circle}/zones/{zone}/mail",
            "/v1/circles/{circle}/sets/{set}", "/v1/circles/{circle}/messages",
            "/v1/circles/{circle}/messages/{message}",
            "/v1/circles/{circle}/messages/{message}/confirmed",
            "/v1/circles/{circle}/messages/{message}/code",
            "/v1/circles/{circle}/messages/{message}/confirmation", "/v1/people/{person}/zones",
            "/v1/people/{person}/zones/import", "/v1/people/{person}/zones/export",
            "/v1/people/{person}/zones/{zone}", "/v1/people/{person}/zones/{zone}/mail",
            "/v1/people/{person}/applicable-zones",
            "/v1/people/{person}/zone-opt-outs/{zone}", "/v1/people/{person}/messages",
            "/v1/people/{person}/messages/{message}",
            "/v1/people/{person}/messages/{message}/confirmed",
            "/v1/people/{person}/messages/{message}/code",
            "/v1/people/{person}/messages/{message}/confirmation", "/v1/sets", "/v1/sets/{set}",
            "/v1/sets/{set}/mail",
            "/v1/sets/{set}/zones", "/v1/sets/{set}/zones/import", "/v1/sets/{set}/zones/export",
            "/v1/sets/{set}/zones/{zone}", "/v1/sets/{set}/zones/{zone}/mail", "/v1/rights",
            "/v1/admin/token", "/v1/admin/monitoring-token", "/v1/status/membership",
            "/v1/streams/membership",
            "/v1/tail/membership")
        + list(
            .timer,
            "/v1/watches", "/v1/watches/{watch}", "/v1/watches/{watch}/extension",
            "/v1/watches/{watch}/end", "/v1/held/timer", "/v1/status/timer",
            "/v1/streams/timer", "/v1/tail/timer")
        + list(
            .notifier,
            "/v1/circles/{circle}/timeline", "/v1/circles/{circle}/reachability",
            "/v1/emergencies/{emergency}/acknowledgement",
            "/v1/emergencies/{emergency}/resolution",
            "/v1/emergencies/{emergency}/confirmation", "/v1/people/{person}/notifications",
            "/v1/escalations", "/v1/escalations/{emergency}",
            "/v1/people/{person}/drafts",
            "/v1/people/{person}/drafts/{proposal}/send", "/v1/opt-outs",
            "/v1/outbox", "/v1/notifications",
            "/v1/notifications/{notification}",
            "/v1/gateways", "/v1/gateways/{gateway}/test", "/v1/receipts/{token}",
            "/v1/replies/{token}",
            "/v1/held/notifier", "/v1/status/notifier", "/v1/streams/notifier", "/v1/tail/notifier")

    private static func list(_ service: Service, _ paths: String...) -> [Route] {
        paths.map { Route(path: $0, service: service) }
    }
}

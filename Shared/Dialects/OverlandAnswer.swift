import Model

extension Overland {
    /// The answer that makes the app delete its batch, with changed settings.
    ///
    /// The app sends when it has a new point and `send_interval` has passed. The interval is short
    /// in every mode, because the mode decides how often there is a point. The app's mode `off` is
    /// never sent, because nothing could end it.
    ///
    /// - Parameter policy: new reporting policy; nil = unchanged
    public static func answer(policy: ReportingPolicy? = nil) -> [UInt8] {
        var text = JSONText(capacity: 192)
        text.raw(#"{"result":"ok""#)
        switch policy?.mode {
        case nil: break
        case .region, .significant:
            // Visits wake the app, which could otherwise sleep for hours.
            text.raw(#","set":{"send_interval":"10s","main":{"#)
            text.raw(#""tracking_mode":"significant","visit_tracking":true}}"#)
        case .standard:
            text.raw(#","set":{"send_interval":"10s","main":{"tracking_mode":"both","#)
            text.raw(#""min_time":"1s","min_distance":""#)
            text.raw(distance(policy?.distanceFilterMetres ?? 50))
            text.raw(#""}}"#)
        case .event:
            text.raw(#","set":{"send_interval":"30s","main":{"tracking_mode":"both","#)
            text.raw(#""min_time":"30s","min_distance":"1m","pause_automatically":false}}"#)
        }
        text.raw("}")
        return text.bytes
    }

    /// The largest distance setting of the app that does not exceed `metres`.
    private static func distance(_ metres: Int32) -> StaticString {
        switch metres {
        case ..<10: "1m"
        case ..<50: "10m"
        case ..<100: "50m"
        case ..<500: "100m"
        default: "500m"
        }
    }
}

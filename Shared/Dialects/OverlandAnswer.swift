import Model

extension Overland {
    /// The one answer that makes the app forget its batch, with settings that change.
    ///
    /// The app sends when there is a new point and `send_interval` is over: it is short in every
    /// mode, since how often there is a point is what the mode decides. What the app calls `off` is
    /// never said: nothing would bring it back.
    ///
    /// - Parameter policy: how the phone is to report from now on; nil = as it does.
    public static func answer(policy: ReportingPolicy? = nil) -> [UInt8] {
        var text = JSONText(capacity: 192)
        text.raw(#"{"result":"ok""#)
        switch policy?.mode {
        case nil: break
        case .region, .significant:
            // Visits wake the app where it would sleep for hours.
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

    /// The longest of the app's distances that is no longer than this.
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

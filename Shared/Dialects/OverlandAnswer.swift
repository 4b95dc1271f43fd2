import Model

extension Overland {
    /// The one answer that makes the app forget its batch, with settings that change.
    ///
    /// What the app calls `off` is never said: nothing would bring it back.
    ///
    /// - Parameter policy: how the phone is to report from now on; nil = as it does.
    public static func answer(policy: ReportingPolicy? = nil) -> [UInt8] {
        var text = JSONText(capacity: 192)
        text.raw(#"{"result":"ok""#)
        if let policy {
            text.raw(#","set":{"send_interval":""#)
            text.raw(sendInterval(policy.intervalSeconds))
            text.raw(#"","main":{"tracking_mode":""#)
            switch policy.mode {
            case .region, .significant:
                // Visits wake the app where it would sleep for hours.
                text.raw(#"significant","visit_tracking":true}}"#)
            case .standard:
                text.raw(#"both","min_distance":""#)
                text.raw(distance(policy.distanceFilterMetres ?? 50))
                text.raw(#"","min_time":"1s"}}"#)
            case .event:
                text.raw(#"both","min_distance":"1m","min_time":"30s","#)
                text.raw(#""pause_automatically":false}}"#)
            }
        }
        text.raw("}")
        return text.bytes
    }

    /// The longest of the app's intervals that is no longer than this.
    private static func sendInterval(_ seconds: Int32) -> StaticString {
        switch seconds {
        case ..<5: "1s"
        case ..<10: "5s"
        case ..<15: "10s"
        case ..<30: "15s"
        case ..<60: "30s"
        case ..<120: "1m"
        case ..<300: "2m"
        case ..<600: "5m"
        case ..<1800: "10m"
        default: "30m"
        }
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

/// Setting or state of a phone that impairs its reporting.
public enum Impairment: String, Sendable, Codable, CaseIterable, Comparable {
    /// The app has no location permission, or only while it is open.
    case locationPermission = "location-permission"
    /// The app has permission for approximate locations only.
    case approximateLocation = "approximate-location"
    /// The system stops the app to save battery.
    case batteryOptimisation = "battery-optimisation"
    /// The phone is in power saving mode.
    case powerSave = "power-save"
    /// The system hibernates the app if it is not opened for long.
    case hibernation
    /// The app may not run in the background.
    case backgroundRefresh = "background-refresh"
    /// The person has signed out of the app.
    case signedOut = "signed-out"
    /// Its reports are encrypted with another key than Jaga's. Jaga detects this, not the phone.
    case undecryptable

    /// Whether the phone may stop reporting. Other impairments make positions inaccurate or rare.
    public var preventsReporting: Bool { self != .approximateLocation && self != .powerSave }

    public static func < (left: Impairment, right: Impairment) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Impairments of a primary device that may stop reporting.
public struct ReportingImpairment: PersonPayload {
    public var person: PersonID
    public var device: DeviceID
    /// Ascending; at least one has ``Impairment/preventsReporting``.
    public var impairments: [Impairment]
    public var at: Timestamp

    public init(
        person: PersonID, device: DeviceID, impairments: [Impairment], at: Timestamp
    ) {
        self.person = person
        self.device = device
        self.impairments = impairments
        self.at = at
    }
}

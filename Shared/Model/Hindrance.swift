/// What keeps a phone from reporting as it should.
public enum Hindrance: String, Sendable, Codable, CaseIterable, Comparable {
    /// The app may not know the position, or only while it is open.
    case locationPermission = "location-permission"
    /// The app may know the position roughly only.
    case approximateLocation = "approximate-location"
    /// The system stops the app to spare the battery.
    case batteryOptimisation = "battery-optimisation"
    /// The whole phone spares its battery.
    case powerSave = "power-save"
    /// The system puts the app to sleep when it is not opened for long.
    case hibernation
    /// The app may do nothing in the background.
    case backgroundRefresh = "background-refresh"
    /// The person has signed out of the app.
    case signedOut = "signed-out"
    /// What it sends is encrypted, and not with the key that Jaga has. The phone cannot say so:
    /// Jaga sees it.
    case undecryptable

    /// Whether the phone may fall silent for it. The others make positions rough or seldom.
    public var makesBlind: Bool { self != .approximateLocation && self != .powerSave }

    public static func < (left: Hindrance, right: Hindrance) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// A leading phone has said that it may fall silent: something keeps it from reporting.
public struct Blindness: Hashable, Sendable, Codable {
    public var person: PersonID
    public var device: DeviceID
    /// Ascending; at least one of them makes blind.
    public var hindrances: [Hindrance]
    public var at: Timestamp

    public init(
        person: PersonID, device: DeviceID, hindrances: [Hindrance], at: Timestamp
    ) {
        self.person = person
        self.device = device
        self.hindrances = hindrances
        self.at = at
    }
}

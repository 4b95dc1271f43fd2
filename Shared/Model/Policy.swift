/// How closely a phone should report, in ascending order.
public enum ReportingMode: String, Sendable, Codable, CaseIterable {
    /// No zone is near: report when entering or leaving a region, and periodically.
    case region
    /// Report on significant location changes.
    case significant
    /// Report after a distance in metres.
    case standard
    /// In an emergency, a watch or a journey: report every 60 s, even without movement.
    case event
}

/// Circular region that a phone monitors itself.
public struct WatchedRegion: Hashable, Sendable, Codable {
    public var zone: ZoneID
    public var center: Coordinate
    public var radiusMetres: Int32

    public init(zone: ZoneID, center: Coordinate, radiusMetres: Int32) {
        self.zone = zone
        self.center = center
        self.radiusMetres = radiusMetres
    }
}

/// Instruction to a person's primary device how to report (domain.md §7).
public struct ReportingPolicy: PersonPayload {
    public var person: PersonID
    public var device: DeviceID
    public var mode: ReportingMode
    /// Distance between reports in mode `standard`.
    public var distanceFilterMetres: Int32?
    /// Maximum interval between reports, seconds; without movement only in mode `event`.
    public var intervalSeconds: Int32
    /// Time without contact after which the device is late, seconds.
    public var contactTimeoutSeconds: Int32
    /// Regions in mode `region`: at most 20, nearest first.
    public var regions: [WatchedRegion]

    public init(
        person: PersonID, device: DeviceID, mode: ReportingMode,
        distanceFilterMetres: Int32? = nil, intervalSeconds: Int32, contactTimeoutSeconds: Int32,
        regions: [WatchedRegion] = []
    ) {
        self.person = person
        self.device = device
        self.mode = mode
        self.distanceFilterMetres = distanceFilterMetres
        self.intervalSeconds = intervalSeconds
        self.contactTimeoutSeconds = contactTimeoutSeconds
        self.regions = regions
    }
}

/// How a phone should report, from the far to the close.
public enum ReportingMode: String, Sendable, Codable, CaseIterable {
    /// Nothing is near: when it enters or leaves one of the regions, and as a watchdog.
    case region
    /// On significant changes of place.
    case significant
    /// After so many metres.
    case standard
    /// In an emergency, a watch or a journey: every 60 s, also standing still.
    case event
}

/// A circle that a phone watches by itself.
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

/// A hint to a person's leading device: how to report from now on (domain.md §7).
public struct ReportingPolicy: Hashable, Sendable, Codable {
    public var person: PersonID
    public var device: DeviceID
    public var mode: ReportingMode
    /// In `standard`.
    public var distanceFilterMetres: Int32?
    /// A report at least so often, seconds; also without moving only in `event`.
    public var intervalSeconds: Int32
    /// Silence beyond this is remarkable, seconds.
    public var maxSilenceSeconds: Int32
    /// In `region`: at most 20, nearest first.
    public var regions: [WatchedRegion]

    public init(
        person: PersonID, device: DeviceID, mode: ReportingMode,
        distanceFilterMetres: Int32? = nil, intervalSeconds: Int32, maxSilenceSeconds: Int32,
        regions: [WatchedRegion] = []
    ) {
        self.person = person
        self.device = device
        self.mode = mode
        self.distanceFilterMetres = distanceFilterMetres
        self.intervalSeconds = intervalSeconds
        self.maxSilenceSeconds = maxSilenceSeconds
        self.regions = regions
    }
}

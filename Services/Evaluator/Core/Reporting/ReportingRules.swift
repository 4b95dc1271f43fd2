import Model

/// Parameters of reporting policies (domain.md §7), as integers.
public struct ReportingRules: Hashable, Sendable {
    /// Mode `standard` below this distance to the nearest edge, centimetres.
    public var standardCentimetres: Int64 = 5_000
    /// Mode `significant` below this distance, centimetres.
    public var significantCentimetres: Int64 = 500_000
    /// Zones up to this distance are close, centimetres.
    public var closeCentimetresMin: Int64 = 1_000_000
    /// So are zones up to this multiple of the closest one's distance.
    public var closeFactor: Int64 = 2
    /// Maximum number of regions that a phone watches.
    public var regionsMax = 20
    /// Radius of a region as a share of the zone's enclosing circle, percent.
    public var regionPercent: Int64 = 150
    /// Regions are chosen again after a move by this share of the distance to the closest zone,
    /// percent.
    public var regionsMovedPercent: Int64 = 10
    /// Distance filter while standing or walking, metres.
    public var filterMetres: Int32 = 50
    /// Slower than this counts as standing or walking, centimetres a second.
    public var filterSpeedMin: Int32 = 300
    /// The distance filter is the distance moved in this time, seconds.
    public var filterSeconds: Int32 = 10
    /// A filter stays if it differs from the speed's by no more than this, percent.
    public var filterPercent: Int32 = 10
    /// Maximum time between reports, seconds.
    public var intervalSeconds: Int32 = 180
    public var eventIntervalSeconds: Int32 = 60
    /// Contact timeout, seconds.
    public var contactTimeoutSeconds: Int32 = 1800
    public var eventContactTimeoutSeconds: Int32 = 180
    /// Maximum time between reports in mode `region`, seconds.
    public var watchdogSeconds: Int32 = 1800

    public init() {}

    /// The distance filter for a speed: the distance moved in ten seconds. It changes only if it
    /// would be more than 10 % off.
    ///
    /// - Parameters:
    ///   - current: the phone's filter; nil = none.
    ///   - speed: centimetres a second; nil = unknown, which changes nothing.
    func filter(after current: Int32?, speed: Int32?) -> Int32 {
        let current = current ?? filterMetres
        guard let speed, speed >= 0 else { return current }
        guard speed >= filterSpeedMin else { return filterMetres }
        let currentSpeed = Int64(current) * 100 / Int64(filterSeconds)
        let off = abs(currentSpeed - Int64(speed)) * 100
        guard off > currentSpeed * Int64(filterPercent) else { return current }
        return Int32(clamping: (Int64(speed) + 50) / 100 * Int64(filterSeconds))
    }

    /// The radius of the region around a zone, metres.
    ///
    /// - Parameter reachMetres: radius of the zone's enclosing circle.
    func regionRadius(reachMetres: Double) -> Double {
        let part = reachMetres * Double(regionPercent) / 100
        return max(part, reachMetres + Double(significantCentimetres) / 100).rounded(.up)
    }
}

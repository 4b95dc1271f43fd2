import Model

/// The numbers of hints to phones (domain.md §7), in integers.
public struct ReportingRules: Hashable, Sendable {
    /// Closer than this to the edge of a zone: `standard`. Centimetres.
    public var standardCentimetres: Int64 = 5_000
    /// Closer than this: `significant`. Centimetres.
    public var significantCentimetres: Int64 = 500_000
    /// Zones no farther away than this are close. Centimetres.
    public var closeCentimetresMin: Int64 = 1_000_000
    /// So are those no farther away than so many times the closest.
    public var closeFactor: Int64 = 2
    /// A phone watches no more regions than these.
    public var regionsMax = 20
    /// A region's radius is so much of what encloses the zone, percent.
    public var regionPercent: Int64 = 150
    /// Who has moved less than so much of the distance to the closest zone is told of no other
    /// regions for that, percent.
    public var regionsMovedPercent: Int64 = 10
    /// While standing or walking, metres.
    public var filterMetres: Int32 = 50
    /// Slower than this is that. Centimetres a second.
    public var filterSpeedMin: Int32 = 300
    /// A filter is worth so many seconds of a way.
    public var filterSeconds: Int32 = 10
    /// A filter that differs by no more than this from the speed stays, percent.
    public var filterPercent: Int32 = 10
    /// A report at least so often, seconds.
    public var intervalSeconds: Int32 = 180
    public var eventIntervalSeconds: Int32 = 60
    /// Beyond this silence is remarkable, seconds.
    public var silenceSeconds: Int32 = 1800
    public var eventSilenceSeconds: Int32 = 180
    /// In `region` a report comes at least so often, seconds.
    public var watchdogSeconds: Int32 = 1800

    public init() {}

    /// The distance filter for a speed: so many metres as are gone in ten seconds, told anew only
    /// where it would be more than 10 % off.
    ///
    /// - Parameters:
    ///   - told: the one that the phone has; nil = none.
    ///   - speed: centimetres a second; nil = unknown, which changes nothing.
    func filter(after told: Int32?, speed: Int32?) -> Int32 {
        let told = told ?? filterMetres
        guard let speed, speed >= 0 else { return told }
        guard speed >= filterSpeedMin else { return filterMetres }
        let speedOfTold = Int64(told) * 100 / Int64(filterSeconds)
        let off = abs(speedOfTold - Int64(speed)) * 100
        guard off > speedOfTold * Int64(filterPercent) else { return told }
        return Int32(clamping: (Int64(speed) + 50) / 100 * Int64(filterSeconds))
    }

    /// The radius of the region around a zone, metres.
    ///
    /// - Parameter reachMetres: of the circle that encloses the zone.
    func regionRadius(reachMetres: Double) -> Double {
        let part = reachMetres * Double(regionPercent) / 100
        return max(part, reachMetres + Double(significantCentimetres) / 100).rounded(.up)
    }
}

import Model

/// A zone as a place sees it.
struct SurroundingZone: Hashable, Sendable {
    var zone: ZoneID
    /// To its edge, from inside or outside.
    var centimetres: Int64
    /// Of the circle that encloses it.
    var center: Coordinate
    var reachMetres: Double
    /// Straight from the place to the middle of that circle.
    var centerMetres: Double

    /// The nearer one comes first; of those equally far the one with the lesser id.
    func isNearer(than other: SurroundingZone) -> Bool {
        (centimetres, zone) < (other.centimetres, other.zone)
    }
}

/// What the zones around a place ask of a phone that is there.
struct Surroundings: Sendable {
    /// How to report there, without an emergency.
    private(set) var mode: ReportingMode
    /// The mode is the same at all places that are less far away than this, metres. Distances are
    /// as exact as ``Surroundings/doubt(_:)`` says, and what a phone is told never depends on
    /// which places were looked at before.
    private(set) var slackMetres: Double
    /// Zones that are close, where none is so close that the phone has to report by distance; the
    /// nearest first.
    private(set) var close: ArraySlice<SurroundingZone> = []

    /// Slack is no greater than this, metres.
    private static let slackMetresMax = 50_000.0
    /// Distances beyond this are not relied on, centimetres.
    private static let reliable: Int64 = 30_000_000

    /// How far off a distance may be at most, centimetres: more than twice what is promised.
    static func doubt(_ centimetres: Int64) -> Int64 { 120 + centimetres / 100 }

    /// By the distance to the nearest edge alone; nil where that is not enough to know.
    ///
    /// - Parameter nearest: centimetres.
    init?(nearest: Int64, _ rules: ReportingRules) {
        self.init(nearestMin: nearest, nearestMax: nearest, rules)
    }

    /// The same where limits of that distance are known.
    init?(_ glance: Glance, _ rules: ReportingRules) {
        self.init(nearestMin: glance.nearestMin, nearestMax: glance.nearestMax, rules)
    }

    /// - Parameters:
    ///   - nearestMin: no edge is nearer, centimetres.
    ///   - nearestMax: some edge is no farther away.
    private init?(nearestMin: Int64, nearestMax: Int64, _ rules: ReportingRules) {
        func doubt(_ centimetres: Int64) -> Int64 {
            nearestMin == nearestMax ? 0 : Surroundings.doubt(centimetres)
        }
        guard nearestMax < rules.significantCentimetres - doubt(rules.significantCentimetres)
        else { return nil }
        let standard = rules.standardCentimetres
        let isStandard = nearestMax < standard - doubt(standard)
        guard isStandard || nearestMin >= standard + doubt(standard) else { return nil }
        mode = isStandard ? .standard : .significant
        slackMetres = Surroundings.slackMetresMax
        keep(Surroundings.way(from: nearestMax, to: rules.significantCentimetres))
        keep(Surroundings.way(from: isStandard ? nearestMax : nearestMin, to: standard))
    }

    /// Far from every edge.
    ///
    /// - Parameters:
    ///   - zones: the nearest ones, nearest first, one more than a phone can watch.
    ///   - isAll: whether there are no others at all.
    init(far zones: [SurroundingZone], isAll: Bool, _ rules: ReportingRules) {
        mode = .region
        slackMetres = isAll && zones.isEmpty ? Surroundings.slackMetresMax : 0
        guard let nearest = zones.first?.centimetres else { return }
        let limit = max(rules.closeCentimetresMin, rules.closeFactor * nearest)
        close = zones.prefix(rules.regionsMax).prefix { $0.centimetres <= limit }
        slackMetres = Surroundings.slackMetresMax
        keep(Surroundings.way(from: nearest, to: rules.significantCentimetres))
        keepClose(among: zones, limit: limit, rules)
        for zone in close {
            let beyond = zone.centerMetres - rules.regionRadius(reachMetres: zone.reachMetres)
            if beyond < 0 { mode = .significant }
            // To its middle the way is measured straight.
            keep(beyond.magnitude - 5)
        }
    }

    /// What the phone shall watch.
    func regions(_ rules: ReportingRules) -> [WatchedRegion] {
        close.map { zone in
            WatchedRegion(
                zone: zone.zone, center: zone.center,
                radiusMetres: Int32(rules.regionRadius(reachMetres: zone.reachMetres)))
        }
    }

    private mutating func keep(_ metres: Double) { slackMetres = max(0, min(slackMetres, metres)) }

    /// No farther than other zones could become close, or close ones others.
    private mutating func keepClose(
        among zones: [SurroundingZone], limit: Int64, _ rules: ReportingRules
    ) {
        guard let last = close.last else { return }
        // One step changes each distance by its length, and the limit by the factor of it.
        let steps = Double(rules.closeFactor + 1)
        let farthest = last.centimetres
        guard farthest < Surroundings.reliable else {
            slackMetres = 0
            return
        }
        keep(Surroundings.way(from: farthest, to: limit) / steps)
        let next = zones.count > close.count ? zones[close.count].centimetres : .max
        let other = min(next, Surroundings.reliable)
        if next > limit {
            keep(Surroundings.way(from: limit, to: other) / steps)
        } else {
            keep(Surroundings.way(from: farthest, to: other) / 2)
        }
    }

    /// How far one may surely go before one of two distances becomes the other, metres; less than
    /// nothing where they can hardly be told apart.
    private static func way(from one: Int64, to other: Int64) -> Double {
        Double(abs(one - other) - doubt(one) - doubt(other)) / 100
    }
}

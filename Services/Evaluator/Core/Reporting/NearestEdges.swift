import Model

/// A zone near a point, by the distance to its edge.
struct NearestEdge: Hashable, Sendable {
    var zone: ZoneID
    /// Distance to its edge, from inside or outside.
    var centimetres: Int64
    /// Centre of the enclosing circle.
    var center: Coordinate
    var reachMetres: Double
    /// Straight distance from the point to that centre.
    var centerMetres: Double

    /// Orders by distance, then by id.
    func isNearer(than other: NearestEdge) -> Bool {
        (centimetres, zone) < (other.centimetres, other.zone)
    }
}

/// The reporting mode and watched regions that the zones around a point require.
struct NearestEdges: Sendable {
    /// The reporting mode outside of emergencies.
    private(set) var mode: ReportingMode
    /// The mode is the same at all points closer than this, metres. Distances are as exact as
    /// ``NearestEdges/uncertainty(_:)`` says, so that a policy never depends on the points
    /// evaluated before.
    private(set) var slackMetres: Double
    /// Close zones, nearest first; empty if one is so close that the phone reports by distance.
    private(set) var close: ArraySlice<NearestEdge> = []

    /// Upper limit of ``slackMetres``.
    private static let slackMetresMax = 50_000.0
    /// Distances beyond this are not reliable, centimetres.
    private static let reliable: Int64 = 30_000_000

    /// Maximum error of a distance, centimetres: more than twice the guaranteed one.
    static func uncertainty(_ centimetres: Int64) -> Int64 { 120 + centimetres / 100 }

    /// Decides by the distance to the nearest edge alone; nil if that is not enough.
    ///
    /// - Parameter nearest: centimetres.
    init?(nearest: Int64, _ rules: ReportingRules) {
        self.init(nearestMin: nearest, nearestMax: nearest, rules)
    }

    /// Decides by bounds of the distance to the nearest edge; nil if that is not enough.
    init?(_ bounds: NearestEdgeBounds, _ rules: ReportingRules) {
        self.init(nearestMin: bounds.nearestMin, nearestMax: bounds.nearestMax, rules)
    }

    /// - Parameters:
    ///   - nearestMin: no edge is nearer, centimetres.
    ///   - nearestMax: some edge is no farther away, centimetres.
    private init?(nearestMin: Int64, nearestMax: Int64, _ rules: ReportingRules) {
        func uncertainty(_ centimetres: Int64) -> Int64 {
            nearestMin == nearestMax ? 0 : NearestEdges.uncertainty(centimetres)
        }
        guard nearestMax < rules.significantCentimetres - uncertainty(rules.significantCentimetres)
        else { return nil }
        let standard = rules.standardCentimetres
        let isStandard = nearestMax < standard - uncertainty(standard)
        guard isStandard || nearestMin >= standard + uncertainty(standard) else { return nil }
        mode = isStandard ? .standard : .significant
        slackMetres = NearestEdges.slackMetresMax
        limitSlack(
            to: NearestEdges.safeDistance(from: nearestMax, to: rules.significantCentimetres))
        limitSlack(
            to: NearestEdges.safeDistance(from: isStandard ? nearestMax : nearestMin, to: standard))
    }

    /// Decides for a point that is far from every edge.
    ///
    /// - Parameters:
    ///   - zones: the nearest zones, nearest first, one more than a phone can watch.
    ///   - isAll: whether there are no other zones.
    init(far zones: [NearestEdge], isAll: Bool, _ rules: ReportingRules) {
        mode = .region
        slackMetres = isAll && zones.isEmpty ? NearestEdges.slackMetresMax : 0
        guard let nearest = zones.first?.centimetres else { return }
        let limit = max(rules.closeCentimetresMin, rules.closeFactor * nearest)
        close = zones.prefix(rules.regionsMax).prefix { $0.centimetres <= limit }
        slackMetres = NearestEdges.slackMetresMax
        limitSlack(to: NearestEdges.safeDistance(from: nearest, to: rules.significantCentimetres))
        limitSlackByCloseZones(among: zones, limit: limit, rules)
        for zone in close {
            let beyond = zone.centerMetres - rules.regionRadius(reachMetres: zone.reachMetres)
            if beyond < 0 { mode = .significant }
            // The distance to the centre is measured straight.
            limitSlack(to: beyond.magnitude - 5)
        }
    }

    /// The regions that the phone watches.
    func regions(_ rules: ReportingRules) -> [WatchedRegion] {
        close.map { zone in
            WatchedRegion(
                zone: zone.zone, center: zone.center,
                radiusMetres: Int32(rules.regionRadius(reachMetres: zone.reachMetres)))
        }
    }

    private mutating func limitSlack(to metres: Double) {
        slackMetres = max(0, min(slackMetres, metres))
    }

    /// Limits the slack to where the set of close zones stays the same.
    private mutating func limitSlackByCloseZones(
        among zones: [NearestEdge], limit: Int64, _ rules: ReportingRules
    ) {
        guard let last = close.last else { return }
        // Moving by a distance changes each zone's distance by as much, and the limit by its
        // multiple.
        let steps = Double(rules.closeFactor + 1)
        let farthest = last.centimetres
        guard farthest < NearestEdges.reliable else {
            slackMetres = 0
            return
        }
        limitSlack(to: NearestEdges.safeDistance(from: farthest, to: limit) / steps)
        let next = zones.count > close.count ? zones[close.count].centimetres : .max
        let other = min(next, NearestEdges.reliable)
        if next > limit {
            limitSlack(to: NearestEdges.safeDistance(from: limit, to: other) / steps)
        } else {
            limitSlack(to: NearestEdges.safeDistance(from: farthest, to: other) / 2)
        }
    }

    /// How far a person can move before one of two distances equals the other, metres; negative if
    /// they are too similar to tell.
    private static func safeDistance(from one: Int64, to other: Int64) -> Double {
        Double(abs(one - other) - uncertainty(one) - uncertainty(other)) / 100
    }
}

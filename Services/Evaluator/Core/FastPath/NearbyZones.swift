import Geometry
import Model

/// Cache of the zones around a person: while the person stays within its reach, no spatial index is
/// searched.
///
/// Each zone has a circle on a local map. Fixes on one side of the circle change nothing in that
/// zone. For a round zone the circle is the zone itself, a little narrower or wider. For any other
/// zone it is centred where the zone was measured last, and reaches to its nearest line. A line is
/// an edge, or where an alert distance ends. Suppressed states have no circle; for them the rules
/// are always evaluated.
///
/// The cache is no part of the state: decisions are the same without it, only slower. It becomes
/// invalid with the next configuration record, when a wait ends, and when anything but a plausible
/// fix changes presence.
struct NearbyZones: Sendable {
    /// A nearby zone as it was measured last.
    struct Entry: Sendable {
        let zone: ZoneID
        /// Its index among its owner's zones.
        let index: Int32
        let lines: ZoneLines
        /// Distance to its edge, negative inside.
        private(set) var centimetres: Int32
        /// The point from which it was measured.
        private var measuredFrom = Circles.LocalPoint(east: 0, north: 0)
        private let center: Coordinate
        /// The centre on the map.
        private var middle = Circles.LocalPoint(east: 0, north: 0)
        /// Metres; negative if the zone is not round, or not round on the map.
        private var radius: Float
        /// Maximum error of distances to a round zone's lines on the map, metres.
        private var maxError: Float = 0
        /// Number of the owner: 0 = the person, then each circle, then each set.
        let owner: UInt16
        let isCrossed: Bool
        let isScheduled: Bool
        let isTimed: Bool
        /// The known presence; `unknown` if the rules have to be evaluated.
        fileprivate(set) var known: Presence

        /// A zone without a known presence, measured from the map's centre.
        init(_ zones: ActiveZones, _ index: Int32, owner: UInt16, centimetres: Int32) {
            let zone = zones.zones[Int(index)]
            self.zone = zone.id
            self.index = index
            self.owner = owner
            self.centimetres = centimetres
            center = zones.regions.center(Int(index)).coordinate
            radius = Float(zones.regions.radiusMetres(Int(index)) ?? -1)
            isCrossed = zone.isCrossed
            isScheduled = zone.isScheduled
            isTimed = zone.isTimed
            known = .outside
            lines = ZoneLines(zone)
        }
    }

    /// Maximum number of zones. If more are close, the spatial index is searched.
    static let count = Circles.count
    /// Distances beyond this make no difference, metres.
    static let metresMax = 10_000.0
    /// Minimum reach of a useful cache, metres.
    private static let metresMin = 20.0
    /// Maximum relative error of distances on a map.
    fileprivate static let relativeErrorMax = 0.001
    /// A zone counts as round on the map up to this error of its distances and this distance of its
    /// centre, metres.
    fileprivate static let errorMax = 3.0
    fileprivate static let centerMetresMax = 20_000.0
    /// Distances are exact within this or a tenth of a percent, including rounding, metres.
    fileprivate static let measuringError = 0.65
    /// Below this distance an edge is measured exactly, metres. Edges that are farther away
    /// influence no reporting policy, except very distant ones.
    private static let exactMetres: Float = 100
    /// Maximum number of fixes to wait before a rebuild, after rebuilds that did not pay off.
    private static let skipMax: UInt8 = 31

    /// The circles: all that a fix needs which changes nothing.
    private var circles = Circles()
    private var map = LocalMap(around: EarthPoint(Coordinate(latitudeE7: 0, longitudeE7: 0)))
    /// All lines of other zones are farther from the centre than this, metres on the map; negative
    /// = the cache is invalid.
    private(set) var metres = -1.0
    /// Maximum error of short distances on the map, metres.
    private var maxError = 0.0
    /// ``KnownZones/generation`` at the rebuild.
    private var configurationGeneration: UInt64 = 0
    /// Ordered by owner, then by id.
    private(set) var entries: [Entry] = []
    /// Number of entries, and a part of each id. These are compared first because reading whole
    /// entries touches much memory.
    private var count = 0
    private var keys = InlineArray<16, UInt32>(repeating: 0)
    /// Number of fixes that this cache has served; saturates.
    private var hits: UInt8 = 0
    /// Number of fixes to skip before the next rebuild, and its value at the last one.
    private var fixesToSkip: UInt8 = 0
    private var skip: UInt8 = 0

    // MARK: Where a fix is

    /// The point of a coordinate on the map.
    @inline(__always)
    func localPoint(of coordinate: Coordinate) -> Circles.LocalPoint {
        let (east, north) = map.point(of: coordinate)
        return Circles.LocalPoint(east: Float(east), north: Float(north))
    }

    /// Whether a point is nearer to the centre than any line of another zone, by two metres.
    @inline(__always)
    func reaches(_ localPoint: Circles.LocalPoint) -> Bool {
        let reach = Float(metres - 2)
        let middle = Circles.LocalPoint(east: 0, north: 0)
        return reach > 0 && localPoint.squaredMetres(to: middle) < reach * reach
    }

    /// Whether a fix at this point changes nothing in any zone.
    @inline(__always)
    func isClear(_ localPoint: Circles.LocalPoint) -> Bool {
        reaches(localPoint) && circles.allContain(localPoint)
    }

    /// Moves to a fix. Returns its point on the map; nil if zones outside of this cache may matter.
    mutating func move(
        to coordinate: Coordinate, from before: Coordinate, at configurationGeneration: UInt64
    ) -> Circles.LocalPoint? {
        guard metres > 0, configurationGeneration == self.configurationGeneration else {
            return nil
        }
        let localPoint = localPoint(of: coordinate)
        guard reaches(localPoint), reaches(self.localPoint(of: before)) else { return nil }
        countHits(1)
        return localPoint
    }

    /// The distance around a point that is free of lines of other zones, metres.
    func clearance(at localPoint: Circles.LocalPoint) -> Double {
        let away = localPoint.squaredMetres(to: Circles.LocalPoint(east: 0, north: 0))
        return metres - Double(away).squareRoot()
    }

    /// Traits of the zones with an id, without reading the zones; nil if that needs a lookup.
    func traits(of zone: ZoneID, at configurationGeneration: UInt64) -> (
        alarms: Bool, isTimed: Bool
    )? {
        guard metres > 0, configurationGeneration == self.configurationGeneration else {
            return nil
        }
        var found: (alarms: Bool, isTimed: Bool)?
        let key = NearbyZones.key(zone)
        for index in 0..<count where keys[index] == key && entries[index].zone == zone {
            found = (
                found?.alarms == true || entries[index].lines.alarms,
                found?.isTimed == true || entries[index].isTimed
            )
        }
        return found
    }

    // MARK: What is looked at

    /// The first entry from an index on that a fix at this point may change.
    @inline(__always)
    func next(from start: Int, at localPoint: Circles.LocalPoint) -> Int? {
        circles.firstViolated(localPoint, from: start, to: count)
    }

    /// Stores a distance that was measured from a point.
    mutating func recordDistance(
        _ index: Int, _ centimetres: Int32, from localPoint: Circles.LocalPoint
    ) {
        entries[index].recordDistance(centimetres, from: localPoint)
        updateCircle(index)
    }

    /// Updates the known presence in a zone.
    ///
    /// - Parameter known: `unknown` if the rules have to be evaluated.
    mutating func update(_ zone: ZoneID, _ known: Presence) {
        guard metres > 0 else { return }
        let key = NearbyZones.key(zone)
        for index in 0..<count where keys[index] == key && entries[index].zone == zone {
            entries[index].known = known
            updateCircle(index)
        }
    }

    @inline(__always)
    private static func key(_ zone: ZoneID) -> UInt32 {
        UInt32(truncatingIfNeeded: zone.raw.mixed >> 32)
    }

    /// Updates the circle of an entry.
    private mutating func updateCircle(_ index: Int) { circles.set(index, entries[index].side) }

    /// Bounds of the distance to the nearest edge, from the circles alone. Valid for a point that
    /// changes nothing, or after all zones that it may change were measured.
    mutating func quickNearestEdgeBounds(at localPoint: Circles.LocalPoint) -> NearestEdgeBounds {
        let (least, most) = circles.nearest(to: localPoint)
        let nearest = min(Double(least), clearance(at: localPoint)) * 0.997 - maxError
        var bounds = NearestEdgeBounds(nearestMin: Int64(max(nearest, 0) * 100))
        // Without an edge the distance is infinite.
        let farthest = Double(min(most, 1_000_000)) * 1.006 + maxError
        if most < .infinity { bounds.add(.max, Int64(farthest * 100)) }
        return bounds
    }

    /// Bounds of the distance to the nearest edge, from all entries.
    func nearestEdgeBounds(at localPoint: Circles.LocalPoint) -> NearestEdgeBounds {
        let clearance = Int64((clearance(at: localPoint) - 1) * 100)
        var bounds = NearestEdgeBounds(nearestMin: clearance)
        for entry in entries {
            let (nearest, farthest) = entry.limits(at: localPoint)
            bounds.add(nearest, farthest)
        }
        return bounds
    }

    /// The entry that may have the nearest edge but was not measured from this point; nil if the
    /// nearest edge is known.
    func nextUncertain(at localPoint: Circles.LocalPoint) -> Int? {
        var least = Int64(NearbyZones.exactMetres * 100)
        var nearest: Int?
        for index in entries.indices {
            let (low, high) = entries[index].limits(at: localPoint)
            guard low <= least else { continue }
            least = low
            nearest = low == high ? nil : index
        }
        return nearest
    }

    // MARK: Its beginning and end

    mutating func invalidate() { metres = -1 }

    /// Counts fixes that did not leave the cache's reach.
    mutating func countHits(_ fixes: UInt8) {
        hits = hits > .max - fixes ? .max : hits + fixes
    }

    /// Whether to rebuild after a fix that the cache did not serve. Rebuilds seldom pay off for
    /// people who move fast.
    mutating func shouldRebuild() -> Bool {
        metres = -1
        guard fixesToSkip == 0 else {
            fixesToSkip -= 1
            return false
        }
        skip = hits > 1 ? 0 : min(skip * 2 + 1, NearbyZones.skipMax)
        fixesToSkip = skip
        hits = 0
        return true
    }

    /// Rebuilds the cache.
    ///
    /// - Parameters:
    ///   - metres: all other zones and their lines are at least this far away.
    ///   - entries: ordered by owner, then by id; contains all zones with a known presence,
    ///     measured from the point.
    mutating func rebuild(
        around point: EarthPoint, metres: Double, _ entries: [Entry],
        at configurationGeneration: UInt64
    ) {
        self.entries.removeAll(keepingCapacity: true)
        count = 0
        self.metres = -1
        let map = LocalMap(around: point)
        let reach = min(metres * (1 - NearbyZones.relativeErrorMax) - 1, map.metres(keeping: 0.001))
        guard reach >= NearbyZones.metresMin, entries.count <= NearbyZones.count else {
            return
        }
        self.entries.append(contentsOf: entries)
        self.configurationGeneration = configurationGeneration
        self.map = map
        self.metres = reach
        circles = Circles()
        maxError = 1
        count = entries.count
        for index in self.entries.indices {
            keys[index] = NearbyZones.key(entries[index].zone)
            maxError = max(maxError, self.entries[index].place(on: map, reach: reach))
            updateCircle(index)
        }
    }
}

extension NearbyZones.Entry {
    /// Places the zone on a map that is used up to `reach` metres. Returns the maximum error of
    /// distances there, metres.
    fileprivate mutating func place(on map: LocalMap, reach: Double) -> Double {
        guard radius >= 0 else { return 0 }
        let (east, north) = map.point(of: center)
        let away = (east * east + north * north).squareRoot()
        let farthest = max(away, reach)
        let stretch = map.share(within: farthest) * (away + reach)
        let maxError = stretch + lines.alertMetres / 1000 + NearbyZones.measuringError
        guard away <= NearbyZones.centerMetresMax, maxError <= NearbyZones.errorMax else {
            radius = -1
            return 0
        }
        middle = Circles.LocalPoint(east: Float(east), north: Float(north))
        self.maxError = Float(maxError)
        return maxError
    }

    /// Distance to the zone less its alert distance, centimetres.
    var nearness: Int64 { lines.nearness(of: centimetres) }

    /// Whether a fix with this presence, and the path to it, change nothing.
    func isAsKnown(_ seen: Presence) -> Bool {
        known == seen && (!isScheduled || seen == .outside)
    }

    fileprivate mutating func recordDistance(
        _ centimetres: Int32, from localPoint: Circles.LocalPoint
    ) {
        self.centimetres = centimetres
        measuredFrom = localPoint
    }

    /// The side of a circle on which fixes change nothing.
    fileprivate var side: Circles.Side {
        if radius >= 0, known == .inside, !isScheduled {
            return around(middle, radius - maxError, isInside: true, isRound: true)
        }
        if radius >= 0, known == .outside, !isCrossed {
            let beyond = radius + Float(lines.alertMetres) + maxError
            return around(middle, beyond, isInside: false, isRound: true)
        }
        var surely = -1.0
        if isAsKnown(lines.side(of: centimetres)) {
            let toLine = Double(lines.centimetres(from: centimetres)) / 100
            surely = toLine * (0.998 - NearbyZones.relativeErrorMax) - 1
        }
        return around(measuredFrom, Float(surely), isInside: true, isRound: false)
    }

    private func around(
        _ middle: Circles.LocalPoint, _ radius: Float, isInside: Bool, isRound: Bool
    ) -> Circles.Side {
        // A little nearer than measured, because both measurements have errors.
        let seen = Float(centimetres.magnitude) / 100 * 0.997
        return Circles.Side(
            middle: middle, radius: radius, isInside: isInside,
            edge: isRound ? self.radius : seen, isRound: isRound)
    }

    /// Bounds of the distance from a point to the edge, centimetres; equal if it was measured from
    /// there.
    @inline(__always)
    fileprivate func limits(at localPoint: Circles.LocalPoint) -> (nearest: Int64, farthest: Int64)
    {
        let seen = Int64(centimetres.magnitude)
        if localPoint == measuredFrom { return (seen, seen) }
        if radius >= 0 {
            let toEdge = (localPoint.squaredMetres(to: middle).squareRoot() - radius).magnitude
            return (Int64((toEdge - maxError) * 100) - 1, Int64((toEdge + maxError) * 100) + 1)
        }
        let moved = localPoint.squaredMetres(to: measuredFrom).squareRoot() * 1.002
        let maxError = seen / 500 + 100 + Int64(moved * 100)
        return (seen - maxError, seen + maxError)
    }
}

/// The lines of a zone that matter: its edge and the end of its alert distance.
struct ZoneLines: Sendable {
    private let alertCentimetres: Int32
    private let isEdgeInside: Bool
    let alarms: Bool

    init(_ zone: ActiveZone) {
        alertCentimetres = zone.alertCentimetres
        isEdgeInside = zone.kind.rules.isEdgeInside
        alarms = zone.kind.rules.alarms
    }

    var alertMetres: Double { Double(alertCentimetres) / 100 }

    /// Distance to the nearer line, centimetres, given the distance to the edge.
    func centimetres(from distance: Int32) -> Int32 {
        let toEdge = Int32(clamping: distance.magnitude)
        guard alertCentimetres > 0 else { return toEdge }
        let toAlert = Int64(distance) - Int64(alertCentimetres)
        return min(toEdge, Int32(clamping: toAlert.magnitude))
    }

    /// The presence at a distance from the edge.
    func side(of distance: Int32) -> Presence {
        if isEdgeInside ? distance <= 0 : distance < 0 { return .inside }
        return alertCentimetres > 0 && distance <= alertCentimetres ? .near : .outside
    }

    /// The distance from the edge less the alert distance, centimetres.
    func nearness(of distance: Int32) -> Int64 { Int64(distance) - Int64(alertCentimetres) }
}

/// Bounds of the distance from a fix to the nearest edge.
struct NearestEdgeBounds: Sendable {
    /// The nearest edge is at least and at most this far away, centimetres.
    private(set) var nearestMin: Int64
    private(set) var nearestMax: Int64 = .max

    /// - Parameter nearestMin: no other edge is nearer, centimetres.
    init(nearestMin: Int64) { self.nearestMin = nearestMin }

    @inline(__always)
    mutating func add(_ nearest: Int64, _ farthest: Int64) {
        nearestMin = min(nearestMin, nearest)
        nearestMax = min(nearestMax, farthest)
    }
}

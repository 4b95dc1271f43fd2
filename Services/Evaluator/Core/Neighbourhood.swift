import Geometry
import Model

/// The zones around a place where a fix of a person was judged, and how far away all others are:
/// while the person moves about there, no index is asked.
///
/// A zone of which nothing is known, and that the person is outside of, matters when one of its
/// lines may be crossed: its edge, or the line at its alert distance. How far a line was when it
/// was looked at last, and how long the person's way has been since, tell how far it is at least;
/// most zones around need no look for that.
///
/// It is no part of the state: without it the same is decided, more slowly. It ends with the next
/// record of configuration, with a wait that is over, and where presence is decided by anything but
/// a fix that can have followed.
struct Neighbourhood: Sendable {
    /// A zone as it was seen last.
    struct Neighbour: Sendable {
        let zone: ZoneID
        /// Among its owner's.
        let place: Int32
        let lines: ZoneLines
        /// To its edge, negative inside.
        private(set) var centimetres: Int32
        /// How long the way was when it was seen so, centimetres.
        private var seenAt: Int32 = 0
        /// 0 = the person, then circle by circle, then set by set.
        let owner: UInt16
        let isCrossed: Bool
        let isScheduled: Bool
        /// Where the person was then, seen from the zone.
        private(set) var side: Presence
        /// What is known of the person and the zone; `unknown` for what has to be looked at with
        /// each fix.
        var known: Presence
    }

    /// No more zones than these; where more are that close, indices are asked.
    static let count = 16
    /// Farther than this nobody gains by knowing how far, metres.
    static let metresMax = 10_000.0
    /// Closer than this to a line it is worth while to know exactly how far, centimetres: no phone
    /// is told anything because of a line that is farther away.
    static let exactCentimetres: Int32 = 10_000
    /// After so long a way it is made anew, centimetres.
    private static let wayMax: Int32 = 1_000_000_000
    /// With all others so close it is none, metres.
    private static let metresMin = 20.0
    /// Made in vain, the next one is made only after so many fixes.
    private static let pauseMax: UInt8 = 31

    /// By owner, then by id.
    private(set) var neighbours: [Neighbour] = []
    private var middle = EarthPoint(Coordinate(latitudeE7: 0, longitudeE7: 0))
    /// The last fix that was judged in it.
    private var last = EarthPoint(Coordinate(latitudeE7: 0, longitudeE7: 0))
    /// How long the way was from the middle until there, centimetres, rounded up.
    private var way: Int32 = 0
    /// Every line of every other zone is farther from the middle, metres; negative where nothing
    /// is known.
    private(set) var metres = -1.0
    /// What ``PartitionState/arrangements`` was when it was made.
    private var arrangements: UInt64 = 0
    /// Fixes that were judged in it, as far as it matters.
    private var served: UInt8 = 0
    /// Fixes until it is worth while to make one, and how many there were last time.
    private var waits: UInt8 = 0
    private var pause: UInt8 = 0

    /// Goes on to a fix; nil where others than the neighbours may matter.
    ///
    /// - Returns: within how many metres of the fix there is no line of another zone.
    mutating func go(
        to point: EarthPoint, from before: EarthPoint, at arrangements: UInt64
    ) -> Double? {
        guard metres > 0, arrangements == self.arrangements, way < Neighbourhood.wayMax else {
            return nil
        }
        // A metre because distances are exact within 50 cm, there and here.
        let room = metres - Neighbourhood.metres(middle, point) - 1
        guard room > 2, Neighbourhood.metres(middle, before) < metres - 2 else { return nil }
        // By the fix before, which may have been quiet: it is on the way.
        let step = Neighbourhood.metres(last, before) + Neighbourhood.metres(before, point)
        way += Int32(step * 100) + 1
        last = point
        serve(1)
        return room
    }

    /// The way along the earth is a little longer than the straight one.
    private static func metres(_ one: EarthPoint, _ other: EarthPoint) -> Double {
        one.straightMetres(to: other) * 1.001
    }

    /// What was seen of a neighbour from the last fix.
    mutating func see(_ index: Int, _ centimetres: Int32) {
        neighbours[index].see(centimetres, at: way)
    }

    /// The first neighbour from an index on that may say something new of the last fix: a line of
    /// it may have been crossed, or it may see the person elsewhere than is known.
    @inline(__always)
    func next(from start: Int) -> Int? {
        var index = start
        while index < neighbours.count {
            let neighbour = neighbours[index]
            if neighbour.toLine(at: way) <= 0 || !neighbour.isAsKnown(neighbour.side) {
                return index
            }
            index += 1
        }
        return nil
    }

    /// The neighbour that may have the nearest line to the last fix, near it, and was not seen from
    /// there yet; nil where the nearest line is known.
    func nextMeasured() -> Int? {
        var least = Neighbourhood.exactCentimetres
        var nearest: Int?
        for index in neighbours.indices {
            let toLine = neighbours[index].toLine(at: way)
            guard toLine <= least else { continue }
            least = toLine
            nearest = neighbours[index].isSeen(at: way) ? nil : index
        }
        return nearest
    }

    /// From the last fix: how far the nearest line of a neighbour is at least, metres, and how far
    /// its edge is at least and at most, centimetres; both the same where it was seen from there.
    @inline(__always)
    func limits(of index: Int) -> (toLine: Double, nearest: Int64, farthest: Int64) {
        let neighbour = neighbours[index]
        let edge = Int64(neighbour.centimetres.magnitude)
        let toLine = Double(neighbour.toLine(at: way)) / 100
        guard !neighbour.isSeen(at: way) else { return (toLine, edge, edge) }
        let doubt = neighbour.doubt(at: way)
        return (toLine, edge - doubt, edge + doubt)
    }

    mutating func end() { metres = -1 }

    /// Fixes did not leave it.
    mutating func serve(_ fixes: UInt8) {
        served = served > .max - fixes ? .max : served + fixes
    }

    /// After a fix that was judged without: whether one is to be made. Where people move fast it
    /// seldom pays.
    mutating func isWorthWhile() -> Bool {
        metres = -1
        guard waits == 0 else {
            waits -= 1
            return false
        }
        pause = served > 1 ? 0 : min(pause * 2 + 1, Neighbourhood.pauseMax)
        waits = pause
        served = 0
        return true
    }

    /// Makes it.
    ///
    /// - Parameters:
    ///   - metres: all zones but these, and their lines, are at least so far away
    ///   - neighbours: by owner, then by id; all of which something is known are among them
    mutating func make(
        around point: EarthPoint, metres: Double, _ neighbours: [Neighbour],
        at arrangements: UInt64
    ) {
        self.neighbours.removeAll(keepingCapacity: true)
        self.neighbours.append(contentsOf: neighbours)
        self.arrangements = arrangements
        middle = point
        last = point
        way = 0
        self.metres = metres >= Neighbourhood.metresMin ? metres : -1
    }

    /// What is known of the person and a zone is something else now.
    ///
    /// - Parameter known: `unknown` for what has to be looked at with each fix.
    mutating func note(_ zone: ZoneID, _ known: Presence) {
        guard metres > 0 else { return }
        for index in neighbours.indices where neighbours[index].zone == zone {
            neighbours[index].known = known
        }
    }
}

extension Neighbourhood.Neighbour {
    /// Of which nothing is known.
    init(_ zone: JudgedZone, place: Int32, owner: UInt16, centimetres: Int32) {
        self.zone = zone.id
        self.place = place
        self.owner = owner
        self.centimetres = centimetres
        isCrossed = zone.isCrossed
        isScheduled = zone.isScheduled
        known = .outside
        lines = ZoneLines(zone)
        side = lines.side(of: centimetres)
    }

    /// Centimetres to the zone, its alert distance taken off.
    var nearness: Int64 { lines.nearness(of: centimetres) }

    /// Whether a fix that sees the zone so, and the way to it, say nothing new.
    func isAsKnown(_ seen: Presence) -> Bool {
        known == seen && (!isScheduled || seen == .outside)
    }

    fileprivate mutating func see(_ centimetres: Int32, at way: Int32) {
        self.centimetres = centimetres
        seenAt = way
        side = lines.side(of: centimetres)
    }

    /// Whether it was seen from where the way ends.
    @inline(__always)
    fileprivate func isSeen(at way: Int32) -> Bool { seenAt == way }

    /// Distances are exact within 0.1 %, or 50 cm, then and now.
    @inline(__always)
    fileprivate func toLine(at way: Int32) -> Int32 {
        let then = lines.centimetres(from: centimetres)
        return then - then / 500 - 100 - (way - seenAt)
    }

    /// How far off the distance that was seen may be now, centimetres.
    @inline(__always)
    fileprivate func doubt(at way: Int32) -> Int64 {
        Int64(centimetres.magnitude) / 500 + 100 + Int64(way - seenAt)
    }
}

/// The lines of a zone on whose sides something depends: its edge, and the line at its alert
/// distance.
struct ZoneLines: Sendable {
    private let alertCentimetres: Int32
    private let kind: ZoneKind

    init(_ zone: JudgedZone) {
        alertCentimetres = zone.alertCentimetres
        kind = zone.kind
    }

    /// How far the nearer one is, centimetres, from where the edge is so far away.
    func centimetres(from distance: Int32) -> Int32 {
        let toEdge = Int32(clamping: distance.magnitude)
        guard alertCentimetres > 0 else { return toEdge }
        let toAlert = Int64(distance) - Int64(alertCentimetres)
        return min(toEdge, Int32(clamping: toAlert.magnitude))
    }

    /// Where somebody is who is so far from the edge.
    func side(of distance: Int32) -> Presence {
        if kind == .alert ? distance <= 0 : distance < 0 { return .inside }
        return alertCentimetres > 0 && distance <= alertCentimetres ? .near : .outside
    }

    /// The distance from the edge with the alert distance taken off.
    func nearness(of distance: Int32) -> Int64 { Int64(distance) - Int64(alertCentimetres) }
}

/// What a look at the zones around a fix found out about what is near.
struct Glance: Sendable {
    /// No line of any zone is nearer, metres.
    private(set) var metresToLine: Double
    /// The nearest edge is not nearer, and not farther away, centimetres.
    private(set) var nearestMin: Int64
    private(set) var nearestMax: Int64 = .max

    /// - Parameter room: all zones that are not neighbours are at least so far away, metres
    init(_ neighbourhood: Neighbourhood, room: Double) {
        metresToLine = room
        nearestMin = Int64(room * 100)
        for index in neighbourhood.neighbours.indices { add(neighbourhood, index) }
    }

    @inline(__always)
    private mutating func add(_ neighbourhood: Neighbourhood, _ index: Int) {
        let (toLine, nearest, farthest) = neighbourhood.limits(of: index)
        metresToLine = min(metresToLine, toLine)
        nearestMin = min(nearestMin, nearest)
        nearestMax = min(nearestMax, farthest)
    }
}

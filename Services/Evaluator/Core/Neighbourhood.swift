import Geometry
import Model

/// The zones around a place where a fix of a person was judged, and how far away all others are:
/// while the person moves about there, no index is asked.
///
/// For each of these zones there is a circle on a map, on one side of which nothing changes: that
/// of a round zone itself, a little narrower or wider; of any other one around where it was looked
/// at last, as far as its nearest line was then. A line is an edge, or where an alert distance
/// ends. Of all that was held back there is no such circle: the rules are asked.
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
        /// From where it was seen so.
        private var seenFrom = Circles.Spot(east: 0, north: 0)
        private let center: Coordinate
        /// Where that is.
        private var middle = Circles.Spot(east: 0, north: 0)
        /// Metres; less than 0 for one that is not round, or not so on the map.
        private var radius: Float
        /// How far off distances to a round one's lines are on the map, metres.
        private var doubt: Float = 0
        /// 0 = the person, then circle by circle, then set by set.
        let owner: UInt16
        let isCrossed: Bool
        let isScheduled: Bool
        let isTimed: Bool
        /// What is known of the person and the zone; `unknown` for what the rules are asked about.
        fileprivate(set) var known: Presence

        /// Of which nothing is known, seen from the map's middle.
        init(_ zones: JudgedZones, _ place: Int32, owner: UInt16, centimetres: Int32) {
            let zone = zones.zones[Int(place)]
            self.zone = zone.id
            self.place = place
            self.owner = owner
            self.centimetres = centimetres
            center = zones.regions.center(Int(place)).coordinate
            radius = Float(zones.regions.radiusMetres(Int(place)) ?? -1)
            isCrossed = zone.isCrossed
            isScheduled = zone.isScheduled
            isTimed = zone.isTimed
            known = .outside
            lines = ZoneLines(zone)
        }
    }

    /// No more zones than these; where more are that close, indices are asked.
    static let count = Circles.count
    /// Farther than this nobody gains by knowing how far, metres.
    static let metresMax = 10_000.0
    /// With all others so close it is none, metres.
    private static let metresMin = 20.0
    /// A map is good as far as its ways are longer or shorter by no more than this share.
    fileprivate static let shareMax = 0.001
    /// A circle on the map is the zone's own where distances are off by no more, metres, and its
    /// middle is no farther away.
    fileprivate static let doubtMax = 3.0
    fileprivate static let middleMax = 20_000.0
    /// Distances are exact within this, or a tenth of a percent; and a bit for rounding. Metres.
    fileprivate static let exactness = 0.65
    /// Closer than this it is worth while to know exactly how far an edge is, metres: no phone is
    /// told anything because of one that is farther away, but for those that are very far.
    private static let exactMetres: Float = 100
    /// Made in vain, the next one is made only after so many fixes.
    private static let pauseMax: UInt8 = 31

    /// All of it that a fix asks for which nothing changes.
    private var circles = Circles()
    private var map = LocalMap(around: EarthPoint(Coordinate(latitudeE7: 0, longitudeE7: 0)))
    /// Every line of every other zone is farther from the middle, metres on the map; negative where
    /// nothing is known.
    private(set) var metres = -1.0
    /// How far off distances are on the map at most where they are short, metres.
    private var doubt = 0.0
    /// What ``PartitionState/arrangements`` was when it was made.
    private var arrangements: UInt64 = 0
    /// By owner, then by id.
    private(set) var neighbours: [Neighbour] = []
    /// How many there are, and a part of the id of each: they are told apart by this first, because
    /// all of them are much memory.
    private var count = 0
    private var keys = InlineArray<16, UInt32>(repeating: 0)
    /// Fixes that were judged in it, as far as it matters.
    private var served: UInt8 = 0
    /// Fixes until it is worth while to make one, and how many there were last time.
    private var waits: UInt8 = 0
    private var pause: UInt8 = 0

    // MARK: Where a fix is

    /// Where a coordinate is on the map.
    @inline(__always)
    func spot(of coordinate: Coordinate) -> Circles.Spot {
        let (east, north) = map.spot(of: coordinate)
        return Circles.Spot(east: Float(east), north: Float(north))
    }

    /// Whether a spot is nearer to the middle than any line of another zone, by two metres.
    @inline(__always)
    func reaches(_ spot: Circles.Spot) -> Bool {
        let reach = Float(metres - 2)
        let middle = Circles.Spot(east: 0, north: 0)
        return reach > 0 && spot.squaredMetres(to: middle) < reach * reach
    }

    /// Whether a fix there says nothing new of any zone.
    @inline(__always)
    func isClear(_ spot: Circles.Spot) -> Bool { reaches(spot) && circles.hold(spot) }

    /// Goes on to a fix; nil where others than the neighbours may matter.
    mutating func go(
        to coordinate: Coordinate, from before: Coordinate, at arrangements: UInt64
    ) -> Circles.Spot? {
        guard metres > 0, arrangements == self.arrangements else { return nil }
        let spot = spot(of: coordinate)
        guard reaches(spot), reaches(self.spot(of: before)) else { return nil }
        serve(1)
        return spot
    }

    /// Within how many metres of a spot there is no line of a zone that is no neighbour.
    func room(at spot: Circles.Spot) -> Double {
        let away = spot.squaredMetres(to: Circles.Spot(east: 0, north: 0))
        return metres - Double(away).squareRoot()
    }

    /// What a zone may be of which something is known: what those of its id are, one or several.
    /// Told without a look at any; nil where that is not enough.
    func traits(of zone: ZoneID, at arrangements: UInt64) -> (isAlert: Bool, isTimed: Bool)? {
        guard metres > 0, arrangements == self.arrangements else { return nil }
        var found: (isAlert: Bool, isTimed: Bool)?
        let key = Neighbourhood.key(zone)
        for index in 0..<count where keys[index] == key && neighbours[index].zone == zone {
            let isAlert = neighbours[index].lines.kind == .alert
            found = (
                found?.isAlert == true || isAlert,
                found?.isTimed == true || neighbours[index].isTimed
            )
        }
        return found
    }

    // MARK: What is looked at

    /// The first neighbour from an index on that may say something new of a fix at a spot.
    @inline(__always)
    func next(from start: Int, at spot: Circles.Spot) -> Int? {
        circles.firstBeyond(spot, from: start, to: count)
    }

    /// What was seen of a neighbour from a spot.
    mutating func see(_ index: Int, _ centimetres: Int32, from spot: Circles.Spot) {
        neighbours[index].see(centimetres, from: spot)
        draw(index)
    }

    /// What is known of the person and a zone is something else now.
    ///
    /// - Parameter known: `unknown` for what the rules are to be asked about.
    mutating func note(_ zone: ZoneID, _ known: Presence) {
        guard metres > 0 else { return }
        let key = Neighbourhood.key(zone)
        for index in 0..<count where keys[index] == key && neighbours[index].zone == zone {
            neighbours[index].known = known
            draw(index)
        }
    }

    @inline(__always)
    private static func key(_ zone: ZoneID) -> UInt32 {
        UInt32(truncatingIfNeeded: zone.raw.mixed >> 32)
    }

    /// Draws the circle on one side of which a neighbour says nothing new.
    private mutating func draw(_ index: Int) { circles.set(index, neighbours[index].side) }

    /// What is near a spot that says nothing new, or where all that may was looked at just now.
    mutating func quickGlance(at spot: Circles.Spot) -> Glance {
        let (least, most) = circles.nearest(to: spot)
        let nearest = min(Double(least), room(at: spot)) * 0.997 - doubt
        var glance = Glance(nearestMin: Int64(max(nearest, 0) * 100))
        // Where there is no edge it is infinitely far away.
        let farthest = Double(min(most, 1_000_000)) * 1.006 + doubt
        if most < .infinity { glance.add(.max, Int64(farthest * 100)) }
        return glance
    }

    /// What is near a spot, as exactly as is known.
    func glance(at spot: Circles.Spot) -> Glance {
        let room = Int64((room(at: spot) - 1) * 100)
        var glance = Glance(nearestMin: room)
        for neighbour in neighbours {
            let (nearest, farthest) = neighbour.limits(at: spot)
            glance.add(nearest, farthest)
        }
        return glance
    }

    /// The neighbour that may have the nearest edge to a spot, near it, and was not seen from
    /// there; nil where the nearest edge is known.
    func nextUnsure(at spot: Circles.Spot) -> Int? {
        var least = Int64(Neighbourhood.exactMetres * 100)
        var nearest: Int?
        for index in neighbours.indices {
            let (low, high) = neighbours[index].limits(at: spot)
            guard low <= least else { continue }
            least = low
            nearest = low == high ? nil : index
        }
        return nearest
    }

    // MARK: Its beginning and end

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
    ///   - neighbours: by owner, then by id; all of which something is known are among them, and
    ///     all are seen from the point
    mutating func make(
        around point: EarthPoint, metres: Double, _ neighbours: [Neighbour],
        at arrangements: UInt64
    ) {
        self.neighbours.removeAll(keepingCapacity: true)
        count = 0
        self.metres = -1
        let map = LocalMap(around: point)
        let reach = min(metres * (1 - Neighbourhood.shareMax) - 1, map.metres(keeping: 0.001))
        guard reach >= Neighbourhood.metresMin, neighbours.count <= Neighbourhood.count else {
            return
        }
        self.neighbours.append(contentsOf: neighbours)
        self.arrangements = arrangements
        self.map = map
        self.metres = reach
        circles = Circles()
        doubt = 1
        count = neighbours.count
        for index in self.neighbours.indices {
            keys[index] = Neighbourhood.key(neighbours[index].zone)
            doubt = max(doubt, self.neighbours[index].settle(on: map, reach: reach))
            draw(index)
        }
    }
}

extension Neighbourhood.Neighbour {
    /// Finds out where it is on a map of which so much is used, metres, and returns how far off
    /// distances are there.
    fileprivate mutating func settle(on map: LocalMap, reach: Double) -> Double {
        guard radius >= 0 else { return 0 }
        let (east, north) = map.spot(of: center)
        let away = (east * east + north * north).squareRoot()
        let farthest = max(away, reach)
        let stretch = map.share(within: farthest) * (away + reach)
        let doubt = stretch + lines.alertMetres / 1000 + Neighbourhood.exactness
        guard away <= Neighbourhood.middleMax, doubt <= Neighbourhood.doubtMax else {
            radius = -1
            return 0
        }
        middle = Circles.Spot(east: Float(east), north: Float(north))
        self.doubt = Float(doubt)
        return doubt
    }

    /// Centimetres to the zone, its alert distance taken off.
    var nearness: Int64 { lines.nearness(of: centimetres) }

    /// Whether a fix that sees the zone so, and the way to it, say nothing new.
    func isAsKnown(_ seen: Presence) -> Bool {
        known == seen && (!isScheduled || seen == .outside)
    }

    fileprivate mutating func see(_ centimetres: Int32, from spot: Circles.Spot) {
        self.centimetres = centimetres
        seenFrom = spot
    }

    /// Where it says nothing new.
    fileprivate var side: Circles.Side {
        if radius >= 0, known == .inside, !isScheduled {
            return around(middle, radius - doubt, isInside: true, isRound: true)
        }
        if radius >= 0, known == .outside, !isCrossed {
            let beyond = radius + Float(lines.alertMetres) + doubt
            return around(middle, beyond, isInside: false, isRound: true)
        }
        var surely = -1.0
        if isAsKnown(lines.side(of: centimetres)) {
            let toLine = Double(lines.centimetres(from: centimetres)) / 100
            surely = toLine * (0.998 - Neighbourhood.shareMax) - 1
        }
        return around(seenFrom, Float(surely), isInside: true, isRound: false)
    }

    private func around(
        _ middle: Circles.Spot, _ radius: Float, isInside: Bool, isRound: Bool
    ) -> Circles.Side {
        // A little nearer than it was seen, because of how exact that is then and now.
        let seen = Float(centimetres.magnitude) / 100 * 0.997
        return Circles.Side(
            middle: middle, radius: radius, isInside: isInside,
            edge: isRound ? self.radius : seen, isRound: isRound)
    }

    /// How far the edge is from a spot at least and at most, centimetres; both the same where it
    /// was seen from there.
    @inline(__always)
    fileprivate func limits(at spot: Circles.Spot) -> (nearest: Int64, farthest: Int64) {
        let seen = Int64(centimetres.magnitude)
        if spot == seenFrom { return (seen, seen) }
        if radius >= 0 {
            let toEdge = (spot.squaredMetres(to: middle).squareRoot() - radius).magnitude
            return (Int64((toEdge - doubt) * 100) - 1, Int64((toEdge + doubt) * 100) + 1)
        }
        let moved = spot.squaredMetres(to: seenFrom).squareRoot() * 1.002
        let doubt = seen / 500 + 100 + Int64(moved * 100)
        return (seen - doubt, seen + doubt)
    }
}

/// The lines of a zone on whose sides something depends: its edge, and the line at its alert
/// distance.
struct ZoneLines: Sendable {
    private let alertCentimetres: Int32
    let kind: ZoneKind

    init(_ zone: JudgedZone) {
        alertCentimetres = zone.alertCentimetres
        kind = zone.kind
    }

    var alertMetres: Double { Double(alertCentimetres) / 100 }

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
    /// The nearest edge is not nearer, and not farther away, centimetres.
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

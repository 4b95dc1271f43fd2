import Model

/// What ``OracleZoneLife`` knows of a person and a zone.
struct OracleKnown {
    /// `unknown`: only fixes have come that are too inaccurate for a first decision.
    var presence: Presence
    var since: Timestamp
    var isWithheld = false
    /// One fix says that the person has left; when that counts if none other comes.
    var doubtful: Timestamp?
    /// Since then fixes see the person inside who has not entered.
    var coming: Timestamp?
    /// Near by a fix that is too inaccurate to say more.
    var isCoarse = false
    /// Only one fix says that the person has come.
    var isSlight = false
    var hasDwelled = false
    /// The schedule is closed: found so when it opens.
    var isShut = false

    var counts: Bool { [.near, .inside].contains(presence) && !isShut }
    /// Shut, and the last fix would let nobody leave who was there, though it is away.
    var isPuzzling: Bool { isShut && isWithheld }
}

extension OracleZoneLife {
    /// What was told, and when among all that one record led to.
    struct Telling {
        var record: Int
        var told: Oracle.Told
        /// Of the zone then.
        var kind: ZoneKind
        var moment: Moment
    }

    /// What a fix says of an open zone.
    struct Finding {
        var sight: OracleSight
        var occasion: Judgement
        var before: Presence
        var after: Presence
        /// Where the fix alone sees the person.
        var raw: Presence
        var reason: CrossingReason
        var isPassed = false
        /// Only fixes that were too inaccurate came before.
        var wasUndecided: Bool

        var stood: Presence { before == .unknown ? .outside : before }
    }
}

// The rules about one fix.
extension OracleZoneLife {
    /// Whether a fix was taken after the trusted one.
    func isAnother(_ sight: OracleSight) -> Bool {
        trust.trusted.map { $0.time < sight.time } ?? true
    }

    /// Whether one fix has begun a stay, and a later one needs no other to end it.
    func endsAtOnce(_ state: OracleKnown?, _ sight: OracleSight, _ zone: PlacedZone) -> Bool {
        state?.isSlight == true && isAnother(sight)
            && (!zone.isVague(sight) || state?.isCoarse == true)
    }

    /// A tenth of the time from the last fix to a second one is grace, of 180 s and of 30 min, too,
    /// which are the shortest and the longest silence that phones are told to keep.
    func patience(_ sight: OracleSight) -> Duration {
        patience(max(silence(before: sight), trust.usual))
    }

    private func patience(_ silent: Int64) -> Duration {
        .seconds(max(200, min(2000, silent * 10 / 9)))
    }

    private func silence(before sight: OracleSight) -> Int64 {
        trust.trusted.map { (sight.time - $0.time).components.seconds } ?? 0
    }

    /// Whether nothing has contradicted the last fix until it was as sure as two.
    func isProven(before sight: OracleSight) -> Bool {
        .seconds(silence(before: sight)) > patience(trust.usual)
    }
}

extension PlacedZone {
    var inradius: Double { Double(geometry.inradiusCentimetres) / 100 }

    /// Too inaccurate to enter a safe zone.
    func isVague(_ sight: OracleSight) -> Bool { sight.accuracy > max(100, inradius) }

    /// Too inaccurate to enter the zone.
    func isCoarse(_ sight: OracleSight) -> Bool {
        kind == .safe ? isVague(sight) : sight.accuracy > max(300, 2 * inradius)
    }

    /// The zone's hysteresis, or twice the accuracy, which asks for 200 m at most where it is
    /// better than that, and for itself where it is worse.
    func margin(_ sight: OracleSight) -> Double {
        let asked =
            switch sight.accuracy {
            case _ where isVague(sight): 2 * sight.accuracy
            case ...100: 2 * sight.accuracy
            case ...200: 200.0
            default: sight.accuracy
            }
        return max(Double(hysteresisMetres), asked)
    }
}

extension Presence {
    /// Whether somebody who was there is farther away now.
    func isAway(from before: Presence) -> Bool {
        before == .inside && self != .inside || before == .near && self == .outside
    }
}

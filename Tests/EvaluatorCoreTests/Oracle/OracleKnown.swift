import Model

/// The state of ``OracleZoneLife`` for a person and a zone.
struct OracleKnown {
    /// `unknown`: all fixes were too inaccurate for a first decision.
    var presence: Presence
    var since: Timestamp
    var isSuppressed = false
    /// One fix says that the person has left; when that counts if no other arrives.
    var doubtful: Timestamp?
    /// Since then fixes show the person inside who has not entered.
    var coming: Timestamp?
    /// Near by a fix that is too inaccurate to decide.
    var isCoarse = false
    /// Only one fix says that the person has arrived.
    var isSlight = false
    var hasDwelled = false
    /// The schedule is closed: the presence when it opens.
    var isShut = false

    var counts: Bool { [.near, .inside].contains(presence) && !isShut }
    /// Closed, and the last fix is away but would not make a person leave.
    var isPuzzling: Bool { isShut && isSuppressed }
}

extension OracleZoneLife {
    /// An expected event and its order within the record.
    struct Emission {
        var record: Int
        var emitted: Oracle.ExpectedEvent
        /// The zone at that time.
        var kind: ZoneKind
        var moment: Moment
    }

    /// The result of a fix for an open zone.
    struct Finding {
        var sight: OracleSight
        var occasion: ZoneEvaluation
        var before: Presence
        var after: Presence
        /// The presence by the fix alone.
        var raw: Presence
        var reason: CrossingReason
        var isPassed = false
        /// All fixes before were too inaccurate.
        var wasUndecided: Bool

        var stood: Presence { before == .unknown ? .outside : before }
    }
}

// The rules about one fix.
extension OracleZoneLife {
    /// Whether a fix is later than the trusted one.
    func isAnother(_ sight: OracleSight) -> Bool {
        trust.trusted.map { $0.time < sight.time } ?? true
    }

    /// Whether a single fix has begun the stay, so that a later one can end it.
    func endsAtOnce(_ state: OracleKnown?, _ sight: OracleSight, _ zone: ConfiguredZone) -> Bool {
        state?.isSlight == true && isAnother(sight)
            && (!zone.isVague(sight) || state?.isCoarse == true)
    }

    /// The wait for a second fix: 10/9 of the interval between fixes, from 200 s up to 2000 s: a
    /// ninth more than the shortest and the longest usual interval.
    func patience(_ sight: OracleSight) -> Duration {
        patience(max(silence(before: sight), trust.usual))
    }

    private func patience(_ silent: Int64) -> Duration {
        .seconds(max(200, min(2000, silent * 10 / 9)))
    }

    private func silence(before sight: OracleSight) -> Int64 {
        trust.trusted.map { (sight.time - $0.time).components.seconds } ?? 0
    }

    /// Whether the last fix stands because nothing contradicted it in time.
    func isProven(before sight: OracleSight) -> Bool {
        .seconds(silence(before: sight)) > patience(trust.usual)
    }
}

extension ConfiguredZone {
    var inradius: Double { Double(geometry.inradiusCentimetres) / 100 }

    /// Too inaccurate to enter a safe zone.
    func isVague(_ sight: OracleSight) -> Bool { sight.accuracy > max(100, inradius) }

    /// Too inaccurate to enter the zone.
    func isCoarse(_ sight: OracleSight) -> Bool {
        kind == .safe ? isVague(sight) : sight.accuracy > max(300, 2 * inradius)
    }

    /// The zone's hysteresis or twice the accuracy. The latter is limited to 200 m if the fix is
    /// better than that, and to the accuracy itself otherwise.
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
    /// Whether the result is farther away than the earlier presence.
    func isAway(from before: Presence) -> Bool {
        before == .inside && self != .inside || before == .near && self == .outside
    }
}

import Geometry
import Model

extension EvaluatorRules {
    /// Whether somebody can have come from one fix to another: no faster than people move, after
    /// both accuracies are taken off, and where both tell their speed, not much faster than that.
    /// Less than a second between them counts as one. What both tell says nothing of a longer way
    /// between them: who stands at both ends may have gone by train.
    func canFollow(_ earlier: JudgedFix, _ later: JudgedFix) -> Bool {
        canFollow(earlier.fix, earlier.point, later.fix, later.point)
    }

    func canFollow(
        _ earlier: Fix, _ from: EarthPoint, _ later: Fix, _ to: EarthPoint
    ) -> Bool {
        let slack = self.slack(earlier, later)
        let centimetres = from.straightMetres(to: to) * 100 - Double(slack)
        guard centimetres > 0 else { return true }
        return centimetres <= way(earlier, later)
    }

    /// As ``canFollow(_:_:)``, for two fixes that are surely no farther apart than that. False
    /// says nothing.
    @inline(__always)
    func canSurelyFollow(_ earlier: Fix, _ later: Fix, squaredMetres: Float) -> Bool {
        // A little less than it is, because all is rounded.
        let metres = (way(earlier, later) + Double(slack(earlier, later))) * 0.009_97
        return Double(squaredMetres) <= metres * metres
    }

    /// What both accuracies take off a way, centimetres.
    @inline(__always)
    private func slack(_ earlier: Fix, _ later: Fix) -> Int64 {
        Int64(accuracy(earlier.accuracyCentimetres)) + Int64(accuracy(later.accuracyCentimetres))
    }

    /// As far as somebody can have come between two fixes, centimetres.
    @inline(__always)
    private func way(_ earlier: Fix, _ later: Fix) -> Double {
        let passed = later.time.microseconds - earlier.time.microseconds
        let microseconds = max(1_000_000, passed < 0 ? -passed : passed)
        var fastest = speedMax
        if microseconds <= toldSpeedSecondsMax * 1_000_000,
            let one = earlier.speedCentimetresPerSecond, one >= 0,
            let other = later.speedCentimetresPerSecond, other >= 0
        {
            let told = Int64(max(one, other)) * Int64(speedFactor) + Int64(speedAllowance)
            fastest = min(fastest, Int32(clamping: told))
        }
        return Double(fastest) * (Double(microseconds) / 1_000_000)
    }
}

extension PersonState {
    /// Whether a fix that an emergency shows contradicts the last trusted one.
    func isSuspect(_ fix: Fix?, _ rules: EvaluatorRules) -> Bool {
        guard let fix, let trusted, fix.time >= trusted.fix.time else { return false }
        return !rules.canFollow(trusted.fix, trusted.point, fix, EarthPoint(fix.position))
    }

    /// When a suspect is believed, if no other fix comes.
    func suspectEnd(_ rules: EvaluatorRules) -> Timestamp? {
        guard let suspect else { return nil }
        let seconds =
            emergency.active == nil ? rules.suspectSeconds : rules.suspectSecondsInEmergency
        return suspect.since.plus(seconds: seconds)
    }

    /// When a person has left a zone, if no other fix comes; not while one contradicts that.
    func leavingEnd(_ presence: ZonePresence) -> Timestamp? {
        suspect == nil ? presence.leaving : nil
    }
}

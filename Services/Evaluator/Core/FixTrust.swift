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
        let whole = from.straightMetres(to: to) * 100
        let centimetres = whole - Double(slack)
        guard centimetres > 0 else { return true }
        return centimetres <= way(earlier, later) || isAsFastAsTold(earlier, later, whole)
    }

    /// Whether the speed between two fixes is about the one that they report, and possible.
    private func isAsFastAsTold(_ earlier: Fix, _ later: Fix, _ centimetres: Double) -> Bool {
        let seconds = seconds(earlier, later)
        guard let told = toldSpeed(earlier, later), centimetres <= Double(steadySpeedMax) * seconds
        else { return false }
        let expected = told * seconds
        let off = centimetres > expected ? centimetres - expected : expected - centimetres
        return off <= expected * Double(steadyPercent) / 100 + Double(slack(earlier, later))
    }

    /// Whether three fixes in a row agree in speed and direction.
    func areSteady(_ first: JudgedFix, _ second: JudgedFix, _ third: JudgedFix) -> Bool {
        guard first.fix.time < second.fix.time, second.fix.time < third.fix.time,
            third.fix.time.seconds(since: second.fix.time) <= waySecondsMax,
            second.fix.time.seconds(since: first.fix.time) <= waySecondsMax
        else { return false }
        let before = seconds(first.fix, second.fix)
        let after = seconds(second.fix, third.fix)
        let metres = second.point.straightMetres(to: third.point)
        guard metres * 100 <= Double(steadySpeedMax) * after,
            first.point.straightMetres(to: second.point) * 100 <= Double(steadySpeedMax) * before
        else { return false }
        let off = second.point.metresOff(
            third.point, after: first.point, times: after / before)
        return off * 100
            <= metres * Double(steadyPercent) + Double(slack(second.fix, third.fix))
    }

    /// Whether a fix is farther from the one before than its person can have come.
    ///
    /// Reported speeds decide. Where the earlier fix reports none, so do the speed before it and
    /// how fast people get away from rest. After more than ``waySecondsMax`` nobody can say.
    ///
    /// - Parameters:
    ///   - previous: the fix before the earlier one, if known
    ///   - acceleration: from rest, centimetres per second per second
    func isImplausible(
        _ earlier: JudgedFix, _ later: JudgedFix, after previous: Fix?,
        acceleration: Int32
    ) -> Bool {
        let seconds = seconds(earlier.fix, later.fix)
        guard seconds <= Double(waySecondsMax) else { return false }
        let way = way(earlier, later)
        guard way > 0 else { return false }
        return way
            > plausibleWay(
                earlier, later, after: previous, seconds: seconds, acceleration: acceleration)
    }

    /// How far somebody can have come between two fixes, centimetres.
    private func plausibleWay(
        _ earlier: JudgedFix, _ later: JudgedFix, after previous: Fix?, seconds: Double,
        acceleration: Int32
    ) -> Double {
        let factor = Double(toldWayPercent) / 100
        switch (reportedSpeed(earlier.fix), reportedSpeed(later.fix)) {
        case (nil, let other):
            let fromRest = Double(acceleration) * seconds * seconds / 2
            let pace =
                goesOn(from: previous, earlier, later) ? pace(from: previous, to: earlier) : 0
            return max(fromRest, max(pace, other ?? 0) * seconds * factor)
        case (let one?, let other?) where seconds > Double(toldSpeedSecondsMax):
            // Speeds at both ends say little of so long a way.
            return max(one, other) * seconds * factor
        case (let one?, let other?): return (one + other) / 2 * seconds * factor
        case (let one?, nil): return one * seconds * factor
        }
    }

    /// Whether somebody is on the way: a fix reports it, or, where neither it nor the one before
    /// reports a speed, it goes on as the two before it did.
    func isMoving(_ fix: JudgedFix, from last: JudgedFix?, after previous: Fix?) -> Bool {
        if isMoving(fix.fix) { return true }
        guard let last, let previous, reportedSpeed(last.fix) == nil,
            reportedSpeed(fix.fix) == nil,
            pace(from: previous, to: last) >= Double(movingSpeed)
        else { return false }
        let before = JudgedFix(fix: previous, device: last.device, report: last.report)
        return areSteady(before, last, fix)
    }

    /// Whether a fix is nearer to where the speed before would have led than the one before it is.
    private func goesOn(from previous: Fix?, _ earlier: JudgedFix, _ later: JudgedFix) -> Bool {
        guard let previous else { return false }
        let start = EarthPoint(previous.position)
        let times = seconds(earlier.fix, later.fix) / seconds(previous.time, earlier.fix.time)
        return earlier.point.metresOff(later.point, after: start, times: times)
            < start.straightMetres(to: earlier.point) * times
    }

    /// The least mean speed between two fixes, centimetres a second; 0 if the first is not known.
    private func pace(from previous: Fix?, to fix: JudgedFix) -> Double {
        guard let previous else { return 0 }
        let slack = accuracy(previous.accuracyCentimetres) + accuracy(fix.fix.accuracyCentimetres)
        let way = EarthPoint(previous.position).straightMetres(to: fix.point) * 100 - Double(slack)
        return max(0, way) / seconds(previous.time, fix.fix.time)
    }

    /// How far apart two fixes are at least, centimetres.
    private func way(_ earlier: JudgedFix, _ later: JudgedFix) -> Double {
        earlier.point.straightMetres(to: later.point) * 100
            - Double(slack(earlier.fix, later.fix))
    }

    /// The speed that a fix reports, centimetres a second.
    private func reportedSpeed(_ fix: Fix) -> Double? {
        fix.speedCentimetresPerSecond.flatMap { $0 >= 0 ? Double($0) : nil }
    }

    /// The mean of the speeds that two fixes report, centimetres a second; nil if none does.
    private func toldSpeed(_ earlier: Fix, _ later: Fix) -> Double? {
        let one = reportedSpeed(earlier)
        let other = reportedSpeed(later)
        guard let told = other ?? one else { return nil }
        return ((one ?? told) + told) / 2
    }

    /// Between two fixes, at least one.
    private func seconds(_ earlier: Fix, _ later: Fix) -> Double {
        seconds(earlier.time, later.time)
    }

    private func seconds(_ earlier: Timestamp, _ later: Timestamp) -> Double {
        let passed = later.microseconds - earlier.microseconds
        return Double(max(1_000_000, passed < 0 ? -passed : passed)) / 1_000_000
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

import Geometry
import Model

extension EvaluatorRules {
    /// Whether a person can have moved from one fix to another.
    ///
    /// The distance, less both accuracies, must not need more than the maximum speed. If both fixes
    /// report a speed, it must not be much higher than that either. Times under one second count as
    /// one second. Reported speeds say nothing about a longer time between fixes: a person who
    /// stands at both ends may have gone by train.
    func canFollow(_ earlier: EvaluatedFix, _ later: EvaluatedFix) -> Bool {
        canFollow(earlier.fix, earlier.point, later.fix, later.point)
    }

    func canFollow(
        _ earlier: Fix, _ from: EarthPoint, _ later: Fix, _ to: EarthPoint
    ) -> Bool {
        let slack = self.slack(earlier, later)
        let whole = from.straightMetres(to: to) * 100
        let centimetres = whole - Double(slack)
        guard centimetres > 0 else { return true }
        return centimetres <= maxDistance(earlier, later)
            || matchesReportedSpeed(earlier, later, whole)
    }

    /// Whether the speed between two fixes is possible and about the reported one.
    private func matchesReportedSpeed(_ earlier: Fix, _ later: Fix, _ centimetres: Double) -> Bool {
        let seconds = seconds(earlier, later)
        guard let reported = meanReportedSpeed(earlier, later),
            centimetres <= Double(steadySpeedMax) * seconds
        else { return false }
        let expected = reported * seconds
        let off = centimetres > expected ? centimetres - expected : expected - centimetres
        return off <= expected * Double(steadyPercent) / 100 + Double(slack(earlier, later))
    }

    /// Whether three consecutive fixes agree in speed and direction.
    func areSteady(_ first: EvaluatedFix, _ second: EvaluatedFix, _ third: EvaluatedFix) -> Bool {
        guard first.fix.time < second.fix.time, second.fix.time < third.fix.time,
            third.fix.time.seconds(since: second.fix.time) <= pathSecondsMax,
            second.fix.time.seconds(since: first.fix.time) <= pathSecondsMax
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

    /// Whether a fix is farther from the previous one than its person can have moved.
    ///
    /// Reported speeds decide. If the earlier fix reports none, the speed before it and the
    /// acceleration from rest decide. After more than ``pathSecondsMax`` every distance is
    /// plausible.
    ///
    /// - Parameters:
    ///   - previous: the fix before the earlier one, if known.
    ///   - acceleration: from rest, centimetres per second per second.
    func isImplausible(
        _ earlier: EvaluatedFix, _ later: EvaluatedFix, after previous: Fix?,
        acceleration: Int32
    ) -> Bool {
        let seconds = seconds(earlier.fix, later.fix)
        guard seconds <= Double(pathSecondsMax) else { return false }
        let distance = minDistance(earlier, later)
        guard distance > 0 else { return false }
        return distance
            > plausibleDistance(
                earlier, later, after: previous, seconds: seconds, acceleration: acceleration)
    }

    /// How far a person can plausibly have moved between two fixes, centimetres.
    private func plausibleDistance(
        _ earlier: EvaluatedFix, _ later: EvaluatedFix, after previous: Fix?, seconds: Double,
        acceleration: Int32
    ) -> Double {
        let factor = Double(reportedPathPercent) / 100
        switch (reportedSpeed(earlier.fix), reportedSpeed(later.fix)) {
        case (nil, let other):
            let fromRest = Double(acceleration) * seconds * seconds / 2
            let pace =
                continues(from: previous, earlier, later) ? pace(from: previous, to: earlier) : 0
            return max(fromRest, max(pace, other ?? 0) * seconds * factor)
        case (let one?, let other?) where seconds > Double(reportedSpeedSecondsMax):
            // Speeds at both ends say little about so long a path.
            return max(one, other) * seconds * factor
        case (let one?, let other?): return (one + other) / 2 * seconds * factor
        case (let one?, nil): return one * seconds * factor
        }
    }

    /// Whether a person is moving: the fix reports it, or, if neither it nor the previous fix
    /// reports a speed, it continues the movement of the two fixes before it.
    func isMoving(_ fix: EvaluatedFix, from last: EvaluatedFix?, after previous: Fix?) -> Bool {
        if isMoving(fix.fix) { return true }
        guard let last, let previous, reportedSpeed(last.fix) == nil,
            reportedSpeed(fix.fix) == nil,
            pace(from: previous, to: last) >= Double(movingSpeed)
        else { return false }
        let before = EvaluatedFix(fix: previous, device: last.device, report: last.report)
        return areSteady(before, last, fix)
    }

    /// Whether a fix is nearer to the extrapolated position than the previous fix is.
    private func continues(from previous: Fix?, _ earlier: EvaluatedFix, _ later: EvaluatedFix)
        -> Bool
    {
        guard let previous else { return false }
        let start = EarthPoint(previous.position)
        let times = seconds(earlier.fix, later.fix) / seconds(previous.time, earlier.fix.time)
        return earlier.point.metresOff(later.point, after: start, times: times)
            < start.straightMetres(to: earlier.point) * times
    }

    /// The minimum mean speed between two fixes, centimetres a second; 0 if the first is unknown.
    private func pace(from previous: Fix?, to fix: EvaluatedFix) -> Double {
        guard let previous else { return 0 }
        let slack = accuracy(previous.accuracyCentimetres) + accuracy(fix.fix.accuracyCentimetres)
        let distance =
            EarthPoint(previous.position).straightMetres(to: fix.point) * 100 - Double(slack)
        return max(0, distance) / seconds(previous.time, fix.fix.time)
    }

    /// The minimum distance between two fixes, centimetres.
    private func minDistance(_ earlier: EvaluatedFix, _ later: EvaluatedFix) -> Double {
        earlier.point.straightMetres(to: later.point) * 100
            - Double(slack(earlier.fix, later.fix))
    }

    /// The reported speed of a fix, centimetres a second.
    private func reportedSpeed(_ fix: Fix) -> Double? {
        fix.speedCentimetresPerSecond.flatMap { $0 >= 0 ? Double($0) : nil }
    }

    /// The mean of the reported speeds of two fixes, centimetres a second; nil if none is reported.
    private func meanReportedSpeed(_ earlier: Fix, _ later: Fix) -> Double? {
        let one = reportedSpeed(earlier)
        let other = reportedSpeed(later)
        guard let reported = other ?? one else { return nil }
        return ((one ?? reported) + reported) / 2
    }

    /// Seconds between two fixes, at least one.
    private func seconds(_ earlier: Fix, _ later: Fix) -> Double {
        seconds(earlier.time, later.time)
    }

    private func seconds(_ earlier: Timestamp, _ later: Timestamp) -> Double {
        let passed = later.microseconds - earlier.microseconds
        return Double(max(1_000_000, passed < 0 ? -passed : passed)) / 1_000_000
    }

    /// A fast approximation of ``canFollow(_:_:)`` for an upper bound of the distance. True is
    /// certain; false means unknown.
    @inline(__always)
    func canSurelyFollow(_ earlier: Fix, _ later: Fix, squaredMetres: Float) -> Bool {
        // A little less than exact, because of rounding.
        let metres = (maxDistance(earlier, later) + Double(slack(earlier, later))) * 0.009_97
        return Double(squaredMetres) <= metres * metres
    }

    /// The sum of both accuracies, centimetres.
    @inline(__always)
    private func slack(_ earlier: Fix, _ later: Fix) -> Int64 {
        Int64(accuracy(earlier.accuracyCentimetres)) + Int64(accuracy(later.accuracyCentimetres))
    }

    /// The maximum distance that a person can have moved between two fixes, centimetres.
    @inline(__always)
    private func maxDistance(_ earlier: Fix, _ later: Fix) -> Double {
        let passed = later.time.microseconds - earlier.time.microseconds
        let microseconds = max(1_000_000, passed < 0 ? -passed : passed)
        var fastest = speedMax
        if microseconds <= reportedSpeedSecondsMax * 1_000_000,
            let one = earlier.speedCentimetresPerSecond, one >= 0,
            let other = later.speedCentimetresPerSecond, other >= 0
        {
            let limit = Int64(max(one, other)) * Int64(speedFactor) + Int64(speedAllowance)
            fastest = min(fastest, Int32(clamping: limit))
        }
        return Double(fastest) * (Double(microseconds) / 1_000_000)
    }
}
